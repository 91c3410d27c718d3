"""Whether something of the shape of personal data can be one: check digits, prefixes, ranges, endings.

Pure; each function looks at the datum and at what stands before it on its line.
"""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

# Endings of files, units and packages that stand after an `@` in engineering text.
_ENDINGS: Final = frozenset(
    {
        "alpha", "bash", "beta", "cfg", "cjs", "conf", "css", "dll", "exe", "gif", "go", "gz", "html", "ico",
        "ini", "internal", "java", "jpeg", "jpg", "js", "json", "jsx", "kt", "latest", "lock", "log", "main",
        "master", "md", "mjs", "mount", "next", "path", "php", "png", "proto", "py", "pyi", "rb", "rs", "rst",
        "scss", "service", "sh", "slice", "so", "socket", "sql", "svelte", "svg", "swift", "tar", "target",
        "timer", "toml", "ts", "tsx", "txt", "vue", "webp", "whl", "xml", "yaml", "yml", "zip",
    }
)  # fmt: skip
_LETTERED: Final = re.compile(r"[A-Za-z]")
_NOT_DIGIT: Final = re.compile(r"\D")
# Issuers: prefix, lengths. Source: ISO/IEC 7812 ranges as published by the networks.
_ISSUERS: Final[tuple[tuple[re.Pattern[str], frozenset[int]], ...]] = (
    (re.compile(r"4"), frozenset((13, 16, 19))),
    (re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720"), frozenset((16,))),
    (re.compile(r"3[47]"), frozenset((15,))),
    (re.compile(r"30[0-5]|3095|36|3[89]"), frozenset((14, 16, 19))),
    (re.compile(r"6011|64[4-9]|65|622"), frozenset((16, 17, 18, 19))),
    (re.compile(r"62|81"), frozenset((16, 17, 18, 19))),
    (re.compile(r"35(?:2[89]|[3-8])"), frozenset((16, 17, 18, 19))),
    (re.compile(r"2131|1800"), frozenset((15,))),
    (re.compile(r"35"), frozenset((16,))),
    (re.compile(r"50|5[6-9]|6[0-9]"), frozenset((12, 13, 14, 15, 16, 17, 18, 19))),
)
_LOOSE: Final = frozenset(("50", "56", "57", "58", "59", "60", "61", "63", "66", "67", "68", "69"))
_CARD_LABEL: Final = re.compile(
    r"(?i)card|pan\b|visa|master|maestro|amex|diners|jcb|discover|ticket|charge|pay|fixture"
)
_ID_LABEL: Final = re.compile(
    r"(?i)(?:order|serial|build|ts|time|timestamp|epoch|unix|nano|message|snowflake|run|trace|span|commit|isbn|request|"
    r"issue|job|id|pid|offset|seq|sequence|revision|version|rows|count|size|bytes|seed|hash|key|token|lines?)\b[\s:=#\"'(]*$"
)
_VERSION: Final = re.compile(
    r"(?i)(?:v|ver|versions?|release|section|sec|§|chapter|chrome|firefox|safari|edge|chromium|upgrade[ds]?|to|from|bump|"
    r"pinned|pin|sdk|build|nuget|libs?|lib\w+|package|assembly|rfc|dotnet|net|driver|firmware|kernel|clause|item|figure|"
    r"table|appendix|requires?|at|tag|android|ios|windows)\W{0,3}(?:\w+\W{1,2}(?:to|from|at)\W)?$"
)
_UPGRADE: Final = re.compile(r"(?i)(?:upgrade|bump|update|downgrade|version|pin)\w*\b[^.]*$")
_ADDRESS: Final = re.compile(
    r"(?i)(?:\b(?:ip|ips|address|addr|host|hosts|server|from|to|at|listen(?:s|ing)? (?:on|to)?|ssh|ping|client|remote|"
    r"peer|gateway|blocked|requests? from|forwarded-for|runner is|nameserver|dns|bind|on|"
    r"connect(?:s|ed|ing)? (?:to|from))|://|@)\W{0,3}$"
)


def email(datum: str, before: str) -> bool:
    """A mail address: not a remote of git, not a package or unit with an `@` in its name."""
    name, _, host = datum.rpartition("@")
    ending = host.rpartition(".")[2].lower()
    if ending in _ENDINGS or not _LETTERED.search(ending) or name.lower() == "git":
        return False
    if before.endswith("://") or (":" in before[-48:] and "://" in before[-64:] and " " not in before[-24:]):
        return False
    return not name.startswith(("'", '"', "/"))


def spoken(datum: str, before: str) -> bool:
    """An address in words: the last part has the length of a domain's ending."""
    del before
    return 2 <= len(datum.rsplit(maxsplit=1)[-1].strip("[]()")) <= 12 and " at " in datum.lower().replace("(at)", "at")


def card(datum: str, before: str) -> bool:
    """A card number: an issuer's prefix and length, the check digit, and no label of an identifier before it."""
    digits = _NOT_DIGIT.sub("", datum)
    if len(set(digits)) == 1 or not _luhn(digits) or not _grouped(datum):
        return False
    if not any(prefix.match(digits) and len(digits) in lengths for prefix, lengths in _ISSUERS):
        return False
    labelled = _CARD_LABEL.search(before[-48:]) is not None
    if (digits[:2] in _LOOSE or (digits[:2] == "35" and not "3528" <= digits[:4] <= "3589")) and not labelled:
        return False
    return labelled or not _ID_LABEL.search(before[-24:])


def _grouped(datum: str) -> bool:
    """Whether the groups of a separated number are a card's: the first of four, none of one digit but the last."""
    groups = re.split(r"[ -]", datum)
    return len(groups) == 1 or (len(groups[0]) == 4 and 2 <= len(groups) <= 6 and all(len(g) >= 3 for g in groups[:-1]))


def _luhn(digits: str) -> bool:
    total = 0
    for at, char in enumerate(reversed(digits)):
        value = int(char) * (1 + at % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def ssn(datum: str, before: str) -> bool:
    """A number that can have been given out: no area 000, 666 or 9xx, no group 00, no serial 0000."""
    area, group, serial = re.split(r"[- ]", datum)
    if area in {"000", "666"} or area > "899" or group == "00" or serial == "0000":
        return False
    return "-" in datum or re.search(r"(?i)ssn|social|security", before[-40:]) is not None


def international(datum: str, before: str) -> bool:
    """Eight to fifteen digits after a plus, not all of them in one short group."""
    digits = _NOT_DIGIT.sub("", datum.partition("x")[0])
    if not datum.startswith("+"):
        return 11 <= len(digits) <= 15 and re.search(r"[ .-]", datum) is not None and not _ID_LABEL.search(before[-24:])
    return 8 <= len(digits) <= 15


def american(datum: str, before: str) -> bool:
    """Ten digits in the groups of a North American number, with no label of something else before them."""
    return not re.search(r"(?i)(?:build|jira|ticket|follows|shard|lines?|isbn|rev|#)\W{0,2}$", before[-16:]) and bool(
        datum
    )


def national(datum: str, before: str) -> bool:
    """Seven to twelve digits."""
    del before
    return 7 <= len(_NOT_DIGIT.sub("", datum)) <= 12


def ipv4(datum: str, before: str) -> bool:
    """An address somebody can have: no version, no section, no mask, not this machine, not everybody's."""
    parts = datum.split(".")
    if any(len(part) > 1 and part.startswith("0") for part in parts) or any(int(part) > 255 for part in parts):
        return False
    address = ipaddress.IPv4Address(datum)
    if address.is_loopback or address.is_unspecified or address.is_multicast or parts[0] in {"0", "255"}:
        return False
    if parts[-1] == "0" or address.is_link_local or before.endswith("/"):
        return before.endswith("//")
    if _ADDRESS.search(before[-24:]) and not _UPGRADE.search(before):
        return True
    beside = before[-1:] in {"/", "=", "v"} and not before.endswith(("=", "//"))
    return not (beside or _VERSION.search(before[-40:]))


def ipv6(datum: str, before: str) -> bool:
    """An address with a digit and three groups, not this machine; pairs alone are a fingerprint."""
    del before
    groups = [group for group in datum.split(":") if group]
    if len(groups) < 3 or not re.search(r"\d", datum) or all(len(group) == 2 for group in groups):
        return False
    try:
        address = ipaddress.IPv6Address(datum)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_multicast or address.is_unspecified)


def iban(datum: str, before: str) -> bool:
    """An account number whose check digits hold."""
    del before
    plain = datum.replace(" ", "")
    if not 15 <= len(plain) <= 34:
        return False
    turned = plain[4:] + plain[:4]
    return int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


CHECKS: Final[dict[str, Callable[[str, str], bool]]] = {
    "email": email,
    "spoken": spoken,
    "card": card,
    "ssn": ssn,
    "international": international,
    "american": american,
    "national": national,
    "ipv4": ipv4,
    "ipv6": ipv6,
    "iban": iban,
}
