"""Recorded answers of real models: what came of them once comes of them again."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from learnt.model.writer import Provider
from tests.providers.server import Reply, serving
from tests.providers.writers.cassette import STRUCK, Cassette, record, replayed
from tests.providers.writers.scene import GOOD, KEY, SERVED, said

FOLDER = os.environ.get("LEARNT_CASSETTES", "")
DROPPED: list[Any] = [pytest.param(each, id=each.stem) for each in sorted(Path(FOLDER).glob("*.json")) if FOLDER]
NONE = pytest.param(None, marks=pytest.mark.skip(reason="no cassettes: LEARNT_CASSETTES names no folder with any"))


@pytest.mark.parametrize("path", DROPPED or [NONE])
def test_what_was_recorded_comes_out_again(path: Path) -> None:
    """Every cassette of the folder gives its value, or its error."""
    held = Cassette.load(path)
    again = replayed(held)
    assert (again.code, again.value) == (held.code, held.value)


@pytest.mark.parametrize("provider", SERVED)
def test_a_cassette_holds_everything_but_the_key(provider: Provider, tmp_path: Path) -> None:
    """Recorded through a server of ours, struck of the key wherever a server repeats it, and replayed without one."""
    bad = said(provider, f"I was called with {KEY}.", headers={"x-ratelimit-limit-requests": "9", "Set-Cookie": KEY})
    with serving([Reply({}, 500, {"Retry-After": "0"}), bad, said(provider, json.dumps(GOOD))]) as server:
        made = record(Cassette(provider, "m"), server.url, KEY)
        assert len(server.asked) == 3
    assert (made.value, made.code, len(made.exchanges)) == (GOOD, "", 3)
    made.save(tmp_path / "one.json", KEY)
    text = (tmp_path / "one.json").read_text("utf-8")
    assert KEY not in text
    assert STRUCK in text
    assert "cookie" not in text.lower()
    again = replayed(Cassette.load(tmp_path / "one.json"))
    assert (again.value, again.code) == (GOOD, "")


def test_an_error_is_recorded_as_one(tmp_path: Path) -> None:
    """By its code."""
    with serving([Reply({}, 401)]) as server:
        record(Cassette("openai", "m"), server.url, KEY).save(tmp_path / "one.json", KEY)
    held = Cassette.load(tmp_path / "one.json")
    assert held.code == replayed(held).code == "unauthorized"
