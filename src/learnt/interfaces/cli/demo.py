"""`learnt demo`: the main job on three small sessions, in a throw-away directory."""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from learnt.errors import ConfigError, UsageError
from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import Desk, command, emit, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.interfaces.cli.stage import Stage
    from learnt.interfaces.cli.story import Scene


@command("demo", short_help="See the whole story in a few seconds.")
@click.option("--keep", type=click.Path(path_type=Path), metavar="DIR", help="Play in this new folder and keep it.")
def demo(desk: Desk, *, keep: Path | None) -> None:
    """Play three small sessions in a throw-away directory: what the first learns, the next ones are told.

    Nothing of yours is read or changed.
    """
    from learnt.interfaces.cli.stage import Stage
    from learnt.interfaces.cli.story import play

    began_s = time.monotonic()
    with _folder(keep) as folder:
        stage = Stage(folder, time.time())
        if not desk.as_json:
            say(_opening(kept=keep is not None))
        scenes: list[dict[str, Any]] = []
        for number, scene in enumerate(play(stage), 1):
            scenes.append({"scene": scene.name, **scene.facts})
            if not desk.as_json:
                say(_scene(number, scene))
        seconds = round(time.monotonic() - began_s, 2)
        if desk.as_json:
            emit({"scenes": scenes, "seconds": seconds, "kept": str(folder) if keep else None})
        else:
            say(_closing(stage, seconds, kept=keep is not None))


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """A new folder that is gone afterwards, or the one to keep."""
    if keep is not None:
        yield _new(keep.absolute())
        return
    try:
        folder = Path(tempfile.mkdtemp(prefix="learnt-demo-")).resolve()
    except OSError as error:
        raise ConfigError(f"No temporary folder can be made: {error}", hint="Set TMPDIR.", code="not_written") from None
    try:
        yield folder
    finally:
        for _ in range(50):  # a worker that a start began may still write its last
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(0.1)


def _new(folder: Path) -> Path:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not empty.", code="not_empty", hint="Name a folder that does not exist yet.")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder} cannot be made: {error.strerror}", code="not_written") from None
    return folder.resolve()


def _opening(*, kept: bool) -> Iterator[str]:
    yield "Three sessions of a coding agent in an invented project. The sessions are samples; everything"
    where = "the folder you named" if kept else "a throw-away folder"
    yield f"learnt does is real, in {where}, with hooks as `learnt init` writes them."


def _scene(number: int, scene: Scene) -> Iterator[str]:
    yield ""
    yield screen.strong(f"{number}  {scene.name}")
    yield ""
    yield from scene.lines


def _closing(stage: Stage, seconds: float, *, kept: bool) -> Iterator[str]:
    yield ""
    yield screen.faint(f"{seconds:.1f} seconds. Your turn: learnt init")
    if kept:
        home = stage.home
        yield "Look around:"
        yield f"  cd {stage.project}"
        yield f"  export LEARNT_HOME={home.data_dir} LEARNT_CONFIG={home.config_file}"
        yield f"  {screen.name('learnt list')}, {screen.name('learnt pending')}, {screen.name('learnt status')}"
