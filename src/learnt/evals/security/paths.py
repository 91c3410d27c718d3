"""Whether any path that is handed in leads out of the project. Bar G1.

Paths come in from files and agents: directories of fixtures with the manifests of held-out corpora, references of
evidence and anchors of corrections, whose files are read to pin lines, and rows of an import, whose files are looked at
whenever their memory is. Each path of the catalogue is tried on all of them while every file this process opens is
noted. What a person names to be read or written (a transcript, a file to import, a folder to export to) may lie
anywhere; there only the answer counts, which must be an orderly one, and soon.
"""

from __future__ import annotations

import json
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt.errors import LearntError
from learnt.evals import fresh, golden, heldout
from learnt.evals.fence import SHIPPED, contained

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from learnt.engine import Engine

Json = dict[str, Any]
PATIENCE_S = 1.0
"""A rejection takes no longer. Source: the catalogue."""

_opened: list[str] | None = None
_watching = False


def figures(cases: Sequence[Mapping[str, Any]], engine: Callable[[Path], Any]) -> Json:
    """The share of paths that were answered as they must be, and the names of the others."""
    failed = [str(case["id"]) for case in cases if not _holds(case, engine)]
    return {"held": 1 - len(failed) / len(cases), "failed": failed} if cases else {}


def _holds(case: Mapping[str, Any], engine: Callable[[Path], Any]) -> bool:
    with fresh.folder() as place:
        project = _laid(place)
        arg = str(case["arg"]).replace("{PROJECT}", str(project))
        before = _state(place)
        with _noted() as opened, _inside(project):
            answers = [_answer(door, arg, str(project)) for door in (_fixtures, _manifest)]
            with engine(place) as made:
                answers += [_answer(door, arg, str(project)) for door in (_evidence(made), _anchor(made), _row(made))]
        outside = [name for name in opened if _is_outside(name, place, project)]
        with _inside(project), engine(place) as made:
            answers += [_answer(door, arg, str(project)) for door in _named(made)]
        wanted = {"reject": (False,), "accept": (True,)}.get(str(case["expect"]), (True, False))
        answered = answers[0] in wanted and (answers[1] is not None)
        return answered and None not in answers[2:] and not outside and _state(place) == before


def _laid(place: Path) -> Path:
    """A project with what the catalogue's paths need, and neighbours that must not be read."""
    project, outside = place / "project", place / "outside"
    for folder in (project / "tests/fixtures/recall", project / ".git", project / ".swarm/memory", outside / "recall"):
        folder.mkdir(parents=True)
    for folder in (place / "project-evil/fixtures", place / "home"):
        folder.mkdir(parents=True)
    fixture = next((SHIPPED / "fixtures").rglob("*.json")).read_bytes()
    for file in ("project/tests/fixtures/recall/one.json", "outside/recall/one.json", "project-evil/fixtures/one.json"):
        (place / file).write_bytes(fixture)
    (project / "tests/fixtures/growing.json").write_bytes(b" " * (2 << 20))
    (project / "manifest.json").write_text("{}", "utf-8")
    (project / ".git/config").write_text("[core]\n", "utf-8")
    (project / ".swarm/memory/memory.db").write_bytes(b"SQLite format 3\0")
    (project / "tests/link_dir").symlink_to(outside, target_is_directory=True)
    (project / "hardlink.json").hardlink_to(outside / "recall/one.json")
    return project


def _state(place: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path): (path.stat().st_size, path.stat().st_mtime_ns)
        for root in ("outside", "project-evil", "home")
        for path in (place / root).rglob("*")
        if path.is_file()
    }


def _answer(door: Callable[[str, str], object], arg: str, project: str) -> bool | None:
    """Whether a door took the path; None where it failed in no orderly way or took too long to say no."""
    began = time.monotonic()
    try:
        door(arg, project)
    except LearntError:
        return False if time.monotonic() - began <= PATIENCE_S else None
    except Exception:  # noqa: BLE001 - measured: an error that is none of ours is a door that gave way
        return None
    return True


def _fixtures(arg: str, project: str) -> object:
    return golden.load(contained(arg, project), project)


def _manifest(arg: str, project: str) -> object:
    return heldout.load(arg, project)


def _evidence(engine: Engine) -> Callable[[str, str], object]:
    def tell(arg: str, project: str) -> object:
        del project
        return engine.remember("The fixtures are read from the project.", kind="project_fact", evidence=[arg])

    return tell


def _anchor(engine: Engine) -> Callable[[str, str], object]:
    kept: Any = engine.remember("The harbour is deep.", kind="project_fact")

    def tell(arg: str, project: str) -> object:
        del project
        return engine.outcome(outcome="corrected", memory_id=kept.memory.id, correction="It is not.", anchors=[arg])

    return tell


def _row(engine: Engine) -> Callable[[str, str], object]:
    """A row that names the path wherever a row can, imported, recalled, and looked at for whether it still holds."""

    def tell(arg: str, project: str) -> object:
        at = "2026-01-01T00:00:00.000Z"
        source = {"type": "file", "ref": arg, "filePath": arg}
        pin = {"path": arg, "line": 1, "end": 1, "marks": [1]}
        row: Json = {
            "id": "mem_0123456789abcdef",
            "kind": "project_fact",
            "text": "The lighthouse is red.",
            "files": [arg],
        }
        row |= {"source": source, "evidence": [source], "metadata": {"pins": [pin]}, "confidence": 0.9}
        row |= {"scope": {"type": "repository", "repoId": "elsewhere"}, "createdAt": at, "updatedAt": at}
        path = Path(project) / "arrived.jsonl"
        path.write_text(json.dumps(row) + "\n", "utf-8")
        engine.import_(path, here=True)
        engine.recall("which colour has the lighthouse")
        return engine.stale(check=True)

    return tell


def _named(engine: Engine) -> tuple[Callable[[str, str], object], ...]:
    """What a person names to be read."""
    return (
        lambda arg, _: engine.digest(arg),
        lambda arg, _: engine.ingest([arg]),
        lambda arg, _: engine.import_(arg, dry_run=True),
    )


@contextmanager
def _inside(project: Path) -> Iterator[None]:
    import contextlib

    with contextlib.chdir(project):
        yield


def _is_outside(name: str, place: Path, project: Path) -> bool:
    """Whether a file lies beside the project among what must not be read, or is one of the machine's."""
    path = Path(name)
    real = path.resolve()
    theirs = any(real.is_relative_to(place / folder) for folder in ("outside", "project-evil", "home"))
    linked = real == (place / "outside/recall/one.json").resolve() and path.is_relative_to(project)
    return (theirs and not linked) or real.is_relative_to("/etc/passwd") or real.is_relative_to("/dev/stdin")


@contextmanager
def _noted() -> Iterator[list[str]]:
    """The names of all files opened inside; a hook of the interpreter stays, so there is one."""
    global _opened, _watching  # noqa: PLW0603 - one hook a process
    if not _watching:
        sys.addaudithook(_heard)
        _watching = True
    _opened = []
    try:
        yield _opened
    finally:
        _opened = None


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _opened is not None and isinstance(arguments[0], str):
        _opened.append(arguments[0])
