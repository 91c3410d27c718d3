"""What a repository remembers, as a region in files that agents read anyhow.

Nothing is written that a person did not ask for, file by file. A region holds only what somebody reviewed or gave, of
this repository alone, never anything personal. What a person changes inside it is kept and offered as proposals before
the region is written anew; a region that was taken out by hand stays out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from learnt.distil.edited import edits
from learnt.distil.line import line
from learnt.errors import ConfigError, UsageError
from learnt.flows.artifacts import MADE, Touched, binder_of
from learnt.flows.asked import asked, change, folder
from learnt.flows.bar import struck
from learnt.flows.decide import person_required
from learnt.flows.offer import offer
from learnt.flows.rescan import rescan
from learnt.flows.switch import off
from learnt.flows.threads import here
from learnt.gate.clearance import PATTERN_SET
from learnt.model.filter import MemoryFilter
from learnt.model.keys import sha256_hex
from learnt.ports.outlets import Drawn, Wish

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.answer import Refusal
    from learnt.model.memory import Memory
    from learnt.ports.outlets import Outlets

FILES: Final = (
    *("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", "CONVENTIONS.md", "MEMORY.md"),
    *(".goosehints", ".github/copilot-instructions.md"),
)
"""Files that agents read at a start. Source: the hosts' documentation."""

MOST_LINES: Final = 80
MOST_CHARS: Final = 8_000
"""Of a region: Claude Code reads the first 200 lines of its MEMORY.md, and these files are read whole every time."""

_HEAD: Final = (
    "## What this repository remembers",
    "",
    "Background from earlier work; the files themselves prevail.",
    "",
)
_TRUSTED: Final = frozenset({"person", "repository", "tool"})
_PERSONAL: Final = frozenset({"user_preference", "scratch", "todo", "evidence", "channel_note"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Redrawn:
    """What was done to files, or would be.

    Attributes:
        drawn: One a file. `written`: whether it was done.
        memories: How many stand in a region.
        proposals: What was offered of changes by hand. `faults`: files that could not be written, and why.
    """

    drawn: tuple[Drawn, ...] = ()
    written: bool = False
    memories: int = 0
    proposals: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


def publish(means: Means, file: str, *, remove: bool = False, dry_run: bool = False) -> Redrawn | Refusal:
    """Put the region into a file, and keep it current from now on; or take it out for good.

    Raises:
        UsageError: `not_an_outlet`: it is none of the files agents read, or lies elsewhere.
        ConfigError: The file cannot be changed safely.
    """
    refused = (None if dry_run else person_required(means, "memory publish")) or (None if remove else off(means))
    if refused:
        return refused
    outlets, path = drawer(means), _path(means, file)
    if not dry_run:
        rescan(means)
    body, count = region(means)
    wish = Wish(path=path, of="region", text=None if remove else body)
    if dry_run:
        return Redrawn(drawn=(outlets.drawn(wish),), memories=count)
    offered = _kept(means, outlets, path)
    outlets.drawn(wish)  # what cannot be changed is not asked for
    if not remove:  # before it is there, so that it is found whoever dies in between
        _listed(means, path, keep=True)
    done = outlets.draw(wish)
    if remove:
        _listed(means, path, keep=False)
    _made(means, path, body)
    return Redrawn(drawn=(done,), written=True, memories=count, proposals=offered)


def renew(means: Means) -> Redrawn:
    """Bring every file that was asked for up to date; one that cannot be written is told of, and tried again later."""
    wanted = asked(means).regions
    if means.outlets is None or not wanted:
        return Redrawn()
    drawn: list[Drawn] = []
    faults: list[str] = []
    proposals: list[str] = []
    body, count = region(means)
    for path in wanted:
        try:
            if means.outlets.region(path) is None:  # taken out by hand: a person's no
                _listed(means, path, keep=False)
                continue
            proposals.extend(_kept(means, means.outlets, path))
            drawn.append(means.outlets.draw(Wish(path=path, of="region", text=body)))
            _made(means, path, body)
        except ConfigError as error:
            faults.append(error.message)
    changed = tuple(each for each in drawn if each.differs)
    return Redrawn(drawn=changed, written=True, memories=count, proposals=tuple(proposals), faults=tuple(faults))


def empty(means: Means, path: str) -> None:
    """Leave only the frame of a region, until it is brought up to date.

    Raises:
        ConfigError: The file cannot be changed.
    """
    body = "\n".join([*_HEAD, "Nothing yet."]) + "\n"
    drawer(means).draw(Wish(path=path, of="region", text=body))
    _made(means, path, body)


def region(means: Means) -> tuple[str, int]:
    """What the region says, and how many memories stand in it: the same for the same memories."""
    rows = list(_HEAD)
    room, count = MOST_CHARS, 0
    for memory in _worth(means)[:MOST_LINES]:
        row = f"- {line(memory.text)} [{memory.id}] ({memory.trust})"
        room -= len(row) + 1
        if room < 0:
            break
        rows.append(row)
        count += 1
    return "\n".join(rows if count else [*rows, "Nothing yet."]) + "\n", count


def _worth(means: Means) -> list[Memory]:
    """What may stand in it, kind by kind, the more trusted first."""
    now = means.clock.now()
    found = means.store.memories.page(here(means), MemoryFilter(limit=1_000), now).values
    hidden = _PERSONAL | set(means.settings.memory.exclude_kinds)
    kept = [each for each in found if each.kind not in hidden and _is_reviewed(each) and each.valid_from <= now]
    order = ("person", "repository", "tool")
    return sorted(kept, key=lambda each: (order.index(each.trust), each.kind, each.id))


def _is_reviewed(memory: Memory) -> bool:
    by_person = bool(memory.reviewed_by) or any(each.type == "person" for each in memory.evidence)
    return memory.trust in _TRUSTED and by_person and memory.clearance == PATTERN_SET


def drawer(means: Means) -> Outlets:
    """What changes files here.

    Raises:
        UsageError: Nothing does.
    """
    if means.outlets is None or means.artifacts is None:
        raise UsageError("There are no files here.", code="no_files")
    return means.outlets


def _path(means: Means, file: str) -> str:
    """The absolute path of a file of this repository that agents read, or of a host's own MEMORY.md."""
    root = Path(means.place.root)
    path = Path(file) if Path(file).is_absolute() else root / file
    inside = path.is_relative_to(root) and path.relative_to(root).as_posix() in FILES
    if inside or (path.name == "MEMORY.md" and path.parent.name == "memory" and ".." not in path.parts):
        return str(path)
    raise UsageError(
        f"{file} is no file that agents read at a start.",
        code="not_an_outlet",
        hint=f"One of {', '.join(FILES)} in the repository, or a MEMORY.md in a host's memory folder.",
    )


def _kept(means: Means, outlets: Outlets, path: str) -> tuple[str, ...]:
    """Offer what a person changed inside the region; gives the proposals. A copy of the region is kept first."""
    held, binder = outlets.region(path), binder_of(means)
    if held is None or binder is None or means.artifacts is None:
        return ()
    made = binder.read(_name(path))
    if made is None or sha256_hex(_plain(held)) == sha256_hex(_plain(made.decode("utf-8", "replace"))):
        return ()
    at = means.clock.now().replace(":", "-")
    copy = means.gate.redact(struck(means, held)).encode("utf-8", "replace")
    means.artifacts.write(f"{folder(means)}/edited/{at}/{Path(path).name}", [copy])
    changed = edits(_plain(made.decode("utf-8", "replace")), _plain(held))
    return offer(means, [Touched(name=Path(path).name, content=b"", edits=changed)])


def _plain(body: str) -> str:
    """A region's text without our note and without line ends that its file has another way."""
    return "\n".join(row for row in body.splitlines() if not row.startswith("<!--")).strip("\n")


def _name(path: str) -> str:
    return f"{MADE}/regions/{sha256_hex(path)[:16]}.md"


def _made(means: Means, path: str, body: str) -> None:
    if means.artifacts is not None:
        means.artifacts.write(f"{folder(means)}/{_name(path)}", [body.encode()])


def _listed(means: Means, path: str, *, keep: bool) -> None:
    """Note whether a file is kept current from now on."""
    change(means, lambda held: replace(held, regions=held.regions | {path} if keep else held.regions - {path}))
