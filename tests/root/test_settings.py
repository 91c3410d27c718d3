"""Settings: defaults of the contract, what a person may set, what a repository may only take away."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.settings import Settings, merged


def every(section: Any, path: str = "") -> dict[str, Any]:
    """Path of each setting -> the dataclass field."""
    found: dict[str, Any] = {}
    for each in fields(section):
        if each.metadata:
            found[path + each.name] = (each, getattr(section, each.name))
        else:
            found.update(every(getattr(section, each.name), f"{path}{each.name}."))
    return found


def nested(path: str, value: object) -> dict[str, Any]:
    """The TOML document that sets one key."""
    head, _, rest = path.partition(".")
    return {head: nested(rest, value) if rest else value}


def test_the_defaults_are_those_of_the_contract() -> None:
    """The numbers a program may rely on."""
    settings = Settings()
    assert (settings.recall.max_items, settings.recall.budget_tokens, settings.recall.min_score) == (8, 1200, 0.05)
    injection = settings.recall.injection
    assert (injection.min_score, injection.max_items, injection.budget_tokens) == (0.25, 6, 1000)
    assert (settings.learning.suppression_threshold, settings.learning.q_value_boost_weight) == (0.15, 0.1)
    assert (settings.sessions.summary_tokens, settings.evidence.retention_days) == (5000, 90)
    assert settings.lessons.supersede == "nominate"


def test_every_setting_says_what_it_is() -> None:
    """A sentence, a source, and for numbers a range that holds the default."""
    for path, (each, default) in every(Settings()).items():
        assert each.metadata["doc"].endswith("."), path
        assert each.metadata["source"], path
        if isinstance(default, int | float) and not isinstance(default, bool):
            assert each.metadata["low"] <= default <= each.metadata["high"], path


def test_a_person_sets_what_the_seed_writes_as_a_table() -> None:
    """`weights = {lexical = ...}` are three settings."""
    settings, ignored = merged(Settings(), {"retrieval": {"weights": {"lexical": 0.2, "dense": 0.7}}}, person=True)
    assert (settings.retrieval.weight_lexical, settings.retrieval.weight_dense, ignored) == (0.2, 0.7, ())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("recall.max_items", 21),
        ("recall.max_items", 0),
        ("recall.max_items", 2.5),
        ("recall.max_items", True),
        ("recall.max_items", "8"),
        ("memory.enabled", 1),
        ("gate.pii_threshold", 1),
        ("gate.pii_detector", "magic"),
        ("evidence.exclude", "vault"),
        ("evidence.exclude", [1]),
        ("recall.injection", 3),
        ("nothing.there", 1),
    ],
)
def test_a_value_that_does_not_fit_is_ignored_and_named(path: str, value: object) -> None:
    """The default stays, and `doctor` can say why."""
    settings, ignored = merged(Settings(), nested(path, value), person=True)
    assert settings == Settings()
    assert len(ignored) == 1
    assert path.startswith(ignored[0].key.split(".")[0])
    assert ignored[0].why


def test_a_repository_takes_away() -> None:
    """Off, detection on, lower, more exclusions."""
    table = {
        "memory": {"enabled": False, "exclude_kinds": ["todo"]},
        "gate": {"detect_pii": True},
        "recall": {"max_items": 3},
        "evidence": {"exclude": ["*.env"]},
    }
    settings, ignored = merged(Settings(), table, person=False)
    assert ignored == ()
    assert (settings.memory.enabled, settings.gate.detect_pii, settings.recall.max_items) == (False, True, 3)
    assert settings.memory.exclude_kinds == ("todo",)


def test_a_repository_gives_nothing() -> None:
    """Neither more, nor weaker gates, nor what only a person decides."""
    table = {
        "memory": {"enabled": True},
        "gate": {"reject_durable_secrets": False},
        "recall": {"max_items": 9, "min_score": 0.0},
        "learning": {"learning_rate": 1.0},
    }
    settings, ignored = merged(Settings(), table, person=False)
    assert settings == Settings()
    assert len(ignored) == 5


values = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.text(max_size=3))


@given(st.sampled_from(sorted(every(Settings()))), values, st.booleans())
def test_no_document_breaks_the_settings(path: str, value: object, person: bool) -> None:
    """Whatever a file says, the result is a setting within its range, or the default and a reason."""
    settings, ignored = merged(Settings(), nested(path, value), person=person)
    each, found = every(settings)[path]
    default = every(Settings())[path][1]
    assert ignored == () or found == default
    if isinstance(default, int | float) and not isinstance(default, bool):
        assert each.metadata["low"] <= found <= each.metadata["high"]
