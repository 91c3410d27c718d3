"""From a task to a value that meets its schema: what is the same for every provider."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import ProviderError
from learnt.model.ledger import estimated_tokens
from learnt.ports.writer import Fulfilled
from learnt.providers.writers.prose import object_in
from learnt.providers.writers.schema import fault
from learnt.providers.writers.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.ledger import Charge
    from learnt.ports.ledger import Meter
    from learnt.ports.writer import Task
    from learnt.providers.writers.turn import Model, Said

_MOST_REPAIRED: Final = 8_000
"""Characters of a bad answer that go back with what is wrong with it."""

_CHARS_A_TOKEN: Final = 4
_UNPAID: Final = frozenset(
    {
        *("bad_request", "bad_url", "unauthorized", "no_model", "redirected", "too_long", "unreachable", "no_program"),
        *("rate_limited", "server_error"),
    }
)
"""Codes after which nothing is to be paid: nobody has read anything, or the provider says that it failed."""

_SHORT_S: Final = 300.0
"""How long a model rests that refused for its rate limit and did not say until when."""
_LONGEST_S: Final = 86_400.0
"""How long it rests at most, whatever its server says: a broken clock there must not end it for years."""

_STOPPED: Final = {
    "refused": ("refused", "The model refused to answer.", "Its provider decides that; another model may answer."),
    "truncated": (
        "truncated",
        "The model's answer was cut at its longest.",
        "Give the model more room (`max_output_tokens`), or let it read less.",
    ),
}


class ModelWriter:
    """See `learnt.ports.writer.Writer`: at most two requests a task, each with its own place in the ledger."""

    def __init__(
        self, model: Model, meter: Meter, context_tokens: int | None = None, max_output_tokens: int = 0
    ) -> None:
        """Makes a writer.

        Args:
            max_output_tokens: Of every answer, whatever a task asks for; 0 for what it asks for.
        """
        self._model = model
        self._meter = meter
        self._most = max_output_tokens
        self.context_tokens = context_tokens

    @property
    def name(self) -> str:
        """`PROVIDER:MODEL`."""
        return f"{self._model.provider}:{self._model.model}"

    def write(self, task: Task) -> Fulfilled:
        """The answer, repaired at most once."""
        turn = Turn(
            system=task.system,
            said=(("user", task.material),),
            name=task.name,
            schema=task.schema,
            max_output_tokens=self._most or task.max_output_tokens,
        )
        spent = _Sum()
        found = self._answer(turn, spent)
        if isinstance(found, tuple):
            said, wrong = found
            repair = prompt("amend").format(fault=wrong)
            found = self._answer(turn.again(said[:_MOST_REPAIRED], repair), spent)
        if isinstance(found, tuple):
            raise self._error("bad_response", f"The model's answer cannot be used: {found[1]}.")
        return Fulfilled(
            value=found,
            writer=self.name,
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            cost_usd=spent.cost_usd,
        )

    def _answer(self, turn: Turn, spent: _Sum) -> Mapping[str, Any] | tuple[str, str]:
        """The value; or what was said, and what is wrong with it."""
        said, found = self._asked(turn, spent)
        if said.stop in _STOPPED:
            code, message, hint = _STOPPED[said.stop]
            raise self._error(code, message, hint)
        return found

    def _asked(self, turn: Turn, spent: _Sum) -> tuple[Said, Mapping[str, Any] | tuple[str, str]]:
        """One request with its place in the ledger; a process that dies in it leaves that reserved."""
        asked = estimated_tokens(turn.system, *(text for _, text in turn.said), json.dumps(turn.schema))
        if self.context_tokens and _least_tokens(turn) > self.context_tokens:
            hint = "Raise `context_tokens` of the model if it can read more."
            raise self._error("too_long", "The task does not fit the model.", hint)
        charge = self._meter.reserve(asked, turn.max_output_tokens)
        try:
            said = self._model.ask(turn)
        except ProviderError as error:
            self._failed(charge, error)
            raise
        found = _read(turn, said)
        charge = self._meter.settle(
            charge,
            input_tokens=said.input_tokens or asked,
            output_tokens=said.output_tokens or estimated_tokens(said.text),
            cost_usd=said.cost_usd,
            fault=said.stop or ("bad_response" if isinstance(found, tuple) else ""),
            remaining_percent=said.remaining_percent,
            resets_in_s=said.resets_in_s,
        )
        spent.add(charge.input_tokens, charge.output_tokens, charge.cost_nano_usd)
        return said, found

    def _failed(self, charge: Charge, error: ProviderError) -> None:
        """Write down what did not come; a request that may have been read counts as it was reserved."""
        code = error.error_code
        limited, free = code == "rate_limited", code in _UNPAID
        after_s = error.details.get("retry_after_s", _SHORT_S)
        self._meter.settle(
            charge,
            input_tokens=0 if free else charge.input_tokens,
            output_tokens=0 if free else charge.output_tokens,
            fault=code,
            remaining_percent=0.0 if limited else None,
            resets_in_s=min(after_s, _LONGEST_S) if limited and isinstance(after_s, float) else 0.0,
        )

    def _error(self, code: str, message: str, hint: str = "") -> ProviderError:
        return ProviderError(message, code=code, hint=hint, details={"writer": self.name})


def _read(turn: Turn, said: Said) -> Mapping[str, Any] | tuple[str, str]:
    """The value that meets the schema; or what was said, and what is wrong with it."""
    if said.stop == "tool":
        return said.text, "it calls a tool"
    value = said.value if said.value is not None else object_in(said.text, lambda found: not fault(turn.schema, found))
    if value is None:
        return said.text, "it holds no JSON object" if said.text.strip() else "it is empty"
    wrong = fault(turn.schema, value)
    return (said.text or json.dumps(value), wrong) if wrong else value


def _least_tokens(turn: Turn) -> int:
    """How many tokens a turn has at least, mostly: four characters each. Source: oh-my-pi, budget of a payload."""
    return (len(turn.system) + sum(len(text) for _, text in turn.said)) // _CHARS_A_TOKEN


class _Sum:
    """What the requests of one task came to."""

    def __init__(self) -> None:
        self.input_tokens = self.output_tokens = self._nanos = 0

    def add(self, input_tokens: int, output_tokens: int, cost_nano_usd: int) -> None:
        self.input_tokens += input_tokens
        self.output_tokens += output_tokens
        self._nanos += cost_nano_usd

    @property
    def cost_usd(self) -> float:
        return self._nanos / 1e9


@cache
def prompt(name: str) -> str:
    """A prompt as it stands in its file."""
    return (Path(__file__).parent.parent / "prompts" / f"{name}.md").read_text(encoding="utf-8").strip()
