"""What a new statement rests on, pinned to the work tree as it stands while it is written."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, TypeVar

from learnt.govern.reference import lines_of, path_of
from learnt.model.anchor import relative
from learnt.model.memory import Memory
from learnt.model.pin import KEY, MAX_PINS, as_row
from learnt.model.proposal import Proposal
from learnt.model.view import View
from learnt.stale import take

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from learnt.flows.means import Means
    from learnt.model.pin import Pin

_SECRET_NAMES = (".env", ".netrc", ".npmrc", ".pypirc", "id_rsa", "id_ed25519", "id_ecdsa", "credentials", "secrets.")
_SECRET_ENDS = (".pem", ".key", ".p12", ".pfx", ".jks", ".kdbx")
"""Files whose lines are often secrets: the hash of a short line would tell its holder whether a guess is right."""

Statement = TypeVar("Statement", Memory, Proposal)


def pinned(means: Means, made: Statement, files: Sequence[str], symbols: Sequence[str]) -> Statement:
    """`made` with its pins; without any where it belongs to no repository or names no file that is here.

    Files that somebody named (`files`, file references) are pinned; those that only the text mentions where there are
    no others. A symbol is pinned in the named files that declare it.
    """
    if not made.scope.repo_id:
        return made
    found = dict.fromkeys(_pins(means, made, files, symbols))
    rows = [as_row(pin) for pin in tuple(found)[:MAX_PINS]]
    return replace(made, metadata={**made.metadata, KEY: rows}) if rows else made


def _pins(means: Means, made: Memory | Proposal, files: Sequence[str], symbols: Sequence[str]) -> Iterator[Pin]:
    root = means.place.root
    spans: dict[str, list[tuple[int, int]]] = {}
    for reference in made.evidence:
        if path := path_of(reference):
            spans.setdefault(relative(path, root), []).extend(lines_of(reference))
    named = dict.fromkeys((*(relative(path, root) for path in files), *spans))
    commit: str | None = None
    for path in tuple(named or made.files)[:MAX_PINS]:
        excluded = path.startswith("/") or any(fnmatchcase(path, each) for each in means.settings.evidence.exclude)
        view = "absent" if excluded else means.workplace.look(path)
        if not isinstance(view, View):
            continue
        if commit is None:
            commit = means.context.commit or means.workplace.head_commit()
        yield from _of_file(path, view, spans.get(path, []), symbols, commit)


def _of_file(
    path: str, view: View, spans: Sequence[tuple[int, int]], symbols: Sequence[str], commit: str
) -> Iterator[Pin]:
    """The pins in one file: named lines, then symbols, else the file as a whole; of a file of secrets never more."""
    if path.rpartition("/")[2].lower().startswith(_SECRET_NAMES) or path.lower().endswith(_SECRET_ENDS):
        yield take.whole(path, commit)
        return
    bodies = [pin for name in symbols if (pin := take.symbol(path, view, name, commit))]
    yield from (take.lines(path, view, line, end, commit) for line, end in spans)
    yield from bodies
    if not spans and not bodies:
        yield take.whole(path, commit)
