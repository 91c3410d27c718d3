"""Sessions as they are learnt from, in dictionaries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.model.thread import Rank
from learnt.stores.ephemeral.tables import storable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from learnt.model.extraction import Extraction
    from learnt.model.scope import Sight
    from learnt.model.thread import Summary, Thread, ThreadMode
    from learnt.stores.ephemeral.tables import Guard, Tables


class EphemeralThreads:
    """See `learnt.ports.threads.Threads`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def put(self, thread: Thread) -> None:
        """Insert, or replace what a reading tells."""
        storable(thread.path, thread.cwd)
        with self._guard.writing():
            held = self._tables.threads.get(thread.id)
            kept = replace(thread, mode=held.mode, extracted=held.extracted) if held else thread
            self._tables.threads[thread.id] = kept

    def get(self, sight: Sight, thread_id: str) -> Thread | None:
        """The session with this id."""
        with self._guard.reading():
            held = self._tables.threads.get(thread_id)
        return held if held and held.scope_key in sight.keys else None

    def latest(self, sight: Sight, limit: int) -> tuple[Thread, ...]:
        """Those written to last."""
        with self._guard.reading():
            found = [each for each in self._tables.threads.values() if each.scope_key in sight.keys]
        found.sort(key=lambda each: each.id)
        found.sort(key=lambda each: each.updated_at, reverse=True)
        return tuple(found[:limit])

    def mark(self, sight: Sight, thread_id: str, mode: ThreadMode) -> bool:
        """Set whether it is learnt from."""
        with self._guard.writing():
            held = self.get(sight, thread_id)
            if held:
                self._tables.threads[thread_id] = replace(held, mode=mode)
        return held is not None

    def worked(self, sight: Sight, thread_id: str, until: str) -> bool:
        """Set how far phase 1 has worked."""
        with self._guard.writing():
            held = self.get(sight, thread_id)
            if held:
                self._tables.threads[thread_id] = replace(held, extracted=until)
        return held is not None

    def remove(self, sight: Sight, thread_ids: Sequence[str]) -> tuple[str, ...]:
        """Take sessions off the registry, with what they taught."""
        with self._guard.writing():
            gone = tuple(sorted(name for name in set(thread_ids) if self.get(sight, name)))
            for name in gone:
                del self._tables.threads[name]
            _taken_off(self._tables, sight, thread_ids)
        return gone


class EphemeralExtractions:
    """See `learnt.ports.threads.Extractions`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def put(self, extraction: Extraction) -> bool:
        """Insert, or replace an older state."""
        storable(extraction.summary, *(fact.text for fact in extraction.facts))
        with self._guard.writing():
            held = self._tables.extractions.get(extraction.session_id)
            if held and held.source_updated_at > extraction.source_updated_at:
                return False
            use = (
                {name: getattr(held, name) for name in ("usage_count", "last_usage", "selected_source")} if held else {}
            )
            self._tables.extractions[extraction.session_id] = replace(extraction, **use)
        return True

    def get(self, sight: Sight, session_id: str) -> Extraction | None:
        """What this session taught."""
        return next(iter(self.many(sight, (session_id,))), None)

    def many(self, sight: Sight, session_ids: Sequence[str]) -> tuple[Extraction, ...]:
        """What these sessions taught, by session id."""
        with self._guard.reading():
            held = [self._tables.extractions.get(name) for name in sorted(set(session_ids))]
        return tuple(each for each in held if each and each.scope_key in sight.keys)

    def ranks(self, sight: Sight) -> tuple[Rank, ...]:
        """What the choice goes by."""
        with self._guard.reading():
            held = [each for each in self._tables.extractions.values() if each.scope_key in sight.keys]
            modes = {name: each.mode for name, each in self._tables.threads.items()}
        return tuple(
            Rank(
                session_id=each.session_id,
                source_updated_at=each.source_updated_at,
                usage_count=each.usage_count,
                last_usage=each.last_usage,
                selected_source=each.selected_source,
                mode=modes.get(each.session_id, "enabled"),
            )
            for each in sorted(held, key=lambda each: each.session_id)
        )

    def remove(self, sight: Sight, session_ids: Sequence[str]) -> tuple[str, ...]:
        """Take rows away."""
        with self._guard.writing():
            return _taken_off(self._tables, sight, session_ids)

    def select(self, sight: Sight, taken: Mapping[str, str]) -> int:
        """Mark what a consolidation took."""
        count = 0
        with self._guard.writing():
            for name, each in self._tables.extractions.items():
                if each.scope_key in sight.keys:
                    source = taken.get(name)
                    marked = source if source == each.source_updated_at else None
                    self._tables.extractions[name] = replace(each, selected_source=marked)
                    count += marked is not None
        return count

    def cite(self, sight: Sight, session_ids: Sequence[str], now: str) -> int:
        """Count one use of each."""
        with self._guard.writing():
            found = self.many(sight, session_ids)
            for each in found:
                used = replace(each, usage_count=each.usage_count + 1, last_usage=now)
                self._tables.extractions[each.session_id] = used
        return len(found)


class EphemeralSummaries:
    """See `learnt.ports.threads.Summaries`."""

    def __init__(self, tables: Tables, guard: Guard) -> None:
        self._tables = tables
        self._guard = guard

    def put(self, summary: Summary) -> None:
        """Make this the present one."""
        storable(summary.text)
        with self._guard.writing():
            for place, each in self._tables.summaries.items():
                if place[0] == summary.scope_key and each.current:
                    self._tables.summaries[place] = replace(each, current=False)
            self._tables.summaries[summary.scope_key, summary.digest] = replace(summary, current=True)

    def current(self, sight: Sight) -> Summary | None:
        """The present one."""
        with self._guard.reading():
            found = [each for each in self._tables.summaries.values() if each.current and each.scope_key in sight.keys]
        found.sort(key=lambda each: each.digest)
        return max(found, key=lambda each: each.made_at, default=None)

    def prune(self, sight: Sight, before: str) -> int:
        """Remove old ones."""
        return self._drop(sight, lambda each: not each.current and each.made_at < before)

    def clear(self, sight: Sight) -> int:
        """Remove all of them."""
        return self._drop(sight, lambda _: True)

    def _drop(self, sight: Sight, leaves: Callable[[Summary], bool]) -> int:
        with self._guard.writing():
            held = self._tables.summaries
            gone = [place for place, each in held.items() if place[0] in sight.keys and leaves(each)]
            for place in gone:
                del held[place]
        return len(gone)


def _taken_off(tables: Tables, sight: Sight, names: Sequence[str]) -> tuple[str, ...]:
    held = tables.extractions
    gone = tuple(name for name in sorted(set(names)) if name in held and held[name].scope_key in sight.keys)
    for name in gone:
        del held[name]
    return gone
