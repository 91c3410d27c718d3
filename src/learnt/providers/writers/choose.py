"""From a model that a person named to one that can be asked. Imports only what that provider needs."""

from __future__ import annotations

import os
import random
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from learnt.errors import ProviderError
from learnt.ports.writer import Unwritten
from learnt.providers.client import AGAIN, Client, checked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from learnt.model.writer import NamedModel
    from learnt.ports.writer import Sampler
    from learnt.providers.writers.served import Dialect
    from learnt.providers.writers.turn import Model

_AGAIN: Final = AGAIN | {500, 529}
_MOST_BYTES: Final = 4_000_000
_KEY_BYTES: Final = 16_384
_KEY_MODE: Final = 0o077


def model_of(named: NamedModel, environment: Mapping[str, str], sampler: Sampler | None = None) -> Model | Unwritten:
    """The model, not asked yet, or why it cannot be."""
    if named.provider == "mcp-client":
        return _sampled(named, sampler)
    if named.provider in {"claude-code", "codex"}:
        return _program(named, environment)
    return _served(named, environment)


def _sampled(named: NamedModel, sampler: Sampler | None) -> Model | Unwritten:
    from learnt.providers.writers.sampling import Sampling

    return Unwritten("client: none lends its model") if sampler is None else Sampling(sampler, named.model)


def _program(named: NamedModel, environment: Mapping[str, str]) -> Model:
    from learnt.providers.writers.program import Program

    usual = "claude" if named.provider == "claude-code" else "codex"
    program = Program(named.command or usual, environment, named.variables, named.timeout_ms)
    if named.provider == "codex":
        from learnt.providers.writers.codex import Codex

        return Codex(program, named.model)
    from learnt.providers.writers.claude import ClaudeCode

    return ClaudeCode(program, named.model)


def _served(named: NamedModel, environment: Mapping[str, str]) -> Model | Unwritten:
    from learnt.providers.writers.served import ServedModel

    try:
        key = _key(named, environment)
        checked(named.address, keyed=bool(key))
    except ProviderError as error:
        return Unwritten(f"failed: {error.error_code}")
    anthropic = named.provider == "anthropic"
    client = Client(
        named.address,
        key,
        named.timeout_ms,
        key_header="x-api-key" if anthropic else "Authorization",
        headers=(("anthropic-version", "2023-06-01"),) if anthropic else (),
        again=_AGAIN,
        jitter=random.random,
        most_bytes=_MOST_BYTES,
    )
    return ServedModel(client, _DIALECTS[named.provider](named), named.model, named.effort)


def _chat(named: NamedModel) -> Dialect:
    from learnt.providers.writers.openai import Chat, Own

    return Own() if named.server == "api.openai.com" else Chat()


def _responses(named: NamedModel) -> Dialect:
    from learnt.providers.writers.openai import Responses

    del named
    return Responses()


def _ollama(named: NamedModel) -> Dialect:
    from learnt.providers.writers.ollama import Ollama

    return Ollama(context_tokens=named.context_tokens)


def _messages(named: NamedModel) -> Dialect:
    from learnt.providers.writers.anthropic import Messages

    del named
    return Messages()


_DIALECTS: Final[dict[str, Callable[[NamedModel], Dialect]]] = {
    "openai": _chat,
    "openai-responses": _responses,
    "ollama": _ollama,
    "anthropic": _messages,
}


def _key(named: NamedModel, environment: Mapping[str, str]) -> str:
    """The key a person pointed at, in a file before one in a variable, which a repository may set; "" where none is.

    Raises:
        ProviderError: `no_key`: there is none; `key_open`: other users can read its file.
    """
    key = _kept(Path(named.key_file).expanduser()) if named.key_file else ""
    if not key and named.key_variable:
        key = environment.get(named.key_variable, "").strip()
    if not key and (named.key_variable or named.key_file):
        raise ProviderError("There is no key.", code="no_key", hint=f"Set {named.key_variable or 'key_file'}.")
    return key


def _kept(path: Path) -> str:
    """The first line of a file that is this user's alone."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(file.fileno())
            if os.name == "posix" and (not stat.S_ISREG(found.st_mode) or found.st_mode & _KEY_MODE):
                raise ProviderError("Others can read the key's file.", code="key_open", hint=f"chmod 600 {path}")
            return file.read(_KEY_BYTES).decode("ascii", "replace").split("\n", 1)[0].strip()
    except OSError:
        return ""
