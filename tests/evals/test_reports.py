"""What is made of outcomes: silence, calibration, bars and the chart."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest

from learnt.evals import bars, calibrate, quality, silence
from learnt.evals.measure import Outcome
from learnt.evals.plot import drawing
from learnt.evals.task import Dataset, Question

SVG = "{http://www.w3.org/2000/svg}"


def outcome(scores: tuple[float, ...], ranking: tuple[str, ...] = (), **asked: Any) -> Outcome:
    """One question answered with these sessions."""
    return Outcome(
        question=Question(id="q", text="?", **asked),
        split="",
        profile="default",
        rankings={"session": ranking},
        scores=scores,
        latencies_ms=(1.0,),
        silent=not scores,
        arms={"lexical": "ran", "dense": "ran", "rerank": "off"},
    )


RIGHT = outcome((0.9, 0.2), ("a", "b"), relevant={"session": frozenset({"a"})}, category="one")
WRONG = outcome((0.6,), ("b",), relevant={"session": frozenset({"a"})}, category="two")
PROBE = outcome((0.5,), ("b",), probe="small_talk")
QUIET = outcome((), (), probe="small_talk")


def test_silence_by_hand() -> None:
    """Two questions above a probe of 0.5 and one that got no answer: told apart, nothing lost."""
    (found,) = silence.silence([RIGHT, WRONG, PROBE, QUIET], "session")["abstention"].values()
    assert (found["questions"], found["answered"], found["area"]) == (2, 0.5, 1.0)
    assert found["recall_lost_when_silent"] == 0.0
    assert found["recall_lost"] == 0.0
    (found,) = silence.silence([RIGHT, outcome((), relevant={"session": frozenset("a")}), PROBE], "session")[
        "abstention"
    ].values()
    assert (found["answered"], found["recall_lost"]) == (1.0, 0.5)
    loud = outcome((0.95,), ("b",), probe="small_talk")
    (found,) = silence.silence([RIGHT, WRONG, loud], "session")["abstention"].values()
    assert (found["area"], found["recall_lost_when_silent"]) == (0.0, 0.5)


def test_the_curve_falls_on_both_sides() -> None:
    """A higher threshold never finds more, rightly or falsely."""
    (found,) = silence.silence([RIGHT, WRONG, PROBE, QUIET], "session")["abstention"].values()
    for key in ("recall@10", "false_recall"):
        values = [each[key] for each in found["curve"]]
        assert values == sorted(values, reverse=True)
    assert silence.silence([RIGHT], "session") == {}


def test_area_counts_ties_half() -> None:
    """Equal scores do not tell anything apart."""
    assert silence.area([1.0], [1.0]) == 0.5
    assert silence.area([2.0, 0.0], [1.0]) == 0.5


def test_calibration_by_hand() -> None:
    """Hits at 0.9 (right) and 0.2, 0.6 and 0.5 (wrong): the bins, the gap and the squared error."""
    pairs = calibrate.judged([RIGHT, WRONG, PROBE])
    assert pairs == [(0.9, True), (0.2, False), (0.6, False), (0.5, False)]
    found = calibrate.reliability(pairs)
    assert found["hits"] == 4
    assert found["expected_calibration_error"] == pytest.approx((0.1 + 0.2 + 0.6 + 0.5) / 4)
    assert found["brier"] == pytest.approx((0.01 + 0.04 + 0.36 + 0.25) / 4)
    assert calibrate.reliability([]) == {"hits": 0, "bins": [], "expected_calibration_error": 0.0, "brier": 0.0}
    assert calibrate.reliability([(3.0, True), (-1.0, False)])["brier"] == 0.0


def test_outcomes_move_what_is_believed() -> None:
    """One question approves of a and rejects b; in the other a at .9 becomes .92, and b at .2 .16."""
    found = calibrate.believed([RIGHT, RIGHT])
    assert found["hits"] == 2
    assert found["brier_before"] == pytest.approx((0.01 + 0.04) / 2)
    assert found["brier_after"] == pytest.approx((0.08**2 + 0.16**2) / 2)
    assert calibrate.believed([RIGHT, WRONG])["brier_after"] == pytest.approx((4 * 0.6 / 5) ** 2)
    assert calibrate.believed([]) == {"hits": 0, "brier_before": None, "brier_after": None}


def test_a_profile_is_reported_by_category() -> None:
    """Figures at the top, by category, and of what can be answered apart from the probes."""
    dataset = Dataset(name="x", granularities=("session",), collections=())
    made = quality.profile_figures(dataset, [RIGHT, WRONG, PROBE], "default")
    assert (made["status"], made["questions"], made["recall@1"]) == ("ran", 2, 0.5)
    assert made["by_category"]["one"]["recall@1"] == 1.0
    assert made["by_category"]["answerable"]["questions"] == 2


@pytest.mark.parametrize(
    ("profile", "arms", "status"),
    [
        ("lexical", {"dense": "no embedder"}, "ran"),
        ("dense", {"dense": "no embedder"}, "skipped"),
        ("hybrid", {"dense": "failed: unreachable"}, "degraded"),
        ("default", {"dense": "ran"}, "ran"),
        ("hybrid+rerank", {"dense": "ran", "rerank": "off"}, "degraded"),
        ("hybrid+rerank", {"dense": "ran", "rerank": "ran"}, "ran"),
    ],
)
def test_a_missing_part_is_said(profile: Any, arms: dict[str, str], status: str) -> None:
    """Degraded or skipped, with the arm's own word as the reason."""
    found, reason = quality.judged_arms(profile, arms)
    assert found == status
    assert (reason is None) == (status == "ran")


def test_bars_are_held_against_what_was_measured() -> None:
    """A must at the bar is met, below it is missed; what was not measured has no bar."""
    at = {"default": {"mrr": 0.545}, "lexical": {"mrr": 0.3}, "dense": {"mrr": 0.55}}
    found = {each["id"]: each["met"] for each in bars.judged("cosqa", at)}
    assert found == {"cosqa.mrr": True, "cosqa.lexical.mrr": False, "cosqa.fused.mrr": False}
    assert bars.missed(bars.judged("cosqa", at))
    assert bars.judged("cosqa", {"hybrid": {"mrr": 1.0}}) == []


def test_a_lower_bar_is_met_below() -> None:
    """Where less is better, the bound counts the other way."""
    at = {"default": {"stale@1": 0.0, "recall@1": 0.97}, "untold": {"wrongly_retired": 1, "ancestor@5": 0.1}}
    found = {each["id"]: (each["met"], each["beaten"]) for each in bars.judged("supersede", at)}
    assert found == {
        "supersede.stale@1": (True, None),
        "supersede.recall@1": (True, True),
        "supersede.wrongly_retired": (False, None),
        "supersede.ancestor@5": (False, None),
    }


def test_every_bar_tells_its_source_once() -> None:
    """Ids are unique, every bar has a source, and something to be held against."""
    assert len({bar.id for bar in bars.BARS}) == len(bars.BARS)
    assert all(bar.source and (bar.must is not None or bar.beat is not None or bar.halves) for bar in bars.BARS)


def test_the_chart_is_drawn() -> None:
    """A bar for each figure of each profile, as high as its value; names are escaped; nothing is an empty chart."""
    made = drawing("a <b> & c", {"lexical": {"mrr": 0.5, "hit@1": 1.0}, "default": {"mrr": 0.25}, "skipped": {}})
    root = ET.fromstring(made)  # noqa: S314 - drawn a line above
    bars_ = [each for each in root.iter(f"{SVG}rect") if each.get("fill") in {"#3b6ea8", "#d98a29"}]
    heights = [float(each.get("height", "0")) for each in bars_ if each.get("height") != "12"]
    assert heights == sorted(heights, reverse=True)
    assert heights[0] == pytest.approx(2 * heights[1]) == pytest.approx(4 * heights[2])
    assert root.findtext(f"{SVG}title") == "a <b> & c"
    assert "nothing was measured" in drawing("x", {})


def test_a_threshold_acts_on_confidence_where_there_is_one() -> None:
    """What the engine says of its trust in an answer comes before the score of the best hit."""
    sure, unsure = replace(WRONG, confidence=0.7), replace(PROBE, scores=(0.99,), confidence=0.2)
    (found,) = silence.silence([sure, unsure], "session")["abstention"].values()
    assert found["area"] == 1.0


def test_telling_unanswerable_questions_is_held_against_the_cosine() -> None:
    """The bar is the area of the profile that is a threshold on the cosine."""
    areas = {"default": 0.7, "dense": 0.6}
    at = {name: {"abstention": {"unanswerable": {"area": area}}} for name, area in areas.items()}
    (bar,) = bars.judged("locomo", at)
    assert (bar["id"], bar["must"], bar["met"]) == ("locomo.unanswerable.area", 0.6, True)
