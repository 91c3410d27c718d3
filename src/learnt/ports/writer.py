"""Language models that write: what one session taught, and what many come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Purpose = Literal["extraction", "consolidation"]

LONGEST_TOKENS: Final[Mapping[Purpose, int]] = {"extraction": 4_000, "consolidation": 8_000}
"""The longest answer that is asked for, where a person set no other. Source: our choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is asked of a model.

    Attributes:
        system: Goes as the system prompt, never inside the person's turn. `material`: fenced data to work on.
        schema: JSON Schema (strict: every property required, none additional) that the answer must meet.
        name: Of the schema, for providers that want one.
    """

    purpose: Purpose
    name: str
    system: str
    material: str
    schema: Mapping[str, Any]
    max_output_tokens: int = LONGEST_TOKENS["extraction"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fulfilled:
    """An answer that meets the schema of its task, and what it cost."""

    value: Mapping[str, Any]
    writer: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Unwritten:
    """Why no model writes here: `not enabled`, `no writer`, `cap: day`, `rate limit`, ..."""

    reason: str


class Writer(Protocol):
    """One model behind one provider."""

    @property
    def name(self) -> str:
        """`PROVIDER:MODEL`, as it stands in what it wrote."""
        ...

    @property
    def context_tokens(self) -> int | None:
        """How much the model can read; None when unknown."""
        ...

    def write(self, task: Task) -> Fulfilled:
        """The answer, checked against the task's schema and repaired at most once.

        Raises:
            ProviderError: With a code: refused, truncated, rate limited, timed out, of the wrong shape, over a cap.
        """
        ...


class Sampler(Protocol):
    """A client that lends its model (MCP: sampling); there only while it is connected."""

    @property
    def name(self) -> str:
        """The client's."""
        ...

    def sample(self, system: str, said: Sequence[tuple[str, str]], max_output_tokens: int) -> tuple[str | None, str]:
        """What its model answers, None for something that is no text, and why it ended.

        Args:
            said: Pairs of `user` or `assistant` and a text, in turn.

        Raises:
            ProviderError: The client refused, or is gone.
        """
        ...


class Writers(Protocol):
    """The models a person enabled for one repository."""

    def of(self, purpose: Purpose) -> Writer | Unwritten:
        """Who writes for a purpose: its role, else the default role, else the first; or why nobody does."""
        ...
