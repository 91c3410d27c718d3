"""What a person's file says of models that write, and what a repository's cannot."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from learnt.bootstrap import Home, configuration
from learnt.bootstrap.writers import split
from learnt.engine import Engine
from learnt.model.ledger import NANOS, Cap, Prices
from learnt.model.place import place
from learnt.model.writer import NamedModel
from learnt.ports.writer import Unwritten
from learnt.providers.writers.choose import _key

if TYPE_CHECKING:
    from pathlib import Path

KEY = "sk-" + "z" * 24
WHOLE = """
[models]
least_remaining_percent = 40

[models.named.small]
provider = "openai"
url = "http://127.0.0.1:9/v1"
model = "s"
context_tokens = 8000

[models.named.big]
provider = "anthropic"
model = "b"
key_variable = "BIG_KEY"
input_usd = 3
output_usd = 15.5

[models.roles]
default = "big"
smol = "small"

[models.caps]
day_usd = 0.5
month_tokens = 10000

[models.repositories]
"{place}" = true
"""


def _home(tmp_path: Path, text: str = "", **more: str) -> Home:
    (tmp_path / "conf").mkdir(exist_ok=True)
    (tmp_path / "repo").mkdir(exist_ok=True)
    written = text.replace("{place}", str(tmp_path / "repo"))
    (tmp_path / "conf" / "config.toml").write_text(written, encoding="utf-8")
    config, data = str(tmp_path / "conf" / "config.toml"), str(tmp_path / "data")
    return Home({"HOME": str(tmp_path), "LEARNT_HOME": data, "LEARNT_CONFIG": config, **more})


def _split(**models: Any) -> tuple[Any, dict[str, str]]:
    choice, ignored = split({"models": models}, "here")
    return choice, {each.key: each.why for each in ignored}


def test_a_whole_table_is_read(tmp_path: Path) -> None:
    """Models in the order of the file, roles, caps, and what may be written here."""
    found = configuration(_home(tmp_path, WHOLE), place(str(tmp_path / "repo")))
    assert found.ignored == ()
    assert [each.name for each in found.writers.models] == ["small", "big"]
    assert found.writers.models[1] == NamedModel(
        name="big",
        provider="anthropic",
        model="b",
        key_variable="BIG_KEY",
        prices=Prices(input_usd=3, output_usd=15.5),
    )
    assert found.writers.roles == {"default": "big", "smol": "small"}
    assert found.writers.caps == (Cap("day", "usd", NANOS // 2), Cap("month", "tokens", 10_000))
    assert found.writers.purposes == ("extraction", "consolidation")
    assert found.settings.models.least_remaining_percent == 40


def test_nothing_is_enabled_elsewhere(tmp_path: Path) -> None:
    """Another folder is another repository."""
    home = _home(tmp_path, WHOLE)
    (tmp_path / "other").mkdir()
    assert configuration(home, place(str(tmp_path / "other"))).writers.purposes == ()


def test_a_repository_can_only_switch_off(tmp_path: Path) -> None:
    """Its file names no model, raises no cap and enables nothing."""
    home = _home(tmp_path, WHOLE)
    folder = tmp_path / "repo" / ".learnt"
    folder.mkdir()
    theirs = WHOLE.replace("least_remaining_percent = 40", "least_remaining_percent = 0\nenabled = false")
    (folder / "config.toml").write_text(theirs.replace("0.5", "500"), encoding="utf-8")
    found = configuration(home, place(str(tmp_path / "repo")))
    assert not found.settings.models.enabled
    assert found.settings.models.least_remaining_percent == 40
    assert found.writers.caps[0].limit == NANOS // 2
    assert {each.key for _, each in found.ignored} == {
        "models.least_remaining_percent",
        "models.named",
        "models.roles",
        "models.caps",
        "models.repositories",
    }
    (folder / "config.toml").write_text("[models]\nenabled = true\n", encoding="utf-8")
    assert [each.key for _, each in configuration(home, place(str(tmp_path / "repo"))).ignored] == ["models.enabled"]


@pytest.mark.parametrize(
    ("model", "why"),
    [
        ({"provider": "openai", "model": "m", "key": KEY}, "a key does not belong"),
        ({"provider": "openai", "model": "m", "api_key": KEY}, "a key does not belong"),
        ({"provider": "openai"}, "`model` is missing"),
        ({"provider": "magic", "model": "m"}, "`provider` must be one of"),
        ({"model": "m"}, "`provider` must be one of"),
        ({"provider": "openai", "model": 1}, "`model` must be a text"),
        ({"provider": "openai", "model": "m", "input_usd": -1}, "dollars for a million"),
        ({"provider": "openai", "model": "m", "input_usd": True}, "dollars for a million"),
        ({"provider": "openai", "model": "m", "timeout_ms": 1}, "whole number"),
        ({"provider": "openai", "model": "m", "effort": "max"}, "`effort` must be one of"),
        ({"provider": "codex", "variables": "A"}, "list of names"),
        ({"provider": "openai", "model": "m", "temperature": 1}, "there is no such setting"),
        ("m", "must be a table"),
    ],
)
def test_an_entry_that_names_no_model_is_ignored_and_told(model: Any, why: str) -> None:
    """What it holds is not repeated: it may be a key."""
    choice, ignored = _split(named={"it": model, "good": {"provider": "ollama", "model": "m"}})
    assert [each.name for each in choice.models] == ["good"]
    assert why in ignored["models.named.it"]
    assert KEY not in str(ignored)


def test_what_else_is_wrong_is_told() -> None:
    """Roles, caps and purposes that are none; tables that are none."""
    named = {"it": {"provider": "codex"}}
    choice, ignored = _split(
        named=named,
        roles={"default": "gone", "boss": "it", "smol": "it"},
        caps={"day_usd": "much", "day_tokens": 1.5, "week_usd": 1, "month_usd": 2},
        repositories={"here": ["extraction", "dreams"], "there": True},
    )
    assert choice.models[0].model == "default"
    assert choice.roles == {"smol": "it"}
    assert choice.caps == (Cap("month", "usd", 2 * NANOS),)
    assert choice.purposes == ()
    assert set(ignored) == {
        "models.roles.default",
        "models.roles.boss",
        "models.caps.day_usd",
        "models.caps.day_tokens",
        "models.caps.week_usd",
        "models.repositories.here",
    }
    assert set(_split(named=1, caps=[])[1]) == {"models.named", "models.caps"}
    assert _split(repositories={"here": ["consolidation"]})[0].purposes == ("consolidation",)
    assert _split(repositories={"here": False})[0].purposes == ()


@pytest.mark.parametrize(
    ("url", "external"),
    [
        ("http://127.0.0.1:1/v1", False),
        ("http://localhost/v1", False),
        ("http://[::1]:8080", False),
        ("https://api.example.org/v1", True),
        ("http://192.168.1.7:11434", True),
        ("http://localhost.example.org", True),
    ],
)
def test_what_leaves_the_machine_is_external(url: str, external: bool) -> None:
    """Loopback alone does not; programs and clients know their servers themselves."""
    assert NamedModel(name="n", provider="openai", model="m", url=url).external == external
    assert not NamedModel(name="n", provider="ollama", model="m").external
    assert NamedModel(name="n", provider="anthropic", model="m").external
    assert NamedModel(name="n", provider="claude-code", model="m").external


def _reason(home: Home, tmp_path: Path) -> str:
    with Engine.open(tmp_path / "repo", home=home) as engine:
        found = engine.assembly.means.writers.of("extraction")
    return found.reason if isinstance(found, Unwritten) else found.name


def test_an_engine_knows_who_writes(tmp_path: Path) -> None:
    """By the key that is there, from a variable or a file of this user alone."""
    assert _reason(_home(tmp_path, WHOLE), tmp_path) == "failed: no_key"
    assert _reason(_home(tmp_path, WHOLE, BIG_KEY=KEY), tmp_path) == "anthropic:b"
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n", encoding="ascii")
    kept = WHOLE.replace('key_variable = "BIG_KEY"', f'key_file = "{file}"')
    if os.name == "posix":
        file.chmod(0o644)
        assert _reason(_home(tmp_path, kept), tmp_path) == "failed: key_open"
    file.chmod(0o600)
    assert _reason(_home(tmp_path, kept), tmp_path) == "anthropic:b"
    both = WHOLE.replace('"BIG_KEY"', f'"BIG_KEY"\nkey_file = "{file}"')
    named = configuration(_home(tmp_path, both), place(str(tmp_path / "repo"))).writers.models[1]
    assert _key(named, {"BIG_KEY": "of the repository"}) == KEY
    file.unlink()
    assert _reason(_home(tmp_path, kept), tmp_path) == "failed: no_key"


def test_status_names_who_is_elsewhere_and_shows_no_key(tmp_path: Path) -> None:
    """Also before a cap lets anything through."""
    home = _home(tmp_path, WHOLE.replace("day_usd = 0.5", "day_usd = 0.0"), BIG_KEY=KEY)
    with Engine.open(tmp_path / "repo", home=home) as engine:
        account = engine.status().account
        assert account.external == ("api.anthropic.com (anthropic: b) for extraction",)
        assert [each.reason for each in account.posts] == ["no cap: usd", ""]
        assert KEY not in repr(account)
        assert [each for each in engine.status().gaps if "models" in each] == [
            "big does not write here (extraction: no cap: usd): `learnt models`"
        ]


def test_nothing_of_a_provider_is_imported_without_one(tmp_path: Path) -> None:
    """An engine that nobody named a model for loads none of it."""
    import subprocess
    import sys

    home = _home(tmp_path)
    script = (
        "import sys; from learnt.engine import Engine\n"
        "with Engine.open('.') as engine:\n"
        "    engine.status(); engine.assembly.means.writers.of('extraction')\n"
        "print([each for each in sys.modules if each.startswith('learnt.providers.writers')])"
    )
    run = [sys.executable, "-c", script]
    done = subprocess.run(run, cwd=tmp_path / "repo", env=dict(home.environment), capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"
