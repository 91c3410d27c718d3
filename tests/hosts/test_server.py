"""Our tool server in a host's configuration, and out of it again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.errors import ConfigError
from learnt.hosts.wiring.hook import Hook
from learnt.hosts.wiring.installed import apply, connected, planned, undone
from learnt.hosts.wiring.piece import MARK, file, marked, servers, settings
from learnt.hosts.wiring.server import add_server, is_ours, present, remove_server, shared_server, user_server

if TYPE_CHECKING:
    from pathlib import Path

OURS = user_server("/opt/py", "/config/config.toml", "claude-code")
SHARED = shared_server("claude-code")
OTHER = {"type": "http", "url": "https://example.org/mcp", "headers": {"Authorization": "of somebody"}}
OWN = {"command": "/usr/local/bin/my-wrapper", "args": ["--fast"]}

TEXTS = [
    "{}",
    "{}\n",
    "{\n}\n",
    '{"numStartups": 3}',
    '{\n  "numStartups": 3,\n  "projects": {"/a": {"mcpServers": {}}}\n}\n',
    '{\n\t"mcpServers": {}\n}',
    '{\r\n    "mcpServers": {\r\n    },\r\n    "z": "mcpServers"\r\n}\r\n',
    json.dumps({"mcpServers": {"other": OTHER}, "z": [1, {"a": "}"}]}, indent=2) + "\n",
    json.dumps({"a": 1, "mcpServers": {"other": OTHER, "more": OWN}}),
]


@pytest.mark.parametrize("text", TEXTS)
def test_added_and_taken_out(text: str) -> None:
    """The entry is there, everything else is as it was, and removal gives the very bytes back."""
    after, pieces = add_server(text, OURS)
    before, now = json.loads(text), json.loads(after)
    assert now["mcpServers"].pop("learnt") == OURS.entry
    assert now == before | {"mcpServers": before.get("mcpServers", {})}
    assert remove_server(after, pieces) == text
    assert add_server(after, OURS, pieces) == (after, ())


@pytest.mark.parametrize("text", TEXTS)
def test_another_installation_is_replaced(text: str) -> None:
    """What another Python or version put there makes room for this one's entry, with its record or without."""
    after, pieces = add_server(text, SHARED)
    for earlier in (pieces, ()):
        replaced, again = add_server(after, OURS, earlier)
        assert json.loads(replaced)["mcpServers"]["learnt"] == OURS.entry
        assert json.loads(remove_server(replaced, again)).get("mcpServers", {}) == json.loads(text).get(
            "mcpServers", {}
        )


@pytest.mark.parametrize("text", TEXTS)
def test_taken_out_of_a_file_that_its_host_wrote_anew(text: str) -> None:
    """Claude Code writes its file anew all the time: the entry is found by what it starts."""
    after, pieces = add_server(text, OURS)
    anew = json.dumps({"first": 1} | json.loads(after), indent=4)
    for known in (pieces, ()):
        left = json.loads(remove_server(anew, known))
        assert "learnt" not in left.get("mcpServers", {})
        assert left.get("mcpServers", {}) == json.loads(text).get("mcpServers", {})


def test_an_entry_of_our_name_that_is_somebody_elses_stays() -> None:
    """A person's own wrapper under our name is neither replaced nor removed."""
    text = json.dumps({"mcpServers": {"learnt": OWN}})
    assert add_server(text, OURS) == (text, ())
    assert remove_server(text) == text
    assert present(text) == OWN
    for entry in (OWN, OTHER, None, "learnt mcp", {"command": "learnt", "args": ["serve"]}):
        assert not is_ours(entry)
    assert is_ours({"command": "C:\\tools\\learnt.exe", "args": ["mcp"]})


@pytest.mark.parametrize("text", ["// mine\n{}", "[]", "{", '{"mcpServers": []}'])
def test_what_cannot_be_edited_safely_is_refused(text: str) -> None:
    """Comments, no object, no JSON, servers of another shape: a clear error, and nothing is touched."""
    with pytest.raises(ConfigError) as caught:
        add_server(text, OURS)
    assert caught.value.error_code == "host_settings"


@given(
    st.dictionaries(st.text(max_size=8), st.recursive(st.text(max_size=8) | st.integers(), st.lists, max_leaves=4)),
    st.sampled_from([None, 1, 2, "\t"]),
)
def test_any_file_comes_back(members: dict[str, object], indent: int | str | None) -> None:
    """Whatever else stands in the file: in and out again gives its bytes."""
    members.pop("mcpServers", None)
    text = json.dumps(members, indent=indent, ensure_ascii=False)
    after, pieces = add_server(text, OURS)
    assert remove_server(after, pieces) == text


def test_a_change_shows_our_entry_alone(tmp_path: Path) -> None:
    """What a person, or an agent that runs init, is shown of a file with accounts and keys is our entry and no more."""
    path, home = tmp_path / ".claude.json", tmp_path / "data"
    text = json.dumps({"oauthAccount": {"email": "ada@example.org"}, "mcpServers": {"other": OTHER}}, indent=2)
    path.write_text(text, "utf-8")
    change = planned(servers(path, OURS), home)
    for word in ("ada", "Authorization", "other"):
        assert word not in change.diff
    assert '+    "learnt": {' in change.diff
    apply(change, home)
    assert connected(home) == {path: "server"}
    gone = undone(path, home, "server")
    assert "ada" not in gone.diff
    apply(gone, home)
    assert path.read_text("utf-8") == text
    assert connected(home) == {}


def test_a_file_made_by_us_goes_with_our_entry(tmp_path: Path) -> None:
    """Where there was no file there is none afterwards; with something else in it by then it stays."""
    path, home = tmp_path / ".mcp.json", tmp_path / "data"
    apply(planned(servers(path, SHARED), home, within=tmp_path), home)
    apply(undone(path, home, "server"), home)
    assert not path.exists()
    apply(planned(servers(path, SHARED), home, within=tmp_path), home)
    more = json.loads(path.read_text("utf-8"))
    more["mcpServers"]["other"] = OTHER
    path.write_text(json.dumps(more), "utf-8")
    apply(undone(path, home, "server"), home)
    assert json.loads(path.read_text("utf-8")) == {"mcpServers": {"other": OTHER}}


@pytest.mark.parametrize("text", ["", " \n", "\ufeff", '{"z": 1}'])
def test_hooks_stay_where_the_server_beside_them_changes(tmp_path: Path, text: str) -> None:
    """In a file of both, one that is written anew takes nothing of the other along; a blank file is blank again."""
    path, home = tmp_path / "settings.json", tmp_path / "data"
    path.write_text(text, "utf-8")
    hook = Hook("SessionStart", '"/opt/py" -I -S "/d/hook.py" session-start --host gemini-cli', "*")
    for config in ("/a/config.toml", "/b/config.toml"):
        apply(planned(settings(path, (hook,), user_server("/opt/py", config, "gemini-cli", "plain")), home), home)
        found = json.loads(path.read_text("utf-8-sig"))
        assert found["hooks"] == {"SessionStart": [hook.group]}
        assert config in found["mcpServers"]["learnt"]["args"]
    apply(undone(path, home, "settings"), home)
    assert path.read_text("utf-8") == text


def test_nothing_is_remembered_of_what_is_out(tmp_path: Path) -> None:
    """A region that is taken out, and an empty file that ours was written over, are as they were, and forgotten."""
    notes, program, home = tmp_path / "AGENTS.md", tmp_path / "PreToolUse", tmp_path / "data"
    notes.write_text("mine\n", "utf-8")
    program.touch(0o640)
    ours = file(program, f"#!/bin/sh\n# {MARK}\n", mode=0o700)
    for piece in (marked(notes, "- a\n"), ours):
        apply(planned(piece, home), home)
    assert program.stat().st_mode & 0o777 == 0o740
    for path, of in connected(home).items():
        apply(undone(path, home, of), home)
    assert connected(home) == {}
    assert (notes.read_text("utf-8"), program.read_text("utf-8")) == ("mine\n", "")


def test_a_file_of_ours_without_a_record_goes(tmp_path: Path) -> None:
    """A file that says it is ours was never somebody's, also when the record of it was lost."""
    path, home = tmp_path / "learnt.js", tmp_path / "data"
    path.write_text(f"// {MARK}: an older one\n", "utf-8")
    apply(planned(file(path, f"// {MARK}\n"), home), home)
    apply(undone(path, home, "file"), home)
    assert not path.exists()
