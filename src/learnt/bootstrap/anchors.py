"""Where checkpoints are put outside of the store: a file, a ref of a repository, a program, an HTTPS endpoint.

Each takes lines of JSON, and never makes a command fail or wait long: what went wrong is said. Only the user's own
configuration names them, never a repository's.
"""

from __future__ import annotations

import http.client
import os
import stat
import subprocess
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from learnt.bootstrap.machine import git_environment

if TYPE_CHECKING:
    from email.message import Message

    from learnt.ports.anchors import Place
    from learnt.settings import AuditSettings

_WAIT_S = 10
_MOST_BYTES = 64 * 1024 * 1024
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


def anchors(settings: AuditSettings, root: str) -> tuple[Place, ...]:
    """Those that the settings name.

    Args:
        root: The folder of the repository that a ref is kept in.
    """
    found: list[Place] = []
    if settings.file:
        found.append(FilePlace(Path(settings.file).expanduser()))
    if settings.git:
        found.append(GitPlace(root))
    if settings.command:
        found.append(CommandPlace(settings.command))
    if settings.url:
        found.append(EndpointPlace(settings.url, settings.hosts))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file that lines are added to; best on another disk, or in a folder that is copied away."""

    path: Path

    @property
    def name(self) -> str:
        """What it is called."""
        return f"file {self.path}"

    def put(self, line: str) -> str:
        """Add a line, durably; a link in the file's place is not followed."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _NO_FOLLOW, 0o600)
            try:
                size = os.fstat(handle).st_size
                torn = size and os.pread(handle, 1, size - 1) != b"\n"  # what a kill cut off must not take this along
                rest = (b"\n" if torn else b"") + line.encode() + b"\n"
                while rest:
                    rest = rest[os.write(handle, rest) :]
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            return f"{error.strerror or error}"
        return ""

    def lines(self) -> tuple[tuple[str, ...], str]:
        """All lines; none of a file that is not there yet."""
        try:
            with os.fdopen(os.open(self.path, os.O_RDONLY | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return (), "no plain file"
                held = file.read(_MOST_BYTES)
        except FileNotFoundError:
            return (), ""
        except OSError as error:
            return (), f"{error.strerror or error}"
        return tuple(held.decode("utf-8", "replace").splitlines()), ""


_REF = "refs/learnt/audit"
_FILE = "checkpoints.jsonl"


@dataclass(frozen=True, slots=True)
class GitPlace:
    """A ref of a repository with a history of its own, beside all branches.

    `git push origin refs/learnt/audit` takes it elsewhere. Neither work tree nor index nor hooks have part in it.
    """

    root: str

    @property
    def name(self) -> str:
        """What it is called."""
        return f"git {_REF}"

    def put(self, line: str) -> str:
        """A commit more, with the file of all lines; nothing where somebody else was quicker."""
        before = self._git("rev-parse", "--verify", "--quiet", _REF)
        held = self._git("cat-file", "blob", f"{_REF}:{_FILE}") if before else ""
        whole = f"{held}\n{line}\n" if held else f"{line}\n"
        blob = self._git("hash-object", "-w", "--stdin", given=whole)
        tree = self._git("mktree", given=f"100644 blob {blob}\t{_FILE}\n") if blob else ""
        parents = ("-p", before) if before else ()
        commit = self._git("commit-tree", tree, *parents, "-m", "learnt: checkpoint of the audit trail") if tree else ""
        if not commit:
            return "no git, or no repository that can be written"
        moved = self._git("update-ref", "--create-reflog", _REF, commit, before or "0" * len(commit), told=True)
        return "" if moved else "the ref was moved by somebody else meanwhile"

    def lines(self) -> tuple[tuple[str, ...], str]:
        """All lines of the ref, and those of its former commits, so that none is lost when it is moved back."""
        if not self._git("rev-parse", "--verify", "--quiet", _REF):
            return (), ""
        found = self._git("cat-file", "blob", f"{_REF}:{_FILE}")
        return tuple(found.splitlines()), "" if found else f"{_REF} holds no checkpoints"

    def _git(self, *arguments: str, given: str = "", told: bool = False) -> str:
        """What git prints; "" where it fails. With `told` "ok" where it does not."""
        own = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false")
        try:
            done = subprocess.run(
                ["git", "-C", self.root, *own, *arguments],
                input=given,
                capture_output=True,
                text=True,
                timeout=_WAIT_S,
                check=False,
                env={**git_environment(), **_IDENTITY},
            )
        except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
            return ""
        if done.returncode:
            return ""
        return "ok" if told else done.stdout.strip()


_IDENTITY = {
    "GIT_AUTHOR_NAME": "learnt",
    "GIT_AUTHOR_EMAIL": "learnt@localhost",
    "GIT_COMMITTER_NAME": "learnt",
    "GIT_COMMITTER_EMAIL": "learnt@localhost",
}


@dataclass(frozen=True, slots=True)
class CommandPlace:
    """A program of the user's that takes a line on standard input: a logger, a mailer, a ledger."""

    command: tuple[str, ...]

    @property
    def name(self) -> str:
        """What it is called; its arguments may hold secrets."""
        return f"command {self.command[0]}"

    def put(self, line: str) -> str:
        """Run it without a shell; it has ten seconds, and must end with 0."""
        try:
            done = subprocess.run(
                list(self.command), input=line.encode() + b"\n", capture_output=True, timeout=_WAIT_S, check=False
            )
        except subprocess.TimeoutExpired:
            return f"no end after {_WAIT_S} s"
        except (OSError, ValueError) as error:
            return f"{getattr(error, 'strerror', '') or error}"
        return f"it ended with {done.returncode}" if done.returncode else ""

    def lines(self) -> tuple[tuple[str, ...], str]:
        """It only takes."""
        return (), "a command only takes; compare by hand what it kept"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """An endpoint that sends elsewhere is not followed: only hosts that the user named are asked."""

    def redirect_request(
        self, req: urllib.request.Request, fp: object, code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        """Refuse."""


@dataclass(frozen=True, slots=True)
class EndpointPlace:
    """An HTTPS endpoint: `POST` adds a line, `GET` gives all of them."""

    url: str
    hosts: tuple[str, ...]

    @property
    def name(self) -> str:
        """What it is called: its host alone, for the rest may hold secrets."""
        return f"endpoint {_host(self.url)}"

    def put(self, line: str) -> str:
        """Post a line."""
        return self._asked(line.encode() + b"\n")[1]

    def lines(self) -> tuple[tuple[str, ...], str]:
        """All lines, where the endpoint gives them back."""
        held, fault = self._asked(None)
        return tuple(held.decode("utf-8", "replace").splitlines()), fault

    def _asked(self, sent: bytes | None) -> tuple[bytes, str]:
        if fault := self._refused():
            return b"", fault
        headers = {"Content-Type": "application/x-ndjson"}
        request = urllib.request.Request(self.url, sent, headers, method="POST" if sent else "GET")  # noqa: S310 - see _refused
        opener = urllib.request.build_opener(_NoRedirect, urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=_WAIT_S) as answer:
                return answer.read(_MOST_BYTES), ""
        except urllib.error.HTTPError as error:
            error.close()
            return b"", f"it answered {error.code}"
        except (OSError, http.client.HTTPException, ValueError) as error:
            return b"", f"{getattr(error, 'reason', error)}"

    def _refused(self) -> str:
        """Why the endpoint is not asked; "" where it may be."""
        host = _host(self.url)
        scheme = urlsplit(self.url).scheme if host else ""
        if host not in self.hosts:
            return "its host is not in `audit.hosts`"
        loopback = host in {"localhost", "127.0.0.1", "::1"}
        return "" if scheme == "https" or (scheme == "http" and loopback) else "it is not HTTPS"


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
