"""The server of the tests."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

import tests.server as server_module
from tests.server import started

if TYPE_CHECKING:
    from tests.server import Server

ROOT = Path(__file__).resolve().parents[2]
_HOLDER = """
import sys, time
sys.path.insert(0, sys.argv[1])
from tests.server import started
with started() as (url, told):
    print(told["port"], told["folder"], flush=True)
    time.sleep(600)
"""


def test_every_test_has_its_own_database(server: Server) -> None:
    """What one writes another does not see; pgvector is there, new enough for iterative scans."""
    with server.database() as one, server.database() as two:
        with psycopg.connect(one) as inside:
            inside.execute("CREATE TABLE only_here (a int)")
            version = inside.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
        with psycopg.connect(two) as inside:
            found = inside.execute("SELECT to_regclass('only_here')").fetchone()
    assert found == (None,)
    assert version is not None
    assert tuple(map(int, version[0].split("."))) >= (0, 8, 0)


def test_a_killed_run_leaves_no_server() -> None:
    """Server and files go when the process that asked for them is killed."""
    holder = subprocess.Popen([sys.executable, "-c", _HOLDER, str(ROOT)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout
    port, folder = holder.stdout.readline().split()
    with socket.create_connection(("127.0.0.1", int(port)), timeout=10):
        pass
    os.kill(holder.pid, signal.SIGKILL)
    holder.communicate()
    end_s = time.monotonic() + 60
    while Path(folder).exists() and time.monotonic() < end_s:
        time.sleep(0.05)
    assert not Path(folder).exists()
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", int(port)))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs another user")
def test_where_root_may_make_no_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server runs as nobody, from copies of its programs."""
    monkeypatch.setattr(server_module, "AS_SOMEBODY", ("false",))
    with started() as (url, told), psycopg.connect(url) as inside:
        inside.execute("CREATE EXTENSION vector")
        assert Path(told["folder"]).stat().st_uid == 65534
    assert not Path(told["folder"]).exists()


def test_a_killed_keeper_takes_the_server_along() -> None:
    """Even then nothing goes on listening."""
    with started() as (_, told):
        port, folder = told["port"], Path(told["folder"])
        os.kill(told["keeper"], signal.SIGKILL)
        end_s = time.monotonic() + 60
        listens = True
        while listens and time.monotonic() < end_s:
            time.sleep(0.05)
            with socket.socket() as probe:
                listens = probe.connect_ex(("127.0.0.1", port)) == 0
    shutil.rmtree(folder)
    assert not listens
