"""The artifacts of a repository, files made from rows: written, pruned, and looked at for what a person changed.

`projects/<repository id>/` holds them. Beside them `.made/` holds which files are ours, with digests of what was
written, and the text of those that are offered back as proposals when a person changes them. A file whose digest is
none of ours was changed by somebody: it is copied to `edited/` before it is written over. The digests of what is about
to be written are down before the first file is, so that nobody who dies in between leaves files that look like a
person's.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from learnt.distil.edited import edits
from learnt.distil.names import MEMORY, SKILLS, SUMMARY
from learnt.errors import ArtifactError
from learnt.flows.bar import struck
from learnt.model.keys import sha256_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from learnt.distil.edited import Edit
    from learnt.flows.means import Means
    from learnt.ports.artifacts import Artifacts

PROJECTS: Final = "projects"
MADE: Final = ".made"
EDITED: Final = "edited"
MOST_BYTES: Final = 16 * 1024 * 1024
_LIST: Final = "files.json"
OUTLETS: Final = "outlets.json"
LISTS: Final = (f"{MADE}/{_LIST}", f"{MADE}/{OUTLETS}")
"""What is ours, and what a person asked for: names and paths, without which nothing could be taken back."""
_NOTE: Final = "inputs.json"
_REMEMBERED: Final = 4
"""Digests of earlier states of a file that are still ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filed:
    """What was done to the files.

    Attributes:
        written, removed: Names, in order; what was the same already is in neither.
        kept: Where copies of what a person had changed lie.
    """

    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """A file that somebody changed: as it is, and the changes as far as they can be offered."""

    name: str
    content: bytes
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What files were made of.

    Attributes:
        of: A digest of all a model was given, and of what its answer is held against; "" where none was asked.
        entries: How many stand in MEMORY.md.
    """

    of: str = ""
    entries: int = 0


class Binder:
    """The files of one repository.

    Args:
        redact: What takes secrets out of the copies that are kept of a person's text.
    """

    def __init__(self, artifacts: Artifacts, repository_id: str, redact: Callable[[str], str] = str) -> None:
        self._artifacts = artifacts
        self._redact = redact
        self.folder = f"{PROJECTS}/{repository_id}"

    def read(self, name: str) -> bytes | None:
        """What a file holds; None where there is none."""
        return self._artifacts.read(f"{self.folder}/{name}", MOST_BYTES)

    def touched(self) -> tuple[Touched, ...]:
        """The files of ours that somebody changed since they were written."""
        return tuple(self._touched())

    def made(self, of: str) -> tuple[dict[str, str], Note] | None:
        """The files, where they were made of just this and stand as they were written; None where they are to be made.

        So that no model is asked twice about the same. Source: hindsight #1266, claude-mem #2643.
        """
        found, held = {}, self.read(f"{MADE}/{_NOTE}")
        if held is None or (note := _note(held)).of != of:
            return None
        for name, digests in self._list().items():
            content = self.read(name)
            if content is None or digests[:1] != [sha256_bytes(content).hex()]:
                return None
            found[name] = _text(content)
        return found, note

    def _touched(self) -> Iterator[Touched]:
        for name, digests in sorted(self._list().items()):
            held = self.read(name)
            if held is None or sha256_bytes(held).hex() in digests:
                continue
            made = self.read(f"{MADE}/{name}") if _is_offered(name) else None
            changes = edits(_text(made), _text(held)) if made is not None else ()
            yield Touched(name=name, content=held, edits=changes)

    @contextmanager
    def ready(self, files: Mapping[str, str], at: str, note: Note | None = None) -> Iterator[Callable[[], Filed]]:
        """Have the files ready; what is given makes them what they are to be, in a moment.

        Args:
            at: A canonical instant; names the folder of what a person changed.
            note: What they were made of.

        Raises:
            ArtifactError: One cannot be written.
        """
        known = self._list()
        if not known and not files:
            yield Filed
            return
        kept = tuple(self._kept(each, at) for each in self._touched())
        wanted = {name: text.encode("utf-8", "replace") for name, text in files.items()}
        for name, content in wanted.items():
            mine = [sha256_bytes(content).hex(), *known.get(name, ())]
            known[name] = list(dict.fromkeys(mine))[:_REMEMBERED]
        staged = self._staged(known, wanted, note or Note())
        written = tuple(name for name in staged if name in wanted)
        with self._artifacts.stage({f"{self.folder}/{name}": each for name, each in staged.items()}) as put:

            def finish() -> Filed:
                put()
                removed = tuple(name for name in sorted(known) if name not in wanted and self._gone(name))
                self._listed({name: held for name, held in known.items() if name in wanted})
                return Filed(written=written, removed=removed, kept=kept)

            yield finish

    def _staged(self, known: Mapping[str, list[str]], wanted: Mapping[str, bytes], note: Note) -> dict[str, bytes]:
        """What is to be written, before all of it the list of what is ours and what it was made of."""
        staged = {f"{MADE}/{_LIST}": _listing(known), f"{MADE}/{_NOTE}": _noted(note)}
        staged |= {f"{MADE}/{name}": wanted[name] for name in sorted(filter(_is_offered, wanted))}
        staged |= dict(sorted(wanted.items()))
        return {name: content for name, content in staged.items() if self.read(name) != content}

    def blot(self, is_gone: Callable[[str], bool], spared: Collection[str], below: str = "") -> tuple[str, ...]:
        """Remove every file that holds what was forgotten, copies included; gives their names.

        Args:
            spared: Names of files that somebody else looks after. `below`: a folder, to look nowhere else.

        Raises:
            ArtifactError: One of them cannot be removed; all others were.
        """
        found: list[str] = []
        fault: ArtifactError | None = None
        kept = {f"{self.folder}/{name}" for name in (*spared, *LISTS)}
        top = f"{self.folder}/{below}" if below else self.folder
        names = self._artifacts.names(top)
        for name in (each for each in names if each not in kept):
            held = None if _is_left_over(name) else self._artifacts.read(name, MOST_BYTES)
            if held is None or is_gone(_text(held)):
                try:
                    self._artifacts.remove(name)
                    found.append(name)
                except ArtifactError as error:  # first all that can be removed
                    fault = error
        gone = {name.removeprefix(f"{self.folder}/") for name in found}
        there = {name.removeprefix(f"{self.folder}/") for name in names} - gone
        known = self._list()
        stays = {name: held for name, held in known.items() if name not in gone and (below or name in there)}
        if stays != known:  # a file's name tells what it is about, also after somebody died before he struck it
            self._listed(stays)
        if fault is not None:
            raise fault
        return tuple(found)

    def clear(self) -> int:
        """Empty the folder; gives how many files went.

        Raises:
            ArtifactError: It is a symbolic link.
        """
        return self._artifacts.clear(self.folder)

    def is_empty(self) -> bool:
        """Whether nothing was ever written here."""
        return not self._list()

    def skills(self) -> tuple[str, ...]:
        """The names of the skills that are there."""
        return tuple(name.split("/")[1] for name in sorted(self._list()) if _is_skill(name))

    def files(self, folder: str) -> tuple[str, ...]:
        """The names of our files below a folder, which ends with a slash."""
        return tuple(name for name in sorted(self._list()) if name.startswith(folder))

    def _gone(self, name: str) -> bool:
        if _is_offered(name):
            self._artifacts.remove(f"{self.folder}/{MADE}/{name}")
        return self._artifacts.remove(f"{self.folder}/{name}")

    def _kept(self, touched: Touched, at: str) -> str:
        moment, text = at.replace(":", "-"), _text(touched.content)
        clean = self._redact(text)
        copy = touched.content if clean == text else clean.encode("utf-8", "replace")
        return self._artifacts.write(f"{self.folder}/{EDITED}/{moment}/{touched.name}", [copy])

    def _list(self) -> dict[str, list[str]]:
        """Which files are ours, with the digests of what was written."""
        held = self.read(f"{MADE}/{_LIST}")
        try:
            found: Any = json.loads(held) if held else {}
        except ValueError:
            found = {}
        if not isinstance(found, dict):
            return {}
        good = {name: each for name, each in found.items() if _is_name(name) and isinstance(each, list)}
        return {name: [str(digest) for digest in each] for name, each in good.items()}

    def _listed(self, known: Mapping[str, list[str]]) -> None:
        made = _listing(known)
        if self.read(f"{MADE}/{_LIST}") != made:
            self._artifacts.write(f"{self.folder}/{MADE}/{_LIST}", [made])


def binder_of(means: Means) -> Binder | None:
    """Where the files of this repository lie; None where there are to be none."""
    if means.artifacts is None:
        return None
    clean = means.gate.redact
    return Binder(means.artifacts, means.identity.repository_id, lambda text: clean(struck(means, text)))


def _noted(note: Note) -> bytes:
    return json.dumps({"of": note.of, "entries": note.entries}).encode()


def _note(held: bytes) -> Note:
    try:
        found: Any = json.loads(held)
        return Note(of=str(found["of"]), entries=int(found["entries"]))
    except (ValueError, TypeError, KeyError):
        return Note()


def _listing(known: Mapping[str, list[str]]) -> bytes:
    return json.dumps(dict(sorted(known.items())), indent=1).encode()


def _is_name(name: str) -> bool:
    """Whether a name leads to a file below the folder: the list itself may have been changed."""
    parts = name.split("/")
    return (
        not any(part in {"", ".", ".."} or any(odd in part for odd in "\\:\0") for part in parts) and parts[0] != MADE
    )


def _is_left_over(name: str) -> bool:
    """Whether a file was never given its name, or belongs to somebody who is about to see that it is too late."""
    last = name.rpartition("/")[2]
    return last.startswith(".") and not last.endswith(".lock")


def _is_offered(name: str) -> bool:
    """Whether what a person changes in a file is offered back: of what sessions said word for word nothing is."""
    return name in {MEMORY, SUMMARY} or _is_skill(name)


def _is_skill(name: str) -> bool:
    parts = name.split("/")
    return len(parts) == 3 and parts[0] == SKILLS and parts[2] == "SKILL.md"


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
