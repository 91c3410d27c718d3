"""Files of hosts edited by position and by lines: comments survive, the rest is untouched, and all of it comes out."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.errors import ConfigError
from learnt.hosts.wiring import tomltext, yamltext
from learnt.hosts.wiring.edit import parsed, plain
from learnt.hosts.wiring.hook import Hook, add, remove
from learnt.hosts.wiring.server import add_server, present, remove_server, user_server

TOOLS = user_server("/opt/py", "/c/config.toml", "codex", "plain")
LISTED = user_server("/opt/py", "/c/config.toml", "opencode", "listed")
NOTICE = ("/opt/py", "-I", "-S", "/d/hook.py", "notify", "--host", "codex")
FLAT = (Hook("sessionStart", '"/opt/py" -I -S "/d/hook.py" session-start --host cursor', style="flat"),)

words = st.text(max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=10,
)
remarks = st.sampled_from(["", " ", "// a, } ]\n", '/* "x" */', "\n\t", "/**/ // b\r\n"])


@st.composite
def commented(draw: st.DrawFn, value: Any) -> str:
    """A value as JSON with comments and commas before closing brackets, wherever they may stand."""
    gap = draw(remarks)
    if isinstance(value, dict):
        inner = [f"{draw(remarks)}{json.dumps(k)}{draw(remarks)}:{draw(commented(v))}" for k, v in value.items()]
    elif isinstance(value, list):
        inner = [draw(commented(each)) for each in value]
    else:
        return f"{gap}{json.dumps(value)}{draw(remarks)}"
    comma = draw(st.sampled_from(["", ","])) if inner else ""
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{gap}{opening}{','.join(inner)}{comma}{draw(remarks)}{closing}{draw(remarks)}"


@given(st.data(), st.dictionaries(words, values, max_size=4))
def test_comments_are_read_over(data: st.DataObject, value: dict[str, Any]) -> None:
    """A text with comments means what it means without them, and everything stays where it stood."""
    text = data.draw(commented(value))
    assert len(plain(text)) == len(text)
    assert parsed(text, comments=True) == value


@given(st.data(), st.dictionaries(words.filter(lambda word: word != "mcp"), values, max_size=3), st.booleans())
def test_a_server_beside_comments(data: st.DataObject, value: dict[str, Any], there: bool) -> None:
    """A server is put into any such text, everything else stays, and the very text comes back."""
    held = value | ({"mcp": {"other": {"type": "remote"}}} if there else {})
    text = data.draw(commented(held))
    after, pieces = add_server(text, LISTED, (), "mcp", comments=True)
    assert present(after, "mcp") == LISTED.entry
    now = parsed(after, comments=True)
    assert {**now, "mcp": {**now["mcp"]}} == held | {"mcp": held.get("mcp", {}) | {"learnt": LISTED.entry}}
    assert remove_server(after, pieces, "mcp") == text
    left = parsed(remove_server(after, (), "mcp"), comments=True)
    assert {**left, "mcp": left.get("mcp", {})} == held | {"mcp": held.get("mcp", {})}


@pytest.mark.parametrize("text", ["", "{}", '{"version": 1}', '{"version": 1, "hooks": {"stop": [{"command": "x"}]}}'])
def test_flat_hooks(text: str) -> None:
    """Hooks without groups are put in, told from others by their command, and taken out with a record or without."""
    after, pieces = add(text, FLAT, empty='{"version": 1}')
    assert json.loads(after)["hooks"]["sessionStart"] == [{"command": FLAT[0].command, "timeout": 5}]
    assert add(after, FLAT) == (after, ())
    assert remove(after, pieces) == text
    left = json.loads(remove(after))
    assert left.get("hooks", {}) == json.loads(text or "{}").get("hooks", {})


TOML = [
    "",
    'model = "x"',
    "model = 'x'\n\n[a]\nb = 1\n",
    "# mine\r\nnotify = ['other']\r\n[mcp_servers.o]\r\ncommand = 'x'\r\n",
    "[mcp_servers]\n[mcp_servers.o]\ncommand = 'x'\n",
    "[x]\na = [\n[1, 2],\n[3]]",
    "\ufeff# as an editor of Windows writes it\r\na = 1\r\n",
    'text = """\n[mcp_servers.learnt]\n"""\n',
]


@pytest.mark.parametrize("text", TOML)
def test_toml(text: str) -> None:
    """Table and notice are there, everything else means what it meant, and the very text comes back."""
    after, pieces = tomltext.add(text, TOOLS, NOTICE)
    before, now = (tomllib.loads(each.removeprefix("\ufeff")) for each in (text, after))
    assert now["mcp_servers"].pop("learnt") == TOOLS.entry
    assert now["notify"] == before.get("notify", list(NOTICE))
    assert {**now, "notify": 0, "mcp_servers": now["mcp_servers"]} == {
        **before,
        "notify": 0,
        "mcp_servers": before.get("mcp_servers", {}),
    }
    assert tomltext.add(after, TOOLS, NOTICE, pieces) == (after, ())
    assert tomltext.remove(after, pieces) == text
    assert tomltext.shown(text) == ""
    assert tomltext.shown(after).count("/opt/py") == (1 if "notify" in before else 2)


@pytest.mark.parametrize("text", TOML[:-1])
def test_toml_without_a_record(text: str) -> None:
    """Our lines are found by what they are; what others wrote means what it meant."""
    after, _ = tomltext.add(text, TOOLS, NOTICE)
    left, before = (tomllib.loads(each.removeprefix("\ufeff")) for each in (tomltext.remove(after), text))
    assert {name: value for name, value in left.items() if value} == {name: v for name, v in before.items() if v}


def test_toml_of_another_installation() -> None:
    """Table and notice of another Python make room for this one's."""
    older = user_server("/old/py", "/c/config.toml", "codex", "plain")
    first, pieces = tomltext.add("a = 1\n", older, ("/old/py", *NOTICE[1:]))
    for earlier in (pieces, ()):
        again, then = tomltext.add(first, TOOLS, NOTICE, earlier)
        assert "/old/py" not in again
        assert tomllib.loads(tomltext.remove(again, then)) == {"a": 1}


def test_toml_of_somebody_elses() -> None:
    """A server of our name that does not start learnt stays as it is."""
    text = "notify = ['x']\n[mcp_servers.learnt]\ncommand = 'mine'\n"
    assert tomltext.add(text, TOOLS, NOTICE) == (text, ())
    assert tomltext.remove(text) == text


@pytest.mark.parametrize(
    "text", ["a = ", "mcp_servers = {}", "mcp_servers = {o = {command = 'x'}}", "[[mcp_servers]]\n"]
)
def test_toml_refused(text: str) -> None:
    """What is no TOML, and what our table cannot be appended to, is refused."""
    with pytest.raises(ConfigError):
        tomltext.add(text, TOOLS, NOTICE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'read:\n  - "/m.md"\n'),
        ("a: 1", 'a: 1\nread:\n  - "/m.md"\n'),
        ("read: [A, B] # x\n", None),
        ("read: [A, B]\n", 'read: [A, B, "/m.md"]\n'),
        ("read: []\n", 'read: ["/m.md"]\n'),
        ("read:\n- A\n", 'read:\n- "/m.md"\n- A\n'),
        ("read: # mine\r\n    - A\r\n", 'read: # mine\r\n    - "/m.md"\r\n    - A\r\n'),
        ("read: A\n", None),
        ("read:\n", None),
        ("a:\n  read: A\n", 'a:\n  read: A\nread:\n  - "/m.md"\n'),
        ("---\na: 1\n", '---\na: 1\nread:\n  - "/m.md"\n'),
        ("read: [A,]\n", 'read: [A,"/m.md"]\n'),
        ("\ufeffread: [A]\n", '\ufeffread: [A, "/m.md"]\n'),
        ("  read: A\n", None),
        ('"read": [A]\n', None),
        ("{read: [A]}\n", None),
        ("a: 1\n...\n", None),
        ("---\na: 1\n---\nb: 2\n", None),
        ("a: 1\rread:\r- A\r", None),
    ],
)
def test_yaml(before: str, after: str | None) -> None:
    """A name is added to a list in the manner of the file and comes out again; what is no such list is refused."""
    if after is None:
        with pytest.raises(ConfigError):
            yamltext.add(before, "/m.md")
        return
    text, pieces = yamltext.add(before, "/m.md")
    assert text == after
    assert yamltext.add(text, "/m.md", pieces) == (text, ())
    assert yamltext.remove(text, pieces) == before
