"""The folder of keys, and places outside of the store."""

from __future__ import annotations

import http.server
import os
import shutil
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from learnt.bootstrap.anchors import CommandPlace, EndpointPlace, FilePlace, GitPlace, anchors
from learnt.bootstrap.keyring import FileKeyring, FileSeals
from learnt.errors import AuditKeyError
from learnt.model.keyring import Record
from learnt.model.seal import key_name, log_key
from learnt.ports.seals import Missed, Seen
from learnt.settings import AuditSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOG, KEY = "ab12cd34ef56ab12", b"k" * 32


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a key."""
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "audit.key").write_bytes(KEY)
    return tmp_path / "keys"


@pytest.fixture
def ring(folder: Path) -> FileKeyring:
    """That of a store at one place."""
    path = folder / "audit.key"
    return FileKeyring(folder, "/data/memory.db", lambda: path.read_bytes() if path.exists() else b"")


def test_a_log_is_marked_with_its_own_key(ring: FileKeyring, folder: Path) -> None:
    """And from then on belongs to this place; nobody else may read what is kept of it."""
    assert FileSeals(ring).key(LOG) == (key_name(KEY), log_key(KEY, LOG))
    assert ring.record(LOG).places == ("/data/memory.db",)
    assert ring.path(LOG, "json").stat().st_mode & 0o777 == 0o600
    other = FileKeyring(folder, "/data/memory.db", lambda: KEY)
    assert other.replaced("another") == ""  # nothing was committed yet: a first transaction that failed leaves no log
    FileSeals(ring).saw(LOG, 1, "f" * 64)
    assert (other.replaced("another"), other.replaced(LOG)) == (LOG, "")


def test_a_key_that_went_is_not_made_anew(ring: FileKeyring, folder: Path) -> None:
    """A log that was marked here is not gone on with, and a fresh folder begins afresh."""
    FileSeals(ring).key(LOG)
    (folder / "audit.key").unlink()
    with pytest.raises(AuditKeyError):
        FileSeals(ring).key(LOG)
    assert FileSeals(ring).key("0" * 16) is None


def test_what_was_seen_comes_back(ring: FileKeyring) -> None:
    """Also over a longer one, and not at all where it is damaged."""
    seals = FileSeals(ring)
    assert seals.seen(LOG) is None
    seals.key(LOG)
    seals.saw(LOG, 10**12, "f" * 64)
    seals.saw(LOG, 7, "e" * 64)
    assert seals.seen(LOG) == Seen(7, "e" * 64, ring.start)
    ring.path(LOG, "seen").write_bytes(b"\xff\x00 nothing")
    assert seals.seen(LOG) is None


def test_an_alarm_stays(ring: FileKeyring) -> None:
    """What a restart explains is replaced by what none does, and not the other way."""
    seals = FileSeals(ring)
    seals.key(LOG)
    seals.missed(LOG, Seen(9, "a" * 64, "another start"), 5)
    assert ring.met(LOG) == Missed(9, 5, restarted=True)
    seals.missed(LOG, Seen(8, "a" * 64, ring.start), 6)
    assert ring.met(LOG) == Missed(8, 6, restarted=False)
    seals.missed(LOG, Seen(3, "a" * 64, "another start"), 1)
    assert ring.met(LOG) == Missed(8, 6, restarted=False)
    ring.settle(LOG)
    assert (ring.met(LOG), ring.seen(LOG)) == (None, None)


def test_a_record_comes_back_whole(ring: FileKeyring) -> None:
    """And one that cannot be read is no empty one."""
    record = Record(
        log=LOG,
        places=("/a", "/b"),
        installation="0" * 32,
        epoch=3,
        secret="ab" * 32,
        pinned={"0" * 32: (0, "cd" * 32)},
        signed="{}",
        accepted=(5, "ef" * 32, "2026-05-24T12:00:00.000Z"),
    )
    ring.keep(record)
    assert ring.record(LOG) == record
    assert record.secret not in repr(record)
    ring.path(LOG, "json").write_text("{", "utf-8")
    with pytest.raises(AuditKeyError):
        ring.record(LOG)


def test_a_name_from_a_store_leads_nowhere(ring: FileKeyring, folder: Path) -> None:
    """Whoever writes the store names the log."""
    for name in ("../../etc/x", "a/b", "", "x" * 300, "a\0b"):
        assert ring.path(name, "json").parent == folder / "audit"


def test_rotation_keeps_the_former_key(ring: FileKeyring, folder: Path) -> None:
    """To verify with; the new one is another."""
    old, new = ring.rotate()
    assert (old, new != old) == (key_name(KEY), True)
    assert set(ring.masters()) == {old, new}
    assert (folder / f"audit.{old}.key").read_bytes() == KEY


def test_a_file_takes_lines(tmp_path: Path) -> None:
    """One after another; a link in its place is not followed, and nothing is waited for."""
    place = FilePlace(tmp_path / "new" / "anchor.jsonl")
    assert place.lines() == ((), "")
    assert [place.put("a"), place.put("é")] == ["", ""]
    assert place.lines() == (("a", "é"), "")
    assert place.path.stat().st_mode & 0o777 == 0o600
    link = tmp_path / "link"
    link.symlink_to(place.path)
    assert FilePlace(link).put("x")
    assert FilePlace(link).lines()[1]
    os.mkfifo(tmp_path / "pipe")
    assert FilePlace(tmp_path / "pipe").lines() == ((), "no plain file")
    assert FilePlace(tmp_path).put("x")


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_a_ref_takes_lines(tmp_path: Path) -> None:
    """With a history of its own; neither branch, index nor work tree nor a hook of the repository has part in it."""
    run = ["git", "-C", str(tmp_path)]
    subprocess.run([*run, "init", "-q"], check=True)
    hook = tmp_path / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", "utf-8")
    hook.chmod(0o755)
    place = GitPlace(str(tmp_path))
    assert place.lines() == ((), "")
    assert [place.put("a"), place.put("b")] == ["", ""]
    assert place.lines() == (("a", "b"), "")
    status = subprocess.run([*run, "status", "--porcelain"], check=True, capture_output=True, text=True).stdout
    assert (status, (tmp_path / "ran").exists()) == ("", False)
    count = subprocess.run(
        [*run, "rev-list", "--count", "refs/learnt/audit"], check=True, capture_output=True, text=True
    )
    assert count.stdout.strip() == "2"
    assert GitPlace(str(tmp_path / "nowhere")).put("a")


def test_a_command_takes_lines(tmp_path: Path) -> None:
    """Without a shell; what it says of itself is told."""
    target = tmp_path / "a file; rm -rf $HOME"
    code = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read())"
    place = CommandPlace((sys.executable, "-c", code, str(target)))
    assert place.put("a") == ""
    assert target.read_text("utf-8") == "a\n"
    assert CommandPlace((sys.executable, "-c", "raise SystemExit(3)")).put("a") == "it ended with 3"
    assert CommandPlace(("/no/such/program",)).put("a")
    assert place.lines()[1]
    assert str(target) not in place.name


class _Ledger(http.server.BaseHTTPRequestHandler):
    held: list[bytes] = []  # noqa: RUF012 - of one test

    def do_POST(self) -> None:
        """Keep a line, or send elsewhere."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "/")
        else:
            self.held.append(body)
            self.send_response(204)
        self.end_headers()

    def do_GET(self) -> None:
        """All lines."""
        body = b"".join(self.held)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the standard library's
        """Silent."""


@pytest.fixture
def ledger() -> Iterator[str]:
    """An endpoint on this machine."""
    _Ledger.held = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Ledger) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_an_endpoint_takes_lines(ledger: str) -> None:
    """Only on hosts that were named, only by HTTPS elsewhere, and where it sends nobody follows."""
    place = EndpointPlace(ledger + "/", ("127.0.0.1",))
    assert [place.put("a"), place.put("b")] == ["", ""]
    assert place.lines() == (("a", "b"), "")
    assert EndpointPlace(ledger + "/away", ("127.0.0.1",)).put("c") == "it answered 302"
    assert "audit.hosts" in EndpointPlace(ledger, ()).put("c")
    assert "audit.hosts" in EndpointPlace(ledger, ("example.org",)).put("c")
    assert EndpointPlace("http://example.org/", ("example.org",)).put("c") == "it is not HTTPS"
    assert EndpointPlace("file:///etc/passwd", ("",)).put("c") == "it is not HTTPS"
    assert "127.0.0.1" in place.name
    assert len(_Ledger.held) == 2


def test_the_settings_name_the_anchors() -> None:
    """None without any."""
    assert anchors(AuditSettings(), "/r") == ()
    named = AuditSettings(file="/f", git=True, command=("a",), url="https://h/", hosts=("h",))
    assert [each.name.partition(" ")[0] for each in anchors(named, "/r")] == ["file", "git", "command", "endpoint"]
