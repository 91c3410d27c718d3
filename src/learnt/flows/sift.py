"""One row that arrived, made fit to be stored, or the reason why it is not: the door every import goes through."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from learnt.flows import personal
from learnt.flows.alarm import Tally
from learnt.flows.screen import refusal, texts, unusable
from learnt.gate.hygiene import fit
from learnt.govern.arrival import bare, lowered, timely, unfit
from learnt.govern.rules import broken
from learnt.model.cargo import Said
from learnt.model.evidence import EvidenceUnit
from learnt.model.flag import MAX_REASON
from learnt.model.keys import memory_id
from learnt.model.memory import Memory, Provenance
from learnt.model.outcome import MAX_ANCHORS, MAX_CORRECTION, Outcome
from learnt.model.problem import Problem
from learnt.model.verdict import Passage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from learnt.flows.means import Means
    from learnt.model.flag import Flag
    from learnt.model.parcel import Carried
    from learnt.model.proposal import Proposal
    from learnt.model.scope import Scope
    from learnt.model.verdict import Verdict

_MAX_SIDE_CHARS = 4_000
_MAX_UNIT_CHARS = 300_000
_IDS = {"mem_": 20, "prop_": 21, "evd_": 20}


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where rows come to lie.

    Attributes:
        scopes: Of each key in sight, and of each foreign key that stands for one here.
        writer: Whose writing an unproven row counts as.
        renamed: Of a row whose scope changes: its old id and its new one.
        meets: Whether new statements are settled with those that are there.
        tally: What the gate said of those it did not let in as they are.
    """

    means: Means
    now: str
    proven: bool
    scopes: Mapping[str, Scope]
    renamed: Mapping[str, str] = field(default_factory=dict)
    meets: bool = False
    tally: Tally = field(default_factory=Tally)

    @property
    def writer(self) -> str:
        """One for everything this person imports."""
        return f"import:{self.means.context.user_id}"

    def name(self, name: str) -> str:
        """What a memory is called here."""
        return self.renamed.get(name, name)


def placed(site: Site, held: Carried) -> Carried | Problem:
    """A row in a scope in sight, with what it links to under the names these have here."""
    scope = site.scopes.get(held.scope.key)
    if scope is None:
        return Problem("scope_foreign", f"the {held.scope.type} it belongs to is not one of those here")
    if scope.key == held.scope.key and not site.renamed:
        return held
    if isinstance(held, EvidenceUnit):
        return replace(held, scope=scope)
    if isinstance(held, Said):
        return Said(scope, replace(held.what, memory_id=site.name(held.what.memory_id)))
    if isinstance(held, Memory):
        return _memory(site, held, scope)
    related = tuple(map(site.name, held.related))
    return replace(held, scope=scope, target_id=site.name(held.target_id), related=related)


def _memory(site: Site, held: Memory, scope: Scope) -> Memory:
    same = held.scope.key == scope.key
    return replace(
        held,
        id=held.id if same else memory_id(scope.key, held.kind, held.text),
        scope=scope,
        superseded_by=site.name(held.superseded_by) if held.superseded_by else None,
        supersedes=tuple(map(site.name, held.supersedes)),
    )


def checked(site: Site, held: Carried) -> Carried | Problem:
    """A row that no rule forbids, believed as far as can be proven."""
    if isinstance(held, EvidenceUnit):
        return _unit(site, held)
    if isinstance(held, Said):
        return _said(site, held)
    if problem := _named(held) or unusable(held) or unfit(held) or _sides(held):
        return problem
    known = held if site.proven else lowered(held, site.writer)
    if not isinstance(known, Memory):
        return known
    dated = timely(_dated(bare(known) if site.meets else known, site.now), site.now)
    return broken(dated) or dated


def _dated(memory: Memory, now: str) -> Memory:
    """A row that tells no time was made now."""
    if memory.created_at and memory.updated_at and memory.valid_from:
        return memory
    made = memory.created_at or now
    changed = memory.updated_at or made
    return replace(memory, created_at=made, updated_at=changed, valid_from=memory.valid_from or made)


def _named(held: Memory | Proposal) -> Problem | None:
    """Ids look like ids: nothing else is ever shown as one."""
    links = (held.superseded_by, *held.supersedes) if isinstance(held, Memory) else (held.target_id, *held.related)
    names = [name for name in (held.id, *links) if name]
    return None if all(map(_is_id, names)) else Problem("id", "an id is none")


def _is_id(name: str) -> bool:
    prefix, mark, rest = name.partition("_")
    size = _IDS.get(prefix + mark)
    return size == len(name) and all(char in "0123456789abcdef" for char in rest)


def _said(site: Site, held: Said) -> Said | Problem:
    """What somebody said of a memory; where nobody can prove who it was, nobody was authenticated."""
    what = held.what
    if not _is_id(what.memory_id):
        return Problem("id", "an id is none")
    for name, text in _said_texts(what):
        problem = fit(text, max_chars=MAX_CORRECTION) if text else None
        if problem is not None and problem.code != "empty":
            return Problem(problem.code, f"{name}: {problem.message}")
    if isinstance(what, Outcome):
        too_many = len(what.spots) > MAX_ANCHORS or (what.result == "corrected") != bool(what.correction)
        return Problem("outcome", "a correction belongs to `corrected`, with at most 20 places") if too_many else held
    if not 1 <= len(what.reason.strip()) <= MAX_REASON:
        return Problem("reason", f"reason: has 1 to {MAX_REASON} characters")
    return held if site.proven else Said(held.scope, replace(what, login=""))


def _said_texts(what: Outcome | Flag) -> Iterator[tuple[str, str]]:
    if isinstance(what, Outcome):
        yield from (("id", what.id), ("task", what.task), ("correction", what.correction))
        yield from (("spots", text) for spot in what.spots for text in (spot.file, spot.symbol))
    else:
        yield from (("reason", what.reason), ("login", what.login), ("cleared_by", what.cleared_by))
    yield "by", what.by


def _unit(site: Site, held: EvidenceUnit) -> EvidenceUnit | Problem:
    """Evidence is redacted rather than refused, as at every other door."""
    if not _is_id(held.id):
        return Problem("id", "an id is none")
    for name, text, most in (
        ("text", held.text, _MAX_UNIT_CHARS),
        *((name, text, _MAX_UNIT_CHARS) for name, text in _unit_sides(held)),
    ):
        problem = fit(text, max_chars=most) if text else None
        if problem is not None and problem.code != "empty":
            return Problem(problem.code, f"{name}: {problem.message}")
    gate = site.means.gate
    clean = replace(
        held,
        text=gate.redact(held.text),
        ref=gate.redact(held.ref),
        who=gate.redact(held.who),
        session_id=gate.redact(held.session_id),
        path=gate.redact(held.path),
        detail=tuple((gate.redact(name), gate.redact(value)) for name, value in held.detail),
    )
    if clean.ref != held.ref:
        site.tally.add(held.id, gate.scan((Passage(field="ref", text=held.ref),)))
        return Problem("secret", "ref: holds what looks like a secret")
    return clean if site.proven else replace(clean, span=None, path="")


def _unit_sides(held: EvidenceUnit) -> Iterator[tuple[str, str]]:
    yield from (("ref", held.ref), ("session_id", held.session_id), ("who", held.who), ("path", held.path))
    yield from (("detail", text) for pair in held.detail for text in pair)


def _sides(held: Memory | Proposal) -> Problem | None:
    """The first text beside the statement that no store or screen could hold as it is."""
    named = [(name, text) for name, text in side_texts(held) if text]
    joined = "\n".join([text for _, text in named])
    if len(joined) <= _MAX_SIDE_CHARS and joined.replace("\n", "").isprintable():
        return None  # the rule by far: nothing to look for in each of them
    for name, text in named:
        problem = fit(text, max_chars=_MAX_SIDE_CHARS)
        if problem is not None and problem.code != "empty":
            return Problem(problem.code, f"{name}: {problem.message}")
    return None


_SOURCE = attrgetter("ref", "url", "file_path", "commit_sha", "created_by")
_PROVENANCE = attrgetter(*(each.name for each in fields(Provenance)))
_BESIDE: tuple[tuple[str, str], ...] = (
    ("supersedes_reason", "supersedes_reason"),
    ("embedding_model", "embedding_model"),
    ("reviewed_by", "reviewed_by"),
    ("clearance", "clearance"),
)


def side_texts(held: Memory | Proposal) -> list[tuple[str, str]]:
    """Every text of a row that other doors never let in from outside: where it is from, and what is free in it."""
    found: list[tuple[str, str]] = []
    if held.source is not None:
        found += [("source", text) for text in _SOURCE(held.source) if text]
    if held.provenance is not None:
        found += [("provenance", text) for text in _PROVENANCE(held.provenance) if text]
    if isinstance(held, Memory):
        found += [(name, getattr(held, attribute)) for name, attribute in _BESIDE]
    else:
        found += [("rejection_reason", held.rejection_reason), *(("trigger", kind) for kind, _ in held.trigger)]
    for each in held.evidence:
        found += [("writer", each.writer), ("type", each.type)]
    return [*found, *(("metadata", text) for text in _leaves(held.metadata))] if held.metadata else found


def _leaves(held: Any) -> Iterator[str]:
    """Every text in a JSON value, names and whole numbers included."""
    if isinstance(held, str | int):
        yield str(held)
    elif isinstance(held, dict):
        for name, each in held.items():
            yield str(name)
            yield from _leaves(each)
    elif isinstance(held, list | tuple):
        for each in held:
            yield from _leaves(each)


def screened(site: Site, held: Any) -> Any:
    """A memory or proposal as the gate lets it in: cleared, held for a person, or the problem that keeps it out.

    Of what somebody said nothing is held: what reads like an order is kept out.
    """
    if isinstance(held, Said):
        return _heard(site, held)
    named = [*texts(held), *[(name, text) for name, text in side_texts(held) if text]]
    whole = "\n".join([text for _, text in named])
    verdict = site.means.gate.scan((Passage(field="row", text=whole),))
    if verdict.outcome != "allow":  # where it is, and whether it is one and not something between two fields
        verdict = site.means.gate.scan([Passage(field=name, text=text) for name, text in named])
    if refused := refusal(verdict, site.means):
        site.tally.add(held.id, verdict)
        fields = ", ".join(verdict.fields)
        return Problem(refused.code, f"{refused.message} ({fields})" if fields else refused.message)
    if private := personal.private(site.means, held, list(_leaves(held.metadata))):
        site.tally.add_private(held.id, private)
        return Problem("pii", f"it holds personal data ({', '.join(sorted(private.counts))})")
    if verdict.outcome == "quarantine":
        return _suspected(site, held, verdict)
    if verdict.outcome != "allow":
        return replace(held, clearance="")
    live = held.status in {"active", "pending"} or not site.proven
    return held if held.clearance == verdict.pattern_set or not live else replace(held, clearance=verdict.pattern_set)


def _heard(site: Site, held: Said) -> Said | Problem:
    texts = tuple(Passage(field=name, text=text) for name, text in _said_texts(held.what) if text)
    verdict = site.means.gate.scan(texts)
    if verdict.outcome != "allow":
        site.tally.add(held.what.memory_id, verdict)
    if refused := refusal(verdict, site.means):
        return Problem(refused.code, refused.message)
    if verdict.outcome == "quarantine":
        return Problem("injection", "it reads like an order to agents")
    if isinstance(held.what, Outcome) and held.what.correction:
        return Said(held.scope, replace(held.what, clearance=verdict.pattern_set))
    return held


def _suspected(site: Site, held: Any, verdict: Verdict) -> Any:
    """What reads like an order is held for a person, unless a proven row was released under this very pattern set."""
    if site.proven and held.clearance == verdict.pattern_set:
        return held
    site.tally.add(held.id, verdict)
    kept = {**held.metadata, "quarantine": list(verdict.classes)}
    if not isinstance(held, Memory):
        return replace(held, clearance="", observation=False, metadata=kept)
    status = "quarantined" if held.status == "active" else held.status
    return replace(held, clearance="", status=status, metadata=kept)
