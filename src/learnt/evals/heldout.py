"""A held-out corpus: sources by content hash, what stands in them, and a paraphrase that should find each.

Source of format, caps and thresholds: swarm-memory seed, held-out corpus.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from learnt.errors import UsageError
from learnt.evals.fence import contained
from learnt.evals.golden import WRITTEN_AT
from learnt.model.keys import memory_id
from learnt.model.memory import Memory, Source
from learnt.model.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

MANIFEST = "manifest.json"
MAX_MANIFEST_BYTES = 1_048_576
MAX_SOURCE_BYTES, MAX_SOURCES_BYTES = 65_536, 1_048_576
MAX_CASES = 1_000
ANALYZER = "learnt-identifiers-1"
"""What reads the sources here: the identifiers of a text, whatever its language."""

SCOPE = Scope(type="repository", repo_id="held-out")
_TEXT = 2_000
_DIGEST = re.compile(r"[0-9A-F]{64}")
_WORD = re.compile(r"[A-Za-z_$][\w$-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What a corpus must reach; the seed's numbers where a manifest names none."""

    precision_at_k: float = 0.25
    recall_at_k: float = 0.25
    max_spurious_edges: int = 2
    max_known_misses: int = 2
    direct_source_positive_hits: int = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One source and the paraphrase that should find it.

    Attributes:
        missed: Symbols and edges that are expected and not there, the known misses left out.
    """

    id: str
    language: str
    source_path: str
    content_hash: str
    analyzer_id: str
    paraphrase: str
    symbols: tuple[str, ...]
    edges: tuple[str, ...]
    known_misses: tuple[str, ...]
    spurious_edges: tuple[str, ...]
    missed: tuple[str, ...]
    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """All cases, and how many of each ranking count (`k`)."""

    corpus_id: str
    version: str
    k: int
    thresholds: Thresholds
    gates: tuple[str, ...]
    cases: tuple[Case, ...]


def load(given: str, project: str) -> Corpus:
    """The corpus of a manifest in the project or in this package.

    Raises:
        RefusedError: The manifest or a source lies elsewhere.
        UsageError: It is not called manifest.json, is too large, or does not hold what it says.
    """
    path = contained(given, project)
    if path.name != MANIFEST:
        raise _fault(f"A held-out corpus is named by its {MANIFEST}.")
    table = _parsed(path)
    cases = tuple(_cases(table, path.parent, project))
    if len({case.memory.id for case in cases}) != len(cases):
        raise _fault("Two sources begin with the same text.", field="cases")
    return Corpus(
        corpus_id=_text(table, "corpus_id"),
        version=_text(table, "version"),
        k=_count(table, "k", 1),
        thresholds=_thresholds(table.get("thresholds", {})),
        gates=_texts(table, "gates"),
        cases=cases,
    )


def _fault(message: str, **details: object) -> UsageError:
    return UsageError(message, code="manifest", details=details)


def _parsed(path: Path) -> Mapping[str, Any]:
    try:
        if path.stat().st_size > MAX_MANIFEST_BYTES:
            raise _fault(f"The manifest is larger than {MAX_MANIFEST_BYTES:,} bytes.")
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _fault(f"The manifest cannot be read ({type(error).__name__}).") from None
    if not isinstance(found, dict):
        raise _fault("The manifest must hold one object.")
    return found


def _text(table: Mapping[str, Any], field: str, case: str = "") -> str:
    value = table.get(field)
    if not isinstance(value, str) or not value.strip():
        raise _fault(f"{case or 'The manifest'}: {field} must be a text.", case=case or None, field=field)
    return value


def _texts(table: Mapping[str, Any], field: str, case: str = "") -> tuple[str, ...]:
    value = table.get(field, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise _fault(f"{case or 'The manifest'}: {field} must be a list of texts.", case=case or None, field=field)
    return tuple(value)


def _count(table: Mapping[str, Any], field: str, default: int) -> int:
    value = table.get(field, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _fault(f"{field} must be a whole number.", field=field)
    return value


def _thresholds(table: Any) -> Thresholds:
    if not isinstance(table, dict):
        raise _fault("thresholds must be an object.", field="thresholds")
    plain = Thresholds()
    return Thresholds(
        precision_at_k=_share(table, "precision_at_k", plain.precision_at_k),
        recall_at_k=_share(table, "recall_at_k", plain.recall_at_k),
        max_spurious_edges=_count(table, "max_spurious_edges", plain.max_spurious_edges),
        max_known_misses=_count(table, "max_known_misses", plain.max_known_misses),
        direct_source_positive_hits=_count(table, "direct_source_positive_hits", plain.direct_source_positive_hits),
    )


def _share(table: Mapping[str, Any], field: str, default: float) -> float:
    value = table.get(field, default)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise _fault(f"{field} must be between 0 and 1.", field=field)
    return float(value)


def _cases(table: Mapping[str, Any], folder: Path, project: str) -> Iterator[Case]:
    rows = table.get("cases")
    if not isinstance(rows, list) or not 0 < len(rows) <= MAX_CASES:
        raise _fault(f"cases must be a list of 1 to {MAX_CASES} objects.", field="cases")
    seen: set[str] = set()
    total = 0
    for row in rows:
        name = _text(row, "id") if isinstance(row, dict) else ""
        if not name or name in seen:
            raise _fault("Each case is an object with an id of its own.", field="cases")
        seen.add(name)
        content = _source(row, name, folder, project)
        total += len(content)
        if total > MAX_SOURCES_BYTES:
            raise _fault(f"All sources together are larger than {MAX_SOURCES_BYTES:,} bytes.", case=name)
        yield _case(row, name, content)


def _source(row: Mapping[str, Any], name: str, folder: Path, project: str) -> bytes:
    """The bytes of a source whose hash is the one that was written down."""
    path = contained(str(folder / _text(row, "source_path", name)), project)
    stated = _text(row, "content_hash", name)
    if not _DIGEST.fullmatch(stated):
        raise _fault(f"{name}: content_hash is 64 upper-case hex digits.", case=name, field="content_hash")
    try:
        if path.stat().st_size > MAX_SOURCE_BYTES:
            raise _fault(f"{name}: the source is larger than {MAX_SOURCE_BYTES:,} bytes.", case=name)
        content = path.read_bytes()
    except OSError as error:
        raise _fault(f"{name}: the source cannot be read ({type(error).__name__}).", case=name) from None
    if hashlib.sha256(content).hexdigest().upper() != stated:
        raise _fault(f"{name}: the source is not the one that was hashed.", case=name, field="content_hash")
    return content


def _case(row: Mapping[str, Any], name: str, content: bytes) -> Case:
    text = content.decode("utf-8", "replace")
    symbols, edges = _texts(row, "expected_symbols", name), _texts(row, "expected_edges", name)
    known = _texts(row, "known_misses", name)
    words = frozenset(_WORD.findall(text))
    path = _text(row, "source_path", name)
    return Case(
        id=name,
        language=_text(row, "language", name),
        source_path=path,
        content_hash=_text(row, "content_hash", name),
        analyzer_id=_text(row, "analyzer_id", name),
        paraphrase=_text(row, "paraphrase", name),
        symbols=symbols,
        edges=edges,
        known_misses=known,
        spurious_edges=_texts(row, "spurious_edges", name),
        missed=tuple(each for each in (*symbols, *edges) if each not in known and not _stands(each, words, text)),
        memory=_memory(text, path, symbols),
    )


def _stands(wanted: str, words: frozenset[str], text: str) -> bool:
    """Whether a symbol, or both ends of an edge, stand in the source."""
    return all(end in words or end in text for end in wanted.split(" -> "))


def _memory(text: str, path: str, symbols: tuple[str, ...]) -> Memory:
    """What a memory holds of a source: its beginning, where it is, and its symbols."""
    cut = text[:_TEXT]
    return Memory(
        id=memory_id(SCOPE.key, "code_pattern", cut),
        scope=SCOPE,
        kind="code_pattern",
        text=cut,
        created_at=WRITTEN_AT,
        updated_at=WRITTEN_AT,
        valid_from=WRITTEN_AT,
        files=(path,),
        symbols=symbols,
        confidence=0.8,
        trust="repository",
        source=Source(type="file", file_path=path),
    )
