"""Where symbols are declared, and where they end."""

from __future__ import annotations

import pytest

from learnt.stale.body import body
from learnt.stale.declared import declared

PYTHON = """\
LIMIT = 3

class Box:
    size: int = 0

    @property
    def area(self):
        return {
            "a": 1,
        }

    async def close(self): ...

def close(): return LIMIT
"""
GO = """\
package lease

// renewLease is called by the worker.
func (w *Worker) renewLease(id string) error {
	if id == "" {
		return nil
	}
	return w.flush(id)
}

type Worker struct {
	ID string
}
"""
SCRIPT = """\
import { parse } from "./parse";
export const retry = async (n) => {
  return parse(n);
};

class Queue {
  push(item) {
    retry(item);
  }
}
"""
RUBY = """\
def outer
  inner
end

def inner
  1
end
"""


@pytest.mark.parametrize(
    ("text", "name", "python", "wanted"),
    [
        (PYTHON, "LIMIT", True, (1, 1)),
        (PYTHON, "Box", True, (3, 12)),
        (PYTHON, "Box.area", True, (6, 10)),
        (PYTHON, "area", True, (6, 10)),
        (PYTHON, "close", True, (14, 14)),
        (PYTHON, "Box.close", True, (12, 12)),
        (PYTHON, "nothing", True, None),
        (PYTHON + "\n)", "Box", True, (3, 12)),
        (GO, "renewLease", False, (4, 9)),
        (GO, "Worker", False, (11, 13)),
        (GO, "flush", False, None),
        (SCRIPT, "retry", False, (2, 4)),
        (SCRIPT, "push", False, (7, 9)),
        (SCRIPT, "Queue", False, (6, 10)),
        (RUBY, "inner", False, (5, 6)),
        ("", "x", False, None),
        ("def f():\n", "", False, None),
    ],
)
def test_a_body(text: str, name: str, *, python: bool, wanted: tuple[int, int] | None) -> None:
    """By Python's parser, else by a declaring word, braces and indentation."""
    assert body(text.encode().split(b"\n"), name, python=python) == wanted


def test_a_mention_is_no_declaration() -> None:
    """Comments, returns, imports and calls declare nothing."""
    for line in ("# def foo", "// func foo() {", "return foo(1) {", "import foo", "foo(1)", "foo == 3", "bar(foo) {"):
        assert declared([line.encode()], "foo") == 0, line
