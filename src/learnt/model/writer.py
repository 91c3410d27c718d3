"""The models a person named, and where they may write."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlsplit

from learnt.model.ledger import Prices

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.ledger import Cap

Provider = Literal["openai", "openai-responses", "anthropic", "ollama", "claude-code", "codex", "mcp-client"]
ModelRole = Literal["default", "smol"]

ADDRESSES: Final[dict[Provider, str]] = {
    "openai": "https://api.openai.com/v1",
    "openai-responses": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "ollama": "http://127.0.0.1:11434",
    "claude-code": "",
    "codex": "",
    "mcp-client": "",
}
"""Where a provider is when no address is given; "" for programs and clients, which know it themselves."""

USUAL: Final[dict[Provider, str]] = {"claude-code": "haiku", "codex": "default", "mcp-client": "default"}
"""The model of a provider that needs none named; `default` is what the program or client has set."""

CHAINS: Final[dict[str, tuple[ModelRole, ...]]] = {"extraction": ("default",), "consolidation": ("smol", "default")}
"""The roles a purpose is given to, in turn; after them the first model there is. Source: autonomous-memory seed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedModel:
    """A model in a person's configuration.

    Attributes:
        name: How the person calls it. `model`: how the provider does.
        key_variable, key_file: Where the key is; never the key itself.
        effort: Reasoning effort; "" to send none.
        command: Of a provider that is a program; "" for its usual name. `variables`: what else is passed on to it.
    """

    name: str
    provider: Provider
    model: str = ""
    url: str = ""
    key_variable: str = ""
    key_file: str = ""
    context_tokens: int = 0
    max_output_tokens: int = 0
    prices: Prices = field(default_factory=Prices)
    timeout_ms: int = 120_000
    effort: str = ""
    command: str = ""
    variables: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        """Where it is."""
        return self.url or ADDRESSES[self.provider]

    @property
    def server(self) -> str:
        """The host it is on, or the program or client that knows."""
        try:
            return urlsplit(self.address).hostname or self.provider
        except ValueError:
            return self.provider

    @property
    def external(self) -> bool:
        """Whether what it reads leaves this machine."""
        return not is_here(self.address)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterChoice:
    """What a person's configuration says about models that write.

    Attributes:
        models: In the order of the file. `roles`: role to name of a model.
        purposes: For what they may write in this repository; () for nothing.
        caps: Those a person set.
    """

    models: tuple[NamedModel, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    purposes: tuple[str, ...] = ()
    caps: tuple[Cap, ...] = ()

    def of(self, purpose: str) -> tuple[str, NamedModel] | None:
        """The role and the model of a purpose; None where no model is named."""
        named = {each.name: each for each in self.models}
        for role in CHAINS[purpose]:
            if (found := named.get(self.roles.get(role, ""))) is not None:
                return role, found
        return ("first", self.models[0]) if self.models else None


def is_here(url: str) -> bool:
    """Whether a URL names this machine; "" does not."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
