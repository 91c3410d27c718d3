"""The models in use, each tried once: for a person who wants to know what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.errors import EmbedderError, RerankerError
from learnt.flows.arms import RAN
from learnt.ports.embedder import Absent

if TYPE_CHECKING:
    from learnt.flows.means import Means

_PROBE = "learnt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One model.

    Attributes:
        part: What it is for. `version`: its name; "" where that is not known.
        word: As an answer's arms say it. `hint`: what would change that.
    """

    part: str
    version: str = ""
    word: str = RAN
    hint: str = ""


def models(means: Means) -> tuple[Tried, ...]:
    """The embedder and the reranker; a model is loaded, or its server asked. Writers: `learnt.flows.account.tried`."""
    return _embedder(means), _reranker(means)


def _embedder(means: Means) -> Tried:
    part, model = "search by meaning", means.embedder
    if isinstance(model, Absent):
        return Tried(part=part, word=model.reason, hint=model.hint)
    try:
        (vector,) = model.embed([_PROBE])
        word = RAN if vector is not None else "failed: no_vector"
        return Tried(part=part, version=model.version, word=word)
    except EmbedderError as error:
        return Tried(part=part, word=f"failed: {error.error_code}", hint=f"{error.message} {error.advice}".strip())


def _reranker(means: Means) -> Tried:
    part, model = "second look", means.reranker
    if isinstance(model, Absent):
        return Tried(part=part, word=model.reason, hint=model.hint)
    try:
        model.score(_PROBE, [_PROBE])
        return Tried(part=part, version=model.version)
    except RerankerError as error:
        return Tried(part=part, word=f"failed: {error.error_code}", hint=f"{error.message} {error.advice}".strip())
