"""All hosts' sessions: whose a file is, how it is read, what is alarming about it.

A session's place is a path, or `PATH#SESSION` for one of several in a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from learnt.errors import LearntError, NotFoundError, UsageError
from learnt.hosts.aider import host as aider
from learnt.hosts.claude import host as claude
from learnt.hosts.cline import host as cline
from learnt.hosts.codex import host as codex
from learnt.hosts.copilot import host as copilot
from learnt.hosts.cursor import host as cursor
from learnt.hosts.gemini import host as gemini
from learnt.hosts.host import Asked, Host, Reader
from learnt.hosts.mastra import host as mastra
from learnt.hosts.opencode import host as opencode
from learnt.hosts.openhands import host as openhands
from learnt.hosts.pi import host as pi
from learnt.hosts.pi import ohmypi
from learnt.hosts.reading.lines import opened
from learnt.hosts.specstory import host as specstory
from learnt.hosts.sweagent import host as sweagent

if TYPE_CHECKING:
    from learnt.model.session import Header

REGISTRY: Final[tuple[Host, ...]] = (
    claude.HOST,
    codex.HOST,
    copilot.HOST,
    gemini.HOST,
    opencode.HOST,
    ohmypi.HOST,
    pi.HOST,
    cursor.HOST,
    cline.HOST,
    cline.ROO,
    openhands.HOST,
    aider.HOST,
    specstory.HOST,
    sweagent.HOST,
    mastra.HOST,
)
"""Every host with a reader, in the order in which files are tried."""

HOSTS: Final = {host.name: host for host in REGISTRY}


def asked_of(place: str, offset: int = 0, number: int = 0, *, lineage: bool = True) -> Asked:
    """The session a place names; a `#` that belongs to the path itself stays there."""
    path, mark, session = place.rpartition("#")
    if not mark or not path or Path(place).exists():
        path, session = place, ""
    return Asked(path=Path(path), session=session, offset=offset, number=number, lineage=lineage)


def host_named(name: str) -> Host:
    """A host by its name.

    Raises:
        UsageError: It has no reader.
    """
    if name in HOSTS:
        return HOSTS[name]
    raise UsageError(
        f"There is no reader for {name or 'an unknown host'}; there are: {', '.join(HOSTS)}.",
        code="unknown_host",
        hint="Name one with --host.",
    )


def host_of(path: Path) -> str:
    """The host whose file this is, by its first records; "" when none recognises it.

    Raises:
        NotFoundError: There is no such file.
        UsageError: It may not be read.
    """
    if not path.exists():
        raise NotFoundError(f"There is no file {path}.", hint="`learnt sessions scan` finds transcripts.")
    if not path.is_dir():
        opened(path).close()
    shaped = ""
    for host in REGISTRY:
        fit = _fit(host, path)
        if fit == "sure":
            return host.name
        if fit == "shaped":
            shaped = shaped or host.name
    return shaped


def _fit(host: Host, path: Path) -> str:
    try:
        return host.recognises(path)
    except (LearntError, OSError):  # gone or unreadable by now
        return "no"


def reader(place: Path | str, host: str = "", offset: int = 0, number: int = 0, *, lineage: bool = True) -> Reader:
    """The reader for a session, which is `host`'s, or whoever's its file looks like.

    Args:
        lineage: False where only the header matters: the files beside this one are then not looked at.

    Raises:
        NotFoundError: There is no such file, or no such session in it.
        UsageError: It cannot be read, is of a host without a reader, or holds several sessions and none is named.
    """
    asked = asked_of(str(place), offset, number, lineage=lineage)
    chosen = host_named(host or host_of(asked.path))
    if not asked.session and (inside := chosen.sessions(asked.path)):
        if len(inside) > 1:
            raise UsageError(
                f"{asked.path} holds {len(inside)} sessions.",
                code="which_session",
                hint="Name one: " + ", ".join(f"{asked.path}#{each}" for each in inside[:5]),
            )
        asked = asked_of(f"{asked.path}#{inside[0]}", offset, number, lineage=lineage)
    return chosen.reads(asked)


def alarms(header: Header, messages: int) -> tuple[str, ...]:
    """What a person should look at after a reading of a whole file: records were there, and none was a message.

    A format that moved on looks exactly like this; taken for a short session it would be lost without a word.
    """
    if messages or not header.records:
        return ()
    understood = header.records - header.unknown
    return (
        f"{header.records} records, {understood} understood, no message; format version {header.version or 'unknown'}",
    )
