"""The gate measured on labelled texts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from learnt.errors import UsageError
from learnt.evals import run
from learnt.evals.datasets import security as data
from learnt.evals.security import credentials, privacy
from tests.evals.test_datasets import environment
from tests.evals.worlds import WORLDS, turned

if TYPE_CHECKING:
    from pathlib import Path


def test_cases_are_read(tmp_path: Path) -> None:
    """A text that was turned round comes back, an absent tier is the first, and fields keep their names."""
    corpora = data.read(WORLDS["security"](tmp_path / "data"))
    secret = corpora["secrets_synth"][0]
    assert secret.secret in secret.text
    assert (secret.named, secret.evasion, corpora["memory_poison"][0].tier) == (True, "", 1)
    assert [name for name, _ in corpora["evasion"][1].fields] == ["summary", "rationale"]
    assert corpora["pii_synth"][0].spans[0][2] == "CREDIT_CARD"


def test_a_line_without_its_parts_is_an_error(tmp_path: Path) -> None:
    """Named by file and line."""
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "cases.jsonl").write_text(json.dumps({"label": "positive", "text": "x"}), "utf-8")
    with pytest.raises(UsageError, match="line 1"):
        data.read(tmp_path)


def test_the_bars_are_held(tmp_path: Path) -> None:
    """Every figure that the corpora allow is judged; corpora that are not there leave their bars out."""
    (tmp_path / "data").mkdir()
    folder = WORLDS["security"](tmp_path / "data")
    made = run.report("security", folder, (), environment(tmp_path))
    bars = {each["id"]: each for each in made["bars"]}
    held = ["S1.named.least", "S4.lookalikes", "S6.redaction", "I1.explicit", "I2.twins", "I3.tier1", "P1.synth.f1"]
    held += ["T3.byte_for_byte", "G1.paths", "T2.hostile"]
    assert [name for name in held if not bars[name]["met"]] == []
    assert "S2.gitleaks" not in bars
    corpus = made["profiles"]["gate"]["by_category"]["secrets_synth"]
    assert (corpus["recall"], corpus["false_positive_rate"], corpus["precision"]) == (1.0, 0.0, 1.0)
    assert corpus["ms_per_kb"] > 0


def test_a_piece_of_a_secret_is_a_leak() -> None:
    """Twelve characters in a row count; of a short secret all of it does."""
    assert credentials.left("see abcdefghijkl", "0abcdefghijklmnop")
    assert not credentials.left("see abcdefghijk", "0abcdefghijklmnop")
    assert credentials.left("see short", "short")


def test_places_overlap_by_half() -> None:
    """Intersection over union."""
    assert privacy.overlap((0, 10, "a"), (0, 10, "b")) == 1.0
    assert privacy.overlap((0, 10, "a"), (5, 15, "b")) == pytest.approx(1 / 3)
    assert privacy.overlap((0, 10, "a"), (20, 30, "b")) == 0.0


def test_what_is_turned_round_comes_back() -> None:
    """The corpora's coding."""
    assert data.decoded(turned("schlüssel")) == "schlüssel"
