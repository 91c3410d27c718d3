"""Golden recall fixtures: labelled memories, a question, and which labels it should find.

Source of format and defaults: swarm-memory seed, golden recall fixtures.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from learnt.errors import UsageError
from learnt.evals.fence import contained
from learnt.evals.spot import Spot
from learnt.flows.screen import passages, unusable
from learnt.gate.scan import Gate
from learnt.govern.rules import broken
from learnt.model.keys import memory_id
from learnt.model.kinds import KINDS, SCOPE_TYPES
from learnt.model.memory import Memory, Source
from learnt.model.scope import Scope
from learnt.wire.moment import instant

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from learnt.model.problem import Problem

WRITTEN_AT = "2026-05-26T12:00:00.000Z"
ASKED_AT = "2026-05-27T12:00:00.000Z"
"""Fixed, so that ages and scores never depend on the day of the run."""
MAX_FIXTURE_BYTES = 1_048_576
DEFAULT_K, DEFAULT_BUDGET_TOKENS, DEFAULT_CONFIDENCE = 5, 1_000, 0.8

_ID_FIELDS = {
    "userId": "user_id",
    "workspaceId": "workspace_id",
    "projectId": "project_id",
    "repoId": "repo_id",
    "repoRoot": "repo_root",
    "runId": "run_id",
    "agentId": "agent_id",
    "channelId": "channel_id",
    "teamId": "team_id",
    "organizationId": "organization_id",
}
_SOURCE_FIELDS = {
    "ref": "ref",
    "url": "url",
    "filePath": "file_path",
    "commitSha": "commit_sha",
    "createdBy": "created_by",
}
_SOURCE_TYPES = ("user", "agent", "tool", "file", "repo", "commit", "test", "web", "manual")
_STABILITIES = ("ephemeral", "session", "durable")
_FIELD_OF = {
    "kind": "kind",
    "scope": "scope",
    "durable_scope": "scope",
    "identity": "text",
    "too_many_tags": "tags",
    "tag": "tags",
    "confidence": "confidence",
    "evidence_required": "source",
    "expires_at": "state.expiresAt",
}
"""Which field of a record a broken rule is about; `text` for the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """One question with everything it may find.

    Attributes:
        k: How many of the ranking count.
        labels: Label by memory id.
    """

    name: str
    query: str
    task: str
    role: str
    scopes: tuple[Scope, ...]
    kinds: tuple[Any, ...]
    max_items: int
    budget_tokens: int
    k: int
    expected: tuple[str, ...]
    memories: tuple[Memory, ...]
    labels: Mapping[str, str]

    @property
    def expected_ids(self) -> tuple[str, ...]:
        """Ids of the memories that should be found, in the order of the labels."""
        ids = {label: each for each, label in self.labels.items()}
        return tuple(ids[label] for label in self.expected)


def load(folder: Path, project: str) -> tuple[Fixture, ...]:
    """The fixtures of a folder, by file name.

    Raises:
        UsageError: There is no such folder, or a fixture breaks a rule: file, record and field are named.
        RefusedError: A file of the folder is a link that leaves the project.
    """
    if not folder.is_dir():
        raise UsageError(
            "There is no such directory of fixtures.", code="no_fixtures", hint="Name a directory of the project."
        )
    gate = Gate()
    return tuple(_fixture(contained(str(path), project), path.name, gate) for path in sorted(folder.glob("*.json")))


def _fixture(path: Path, name: str, gate: Gate) -> Fixture:
    spot = Spot(name)
    table = _parsed(path, spot)
    title = spot.text(table, "name")
    query = spot.text(table, "query")
    if len(query.strip()) < 3:
        raise spot.fault("query", "has at least three characters")
    records = [_Record(Spot(name, spot.name(each, "label")), each, title) for each in spot.tables(table, "records")]
    memories = _linked([(each, each.memory(gate)) for each in records])
    labels = {memory.id: record.spot.record for record, memory in zip(records, memories, strict=True)}
    expected = spot.texts(table, "expectedLabels")
    for label in expected:
        if label not in labels.values():
            raise spot.fault("expectedLabels", f"no record has the label {label!r}")
    if len(labels) != len(records) or len(set(labels.values())) != len(records):
        raise spot.fault("records", "two records have the same label, or the same text, kind and scope")
    k = spot.whole(table, "k", spot.whole(table, "maxItems", DEFAULT_K))
    return Fixture(
        name=title,
        query=query,
        task=spot.text(table, "task", ""),
        role=spot.text(table, "agentRole", ""),
        scopes=_scopes(spot, table),
        kinds=_kinds(spot, table),
        max_items=spot.whole(table, "maxItems", k),
        budget_tokens=spot.whole(table, "tokenBudget", DEFAULT_BUDGET_TOKENS),
        k=k,
        expected=expected,
        memories=memories,
        labels=labels,
    )


def _parsed(path: Path, spot: Spot) -> Mapping[str, Any]:
    try:
        if path.stat().st_size > MAX_FIXTURE_BYTES:
            raise spot.fault("file", f"is larger than {MAX_FIXTURE_BYTES:,} bytes")
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise spot.fault("file", f"cannot be read as JSON ({type(error).__name__})") from None
    if not isinstance(found, dict):
        raise spot.fault("file", "must hold one object")
    return found


def _scopes(spot: Spot, table: Mapping[str, Any]) -> tuple[Scope, ...]:
    scopes = tuple(_scope(spot, "scopes", each) for each in spot.tables(table, "scopes"))
    if not scopes:
        raise spot.fault("scopes", "names none")
    return scopes


def _scope(spot: Spot, field: str, table: Mapping[str, Any]) -> Scope:
    kind: Any = spot.text(table, "type", "")
    if kind not in SCOPE_TYPES:
        raise spot.fault(field, f"there is no scope type {kind!r}")
    return Scope(type=kind, **{attribute: spot.text(table, name, "") for name, attribute in _ID_FIELDS.items()})


def _kinds(spot: Spot, table: Mapping[str, Any]) -> tuple[str, ...]:
    kinds = spot.texts(table, "kinds")
    for kind in kinds:
        if kind not in KINDS:
            raise spot.fault("kinds", f"there is no kind {kind!r}")
    return kinds


@dataclass(frozen=True, slots=True)
class _Record:
    """One record of a fixture and where it stands."""

    spot: Spot
    table: Mapping[str, Any]
    fixture: str

    def memory(self, gate: Gate) -> Memory:
        """The memory, checked by every rule a write is checked by; its state is not yet set."""
        made = self._made()
        for check, field in ((unusable, "text"), (broken, ""), (_scanned(gate), "text")):
            problem = check(made)
            if problem is not None:
                raise self.spot.fault(field or _FIELD_OF.get(problem.code, "text"), problem.message)
        return made

    def _made(self) -> Memory:
        spot, table = self.spot, self.table
        scope = _scope(spot, "scope", spot.table(table, "scope"))
        kind: Any = spot.text(table, "kind")
        if kind not in KINDS:
            raise spot.fault("kind", f"there is no kind {kind!r}")
        text = spot.text(table, "text")
        metadata = spot.table(table, "metadata")
        source = self._source()
        return Memory(
            id=memory_id(scope.key, kind, text),
            scope=scope,
            kind=kind,
            text=text,
            created_at=WRITTEN_AT,
            updated_at=WRITTEN_AT,
            valid_from=WRITTEN_AT,
            tags=spot.texts(table, "tags"),
            files=_united([source.file_path], metadata, ("file", "filePath"), ("files", "touchedFiles")),
            symbols=_united([], metadata, ("symbol",), ("symbols",)),
            confidence=self._grade(),
            stability=self._chosen("stability", _STABILITIES, "durable"),
            trust="repository",
            source=source,
            metadata={**metadata, "fixture": self.fixture, "fixtureLabel": spot.record},
        )

    def _source(self) -> Source:
        table = self.spot.table(self.table, "source") or {"type": "manual", "ref": self.fixture}
        kind: Any = table.get("type", "manual")
        if kind not in _SOURCE_TYPES:
            raise self.spot.fault("source.type", f"there is no source type {kind!r}")
        return Source(
            type=kind, **{attribute: self.spot.text(table, name, "") for name, attribute in _SOURCE_FIELDS.items()}
        )

    def _grade(self) -> float:
        value = self.table.get("confidence", DEFAULT_CONFIDENCE)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self.spot.fault("confidence", "must be a number")
        return float(value)

    def _chosen(self, field: str, choices: Sequence[str], default: str) -> Any:
        value = self.table.get(field, default)
        if value not in choices:
            raise self.spot.fault(field, f"must be one of {', '.join(choices)}")
        return value


def _scanned(gate: Gate) -> Callable[[Memory], Problem | None]:
    """The gate as one more rule: what it would refuse is no fixture either."""
    from learnt.model.problem import Problem as Found

    def check(memory: Memory) -> Problem | None:
        verdict = gate.scan(passages(memory))
        return Found("gate", "the gate would refuse this") if verdict.outcome == "refuse" else None

    return check


def _united(
    first: Sequence[str], metadata: Mapping[str, Any], single: Sequence[str], many: Sequence[str]
) -> tuple[str, ...]:
    """What the metadata names under these keys, each once, in order; anything but text is passed over."""
    found = [*first, *(metadata.get(name) for name in single)]
    for name in many:
        listed = metadata.get(name)
        found += listed if isinstance(listed, list) else []
    return tuple(dict.fromkeys(each for each in found if isinstance(each, str) and each))


def _linked(records: Sequence[tuple[_Record, Memory]]) -> tuple[Memory, ...]:
    """The memories in the state their records name."""
    ids = {record.spot.record: memory.id for record, memory in records}
    return tuple(_in_state(record, memory, ids) for record, memory in records)


def _moment(spot: Spot, value: object) -> str:
    try:
        return instant(str(value))
    except UsageError:
        raise spot.fault("state.expiresAt", "must be a point in time") from None


def _in_state(record: _Record, memory: Memory, ids: Mapping[str, str]) -> Memory:
    spot = record.spot
    state = spot.table(record.table, "state")
    if (expires := state.get("expiresAt")) is not None:
        memory = replace(memory, expires_at=_moment(spot, expires))
    if state.get("deleted"):
        return replace(memory, status="deleted")
    successor = state.get("supersededByLabel")
    if successor is None:
        return memory
    if successor not in ids:
        raise spot.fault("state.supersededByLabel", f"no record has the label {successor!r}")
    return replace(memory, status="superseded", superseded_by=ids[successor])
