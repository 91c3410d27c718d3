"""What actions are recognised by, and what memories are tied to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.model.anchor import (
    MAX_ANCHORS,
    MAX_KEYS,
    action_anchors,
    anchors_of,
    command_files,
    command_keys,
    heeds,
    relative,
)
from learnt.model.shell import proven
from learnt.model.symbol import code_symbols

COMMANDS = st.text(alphabet="ab /-.&|;'\"`$(){}<>\\\n=*#!123goteshcd", max_size=120)


@pytest.mark.parametrize(
    "command",
    [
        "go test ./a -run X",
        "  go   test ./a -run X  ",
        "cd /srv/shop && go test ./a -run X",
        "CGO_ENABLED=0 go test ./a -run X",
        "sudo go test ./a -run X",
        "time go test ./a -run X",
        "timeout 60 go test ./a -run X",
        "go test ./a -run X 2>&1",
        "go test ./a -run X 2>&1 | tail -20",
        "go test ./a -run X > /tmp/log 2>&1",
        "go test ./a -run X | grep FAIL | head",
        "bash -c 'go test ./a -run X'",
        "go test ./a -run X; echo done",
    ],
)
def test_dressing_does_not_change_the_exact_key(command):
    """Places, assignments, redirections, filters and wrappers leave the first key as it was."""
    assert command_keys(command)[0] == "=go test ./a -run X"


def test_shape_is_shared_where_arguments_differ():
    """Two runs of one shape share the `~` key and not the `=` key."""
    one, other = command_keys("go test ./a -run X"), command_keys("go test ./b -run 'Y Z'")
    assert one[0] != other[0]
    assert {key for key in one if key[0] == "~"} == {key for key in other if key[0] == "~"} == {"~go test _ -run _"}


def test_parts_of_a_chain_have_keys_of_their_own():
    """Each command of `a && b; c` is found by itself."""
    keys = command_keys("mise run fmt && mise run lint; go vet ./...")
    assert {"=mise run fmt", "=mise run lint", "=go vet ./...", "~mise run lint", "^mise", "^go"} <= set(keys)
    assert keys[0] == "=mise run fmt && mise run lint && go vet ./..."


def test_here_documents_and_quotes_hide_what_is_no_command():
    """Text inside quotes, substitutions and here-documents gives no keys."""
    keys = command_keys("cat > a.sh <<'EOF'\nrm -rf /; npm ci\nEOF\nmake test")
    assert "=make test" in keys
    assert not any("npm" in key or "rm" in key for key in keys)
    assert not any("push" in key for key in command_keys("git commit -m 'x && git push'")[1:])


def test_broad_programs_have_no_shape():
    """`ls` or `python x.py` say too little to warn about every other one."""
    assert not any(key[0] == "~" for key in command_keys("ls -la") + command_keys("python x.py"))
    assert "~python3 -m pytest _" in command_keys("python3 -m pytest tests")


def test_the_root_is_cut_off():
    """A command in one checkout is recognised in another."""
    assert command_keys("/srv/shop/bin/run /srv/shop/a.py", "/srv/shop") == command_keys("bin/run a.py")


@given(COMMANDS)
def test_keys_are_bounded_marked_and_stable(command):
    """Any text gives at most twelve keys, each once, each marked; the whole key is its own key."""
    keys = command_keys(command)
    assert len(keys) == len(set(keys)) <= MAX_KEYS
    assert all(key[0] in "=~^" and len(key) <= 401 for key in keys)
    assert not keys or keys[0][0] == "="


def test_long_commands_are_cut():
    """A command of any length costs the same."""
    assert command_keys("x" * 2_000) == command_keys("x" * 2_000_000)


def test_warning_kinds_are_tied_to_what_they_name():
    """A failure pattern is found by its files, its symbols and the commands it quotes, not by those it recommends."""
    found = anchors_of("failure_pattern", "`go test ./a` hangs; use `make test`", ("./a/b.go",), ("Lease",), ())
    assert found == (("file", "a/b.go"), ("symbol", "Lease"), ("command", "=go test ./a"), ("command", "~go test _"))


def test_an_explicit_trigger_stands_for_the_quoted_commands():
    """Who says what to warn of is not warned of more."""
    found = anchors_of("failure_pattern", "`go test ./a` hangs", ("./a/b.go",), (), (("command", "=x"),))
    assert found == (("command", "=x"), ("file", "a/b.go"))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Use `pnpm` instead of `npm`.", "^npm"),
        ("Never use `npm`; use `pnpm`.", "^npm"),
        ("Don't run `go test ./...` here.", "=go test ./..."),
        ("Do not use `pip install`, use `uv add x`.", "~pip install"),
    ],
)
def test_a_convention_is_tied_to_what_it_forbids(text, key):
    """Only the forbidden command of a convention is looked up before it runs."""
    found = anchors_of("repo_convention", text, ("a.py",), ("B",), ())
    assert ("command", key) in found
    assert all(name == "command" and "pnpm" not in value and "uv" not in value for name, value in found)


def test_facts_are_tied_to_triggers_only():
    """A project fact never pops up before an action by the files it mentions."""
    assert anchors_of("project_fact", "`go test ./a` is slow", ("a.py",), ("B",), ()) == ()


def test_actions_are_looked_up_by_command_file_and_symbol():
    """A shell call by its keys and files, a write by its path and the names in its text, a read not at all."""
    shell = action_anchors("shell", "cd /srv/shop && pytest tests/test_a.py::test_x", "", "/srv/shop")
    assert ("command", "=pytest tests/test_a.py::test_x") in shell
    assert ("file", "tests/test_a.py") in shell
    write = action_anchors("write", "/srv/shop/src/lease.py", "def renew_lease(self):\n    return self", "/srv/shop")
    assert write == (("file", "src/lease.py"), ("symbol", "renew_lease"))
    assert action_anchors("read", "a.py", "") == action_anchors("shell", None, "") == ()
    assert len(action_anchors("write", "a", " ".join(f"name_{n}(" for n in range(500)))) <= MAX_ANCHORS


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        ("/srv/shop/a/b.py", "/srv/shop", "a/b.py"),
        ("/srv/shop/a/b.py", "/srv/shop/", "a/b.py"),
        ("/srv/shopping/a.py", "/srv/shop", "/srv/shopping/a.py"),
        ("C:\\shop\\a.py", "c:/shop", "a.py"),
        ("./a/../b.py", "", "b.py"),
        ("/srv/shop", "/srv/shop", "."),
        ("a//b.py", "/srv/shop", "a/b.py"),
    ],
)
def test_paths_become_relative_to_the_root(path, root, expected):
    """Forward slashes, below the root, steps resolved; what lies outside stays absolute."""
    assert relative(path, root) == expected


@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=3), min_size=1, max_size=5))
def test_relative_is_idempotent(steps):
    """A relative path stays as it is."""
    path = "/".join(steps)
    assert relative(path, "/srv/shop") == path == relative(relative(f"/srv/shop/{path}", "/srv/shop"), "/srv/shop")


def test_files_of_a_command_are_names_with_an_extension():
    """Options, URLs and patterns are no files; a line or test behind a path is dropped."""
    assert command_files("ruff check src/a.py b.py:12 -o x.txt https://h/x.py *.py v1.2") == (
        "src/a.py",
        "b.py",
        "x.txt",
    )


def test_symbols_look_like_names_of_the_project():
    """Keywords and plain words are left out."""
    assert code_symbols("return fooBar(x) + plain + MAX_SIZE if None else Foo(") == ("fooBar", "MAX_SIZE")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("make test", ["make test"]),
        ("a; b && c", ["b", "c"]),
        ("mise run fmt && mise run lint 2>&1 | tail", ["mise run fmt"]),
        ("make test | tail", []),
        ("make test || true", []),
        ("(cd x && make test)", []),
        ("FOO=1 make test && echo ok", ["make test", "echo ok"]),
        ("make test &", []),
    ],
)
def test_only_what_an_exit_code_speaks_for_is_proven(command, expected):
    """Exit code 0 of a chain proves its members, never what a pipe, an `||` or a subshell swallows."""
    assert [" ".join(words) for words in proven(command)] == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("CGO_ENABLED=0 go build ./...", True),
        ("cd /srv/shop && CGO_ENABLED=0  go build ./... 2>&1", True),
        ("go build ./...", False),
        ("", False),
    ],
)
def test_the_recommended_form_needs_no_warning(command, expected):
    """A lesson is not shown before the very command it recommends."""
    text = "`go build ./...` fails here: no cgo. What worked instead: `CGO_ENABLED=0 go build ./...`"
    assert heeds(text, command, "/srv/shop") is expected
    assert heeds("`go build ./...` is slow", command) is False


@pytest.mark.parametrize(
    ("command", "expected"), [("npm test", True), ("npm test -- --watch", False), ("xnpm tests", False)]
)
def test_the_form_that_failed_may_hold_the_other(command, expected):
    """What failed is warned of although the recommended form stands in it."""
    assert heeds("`npm test -- --watch` fails here: it hangs. What worked instead: `npm test`", command) is expected
