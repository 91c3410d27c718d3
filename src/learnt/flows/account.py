"""Which models may read what is here, what they were paid, and what is left."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, get_args

from learnt.errors import ProviderError
from learnt.flows.decide import person_required
from learnt.flows.models import Tried
from learnt.flows.writers import Enabled
from learnt.model.ledger import binding
from learnt.model.writer import is_here
from learnt.ports.writer import Purpose, Unwritten

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from learnt.flows.means import Means
    from learnt.model.answer import Refusal
    from learnt.model.ledger import Cap, Charge, Spent, Window
    from learnt.model.writer import NamedModel

PURPOSES: Final[tuple[Purpose, ...]] = get_args(Purpose)
_WRITING: Final = (*PURPOSES, "trial")
_LEADS: Final = {
    "no writer": "Name one under [models.named] in your configuration.",
    "not enabled": "`learnt models` shows the line that lets one write here.",
}
LOOKED_AT: Final = 50
"""So many of the newest charges tell whether models answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """Who writes for a purpose.

    Attributes:
        role, model: By which role it was chosen, and which it is; None where none is named or enabled.
        reason: Why nobody writes now; "" where somebody does.
    """

    purpose: Purpose
    role: str = ""
    model: NamedModel | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The models of this repository, and what was spent by this person in all of theirs.

    Attributes:
        external: Every provider that is not on this machine and may be sent something of here, and what for.
        latest: The newest charges, where they were asked for.
    """

    models: tuple[NamedModel, ...] = ()
    posts: tuple[Post, ...] = ()
    external: tuple[str, ...] = ()
    caps: tuple[Cap, ...] = ()
    spent: Mapping[Window, Spent] = field(default_factory=dict)
    latest: tuple[Charge, ...] = ()

    def left(self, cap: Cap) -> int:
        """What of a cap is left, in its unit."""
        return max(0, cap.limit - self.spent[cap.window].of(cap.unit))


def unwritten(value: Account) -> list[str]:
    """What a person should look at: a model that was chosen and cannot write, one whose last request failed."""
    found = [
        f"{post.model.name} does not write here ({post.purpose}: {post.reason}): `learnt models`"
        for post in value.posts
        if post.model is not None and post.reason.startswith(("failed", "no cap", "small cap"))
    ]
    newest = {(each.provider, each.model): each for each in reversed(value.latest) if each.purpose in _WRITING}
    used = dict.fromkeys((post.model.provider, post.model.model) for post in value.posts if post.model)
    return found + [
        f"the last request to {each.provider}:{each.model} failed ({each.fault}): `learnt models`"
        for name in used
        if (each := newest.get(name)) and each.fault and each.status == "settled"
    ]


def account(means: Means, latest: int = 0) -> Account:
    """The account as it stands; nothing is sent to anybody.

    Args:
        latest: So many of the newest charges.
    """
    held = means.writers
    if not isinstance(held, Enabled):
        return Account(posts=tuple(Post(purpose=each, reason="no writer") for each in PURPOSES))
    posts = tuple(_post(held, each) for each in PURPOSES)
    purse = held.purse
    return Account(
        models=held.choice.models,
        posts=posts,
        external=(*_written_elsewhere(posts), *_read_elsewhere(means)),
        caps=purse.caps,
        spent=purse.spent(purse.clock.now()),
        latest=purse.store.ledger.page(purse.user_id, latest) if latest else (),
    )


def _post(held: Enabled, purpose: Purpose) -> Post:
    writer = held.of(purpose)
    reason = writer.reason if isinstance(writer, Unwritten) else ""
    found = held.choice.of(purpose)
    if found is None or purpose not in held.choice.purposes or not held.on:
        return Post(purpose=purpose, reason=reason)
    return Post(purpose=purpose, role=found[0], model=found[1], reason=reason)


def _written_elsewhere(posts: tuple[Post, ...]) -> list[str]:
    """Providers of writers, whether or not a cap stands in their way just now."""
    found: dict[str, list[str]] = {}
    for post in posts:
        if post.model is not None and post.model.external:
            found.setdefault(f"{post.model.server} ({post.model.provider}: {post.model.model})", []).append(
                post.purpose
            )
    return [f"{name} for {' and '.join(purposes)}" for name, purposes in found.items()]


def _read_elsewhere(means: Means) -> list[str]:
    """The servers that embed and rerank."""
    embeddings, retrieval = means.settings.embeddings, means.settings.retrieval
    used = (
        (embeddings.enabled and embeddings.provider != "local", embeddings.url, embeddings.provider, "embedding"),
        (retrieval.rerank and retrieval.rerank_provider != "onnx", retrieval.rerank_url, retrieval.rerank_provider, ""),
    )
    return [
        f"{_host(url)} ({provider}) for {what or 'reranking'}"
        for is_used, url, provider, what in used
        if is_used and url and not is_here(url)
    ]


def _host(url: str) -> str:
    from urllib.parse import urlsplit

    try:
        return urlsplit(url).hostname or url
    except ValueError:
        return "an address that is none"


def tried(means: Means) -> tuple[Tried, ...]:
    """The models that may write here, each looked for; none is asked anything, so nothing is to be paid."""
    held = means.writers
    if not isinstance(held, Enabled) or not held.choice.models:
        return ()
    return tuple(_tried(_post(held, each), held.look) for each in PURPOSES)


def asked(means: Means) -> tuple[Tried, ...] | Refusal:
    """The same, each asked the smallest thing there is, which is to be paid: for a person only."""
    held = means.writers
    if refused := person_required(means, "models check --ask"):
        return refused
    if not isinstance(held, Enabled):
        return ()
    return tuple(_tried(post, partial(_answered, held, post)) for post in (_post(held, each) for each in PURPOSES))


def _answered(held: Enabled, post: Post, model: NamedModel) -> str:
    caps = binding(held.choice.caps, model.prices, external=model.external)
    meter = held.meter("trial", post.role, model, () if isinstance(caps, str) else caps)
    found = held.trial(model, meter)
    return f"answered: {found.input_tokens + found.output_tokens:,} tokens, ${found.cost_usd:.6f}"


def _tried(post: Post, look: Callable[[NamedModel], str]) -> Tried:
    part = f"writer of {post.purpose}"
    if post.model is None:
        return Tried(part=part, word=post.reason, hint=_LEADS.get(post.reason, ""))
    name = f"{post.model.name} ({post.model.provider}: {post.model.model})"
    if post.reason:
        return Tried(part=part, version=name, word=post.reason, hint=_hint(post.model, post.reason))
    try:
        found = look(post.model)
    except ProviderError as error:
        hint = f"{error.message} {error.advice}".strip()
        return Tried(part=part, version=name, word=f"failed: {error.error_code}", hint=hint)
    return Tried(part=part, version=f"{name}, {found}" if found else name)


def _hint(model: NamedModel, reason: str) -> str:
    if reason == "failed: no_key":
        return f"Set {model.key_variable or model.key_file} of [models.named.{model.name}]."
    if reason.startswith("no cap: "):
        return "Spending caps are 0 until you set one: [models.caps] in your configuration."
    if reason.startswith("small cap: "):
        return "Its longest answer alone goes beyond it: raise it, or lower max_output_tokens of the model."
    return ""
