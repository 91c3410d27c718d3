"""Every setting: its unit, range, default and where the number comes from. Reads nothing.

`bootstrap` reads `config.toml` and hands tables to `merged`. A person's file may set anything here; a repository's
file may only take away (`narrow` says how), because whoever clones a repository did not write its settings.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

Narrow = Literal["", "off", "on", "lower", "extend"]


_SESSIONS = "autonomous-memory seed"


def _setting(
    default: Any,
    doc: str,
    *,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    narrow: Narrow = "",
    choices: tuple[str, ...] = (),
    source: str = "swarm-memory seed",
) -> Any:
    """A dataclass field with the facts `docs/reference/settings.md` and the validation need."""
    facts = {
        "doc": doc,
        "unit": unit,
        "low": low,
        "high": high,
        "narrow": narrow,
        "choices": choices,
        "source": source,
    }
    return field(default=default, metadata=facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySettings:
    """`[memory]`."""

    enabled: bool = _setting(
        True, "False takes a repository (in the user's file: everything) out.", narrow="off", source="contract"
    )
    exclude_kinds: tuple[str, ...] = _setting(
        (), "Kinds that are neither recalled nor injected.", narrow="extend", source="contract"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionSettings:
    """`[recall.injection]`: stricter than a recall somebody asked for."""

    enabled: bool = _setting(True, "Put memories in front of agents at all.", narrow="off")
    min_score: float = _setting(0.25, "Lower bound of the score, inclusive.", low=0, high=2)
    max_items: int = _setting(6, "Most memories in one block.", unit="memories", low=1, high=20, narrow="lower")
    budget_tokens: int = _setting(1000, "Budget of one block.", unit="tokens", low=100, high=5000, narrow="lower")
    require_query_signal: bool = _setting(True, "At least one overlap with the query must be there.", narrow="on")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """`[recall]`."""

    max_items: int = _setting(8, "Most memories in an answer.", unit="memories", low=1, high=20, narrow="lower")
    budget_tokens: int = _setting(1200, "Budget of the block.", unit="tokens", low=100, high=5000, narrow="lower")
    min_score: float = _setting(0.05, "Lower bound of the score, inclusive.", low=0, high=2)
    injection: InjectionSettings = field(default_factory=InjectionSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings:
    """`[gate]`."""

    reject_durable_secrets: bool = _setting(True, "Refuse durable memories that hold a likely secret.", narrow="on")
    detect_pii: bool = _setting(False, "Look for personal data in writes.", narrow="on")
    pii_detector: str = _setting("regex", "Which detector.", choices=("regex", "ner"))
    reject_durable_pii: bool = _setting(False, "Refuse durable memories with personal data.", narrow="on")
    pii_threshold: float = _setting(0.7, "Refuse above this score (strictly).", low=0, high=0.99)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSettings:
    """`[embeddings]`."""

    enabled: bool = _setting(True, "Use an embedder where one is there.", narrow="off", source="contract")
    model: str = _setting(
        "", "Model name, or the path of an ONNX directory; empty takes the installed one.", source="contract"
    )
    cache_size: int = _setting(256, "Query vectors kept.", unit="vectors", low=0, high=100_000)
    provider: str = _setting("local", "Who embeds.", choices=("local", "openai", "ollama", "tei"), source="contract")
    url: str = _setting("", "Address of the server; in OpenAI's shape with its `/v1`.", source="contract")
    key_variable: str = _setting("", "Environment variable that holds the server's key.", source="contract")
    timeout_ms: int = _setting(
        10_000, "Longest wait for one request, repeats included.", unit="ms", low=10, high=600_000, source="our choice"
    )
    price_usd: float = _setting(
        0.0, "What a million tokens cost at that server.", unit="dollars", low=0, high=1000, source="our choice"
    )
    threads: int = _setting(1, "Threads of the local model.", unit="threads", low=1, high=64, source="measured")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """`[retrieval]`."""

    rrf_k: int = _setting(60, "Rank constant of reciprocal rank fusion.", low=1, high=1000)
    weight_lexical: float = _setting(0.5, "Weight of the lexical ranking.", low=0, high=1)
    weight_dense: float = _setting(0.4, "Weight of the dense ranking.", low=0, high=1)
    weight_metadata: float = _setting(0.1, "Weight of the metadata ranking.", low=0, high=1)
    latency_budget_ms: int = _setting(250, "Rerank only within this time.", unit="ms", low=0, high=10_000)
    rerank: bool = _setting(False, "Rerank the best twenty.", narrow="off")
    rerank_provider: str = _setting(
        "onnx", "Who reranks.", choices=("onnx", "cohere", "tei", "chat"), source="contract"
    )
    rerank_model: str = _setting("", "Model name, or the path of an ONNX directory.", source="contract")
    rerank_url: str = _setting("", "Address of the server; in Cohere's shape with its `/v2`.", source="contract")
    rerank_key_variable: str = _setting("", "Environment variable that holds its key.", source="contract")
    rerank_timeout_ms: int = _setting(
        2000, "Longest wait for the scores.", unit="ms", low=10, high=600_000, source="our choice"
    )
    rerank_price_usd: float = _setting(
        0.0, "What a million tokens cost there.", unit="dollars", low=0, high=1000, source="our choice"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningSettings:
    """`[learning]`."""

    learning_rate: float = _setting(0.1, "Step of the moving average.", low=0, high=1)
    propagation_factor: float = _setting(0.3, "Share of a reward that neighbours get.", low=0, high=1)
    q_value_boost_weight: float = _setting(0.1, "Weight of (q - 0.5) in the score.", low=0, high=1)
    suppression_threshold: float = _setting(0.15, "Memories strictly below are not recalled.", low=0, high=1)
    promotion_threshold: float = _setting(0.85, "Memories strictly above are promotion candidates.", low=0, high=1)
    propagation_token_overlap_threshold: float = _setting(0.4, "Jaccard similarity of a neighbour.", low=0, high=1)
    propagation_embedding_cosine_threshold: float = _setting(0.7, "Cosine of a neighbour.", low=0, high=1)
    propagation_fanout: int = _setting(20, "Most neighbours of one reward.", unit="memories", low=0, high=1000)
    propagation_lookback_days: int = _setting(30, "How far back recalls count.", unit="days", low=0, high=3650)
    reward_approve: float = _setting(1.0, "What APPROVE is worth.", low=-1, high=1)
    reward_concerns: float = _setting(0.0, "What CONCERNS is worth.", low=-1, high=1)
    reward_reject: float = _setting(-1.0, "What REJECT is worth.", low=-1, high=1)
    exploration_rate: float = _setting(
        0.05, "Share of the recalls that hid something which show the best of it.", low=0, high=1
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionSettings:
    """`[reflection]`."""

    enabled: bool = _setting(True, "Make and inject the reflection.", narrow="off", source="contract")
    half_life_days: float = _setting(30, "Age at which an outcome counts half.", unit="days", low=0.01, high=3650)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSettings:
    """`[evidence]`."""

    cache_max_bytes: int = _setting(0, "Bound of the evidence documents; 0 for none.", unit="bytes", low=0, high=2**40)
    cache_max_records: int = _setting(0, "Bound of the evidence documents; 0 for none.", low=0, high=10**9)
    retention_days: int = _setting(
        90, "Uncited evidence leaves after this.", unit="days", low=1, high=3650, narrow="lower", source="contract"
    )
    exclude: tuple[str, ...] = _setting(
        (), "Paths (glob patterns) that are never captured.", narrow="extend", source="contract"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonSettings:
    """`[lessons]`. Source: lessons seed."""

    threshold: float = _setting(0.7, "Lower bound of similarity.", low=0, high=1, source="lessons seed")
    limit: int = _setting(5, "Most lessons in an answer.", low=1, high=10, narrow="lower", source="lessons seed")
    max_age_days: int = _setting(0, "Older lessons are left out; 0 for none.", unit="days", low=0, high=3650)
    supersede: str = _setting("nominate", "What likeness does.", choices=("nominate", "similarity"), source="contract")
    supersede_threshold: float = _setting(0.92, "Likeness that counts; 1 turns it off.", low=0, high=1)
    retire_share: float = _setting(
        0.1, "Share of a scope that one pass may retire by itself.", low=0, high=1, source="our choice"
    )
    transcript_evidence: bool = _setting(True, "Read transcripts for lessons.", narrow="off", source="lessons seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalSettings:
    """`[proposals]`."""

    expire_days: int = _setting(
        90,
        "Proposals nobody answered for so long leave the queue; 0 for never.",
        unit="days",
        low=0,
        high=3650,
        source="our choice",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidationSettings:
    """`[consolidation]`. Source: lessons seed."""

    enabled: bool = _setting(True, "Merge clusters into lessons.", narrow="off", source="contract")
    cron: str = _setting("weekly", "When.", choices=("hourly", "daily", "weekly", "monthly"), source="contract")
    similarity: float = _setting(0.85, "Cosine that joins a cluster.", low=0, high=1, source="lessons seed")
    decay: bool = _setting(
        True, "Give todos, patterns and findings an expiry by their kind.", narrow="off", source="swarm-memory seed"
    )
    min_cluster: int = _setting(3, "Smallest cluster.", low=2, high=100, source="lessons seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionSettings:
    """`[compaction]`: what was retired or ran out may leave by itself."""

    enabled: bool = _setting(
        False, "Compact by itself; `learnt compact --confirm` does it at any time.", narrow="off", source="contract"
    )
    every_recalls: int = _setting(50, "After so many recalls; 0 for never.", unit="recalls", low=0, high=1_000_000_000)
    undo_days: int = _setting(
        30, "What was retired later stays, to be taken back.", unit="days", low=0, high=3650, source="our choice"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """`[sessions]`. Source: autonomous-memory seed."""

    max_age_days: int = _setting(
        30, "Older sessions are not extracted.", unit="days", low=0, high=365, narrow="lower", source=_SESSIONS
    )
    min_idle_hours: float = _setting(12, "Younger ones wait.", unit="hours", low=0, high=720, source=_SESSIONS)
    max_per_start: int = _setting(
        64, "Most sessions per start.", unit="sessions", low=0, high=1000, narrow="lower", source=_SESSIONS
    )
    summary_tokens: int = _setting(
        5000, "Budget of the summary.", unit="tokens", low=0, high=50_000, narrow="lower", source=_SESSIONS
    )
    scan_limit: int = _setting(
        300,
        "So many of the newest sessions are looked at.",
        unit="sessions",
        low=1,
        high=10_000,
        narrow="lower",
        source=_SESSIONS,
    )
    max_raw_memories: int = _setting(
        200,
        "Sessions that a consolidation takes.",
        unit="sessions",
        low=1,
        high=4096,
        narrow="lower",
        source=_SESSIONS,
    )
    max_unused_days: float = _setting(
        30,
        "What a session taught and nobody used for so long comes last, and leaves where there is no room; 0 for never.",
        unit="days",
        low=0,
        high=365,
        source="codex",
    )
    cooldown_hours: float = _setting(
        6, "A model makes the artifacts anew no sooner than this.", unit="hours", low=0, high=720, source="codex"
    )
    input_tokens: int = _setting(
        16_000,
        "So much of a session a model is shown.",
        unit="tokens",
        low=0,
        high=1_000_000,
        narrow="lower",
        source=_SESSIONS,
    )
    max_transcript_bytes: int = _setting(
        128 * 1024 * 1024,
        "Longer transcripts are not extracted.",
        unit="bytes",
        low=0,
        high=2**40,
        narrow="lower",
        source="our choice",
    )
    external: str = _setting(
        "use",
        "Sessions that looked something up on the web: learnt from, or set aside as polluted.",
        choices=("use", "set aside"),
        source="codex",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """`[models]`, but for its tables, which `bootstrap` reads of the user's own file alone."""

    enabled: bool = _setting(
        True, "Let models write where `[models.repositories]` says so.", narrow="off", source="our choice"
    )
    least_remaining_percent: float = _setting(
        25, "How much of a provider's rate limit stays for you.", unit="%", low=0, high=100, source="codex"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSettings:
    """`[audit]`: the trail of events; only the user's own file sets any of it."""

    checkpoint_events: int = _setting(
        1000, "A checkpoint is made after so many; 0 for none.", unit="events", low=0, high=10**7, source="our choice"
    )
    retention_days: int = _setting(
        0, "Older events are removed at a checkpoint; 0 for none.", unit="days", low=0, high=36_500, source="our choice"
    )
    file: str = _setting("", "A file elsewhere that every checkpoint is added to.", source="our choice")
    git: bool = _setting(False, "Add every checkpoint to a ref of the repository.", source="our choice")
    command: tuple[str, ...] = _setting(
        (), "Program and arguments, run without a shell, that take a checkpoint on standard input.", source="our choice"
    )
    url: str = _setting("", "An HTTPS endpoint that every checkpoint is posted to.", source="our choice")
    hosts: tuple[str, ...] = _setting((), "Hosts that the endpoint may be on.", source="our choice")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All of them, one attribute a section of `config.toml`."""

    memory: MemorySettings = field(default_factory=MemorySettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    gate: GateSettings = field(default_factory=GateSettings)
    embeddings: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)
    learning: LearningSettings = field(default_factory=LearningSettings)
    reflection: ReflectionSettings = field(default_factory=ReflectionSettings)
    evidence: EvidenceSettings = field(default_factory=EvidenceSettings)
    lessons: LessonSettings = field(default_factory=LessonSettings)
    proposals: ProposalSettings = field(default_factory=ProposalSettings)
    consolidation: ConsolidationSettings = field(default_factory=ConsolidationSettings)
    compaction: CompactionSettings = field(default_factory=CompactionSettings)
    sessions: SessionSettings = field(default_factory=SessionSettings)
    models: ModelSettings = field(default_factory=ModelSettings)
    audit: AuditSettings = field(default_factory=AuditSettings)


@dataclass(frozen=True, slots=True)
class Ignored:
    """A key of a configuration file that has no effect, and why."""

    key: str
    why: str


def merged(settings: Settings, table: dict[str, Any], *, person: bool) -> tuple[Settings, tuple[Ignored, ...]]:
    """`settings` with the keys of a parsed TOML document, and the keys that were ignored.

    Args:
        person: The document is the user's own; otherwise only narrowing counts.
    """
    result, ignored = _section(settings, table, "", person=person)
    return result, tuple(ignored)


def _section(section: Any, table: dict[str, Any], path: str, *, person: bool) -> tuple[Any, list[Ignored]]:
    known = {f.name: f for f in fields(section)}
    changes: dict[str, Any] = {}
    ignored: list[Ignored] = []
    for key, value in _unfolded(table, path):
        name = f"{path}{key}"
        if key not in known:
            ignored.append(Ignored(name, "there is no such setting"))
            continue
        present = getattr(section, key)
        if not known[key].metadata:
            if isinstance(value, dict):
                changes[key], more = _section(present, value, f"{name}.", person=person)
                ignored.extend(more)
            else:
                ignored.append(Ignored(name, "must be a table"))
            continue
        accepted, why = _accepted(present, value, known[key].metadata, person=person)
        if why:
            ignored.append(Ignored(name, why))
        else:
            changes[key] = accepted
    return replace(section, **changes), ignored


def _unfolded(table: dict[str, Any], path: str) -> list[tuple[str, Any]]:
    """The pairs of a table; `weights = {lexical = ...}` of `[retrieval]` becomes three keys."""
    pairs: list[tuple[str, Any]] = []
    for key, value in table.items():
        if path == "retrieval." and key == "weights" and isinstance(value, dict):
            pairs.extend((f"weight_{arm}", weight) for arm, weight in value.items())
        else:
            pairs.append((key, value))
    return pairs


def _accepted(present: Any, value: Any, facts: Any, *, person: bool) -> tuple[Any, str]:
    """The value to use and "", or None and why not."""
    if isinstance(present, bool) or isinstance(value, bool):
        if not (isinstance(present, bool) and isinstance(value, bool)):
            return None, "must be true or false" if isinstance(present, bool) else "must not be true or false"
    elif isinstance(present, tuple):
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            return None, "must be a list of texts"
        value = tuple(value)
    elif isinstance(present, str):
        if not isinstance(value, str) or (facts["choices"] and value not in facts["choices"]):
            return None, "must be one of " + ", ".join(facts["choices"]) if facts["choices"] else "must be a text"
    elif not isinstance(value, int | float) or (isinstance(present, int) and not isinstance(value, int)):
        return None, "must be a whole number" if isinstance(present, int) else "must be a number"
    elif not facts["low"] <= value <= facts["high"]:
        return None, f"must be between {facts['low']} and {facts['high']}"
    return (value, "") if person else _narrowed(present, value, facts["narrow"])


def _narrowed(present: Any, value: Any, narrow: Narrow) -> tuple[Any, str]:
    """What a repository's file may do to one setting."""
    allowed = {
        "off": value is False,
        "on": value is True,
        "lower": not isinstance(value, tuple | str) and value <= present,
        "extend": isinstance(value, tuple),
        "": False,
    }[narrow]
    if not allowed:
        return None, "a repository may only narrow this" if narrow else "a repository may not set this"
    return (present + value if narrow == "extend" else value), ""
