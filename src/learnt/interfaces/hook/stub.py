"""What `learnt init` writes: five lines that start a hook, and the command line a host runs them with."""

from __future__ import annotations

import os

STUB = "hook.py"
OTHERWISE = " || true"


def stub_text(*, source: str, home: str, database: str, config: str) -> str:
    """The text of the stub, with what `init` found as literals: a repository can set a host's environment, not this.

    A failing import is a fault like any other: said on standard error, written to the log, exit status 0.

    Args:
        source: The folder `learnt` is imported from.
        home: The data directory.
        database: The SQLite file.
        config: The user's configuration file; keys lie beside it.
    """
    places = f"{home!r}, {database!r}, {config!r}"
    log = home + "/hook-errors.log"
    return (
        f"import os, sys; os.umask(0o077); sys.path.insert(0, {source!r})\n"
        f"try: from learnt.interfaces.hook.process import run; run(sys.argv[1:], {places})\n"
        "except BaseException as e: "
        f"os.write(2, repr(e).encode()); open({log!r}, 'a').write('stub ' + repr(e)[:300] + '\\n')\n"
        "finally: os._exit(0)\n"
    )


def source_folder() -> str:
    """The folder this `learnt` is imported from."""
    here = os.path.abspath(__file__)
    for _ in range(4):
        here = os.path.dirname(here)
    return here


def command_words(python: str, home: str) -> tuple[str, ...]:
    """The command by its words, without the event: for hosts that start a program themselves."""
    return (python, "-I", "-S", os.path.join(home, STUB))


def command_line(python: str, home: str, event: str, host: str) -> str:
    """The command a host runs for an event: isolated, and without the user's site-packages.

    Where the stub was removed by hand Python ends with 2, which hosts take for a refusal of the prompt or the action:
    a shell says that all is well.
    """
    line = f"{_quoted(python)} -I -S {_quoted(os.path.join(home, STUB))} {event} --host {host}"
    return line if os.name == "nt" else line + OTHERWISE


def shared_command_line(event: str, host: str) -> str:
    """The same for a file that others read too: no path of this user."""
    return f"learnt hook {event} --host {host}"


def _quoted(path: str) -> str:
    """A path in double quotes, for a POSIX shell and for Windows' own."""
    if os.name == "nt":
        return f'"{path}"'
    return '"' + "".join("\\" + char if char in '\\"$`' else char for char in path) + '"'


def write_stub(home: str, text: str) -> str:
    """Write the stub in one step, for this user alone; gives its path."""
    path = os.path.join(home, STUB)
    fresh = f"{path}.{os.getpid()}.{os.urandom(4).hex()}"
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        os.write(handle, text.encode())
        os.fsync(handle)
    finally:
        os.close(handle)
    os.replace(fresh, path)
    return path
