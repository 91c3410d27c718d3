"""What is said to a model, and what it says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

Role = Literal["user", "assistant"]
Stop = Literal["", "refused", "truncated", "tool"]
"""How an answer ended: by itself, refused, cut at its longest, or as a call of a tool that nobody gave."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One request: a system prompt, what was said in turn (the last by the user), and the schema of the answer."""

    system: str
    said: tuple[tuple[Role, str], ...]
    name: str
    schema: Mapping[str, Any]
    max_output_tokens: int

    def again(self, answer: str, repair: str) -> Turn:
        """The same, with an answer that cannot be used and what is wrong with it."""
        return replace(self, said=(*self.said, ("assistant", answer or "(nothing)"), ("user", repair)))

    @property
    def text(self) -> str:
        """All that was said as one text, for programs that take no turns."""
        if len(self.said) == 1:
            return self.said[0][1]
        return "\n\n".join(f"<{role}>\n{text}\n</{role}>" for role, text in self.said)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One answer.

    Attributes:
        text: What was said; `value`: the same as an object, where the provider gives one.
        input_tokens, output_tokens: As the provider counts; 0 where it does not tell. `cost_usd`: where it tells.
        remaining_percent: What is left of its narrowest rate limit, and in how many seconds that begins anew.
    """

    text: str = ""
    value: Mapping[str, Any] | None = None
    stop: Stop = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    remaining_percent: float | None = None
    resets_in_s: float = 0.0


class Model(Protocol):
    """One model behind one provider."""

    @property
    def provider(self) -> str:
        """As it stands in the settings."""
        ...

    @property
    def model(self) -> str:
        """As the provider calls it."""
        ...

    def ask(self, turn: Turn) -> Said:
        """One answer.

        Raises:
            ProviderError: There is none.
        """
        ...

    def check(self) -> str:
        """What answers there, without asking the model anything: a version or a name; "" for no word of it.

        Raises:
            ProviderError: Nobody does.
        """
        ...


def count(value: Any) -> int:
    """A number of tokens as a provider told it; 0 for anything that is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40 else 0
