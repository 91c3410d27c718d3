"""Files that may be read: inside the project, or what ships with this package. Source: swarm-memory seed, DD-24.

A prefix of text is no containment: links and neighbours with a longer name get past it. Here both sides are real
paths and are compared part by part.
"""

from __future__ import annotations

from pathlib import Path

from learnt.errors import RefusedError

SHIPPED = Path(__file__).parent.resolve()


def contained(given: str, project: str) -> Path:
    """The real path of `given`, which need not exist.

    Raises:
        RefusedError: It leads out of the project and of this package. The answer is the same whether or not anything
            is there.
    """
    try:
        real, root = Path(given).resolve(), Path(project).resolve()
    except (OSError, ValueError, RuntimeError):  # a NUL, a loop of links, no current folder
        raise _outside() from None
    if not (real.is_relative_to(root) or real.is_relative_to(SHIPPED)):
        raise _outside()
    return real


def _outside() -> RefusedError:
    return RefusedError(
        "That path leads out of the project.",
        code="outside_project",
        hint="Fixtures and manifests are read from the project's folder only; copy them there.",
    )
