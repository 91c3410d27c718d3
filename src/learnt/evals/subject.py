"""What is measured: an engine of a user who never used learnt before, in a folder that is gone afterwards."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.errors import EmbedderError
from learnt.evals import fresh
from learnt.flows.reembed import reembed
from learnt.hosts.marker import MARKERS
from learnt.ports.embedder import Absent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from learnt.flows.means import Means
    from learnt.model.evidence import Turn
    from learnt.model.kinds import Profile
    from learnt.model.search import Grouping, SearchAnswer

MEASURED: tuple[Profile, ...] = ("lexical", "dense", "hybrid", "default")
QUIET = frozenset(("no_results", "no_signal", "below_threshold", "small_talk"))
"""Reasons an answer may give for having nothing to say."""

_WHO_AND_WHERE = (
    "LEARNT_HOME",
    "LEARNT_CONFIG",
    "LEARNT_DATABASE_URL",
    "LEARNT_RUN",
    "LEARNT_UNIT",
    "LEARNT_ROUND",
    "LEARNT_SESSION",
    "LEARNT_AGENT",
    "CODEX_",
    *MARKERS,
)
"""Beginnings of variables that would tell a measured engine about this user and this process."""
_MODELS = ("embeddings", "retrieval")
"""Sections of a configuration that choose models."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A ranking by name, best first, with its scores and what it cost.

    Attributes:
        silent: Nothing was found, or the engine says that nothing was asked for.
        confidence: How far the engine trusts that an answer exists; None where it does not say.
        arms: What each arm did, in the words of `recall`.
    """

    names: tuple[str, ...]
    scores: tuple[float, ...]
    latency_ms: float
    silent: bool = False
    confidence: float | None = None
    arms: Mapping[str, str] = field(default_factory=dict)


class Subject(Protocol):
    """A memory that can be told and asked."""

    def observe(self, turns: Sequence[Turn]) -> None:
        """Take these turns in, whatever that takes, so that the next question finds them."""
        ...

    def ask(self, text: str, profile: Profile, k: int, *, sessions: bool) -> Answer:
        """The best `k` turns, or sessions."""
        ...


class EngineSubject:
    """The engine itself, through its public methods."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def observe(self, turns: Sequence[Turn]) -> None:
        """See `Subject`."""
        self.engine.observe(turns)
        embedded(self.engine.assembly.means)

    def ask(self, text: str, profile: Profile, k: int, *, sessions: bool) -> Answer:
        """See `Subject`."""
        group: Grouping = "session" if sessions else ""
        began = time.perf_counter()
        try:
            found = self.engine.search(text, where="evidence", k=k, profile=profile, group=group)
        except EmbedderError as error:
            return Answer(names=(), scores=(), latency_ms=0.0, arms=arms_of(error))
        return _answer(found, (time.perf_counter() - began) * 1000, sessions=sessions)


def arms_of(error: EmbedderError) -> dict[str, str]:
    """The arms of a profile that needs vectors and has none."""
    return {"dense": str(error.details.get("arm") or f"failed: {error.error_code}")}


def _answer(found: SearchAnswer, latency_ms: float, *, sessions: bool) -> Answer:
    units = [(hit.unit, hit.score) for hit in found.hits if hit.unit is not None]
    arms, sure = found.diagnostics.get("arms"), found.diagnostics.get("confidence")
    return Answer(
        names=tuple(unit.session_id if sessions else unit.ref for unit, _ in units),
        scores=tuple(score for _, score in units),
        latency_ms=latency_ms,
        silent=not units or found.diagnostics.get("reason") in QUIET,
        confidence=float(sure) if isinstance(sure, int | float) else None,
        arms={str(name): str(said) for name, said in arms.items()} if isinstance(arms, dict) else {},
    )


def embedded(means: Means) -> None:
    """Give every text its vector, where there is an embedder: a search measures what a settled memory finds."""
    if not isinstance(means.embedder, Absent):
        reembed(means)


@contextmanager
def engine(environment: Mapping[str, str], project: Path | None = None) -> Iterator[Engine]:
    """A new engine of a person, with the settings of this user and nothing else of theirs.

    Args:
        environment: The process's; a server's key may stand in it.
        project: The project it works in; by default an empty one.
    """
    with fresh.folder() as place:
        theirs = place / "project"
        theirs.mkdir()
        with Engine.open(project or theirs, home=_home(environment, place)) as made:
            yield made


def _home(environment: Mapping[str, str], place: Path) -> Home:
    config = place / "config" / "config.toml"
    config.parent.mkdir()
    theirs = Home(environment).config_file
    if theirs.is_file():
        config.write_text("".join(_models(theirs.read_text("utf-8", "replace"))), encoding="utf-8")
    kept = {name: value for name, value in environment.items() if not name.startswith(_WHO_AND_WHERE)}
    return Home({**kept, "LEARNT_HOME": str(place / "home"), "LEARNT_CONFIG": str(config)})


def _models(configuration: str) -> Iterator[str]:
    """The lines of a configuration that choose models; what a user switched off elsewhere is measured all the same."""
    inside = False
    at_top = True
    for line in configuration.splitlines(keepends=True):
        start = line.lstrip()
        if start.startswith("["):
            at_top = False
            inside = start.lstrip("[ ").startswith(_MODELS)
        if inside or (at_top and start.startswith(tuple(f"{name}." for name in _MODELS))):
            yield line
