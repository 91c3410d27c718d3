"""What was forgotten stays away: every door asks here, before it stores anything."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from learnt.forget.digest import digest, digests
from learnt.model.answer import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.flows.means import Means
    from learnt.model.evidence import EvidenceUnit
    from learnt.model.forget import Trace
    from learnt.model.scope import Scope

MOST_CHARS = 4_000
"""A longer piece of evidence is no statement; it is known by its reference alone."""
KEY = "forgotten.key"
"""The fact of a store on a server that holds the key of its digests: all its machines must know them."""


def key_of(means: Means) -> bytes:
    """The key of the digests; empty before anything was forgotten on a server, or where no key can be kept."""
    return bytes.fromhex(means.store.meta.get(KEY) or "") if means.served else means.digest_key


def barred(means: Means, texts: Iterable[str], refs: Iterable[str] = ()) -> frozenset[str]:
    """Those of these texts and references that were forgotten here."""
    key = key_of(means)
    if not key:
        return frozenset()
    named = {digest(key, "text", text): text for text in texts if text}
    named.update((digest(key, "ref", ref), ref) for ref in refs)
    held = means.store.digests.among(means.context.sight, tuple(named)) if named else ()
    return frozenset(named[each] for each in held)


def struck(means: Means, text: str) -> str:
    """A file that a person changed, without the lines that say what was forgotten."""
    if not means.store.digests.count(means.context.sight):
        return text
    from learnt.distil.edited import statement
    from learnt.distil.learned import lesson_of

    said = [(row, {row.strip(), statement(row), lesson_of(row)}) for row in text.split("\n")]
    gone = barred(means, {each for _, told in said for each in told if len(each) <= MOST_CHARS})
    return "\n".join(row for row, told in said if not told & gone) if gone else text


def refused(means: Means, text: str, *, again: bool = False) -> Refusal | None:
    """The refusal of a text that was forgotten; a person who says it again lifts what keeps it away.

    Inside the transaction of the write.
    """
    if not barred(means, [text]):
        return None
    if again and means.context.person:
        means.store.digests.lift(means.context.sight, [digest(key_of(means), "text", text)])
        return None
    who = "Say it once more" if means.context.person else "A person repeats it"
    hint = f"{who} with `learnt remember --again`."
    return Refusal(code="forgotten", message="This was forgotten on demand; it is not written again.", hint=hint)


def admitted(means: Means, units: Iterable[EvidenceUnit]) -> list[EvidenceUnit]:
    """Those of some pieces of evidence that were not forgotten, by their reference or by what they say."""
    given = list(units)
    if not given or not means.store.digests.count(means.context.sight):
        return given
    short = (unit.text for unit in given if len(unit.text) <= MOST_CHARS)
    gone = barred(means, short, (unit.ref for unit in given))
    return [unit for unit in given if unit.ref not in gone and unit.text not in gone] if gone else given


def bar(means: Means, scope: Scope, texts: Iterable[str], refs: Iterable[str], now: str) -> int:
    """Keep these away from now on, inside the transaction that forgets them; gives how many digests that takes."""
    key = key_of(means)
    if not key and means.served:
        means.store.meta.put(KEY, secrets.token_hex(32))
        key = key_of(means)
    made: dict[str, Trace] = digests(key, texts, refs) if key else {}
    if made:
        means.store.digests.hold(scope, made, now)
    return len(made)
