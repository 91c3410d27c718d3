"""Models that write, and what they cost, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from learnt.flows.account import Account, Post
    from learnt.flows.models import Tried
    from learnt.model.ledger import Cap, Charge, Spent
    from learnt.model.writer import NamedModel

    Json = dict[str, Any]

_NANOS = 1_000_000_000


def account(value: Account) -> Json:
    """Who writes, who is elsewhere, what was spent and what is left; never a key."""
    return {
        "writers": [_post(each) for each in value.posts],
        "external": list(value.external),
        "spent": {window: _spent(each) for window, each in value.spent.items()},
        "caps": {cap.name: _amount(cap, cap.limit) for cap in value.caps},
        "left": {cap.name: _amount(cap, value.left(cap)) for cap in value.caps},
    }


def models(value: Account) -> Json:
    """The same with every model that is named, and the newest charges."""
    return {
        **account(value),
        "models": [_model(each) for each in value.models],
        "charges": [_charge(each) for each in value.latest],
    }


def tried(value: Tried) -> Json:
    """One model, and whether it is there."""
    return {"part": value.part, "found": value.version or None, "word": value.word, "hint": value.hint or None}


def _post(post: Post) -> Json:
    found = post.model
    return {
        "purpose": post.purpose,
        "role": post.role or None,
        "name": found.name if found else None,
        "provider": found.provider if found else None,
        "model": found.model if found else None,
        "server": found.server if found else None,
        "external": found.external if found else False,
        "reason": post.reason or None,
    }


def _model(model: NamedModel) -> Json:
    return {
        "name": model.name,
        "provider": model.provider,
        "model": model.model,
        "server": model.server,
        "external": model.external,
        "context_tokens": model.context_tokens or None,
        "input_usd": model.prices.input_usd,
        "output_usd": model.prices.output_usd,
    }


def _charge(charge: Charge) -> Json:
    return {
        "id": charge.id,
        "at": charge.at,
        "purpose": charge.purpose,
        "role": charge.role or None,
        "provider": charge.provider,
        "model": charge.model,
        "repository_id": charge.repository_id or None,
        "status": charge.status,
        "input_tokens": charge.input_tokens,
        "output_tokens": charge.output_tokens,
        "cost_usd": usd(charge.cost_nano_usd),
        "fault": charge.fault or None,
    }


def _spent(spent: Spent) -> Json:
    return {"requests": spent.charges, "tokens": spent.tokens, "usd": usd(spent.cost_nano_usd)}


def _amount(cap: Cap, amount: int) -> float | int:
    return amount if cap.unit == "tokens" else usd(amount)


def usd(nanos: int) -> float:
    """Dollars, to a millionth."""
    return round(nanos / _NANOS, 6)
