"""Our hooks in a host's settings file, and out of it again."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.errors import ConfigError
from learnt.hosts.wiring.edit import difference
from learnt.hosts.wiring.hook import add, claude_hooks, is_ours, remove
from learnt.hosts.wiring.installed import apply, connected, undone
from learnt.hosts.wiring.installed import planned as planned_piece
from learnt.hosts.wiring.piece import hooks as hooks_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from learnt.hosts.wiring.hook import Hook
    from learnt.hosts.wiring.installed import Change

HOOKS = claude_hooks(lambda event: f'"/opt/py" -I -S "/data/hook.py" {event} --host claude-code')
SHARED = claude_hooks(lambda event: f"learnt hook {event} --host claude-code")
OTHER = {"type": "command", "command": "notify-send hi"}


def planned(path: Path, hooks: Sequence[Hook], home: Path, within: Path | None = None) -> Change:
    """The change that adds hooks to a settings file."""
    return planned_piece(hooks_in(path, hooks), home, within)


TEXTS = [
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    '{"model": "opus"}',
    '{\n  "model": "opus"\n}\n',
    '{\n\t"model": "opus",\n\t"hooks": {}\n}',
    '{\r\n    "model": "opus",\r\n    "hooks": {\r\n    }\r\n}\r\n',
    '{"hooks":{"PreToolUse":[]}}',
    json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [OTHER]}]}, "z": [1, {"a": "}"}]}, indent=4),
    json.dumps({"hooks": {"Stop": [{"hooks": [OTHER]}], "SessionStart": []}}, indent=2) + "\n",
    '\ufeff{\n "a": "\\"{[",\n "b": 1.50e3\n}',
    '{"a": 1,\n "hooks": {"Stop": [\n ]}}',
]


@pytest.mark.parametrize("text", TEXTS)
def test_added_and_taken_out(text: str) -> None:
    """All hooks are there, everything else is as it was, and removal gives the very bytes back."""
    after, pieces = add(text, HOOKS)
    before, now = (json.loads(each.removeprefix("\ufeff")) for each in (text, after))
    for hook in HOOKS:
        assert hook.group in now["hooks"][hook.event]
    for event, groups in before.get("hooks", {}).items():
        assert now["hooks"][event][: len(groups)] == groups
    assert {key: value for key, value in now.items() if key != "hooks"} == {
        key: value for key, value in before.items() if key != "hooks"
    }
    assert remove(after, pieces) == text


@pytest.mark.parametrize("text", TEXTS)
def test_twice_is_once(text: str) -> None:
    """Adding again changes nothing."""
    after, _ = add(text, HOOKS)
    assert add(after, HOOKS) == (after, ())


@pytest.mark.parametrize("text", TEXTS)
def test_taken_out_without_a_record(text: str) -> None:
    """Without a record our groups leave, and what others put there stays in its order."""
    after, _ = add(text, HOOKS)
    left = json.loads(remove(after).removeprefix("\ufeff"))
    before = json.loads(text.removeprefix("\ufeff"))
    for event, groups in before.get("hooks", {}).items():
        assert left.get("hooks", {}).get(event, []) == groups
    assert not any(is_ours(entry) for entry in json.dumps(left).split('"'))
    assert {**left, "hooks": {}} == {**before, "hooks": {}}


def test_other_installation_is_replaced() -> None:
    """Hooks of an older path are replaced, not doubled."""
    old, _ = add('{\n  "model": "opus"\n}\n', SHARED)
    new, _ = add(old, HOOKS)
    assert new.count("hook.py") == len(HOOKS)
    assert "learnt hook" not in new


def test_taken_out_after_changes() -> None:
    """What the person changed meanwhile stays; ours alone leaves."""
    after, pieces = add('{\n  "model": "opus"\n}\n', HOOKS)
    changed = after.replace('"opus"', '"sonnet"').replace("\n}\n", ',\n  "late": true\n}\n')
    assert remove(changed, pieces) == '{\n  "model": "sonnet",\n  "late": true\n}\n'


def test_entry_beside_a_foreign_one() -> None:
    """In a group that a person shared between our hook and another, only ours leaves."""
    ours = HOOKS[1].group["hooks"]
    assert isinstance(ours, list)
    text = json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [OTHER, *ours]}]}}, indent=2)
    assert json.loads(remove(text)) == {"hooks": {"UserPromptSubmit": [{"hooks": [OTHER]}]}}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('{"a": 1', "valid JSON"),
        ("[]", "not a JSON object"),
        ('{"a": 1, // mine\n "b": 2}', "comments"),
        ('{/* x */ "a": "http://y"}', "comments"),
        ('{"hooks": []}', "shape"),
        ('{"hooks": {"Stop": {}}}', "shape"),
        ("[" * 100_000, "valid JSON"),
    ],
)
def test_refused(text: str, word: str) -> None:
    """What is not plain JSON of the documented shape is refused, with the reason."""
    with pytest.raises(ConfigError, match=word):
        add(text, HOOKS)


def test_is_ours() -> None:
    """Only our own commands count as ours."""
    assert all(is_ours(hook.command) for hook in (*HOOKS, *SHARED))
    assert is_ours('"C:\\Python\\python.exe" -I -S "C:\\data\\hook.py" session-end --host claude-code')
    assert not is_ours("learnt-other hook x --host y")
    assert not is_ours("python hook.py --host here")
    assert not is_ours(7)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=12,
)
groups = st.lists(st.just({"hooks": [OTHER]}), max_size=2)


@given(
    st.dictionaries(st.text(max_size=6).filter(lambda key: key != "hooks"), values, max_size=4),
    st.none() | st.dictionaries(st.sampled_from(["Stop", "SessionStart", "PreToolUse"]), groups, max_size=3),
    st.sampled_from([None, 1, 2, 4, "\t"]),
)
def test_any_settings(settings: dict[str, object], hooks: object, indent: int | str | None) -> None:
    """Any settings in any layout: valid after adding, and byte for byte back after removal."""
    text = json.dumps({**settings, **({"hooks": hooks} if hooks is not None else {})}, indent=indent)
    after, pieces = add(text, HOOKS)
    assert json.loads(after)["hooks"]["SessionEnd"] == [HOOKS[3].group]
    assert remove(after, pieces) == text


def test_file_round_trip(tmp_path: Path) -> None:
    """Planning writes nothing; applying keeps rights and follows the person's link; undoing restores the bytes."""
    real, link, home = tmp_path / "dots/settings.json", tmp_path / "claude/settings.json", tmp_path / "data"
    for folder in (real.parent, link.parent, home):
        folder.mkdir()
    real.write_bytes(b'{\r\n  "model": "opus"\r\n}')
    real.chmod(0o640)
    link.symlink_to(real)
    change = planned(link, HOOKS, home)
    assert real.read_bytes() == b'{\r\n  "model": "opus"\r\n}'
    assert "+" in change.diff
    apply(change, home)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert connected(home) == {real: "hooks"}
    assert not planned(link, HOOKS, home).differs
    apply(undone(link, home), home)
    assert real.read_bytes() == b'{\r\n  "model": "opus"\r\n}'
    assert connected(home) == {}


def test_file_made_by_us_is_removed(tmp_path: Path) -> None:
    """A settings file that was not there before is not there afterwards, and is the owner's alone meanwhile."""
    path = tmp_path / "claude/settings.json"
    apply(planned(path, HOOKS, tmp_path / "data"), tmp_path / "data")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    apply(undone(path, tmp_path / "data"), tmp_path / "data")
    assert not path.exists()
    assert not undone(path, tmp_path / "data").differs


@pytest.mark.parametrize("before", [None, "{}", '{"hooks":{"PreToolUse":[]}}', '{\n  "hooks": {}\n}\n'])
def test_another_installation_in_between(tmp_path: Path, before: str | None) -> None:
    """Hooks that another installation replaced come out as exactly as the first ones would."""
    path = tmp_path / "settings.json"
    if before is not None:
        path.write_text(before)
    for hooks in (HOOKS, SHARED, HOOKS):
        apply(planned(path, hooks, tmp_path), tmp_path)
    apply(undone(path, tmp_path), tmp_path)
    assert (path.read_text() if path.exists() else None) == before


@pytest.mark.parametrize("record", ["[]", "{", '{"PATH": 1}', '{"PATH": {"insertions": [1, ["x", null]]}}'])
def test_damaged_record(tmp_path: Path, record: str) -> None:
    """Without a record that can be read the hooks are found by their commands."""
    path = tmp_path / "settings.json"
    path.write_text('{"model": "opus"}')
    apply(planned(path, HOOKS, tmp_path), tmp_path)
    (tmp_path / "wiring.json").write_text(record.replace("PATH", str(path)))
    apply(undone(path, tmp_path), tmp_path)
    assert json.loads(path.read_text()) == {"model": "opus"}


@pytest.mark.parametrize("entries", ["true", "1.5", '"x"', "{}", "[1, null]"])
def test_group_of_another_shape(entries: str) -> None:
    """A group whose hooks are no list is somebody else's: it stays as it is."""
    text = f'{{"hooks": {{"Stop": [{{"hooks": {entries}}}]}}}}'
    after, pieces = add(text, HOOKS)
    assert remove(after, pieces) == text
    assert remove(after) == text


def test_changed_meanwhile(tmp_path: Path) -> None:
    """A file that changed between plan and write is left alone."""
    path = tmp_path / "settings.json"
    path.write_text("{}")
    change = planned(path, HOOKS, tmp_path)
    path.write_text('{"a": 1}')
    with pytest.raises(ConfigError):
        apply(change, tmp_path)
    assert path.read_text() == '{"a": 1}'


def test_planted_link(tmp_path: Path) -> None:
    """A repository's settings file that links out of the repository is refused."""
    root = tmp_path / "app"
    (root / ".claude").mkdir(parents=True)
    (tmp_path / "victim").write_text("{}")
    (root / ".claude/settings.json").symlink_to(tmp_path / "victim")
    with pytest.raises(ConfigError, match="leads out"):
        planned(root / ".claude/settings.json", HOOKS, tmp_path, within=root)


def test_difference_of_nothing() -> None:
    """No change, no diff."""
    assert difference("a\n", "a\n", os.devnull) == ""
