"""What may be said of a memory's use. Source of every rule and number: swarm-memory seed, outcome feedback."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.model.keys import memory_id
from learnt.model.memory import Memory, Provenance, Reference, Source
from learnt.model.outcome import MAX_ANCHORS, MAX_CORRECTION, RESULTS, OutcomeRequest, Spot
from learnt.model.problem import Problem

if TYPE_CHECKING:
    from learnt.model.context import Context
    from learnt.model.scope import Scope

PREFIX = "Outcome recorded for question: "
"""31 characters, so that a question may have 1,969 of the 2,000 of a memory."""

MAX_QUESTION = 2_000 - len(PREFIX)
TAG, TOOL = "outcome-result", "swarm_memory_outcome"
_MAX_FILE, _MAX_SYMBOL, _MAX_ID = 512, 200, 80
"""Our choice: no file name of a repository is longer, and no symbol."""

_ID = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:")


def checked(request: OutcomeRequest) -> OutcomeRequest | Problem:
    """The request with its anchors in their normal form, each once and sorted; or the first rule it breaks."""
    if problem := _broken(request):
        return problem
    spots = set()
    for given in request.spots:
        spot = normal(given)
        if isinstance(spot, Problem):
            return spot
        spots.add(spot)
    return replace(request, spots=tuple(sorted(spots)))


def _broken(request: OutcomeRequest) -> Problem | None:
    if request.result not in RESULTS:
        return Problem("outcome", f"An outcome is one of {', '.join(RESULTS)}.")
    if bool(request.memory_id) == bool(request.question):
        return Problem("outcome_target", "An outcome names exactly one memory or one question.")
    if request.question and not request.question.strip():
        return Problem("outcome_target", "The question says nothing.")
    if len(request.question) > MAX_QUESTION:
        return Problem("too_long", f"A question has at most {MAX_QUESTION:,} characters.")
    if (request.result == "corrected") != bool(request.correction.strip()):
        return Problem("correction", "`corrected` needs a correction, and only `corrected` may have one.")
    if len(request.correction) > MAX_CORRECTION:
        return Problem("too_long", f"A correction has at most {MAX_CORRECTION:,} characters.")
    if len(request.spots) > MAX_ANCHORS:
        return Problem("anchors", f"An outcome has at most {MAX_ANCHORS} anchors.")
    if len(request.id) > _MAX_ID or not set(request.id) <= _ID:
        return Problem("outcome_id", f"An id has at most {_MAX_ID} letters, digits, and any of _ - . :")
    return None


def normal(spot: Spot) -> Spot | Problem:
    """A spot with its file as a repository-relative path, or why it names none."""
    file, symbol = spot.file.strip().replace("\\", "/"), spot.symbol.strip()
    if any(not char.isprintable() for char in file + symbol):
        return Problem("anchors", "An anchor holds a character that no name has.")
    parts = [part for part in file.split("/") if part not in {"", "."}]
    if file.startswith("/") or (len(file) > 1 and file[1] == ":") or ".." in parts or not parts:
        return Problem("anchors", "The file of an anchor is a path inside the repository, without `..`.")
    path = "/".join(parts)
    if len(path) > _MAX_FILE or len(symbol) > _MAX_SYMBOL:
        return Problem("too_long", f"An anchor has at most {_MAX_FILE} characters, its symbol {_MAX_SYMBOL}.")
    return Spot(path, symbol)


def record(question: str, scope: Scope, context: Context, now: str) -> Memory:
    """The memory that outcomes of a question are about: what was asked, and nothing that was answered."""
    text = PREFIX + question
    trust = "person" if context.person else "agent"
    return Memory(
        id=memory_id(scope.key, "evidence", text),
        scope=scope,
        kind="evidence",
        text=text,
        created_at=now,
        updated_at=now,
        valid_from=now,
        tags=(TAG,),
        confidence=0.5,
        stability="durable",
        trust=trust,  # type: ignore[arg-type]
        source=Source(type="tool", ref=TOOL, created_by=context.writer),
        evidence=(Reference(type="manual", ref=TOOL, trust=trust, writer=context.writer),),  # type: ignore[arg-type]
        provenance=Provenance(
            writer=context.writer,
            agent_role=context.agent_role or "unknown",
            agent_id=context.agent_id,
            run_id=context.run_id,
            unit_id=context.unit_id,
            round=context.round,
            session_id=context.session_id,
            host=context.host,
            commit=context.commit,
        ),
        metadata={"outcomeQuestion": question},
    )
