"""Whether any path that is handed in leads out of the project. Bar G1.

Two doors take paths from people and files: directories of fixtures with the manifests of held-out corpora, and the
references of evidence, whose files are read to pin lines. Each path of the catalogue is tried on both while every file
this process opens is noted.
"""

from __future__ import annotations

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
                _answer(_evidence(made), arg, str(project))
        outside = [name for name in opened if _is_outside(name, place, project)]
        wanted = {"reject": (False,), "accept": (True,)}.get(str(case["expect"]), (True, False))
        answered = answers[0] in wanted and (answers[1] is not None)
        return answered and not outside and _state(place) == before


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
