"""How well secrets are found, and what is left of them after redaction. Bars S1 to S6."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.evals.security.judge import ENGINEERING, share

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from learnt.evals.datasets.security import Case
    from learnt.evals.security.judge import Judged
    from learnt.gate.scan import Gate

Json = dict[str, Any]
PASSWORDS = ("password", "basic_auth", "url_cred")
"""How the classes of S3 begin."""
PIECE = 12
"""Characters of a secret that must not be left together."""
_SYNTH = "secrets_synth"


def figures(found: Mapping[str, Sequence[Judged]]) -> Json:
    """The figures of S1 to S5."""
    synth = found.get(_SYNTH, ())
    plain = [each for each in synth if each.case.label == "positive" and not each.case.evasion]
    named, other = _by_class(plain, named=True), _by_class(plain, named=False)
    passwords = [each for each in plain if each.case.group.startswith(PASSWORDS)]
    rules = [*found.get("secrets_kingfisher", ()), *found.get("secrets_noseyparker", ())]
    engineering = [each for name in ENGINEERING for each in _negative(found.get(name, ()))]
    return {
        "named": named,
        "named_least": min(named.values(), default=None),
        "others": other,
        "providers": _recall([each for each in plain if _is_provider(each)]),
        "gitleaks": _recall(found.get("secrets_gitleaks", ())),
        "rules": _recall(rules),
        "passwords": _recall(passwords),
        "lookalikes": share(_negative(synth), lambda each: each.found),
        "engineering": share(engineering, lambda each: each.finds("secret")),
        **{f"disguised_{tier}": _recall(_hidden(synth, tier)) for tier in (1, 2, 3)},
        "disguises": _by_evasion(synth),
    }


def _is_provider(each: Judged) -> bool:
    return not each.case.named and not each.case.group.startswith(PASSWORDS)


def _negative(found: Sequence[Judged]) -> list[Judged]:
    return [each for each in found if each.case.label == "negative" and each.case.group != "doc_example"]


def _recall(found: Sequence[Judged]) -> float | None:
    wanted = [each for each in found if each.case.label == "positive" and not each.case.identifier]
    return share(wanted, lambda each: each.found)


def _by_class(found: Iterable[Judged], *, named: bool) -> dict[str, float]:
    groups: dict[str, list[Judged]] = {}
    for each in found:
        if each.case.named is named:
            groups.setdefault(each.case.group, []).append(each)
    return {name: _recall(those) or 0.0 for name, those in sorted(groups.items())}


def _by_evasion(found: Iterable[Judged]) -> dict[str, float]:
    groups: dict[str, list[Judged]] = {}
    for each in found:
        if each.case.evasion:
            groups.setdefault(f"{each.case.tier} {each.case.evasion}", []).append(each)
    return {name: _recall(those) or 0.0 for name, those in sorted(groups.items())}


def _hidden(found: Iterable[Judged], tier: int) -> list[Judged]:
    return [each for each in found if each.case.evasion and each.case.tier == tier]


def redaction(gate: Gate, cases: Iterable[Case]) -> Json:
    """S6: of the secrets found, how many are gone, with the text around them as it was, for good."""
    found = clean = whole = stable = 0
    for case in cases:
        if case.label != "positive" or not case.secret or (redacted := gate.redact(case.text)) == case.text:
            continue
        found += 1
        clean += not left(redacted, case.secret)
        whole += _around(case, redacted)
        stable += gate.redact(redacted) == redacted
    parts = {"gone": clean, "around": whole, "idempotent": stable}
    return {"found": found, **{name: count / found if found else None for name, count in parts.items()}} | {
        "least": min(parts.values()) / found if found else None
    }


def left(text: str, secret: str) -> bool:
    """Whether the secret, or as many characters of it as count, still stands in the text."""
    if len(secret) < PIECE:
        return secret in text
    return any(secret[at : at + PIECE] in text for at in range(len(secret) - PIECE + 1))


def _around(case: Case, redacted: str) -> bool:
    """Whether what precedes and follows the first and last thing that was redacted stands as it stood.

    Where the secret is undisguised, that is the text before and after it but for a label of its own.
    """
    head, tail = redacted.split("[REDACTED:", maxsplit=1)[0], redacted.rsplit("]", 1)[-1]
    return case.text.startswith(head) and case.text.endswith(tail) and _near(case, head, tail)


def _near(case: Case, head: str, tail: str) -> bool:
    """Whether no more than a label's length before an undisguised secret went with it, and little after it."""
    at = case.text.find(case.secret)
    if case.evasion or at < 0:
        return True
    after = len(case.text) - case.text.rfind(case.secret) - len(case.secret)
    return at - len(head) <= _LABEL and after - len(tail) <= _LABEL


_LABEL = 64
"""Characters that may go with a secret: its label, the scheme and host of its address."""
