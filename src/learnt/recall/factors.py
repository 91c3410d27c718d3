"""The nine factors of a score, the filters before them and the places after them. Hook-safe.

Source of every weight and of the order: swarm-memory seed, recall ("deterministic lexical scoring") and recall
learning. The weights add up to 1.13, so a score may exceed 1; thresholds are tuned to these sums.
"""

from __future__ import annotations

from learnt.model.tokens import STOP_WORDS, bounded, is_gram, parts, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from learnt.model.candidate import Candidate

TEXT_WEIGHT = 0.38
TAG_WEIGHT = 0.16
FILE_WEIGHT = 0.12
SYMBOL_WEIGHT = 0.08
TASK_WEIGHT = 0.08
SCOPE_WEIGHT = 0.12
KIND_WEIGHT = 0.06
ROLE_WEIGHT = 0.05
CONFIDENCE_WEIGHT = 0.08
Q_WEIGHT = 0.1
SUPPRESSED_BELOW = 0.15
FTS_BONUS = 0.08
_FLAG_WEIGHT = 0.7

SPECIFICITY = {
    "agent": 1.0,
    "run": 0.9,
    "repository": 0.8,
    "project": 0.65,
    "workspace": 0.45,
    "global_user": 0.3,
    "channel": 0.65,
    "team": 0.45,
    "organization": 0.3,
}
"""How narrowly a scope fits; the last three are learnt's and stand beside the seed's of like width."""

_WEAK = STOP_WORDS | frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_") | {"--"}
"""Tokens that are no signal by themselves in the default profile."""

_NONE: frozenset[str] = frozenset()
_LIVE = frozenset(("active",))
_EVER = frozenset(("active", "superseded", "consolidated"))


class Asked:
    """A query made ready for scoring: everything that does not depend on the candidate, worked out once.

    Attributes:
        side: The tokens overlaps are measured against: the query's, in injection mode with a task the task's.
        task: The task's tokens; empty without one.
        pieces: Identifier parts of the query side. `content`: its tokens that say something.
        kinds: Only these kinds; empty for all. `role_kinds`: the kinds the role raises.
        scope_keys: Only these scopes; empty when the candidates are known to be of the reader's.
        signal: Whether at least one overlap with the query must be there.
        strict: The default profile's signal, see `has_signal`.
        at: The instant the answer is for. `statuses`: what counts as live then.
    """

    __slots__ = (
        "at",
        "content",
        "include_expired",
        "include_low_q",
        "kind_overlap",
        "kinds",
        "pieces",
        "q_weight",
        "role_kinds",
        "scope_keys",
        "side",
        "signal",
        "statuses",
        "strict",
        "suppressed_below",
        "task",
    )

    def __init__(
        self,
        text: str,
        task: str = "",
        *,
        at: str,
        mode: str = "manual",
        kinds: Iterable[str] = (),
        role_kinds: Iterable[str] = (),
        scope_keys: Iterable[str] = (),
        signal: bool = False,
        strict: bool = True,
        past: bool = False,
        include_expired: bool = False,
        include_low_q: bool = False,
        q_weight: float = Q_WEIGHT,
        suppressed_below: float = SUPPRESSED_BELOW,
    ) -> None:
        asked = bounded(task if mode == "injection" and task else text)
        self.side = tokens(asked)
        telling = self.side - _WEAK
        self.content = frozenset(token for token in telling if len(token) > 1 or not is_gram(token)) or telling
        self.task = tokens(bounded(task)) if task else frozenset()
        self.pieces = parts(asked)
        self.kinds = frozenset(kinds)
        self.role_kinds = frozenset(role_kinds)
        self.scope_keys = frozenset(scope_keys)
        self.signal = signal
        self.strict = strict
        self.at = at
        self.statuses = _EVER if past else _LIVE
        self.include_expired = include_expired
        self.include_low_q = include_low_q
        self.q_weight = q_weight
        self.suppressed_below = suppressed_below
        self.kind_overlap: dict[str, float] = {}


class Overlaps:
    """How far one candidate meets the query, each 0 to 1.

    Source: swarm-memory seed, overlap = |A and B| / |A| with A the query side. `part`: the share of the query's tokens
    and parts that meet only through a part of an identifier; `pieces` counts those of the query's own identifiers.

    Attributes:
        sets: What is in common, by field.
    """

    __slots__ = ("file", "kind", "part", "pieces", "sets", "symbol", "tag", "task", "text")

    def __init__(self, asked: Asked, candidate: Candidate) -> None:
        side = asked.side
        size = len(side) or 1
        text = side.intersection(candidate.text)
        tag = side.intersection(candidate.tag) if candidate.tag else _NONE
        file = side.intersection(candidate.file) if candidate.file else _NONE
        symbol = side.intersection(candidate.symbol) if candidate.symbol else _NONE
        self.text = len(text) / size
        self.tag = len(tag) / size
        self.file = len(file) / size
        self.symbol = len(symbol) / size
        self.kind = _kind_overlap(asked, candidate.kind)
        pieces = _piece_hits(asked.pieces, candidate) if asked.pieces else _NONE
        part = side.intersection(candidate.part) if candidate.part else _NONE
        self.pieces = len(pieces)
        self.sets = (text, tag, file, symbol, part, pieces)
        hit = len(part) + self.pieces
        self.part = hit / (size + len(asked.pieces))
        self.task = _task_overlap(asked, candidate)


def _kind_overlap(asked: Asked, kind: str) -> float:
    known = asked.kind_overlap.get(kind)
    if known is None:
        known = len(asked.side.intersection(kind.split("_"))) / (len(asked.side) or 1)
        asked.kind_overlap[kind] = known
    return known


def _piece_hits(pieces: frozenset[str], candidate: Candidate) -> frozenset[str]:
    """Which parts of the query's identifiers the memory holds (`retry_budget` meets `retry budget`)."""
    return pieces.intersection(candidate.text).union(
        pieces.intersection(candidate.part),
        pieces.intersection(candidate.tag),
        pieces.intersection(candidate.file),
        pieces.intersection(candidate.symbol),
    )


def _task_overlap(asked: Asked, candidate: Candidate) -> float:
    task = asked.task
    if not task:
        return 0.0
    found = set(task.intersection(candidate.text))
    for field in (candidate.tag, candidate.file, candidate.symbol, candidate.ref, candidate.kind.split("_")):
        if field:
            found.update(task.intersection(field))
    return len(found) / len(task)


def barred(asked: Asked, candidate: Candidate) -> str:
    """Why a candidate is not scored ("" when it is): the seed's filters in the seed's order.

    A memory that does not hold yet counts as expired: neither is true at the instant asked for.
    """
    if not asked.include_expired and candidate.expires_at and candidate.expires_at <= asked.at:
        return "expired"
    if candidate.valid_from > asked.at:
        return "expired"
    if candidate.status not in asked.statuses:
        return "superseded" if candidate.status in _EVER else "deleted"
    if asked.scope_keys and candidate.scope_key not in asked.scope_keys:
        return "scope"
    if asked.kinds and candidate.kind not in asked.kinds:
        return "kind"
    if candidate.q_value < asked.suppressed_below and not asked.include_low_q:
        return "low_q"
    return ""


def has_signal(asked: Asked, overlaps: Overlaps) -> bool:
    """Whether the candidate meets the query: one text, tag, file, symbol or kind word in common.

    In the default profile a part of an identifier is a signal, too. Source: contract, query signal.
    """
    met = overlaps.text or overlaps.tag or overlaps.file or overlaps.symbol or overlaps.kind
    return bool(met or (asked.strict and overlaps.part))


def is_telling(asked: Asked, candidate: Candidate, overlaps: Overlaps) -> bool:
    """Whether what a candidate has in common with the query is more than chance; what is not is below the threshold.

    Only the default profile asks, and only where a signal is needed: for words that say something (no stop words, no
    single characters), and for two of them or a quarter of the query's when it is the text that meets, because a long
    prompt shares `more` or `go` with anything. Source: measured on real prompts, of which half met something by one
    such word (146 of 200 injections without this test, 113 with it).
    """
    if not (asked.strict and asked.signal):
        return True
    content = asked.content
    if overlaps.kind or not content.isdisjoint(candidate.tag) or not content.isdisjoint(candidate.symbol):
        return True
    if not content.isdisjoint(candidate.file):
        return True
    hits = len(content.intersection(candidate.text)) + len(content.intersection(candidate.part)) + overlaps.pieces
    return hits >= 2 or 0 < len(content) <= 4 * hits


def score(asked: Asked, candidate: Candidate, overlaps: Overlaps) -> float:
    """The weighted sum of the nine factors plus the q term; a q value that is none counts as neutral."""
    q_value = candidate.q_value if 0.0 <= candidate.q_value <= 1.0 else 0.5
    kind = 0.5 if not asked.kinds else 1.0 if candidate.kind in asked.kinds else 0.0
    return (
        TEXT_WEIGHT * overlaps.text
        + TAG_WEIGHT * overlaps.tag
        + FILE_WEIGHT * overlaps.file
        + SYMBOL_WEIGHT * overlaps.symbol
        + TASK_WEIGHT * overlaps.task
        + SCOPE_WEIGHT * SPECIFICITY.get(candidate.scope_type, 0.0)
        + KIND_WEIGHT * kind
        + (ROLE_WEIGHT if candidate.kind in asked.role_kinds else 0.0)
        + CONFIDENCE_WEIGHT * candidate.confidence
        + asked.q_weight * (q_value - 0.5)
    )


def bonus(position: int, ranked: int) -> float:
    """What full-text rank adds to the order (never to the score): (N - position) / N x 0.08, 0 for an unranked one."""
    return FTS_BONUS * (ranked - position) / ranked if ranked > 0 and position >= 0 else 0.0


def reason(asked: Asked, candidate: Candidate, overlaps: Overlaps) -> str:
    """The parts of a score that are not zero, in words."""
    found = [
        f"{name} {value:.2f}"
        for name, value in (
            ("text", overlaps.text),
            ("tag", overlaps.tag),
            ("file", overlaps.file),
            ("symbol", overlaps.symbol),
            ("task", overlaps.task),
            ("part", overlaps.part),
            ("kind", overlaps.kind),
        )
        if value
    ]
    if candidate.kind in asked.role_kinds:
        found.append("role_profile")
    found.append(f"scope {candidate.scope_type}")
    found.append(f"confidence {candidate.confidence:.2f}")
    if candidate.q_value != 0.5:
        found.append(f"q {candidate.q_value:.2f}")
    return ", ".join(found)


def places(candidates: Iterable[Candidate], most: int, *, at_start: bool = False) -> list[Candidate]:
    """The first `most` that find a place in an injected block, in order.

    External memories have one place, none at session start; any one run has two. Source: contract, trust.
    """
    kept: list[Candidate] = []
    external = 0 if at_start else 1
    runs: dict[str, int] = {}
    for candidate in candidates:
        if len(kept) >= most:
            break
        outside = candidate.trust == "external"
        taken = runs.get(candidate.run, 0) if candidate.run else 0
        if taken >= 2 or (outside and not external):
            continue
        external -= outside
        runs[candidate.run] = taken + 1
        kept.append(candidate)
    return kept


def labels(confidence: float, *, observation: bool = False, flagged: int = 0) -> list[str]:
    """What a reader must know of a memory. Source: lessons seed (low confidence below 0.5), contract (observations)."""
    found = ["low confidence"] if confidence < 0.5 else []
    if observation:
        found.insert(0, "seen once, not reviewed")
    if flagged:
        found.append(flag_label(flagged))
    return found


def flag_label(flags: int) -> str:
    """What is said of open flags."""
    return f"flagged by {flags} readers" if flags > 1 else "flagged by a reader"


def flag_weight(flags: int) -> float:
    """What open flags leave of a score: .7 for one, .49 for two, .343 for more; 1 for none.

    A flag puts a memory below an unflagged one that answers more than .7 as well; it never takes it below the
    threshold, which was passed before. Source: contract (a flag lowers rank and labels); the number is our choice, and
    more than three readers are no reason for less: agents may be many.
    """
    return float(_FLAG_WEIGHT ** min(flags, 3)) if flags > 0 else 1.0


def candidate_sets(candidate: Candidate, fields: list[list[str]] | tuple[Collection[str], ...]) -> None:
    """Give a candidate its token sets, as `learnt.model.tokens.unpack` returns them."""
    candidate.text, candidate.tag, candidate.file = fields[:3]
    candidate.symbol, candidate.ref, candidate.part = fields[3:]
