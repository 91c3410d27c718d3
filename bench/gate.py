"""The gate's figures: time on ordinary, disguised and hostile text; and, with labelled corpora, what it finds.

Ordinary text is the project's own documentation and source, so that the figures need no download. Set
LEARNT_BENCH_DATA to a directory of corpora (one folder each with a `cases.jsonl`; lines with `id`, `label`, `class` and
`text`, or `data` when `enc` is `rb64`: base64 of the byte-reversed text) for recall and false alarms.
"""

from __future__ import annotations

import base64
import json
import os
import random
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from bench.figure import Figure
from learnt.gate.scan import Gate
from learnt.model.verdict import Passage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ROOT = Path(__file__).resolve().parent.parent
SIZE_BYTES = 64 * 1024
SEED = 7
MEMORY = (
    "The integration tests need a running Redis on port 6380; start it with `just redis` before `pytest -m slow`, "
    "otherwise the lock test waits for its whole timeout and fails with a message about a missing lease. "
    "Seen in three sessions; the head of the log names the port."
)
HOSTILE: dict[str, tuple[str, str]] = {
    "one long word": ("", "A"),
    "words of a labelled value": ("", "password=a1b2c3! "),
    "environment entries": ("", "AB_KEY=abcdefgh "),
    "begin markers without an end": ("", "-----BEGIN RSA PRIVATE " + "KEY-----\n"),
    "key ids": ("", "AK" + "IAABCDEFGHIJKLMNOP "),
    "identifiers joined by hyphens": ("", "123e4567-e89b-12d3-a456-426614174000-"),
    "opening quotes": ("", 'password="'),
    "escapes": ("", "%41"),
    "entities": ("", "&#65;"),
    "base64 of words": ("", "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ= "),
    "override words": ("ignore", " all the"),
    "newlines": ("ignore", "\n"),
    "combining marks on one letter": ("a", "\u0315\u0300"),
    "expanding ligatures": ("", "\ufdfa"),
    "zero-width characters": ("", "\u200b"),
    "bidi controls and look-alikes": ("", "\u202ea\u0430"),
    "emoji with selectors": ("", "\u2714\ufe0f "),
    "tag characters": ("", "\U000e0041"),
}


def figures() -> Iterator[Figure]:
    """Time first, then recall where corpora are at hand."""
    gate = Gate()
    started_s = time.perf_counter()
    gate.redact("x")
    yield Figure("gate: load and compile", _ms(started_s), "ms", None, "<=", "once", "cold, in the engine only")
    yield from _ordinary(gate)
    yield _memory(gate)
    yield from _hostile(gate)
    if place := os.environ.get("LEARNT_BENCH_DATA"):
        yield from _corpora(gate, Path(place))


def _ordinary(gate: Gate) -> Iterator[Figure]:
    """Redaction and scan of the project's own text, ASCII and with an occasional dash or letter."""
    files = [*ROOT.glob("src/**/*.py"), *ROOT.glob("tests/**/*.py"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md")]
    texts = [part for path in sorted(files) for part in _parts(path.read_text("utf-8"))]
    plain = [text for text in texts if text.isascii()]
    marked = [text.replace(". ", " \u2014 ").replace("- ", "\u2714 ") + " \u00fc\u2019\ufe0f" for text in plain]
    for name, sample, limit in (("ASCII", plain, 0.05), ("with dashes, ticks, a selector", marked, 0.3)):
        size = f"{_kb(sample):.0f} KB of this project in pieces of 2 KB, warm, CPU"
        yield Figure(f"gate: redact, {name}", _per_kb(gate.redact, sample), "ms/KB", limit, "<=", "median of 5", size)
        scan = _per_kb(lambda text: gate.scan([Passage(field="text", text=text)]), sample)
        yield Figure(f"gate: scan, {name}", scan, "ms/KB", 0.3, "<=", "median of 5", size)


def _memory(gate: Gate) -> Figure:
    passages = [
        Passage(field="text", text=MEMORY),
        Passage(field="rationale", text="failed twice before"),
        Passage(field="tags", text="testing redis"),
        Passage(field="evidence", text="justfile:12"),
    ]
    spent = []
    for _ in range(500):
        started_s = time.perf_counter()
        gate.scan(passages)
        spent.append(_ms(started_s))
    return Figure(
        "gate: scan of one memory", median(spent), "ms", 0.1, "<=", "p50 of 500", f"{len(MEMORY)} characters, 4 fields"
    )


def _hostile(gate: Gate) -> Iterator[Figure]:
    """The slowest of the hostile texts, and how much slower twice the text is."""
    chance = random.Random(SEED)
    printable = "".join(chr(chance.randint(33, 126)) for _ in range(SIZE_BYTES))
    digits = "".join(chance.choice("0123456789-") for _ in range(SIZE_BYTES))
    texts = {name: _fill(prefix, unit) for name, (prefix, unit) in HOSTILE.items()}
    texts |= {"random printable": printable, "digits and dashes": digits}
    whole = {name: _best(gate, text) for name, text in texts.items()}
    slowest = max(whole, key=lambda name: whole[name] / _kb([texts[name]]))
    yield Figure(
        f"gate: slowest hostile text ({slowest})",
        whole[slowest] / _kb([texts[slowest]]),
        "ms/KB",
        1.5,
        "<=",
        "best of 3",
        f"{len(texts)} texts of 64 KB",
    )
    growth = {name: whole[name] / max(_best(gate, text[: len(text) // 2]), 0.05) for name, text in texts.items()}
    steepest = max(growth, key=lambda name: growth[name])
    yield Figure(
        f"gate: 64 KB against 32 KB ({steepest})", growth[steepest], "times", 2.6, "<=", "best of 3", "the steepest"
    )


def _corpora(gate: Gate, place: Path) -> Iterator[Figure]:
    """Recall of each set of secrets and false alarms on each set of honest text."""
    for folder in sorted(path.parent for path in place.glob("*/cases.jsonl")):
        cases = list(_cases(folder / "cases.jsonl"))
        family = "secret" if folder.name.startswith("secrets_") else "injection"
        wanted = [case for case in cases if case["label"] == "positive" and not case.get("identifier_only")]
        honest = [case for case in cases if case["label"] == "negative"]
        if folder.name.startswith(("secrets_", "injection_", "memory_")) and wanted:
            found = sum(_finds(gate, case["text"], family) for case in wanted) / len(wanted)
            yield Figure(f"gate: recall, {folder.name}", found, "share", None, ">=", "all", f"{len(wanted)} positives")
        if folder.name.startswith(("benign_", "secrets_synth", "memory_")) and honest:
            wrong = sum(_finds(gate, case["text"], "") for case in honest) / len(honest)
            yield Figure(f"gate: alarms, {folder.name}", wrong, "share", 0.01, "<=", "all", f"{len(honest)} negatives")


def _finds(gate: Gate, text: str, family: str) -> bool:
    findings = gate.scan([Passage(field="text", text=text)]).findings
    return any(family in ("", finding.family) for finding in findings)


def _cases(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text("utf-8").splitlines():
        case = json.loads(line)
        if case.get("enc") == "rb64":
            case["text"] = base64.b64decode(case["data"])[::-1].decode("utf-8", "surrogatepass")
        if "text" in case:
            yield case


def _parts(text: str) -> list[str]:
    return [text[at : at + 2048] for at in range(0, len(text), 2048)]


def _fill(prefix: str, unit: str) -> str:
    return prefix + unit * (SIZE_BYTES // len(unit.encode()))


def _kb(texts: Iterable[str]) -> float:
    return sum(len(text.encode()) for text in texts) / 1024


def _ms(started_s: float) -> float:
    return (time.perf_counter() - started_s) * 1000


def _per_kb(call: Callable[[str], object], texts: list[str]) -> float:
    spent = []
    for _ in range(6):
        started_s = time.process_time()
        for text in texts:
            call(text)
        spent.append((time.process_time() - started_s) * 1000)
    return median(spent[1:]) / _kb(texts)


def _best(gate: Gate, text: str) -> float:
    spent = []
    for _ in range(3):
        started_s = time.process_time()
        gate.scan([Passage(field="text", text=text)])
        spent.append((time.process_time() - started_s) * 1000)
    return min(spent)
