"""Sessions of Claude Code as long as real ones, made of nothing: for what is measured over many of them.

Real ones (13 of three repositories) are 27 to 350 KB long, half of them below 176 KB and one in ten above 319, with
some 60 calls (shell, read, edit, search), 30 replies and 5 prompts each. Ours are drawn from those lengths. In them the
agent says how things are, commands fail and are mended, a person decides, and the same steps work again and again, so
that there is something to learn; each session has its own records, paths and numbers.
"""

from __future__ import annotations

import json
import random
import time
import uuid
from typing import TYPE_CHECKING, Any, Final

from bench.capture import _prose

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SIZES_KB: Final = (27, 114, 146, 153, 164, 166, 176, 197, 199, 213, 259, 319, 350)
SEED: Final = 7
_WORDS = (
    "cursor ledger index parser shard queue route socket cache branch lease probe batch token session writer store "
    "schema digest scope bundle anchor vector receipt widget planner router codec buffer window"
)
_NOUNS = tuple(_WORDS.split())
_SAID = (
    "`{a}.py` keeps the {b} open because the {c} reads it again after a restart, so it must not be closed early.",
    "The {a} in `src/{b}/{c}.py` fails silently when the {d} is empty, since `load_{a}` returns None by design.",
    "`{a}_{b}` always runs before `{c}_{d}`; without it the {a} holds stale rows of the {d}.",
    "I'll look at the {a} now.",
    "`make {a}` needs a running {b}, otherwise the tests of `{c}.py` are skipped without a word.",
    "Now let me run the tests of the {a}.",
    "Moved the {a} from `{b}.py` to `{c}.py` so that the {d} does not import the whole of `{b}`.",
    "All {a} tests pass.",
)
_ASKED = (
    "please look at the {a} in src/{b}, it {c}s twice for every {d}",
    "From now on always run `make {a}` before you push the {b}.",
    "we decided to keep the {a} in the {b} instead of the {c}, because the {d} must stay small",
    "why does the {a} of the {b} fail?",
    "never commit the generated {a} files, they belong to the {b}",
)
_STEPS = (("make fmt", "make lint", "make test"), ("uv sync", "uv run pytest -q"), ("npm run build", "npm test"))


def sizes(count: int) -> list[int]:
    """Lengths in bytes, drawn from those of real sessions."""
    rng = random.Random(SEED)
    return [rng.choice(SIZES_KB) * 1_000 for _ in range(count)]


def session(path: Path, number: int, size_bytes: int, project: Path) -> None:
    """Write one session of about this length that ran in `project`."""
    talk = _Talk(number, str(project))
    size = 0
    with path.open("w", encoding="utf-8") as file:
        while size < size_bytes:
            for row in talk.turn():
                size += file.write(json.dumps(row, separators=(",", ":")) + "\n")


def sessions(folder: Path, count: int, project: Path) -> list[Path]:
    """So many sessions below a folder, as the client keeps them; gives their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for number, size in enumerate(sizes(count)):
        path = folder / f"{uuid.UUID(int=(SEED << 64) + number)}.jsonl"
        session(path, number, size, project)
        made.append(path)
    return made


def statement(rng: random.Random) -> str:
    """What an agent or a person may say of a repository."""
    a, b, c, d = rng.sample(_NOUNS, 4)
    return rng.choice((*_SAID, *_ASKED)).format(a=a, b=b, c=c, d=d)


class _Talk:
    """One session, a turn at a time."""

    def __init__(self, number: int, project: str) -> None:
        self._rng = random.Random(SEED * 1_000 + number)
        self._number, self._project = number, project
        self._second = number * 6_000

    def turn(self) -> Iterator[dict[str, Any]]:
        """A few records that belong together."""
        kind = self._rng.random()
        if kind < 0.05:
            prompt = {"role": "user", "content": self._words(_ASKED)}
            yield self._row(type="user", message=prompt, promptSource="typed", origin={"kind": "human"})
        elif kind < 0.12:
            yield self._assistant({"type": "thinking", "thinking": _prose(self._rng, 60), "signature": "c2ln" * 60})
        elif kind < 0.42:
            yield self._assistant({"type": "text", "text": "\n\n".join(self._words(_SAID) for _ in range(self._few()))})
        elif kind < 0.55:
            yield from self._mended() if kind < 0.5 else self._steps()
        elif kind < 0.8:
            yield from self._read()
        else:
            yield from self._edited()

    def _few(self) -> int:
        return self._rng.choice((1, 1, 1, 2, 5))

    def _words(self, templates: tuple[str, ...]) -> str:
        a, b, c, d = self._rng.sample(_NOUNS, 4)
        return self._rng.choice(templates).format(a=a, b=b, c=c, d=d)

    def _mended(self) -> Iterator[dict[str, Any]]:
        """A command that fails, an edit, and the command again."""
        name = self._rng.choice(_NOUNS)
        command = f"pytest tests/test_{name}.py"
        yield from self._shell(command, 1, f"FAILED tests/test_{name}.py::test_{name} - {_prose(self._rng, 20)}")
        yield from self._edited()
        yield from self._shell(command, 0, _prose(self._rng, 30))

    def _steps(self) -> Iterator[dict[str, Any]]:
        for command in self._rng.choice(_STEPS):
            yield from self._shell(command, 0, "\n".join(_prose(self._rng, 12) for _ in range(self._rng.randrange(12))))

    def _shell(self, command: str, code: int, output: str) -> Iterator[dict[str, Any]]:
        if code:
            told, details = f"Exit code {code}\n{output}", f"Error: {output}"
            yield from self._call("Bash", {"command": command}, told, details, is_error=True)
        else:
            yield from self._call("Bash", {"command": command}, output, {"stdout": output, "stderr": ""})

    def _read(self) -> Iterator[dict[str, Any]]:
        path = self._path()
        text = "\n".join(f"{line}\t{_prose(self._rng, 8)}" for line in range(self._rng.randrange(5, 60)))
        details = {"type": "text", "file": {"filePath": path, "content": text, "numLines": 50}}
        yield from self._call("Read", {"file_path": path}, text, details)

    def _edited(self) -> Iterator[dict[str, Any]]:
        path, old, new = self._path(), _prose(self._rng, 30), _prose(self._rng, 40)
        details = {"filePath": path, "oldString": old, "newString": new, "originalFile": _prose(self._rng, 250)}
        given = {"file_path": path, "old_string": old, "new_string": new}
        yield from self._call("Edit", given, f"The file {path} has been updated.", details)

    def _path(self) -> str:
        return f"{self._project}/src/{self._rng.choice(_NOUNS)}/{self._rng.choice(_NOUNS)}.py"

    def _call(
        self, tool: str, given: dict[str, Any], output: str, details: Any, **marks: Any
    ) -> Iterator[dict[str, Any]]:
        call = f"toolu_{self._rng.getrandbits(96):024x}"
        yield self._assistant({"type": "tool_use", "id": call, "name": tool, "input": given})
        block = {"tool_use_id": call, "type": "tool_result", "content": output, **marks}
        yield self._row(type="user", message={"role": "user", "content": [block]}, toolUseResult=details)

    def _assistant(self, block: dict[str, Any]) -> dict[str, Any]:
        message = {
            "id": f"msg_{self._rng.getrandbits(80):020x}",
            "type": "message",
            "role": "assistant",
            "model": "model-x",
            "content": [block],
            "usage": {"input_tokens": 12, "output_tokens": 120},
        }
        return self._row(type="assistant", message=message, requestId=f"req_{self._rng.getrandbits(64):016x}")

    def _row(self, **fields: Any) -> dict[str, Any]:
        self._second += 2
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_790_000_000 + self._second))
        return {
            "parentUuid": None,
            "isSidechain": False,
            "userType": "external",
            "cwd": self._project,
            "sessionId": str(uuid.UUID(int=(SEED << 64) + self._number)),
            "version": "2.1.332",
            "gitBranch": "main",
            "uuid": str(uuid.UUID(int=self._rng.getrandbits(128))),
            "timestamp": stamp,
            **fields,
        }
