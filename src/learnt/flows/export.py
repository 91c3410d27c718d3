"""What is in sight, written into a folder that another learnt, or a person, can read.

A disclosure: told in the audit trail before anybody can read the files. What only this store can use stays behind, and
the manifest says what that is. Digests of forgotten text are never in an export.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from learnt.model.cargo import EXPORTED
from learnt.model.field import line_of, plain
from learnt.model.keys import sealed, short_id
from learnt.model.parcel import FILES, MANIFEST, Manifest, manifest_row
from learnt.model.portable import CODECS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.flows.means import Means
    from learnt.model.cargo import Chapter
    from learnt.model.parcel import Listed
    from learnt.ports.parcel import Export

STRETCH: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What became of an export.

    Attributes:
        path: The folder.
        event: Of the disclosure, in the audit trail.
    """

    path: str
    manifest: Manifest
    event: str

    @property
    def rows(self) -> int:
        """Of all files."""
        return sum(each.rows for each in self.manifest.files.values())


def export(means: Means, to: Export, tell: Callable[[int], None] | None = None) -> Exported:
    """Write everything in sight into a folder.

    Args:
        tell: Called with how many rows are written, now and then.

    Raises:
        ConfigError: The folder cannot be written; nothing was.
        StoreError: The store does not answer; nothing was written.
    """
    now = means.clock.now()
    try:
        manifest = _written(means, to, now, tell)
        event = _told(means, manifest, now)
        to.finish()
    finally:
        to.discard()
    return Exported(path=to.path, manifest=manifest, event=event)


def _written(means: Means, to: Export, now: str, tell: Callable[[int], None] | None) -> Manifest:
    run = _Run(means, tell)
    with means.store.cargo.moment():
        files = {FILES[chapter]: _file(run, to, chapter) for chapter in EXPORTED}
        left = means.store.cargo.left(means.context.sight)
    manifest = Manifest(
        exported_at=now,
        person=means.context.user_id,
        repository=means.identity.repository_id,
        place=means.place.value,
        scopes=means.context.sight.keys,
        files=files,
        left_out={name: rows for name, rows in left.items() if rows},
        unreadable=run.damaged,
    )
    manifest = replace(manifest, seal=sealed(means.key, manifest.parts) if means.key else "")
    to.write(MANIFEST, [line_of(plain(manifest_row(manifest)))])
    return manifest


class _Run:
    """One export while it goes on."""

    def __init__(self, means: Means, tell: Callable[[int], None] | None) -> None:
        self.means = means
        self.rows = 0
        self.damaged = 0
        self._tell = tell

    def note(self, rows: int, damaged: int) -> None:
        """Tell how far it is."""
        self.rows += rows
        self.damaged += damaged
        if self._tell is not None:
            self._tell(self.rows)


def _file(run: _Run, to: Export, chapter: Chapter) -> Listed:
    return to.write(FILES[chapter], _lines(run, chapter))


def _lines(run: _Run, chapter: Chapter) -> Iterator[str]:
    sight, row = run.means.context.sight, CODECS[chapter].row
    after, more = "", True
    while more:
        load = run.means.store.cargo.within(sight, chapter, after, STRETCH)
        for value in load.values:
            yield line_of(row(value))
        run.note(len(load.values), len(load.damaged))
        after, more = load.after, bool(load.after)


def _told(means: Means, manifest: Manifest, now: str) -> str:
    """The disclosure in the audit trail: how many rows of which scopes."""
    detail = {
        "rows": {name: each.rows for name, each in manifest.files.items()},
        "scopes": [short_id(key) for key in manifest.scopes],
    }
    with means.store.transaction():
        event = means.event("export", means.identity.repository_id, now, detail)
        means.store.events.append(event)
    return event.id
