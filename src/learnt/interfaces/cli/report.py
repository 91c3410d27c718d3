"""Reports of `learnt evaluate`, for reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.interfaces.cli import screen

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]

_COLUMNS = ("recall@1", "recall@5", "recall@10", "recall@20", "hit@1", "hit@5", "mrr", "ndcg@10")
_EXTRA = (
    "new_above_old",
    "new@5",
    "newest_first",
    "stale@1",
    "stale_above_current",
    "stale_recall",
    "stale_precision",
    "false_alarms",
    "false_alarms_elsewhere",
    "precision",
    "recall",
    "f1",
)


def golden(report: Json) -> Iterator[str]:
    """The golden fixtures: the summary, then what did not pass."""
    summary = report["summary"]
    yield screen.strong(f"{summary['passed_run_count']} of {summary['run_count']} runs passed")
    yield from screen.pairs([(name, _figure(summary[name])) for name in ("precision@k", "recall@k")])
    yield from screen.pairs(
        [(name, str(value)) for name, value in summary.items() if name.endswith("_count") and value]
    )
    failed = [each for each in report["runs"] if not each["passed"]]
    if failed:
        yield screen.strong("Not passed")
        yield from screen.table([_run(each) for each in failed])
    if "gate" in report:
        yield from _gate(report["gate"])


def _figure(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, int | float) else "-"


def _run(run: Json) -> tuple[str, ...]:
    found = ", ".join(run["retrieved_labels"]) or "nothing"
    return run["fixture"], run["provider"], run["mode"], f"found {found}; expected {', '.join(run['expected_labels'])}"


def _gate(gate: Json) -> Iterator[str]:
    yield screen.strong("Baseline " + ("holds" if gate["passed"] else "missed"))
    fell = f"{gate['precision_drop']:.4f} (at most {gate['tolerance']:.2f})"
    yield from screen.pairs(
        [("two passes", "the same" if gate["deterministic"] else "differ"), ("precision fell by", fell)]
    )


def compared(report: Json) -> Iterator[str]:
    """Profiles side by side on the fixtures."""
    yield from _unrun(report["profiles"])
    yield from screen.table(
        [("", "precision@k", "recall@k", "passed", "p50 ms", "tokens", ""), *map(_side, report["profiles"].items())]
    )


def _side(item: tuple[str, Json]) -> tuple[str, ...]:
    name, each = item
    passed = f"{each['passed_run_count']}/{each['run_count']}" if "run_count" in each else "-"
    return name, _figure(each.get("precision@k")), _figure(each.get("recall@k")), passed, *_cost(each), ""


def _cost(each: Json) -> tuple[str, str]:
    return _figure(each.get("latency_ms", {}).get("p50")), _figure(each.get("returned_token_estimate"))


def heldout(report: Json) -> Iterator[str]:
    """A held-out corpus: profiles side by side, then the gates."""
    word = "holds" if report["passed"] else "missed"
    passes = "two passes the same" if report["deterministic"] else "two passes differ"
    yield screen.strong(f"{report['corpus_id']} {report['version']} {word}") + screen.faint(f"  {passes}")
    yield from _unrun(report["profiles"])
    rows = [
        (
            name,
            _figure(each.get("precision@k")),
            _figure(each.get("recall@k")),
            str(each.get("direct_source_positive_hits", "-")),
            str(each.get("routes_completed", "-")),
            *_cost(each),
            "",
        )
        for name, each in report["profiles"].items()
    ]
    yield from screen.table([("", "precision@k", "recall@k", "direct", "answered", "p50 ms", "tokens", ""), *rows])
    missed = [each for each in report["gates"] if not each["met"]]
    yield from screen.table([(each["id"], _figure(each["value"]), f"must {_figure(each['must'])}") for each in missed])


def _unrun(profiles: Json) -> Iterator[str]:
    """What did not run as it is meant to."""
    for name, figures in profiles.items():
        if figures["reason"]:
            yield f"{screen.name(name)} {figures['status']}: {figures['reason']}"


def dataset(report: Json) -> Iterator[str]:
    """A data set: a table a granularity, what is special to the set, then the bars."""
    profiles = report["profiles"]
    yield from _unrun(profiles)
    if "gate" in profiles:
        yield from _corpora(profiles["gate"]["by_category"])
    for title, rows in _tables(profiles):
        yield screen.strong(title)
        yield from screen.table([("", *_COLUMNS, ""), *rows])
    extra = [name for name in _EXTRA if any(name in figures for figures in profiles.values())]
    if extra:
        yield screen.strong("Beyond rankings")
        rows = [(name, *(_figure(each.get(column)) for column in extra), "") for name, each in profiles.items()]
        yield from screen.table([("", *extra, ""), *rows])
    if "extraction" in report:
        yield from _extraction(report["extraction"])
    yield from _bars(report["bars"])


def _extraction(found: Json) -> Iterator[str]:
    """What was extracted from transcripts, beside the agent's last words of the same length."""
    yield screen.strong(f"Extraction: {found['facts']:,} facts of {found['sessions']:,} sessions")
    columns = ("token_recall", "identifier_recall", "similarity", "junk")
    sides = (("facts", found), ("last words", found["last_words"]))
    rows = [(name, *(_figure(each[column]) for column in columns), "") for name, each in sides]
    yield from screen.table([("", *columns, ""), *rows])


def _corpora(corpora: Json) -> Iterator[str]:
    """What the gate found in each corpus, and what that cost."""
    yield screen.strong("By corpus")
    head = ("", "cases", "recall", "false alarms", "precision", "ms/KB", "")
    columns = ("recall", "false_positive_rate", "precision", "ms_per_kb")
    rows = [
        (name, f"{each['cases']:,}", *(_figure(each[column]) for column in columns), "")
        for name, each in corpora.items()
    ]
    yield from screen.table([head, *rows])


def _tables(profiles: Json) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """A title and rows for each granularity; the data sets without one have their figures at the top."""
    ran = {name: figures for name, figures in profiles.items() if "recall@1" in figures}
    first: Json = next(iter(ran.values()), {})
    granularities = first.get("by_granularity", {first.get("granularity", ""): None})
    for granularity in granularities if ran else ():
        rows = []
        for name, figures in ran.items():
            here = figures.get("by_granularity", {}).get(granularity, figures)
            rows.append((name, *(_figure(here.get(column)) for column in _COLUMNS), ""))
        yield f"By {granularity}", rows


def _bars(bars: list[Json]) -> Iterator[str]:
    if not bars:
        return
    yield screen.strong("Bars")
    rows = []
    for each in bars:
        sign = "at most" if each["better"] == "lower" else "at least"
        must = "" if each["must"] is None else f"{sign} {_figure(each['must'])}"
        said = {True: "met", False: "missed", None: ""}[each["met"]]
        beat = "" if each["beat"] is None else f"mark {_figure(each['beat'])}{' beaten' if each['beaten'] else ''}"
        rows.append((each["id"], _figure(each["value"]), must, said, beat))
    yield from screen.table(rows)
