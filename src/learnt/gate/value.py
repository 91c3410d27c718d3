"""Whether a value beside a label is a secret, a placeholder, or plain words and code.

The label (`password:`, `API_KEY=`) is found by the pattern; these functions judge what follows it. They are pure, look
at no more than the value handed in, and never keep it.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from functools import cache
from typing import TYPE_CHECKING, Final

from learnt.gate.linear import searcher

if TYPE_CHECKING:
    from collections.abc import Callable


_PLACEHOLDER: Final = (
    r"(?i)"
    r"^`|\[REDACTED|\$\{|\$\(|\{\{|%\(|^<[^>]*>?$|^!?\$[A-Za-z_]+$|^\$[A-Z_]|^%[A-Z_]+%$|\*{3}|x{4}|"
    r"\.{3}|…|[./]\$[a-z_]{3}|"
    r"^(?:process\.env|os\.(?:environ|getenv)|env[.\[]|secrets?\.|vars\.|config\.|settings\.|self\.|this\.|args\.)|"
    r"change.?me|your[-_ ]?|placeholder|dummy|redacted|example|"
    r"^(?:none|null|undefined|true|false|nil)$|^todo|^fixme|^insert|^replace|^my[-_]|"
    r"^some[-_]?(?:token|secret|key|value)"
)
_CODE: Final = re.compile(r"[(){}\[\]<>\\]|::|->|=>|&&|\|\|")
_HUMP: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_DIGIT: Final = re.compile(r"[0-9]")
_SIGN: Final = re.compile(r"[!@#$%^&*+=~?|;]")
_BREAK: Final = re.compile(r"[-_./:,+@#?!]+")
_UNWORDED: Final = re.compile(r"[0-9]|[^\w\-./:,' ]")
_HEX: Final = re.compile(r"^[0-9a-fA-F]+$")
_UUID: Final = re.compile(r"(?i)^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_FILE: Final = re.compile(
    r"(?i)^(?:[a-z]:|~|\.{1,2})?[/\\]?[\w.@/\\-]+"
    r"\.(?:pem|key|json|crt|cer|txt|p12|pfx|env|ya?ml|toml|py|ts|js|md|go|rs|sh|csv|tsv|log|ini|"
    r"cfg|conf|html|css|xml|sql|lock|zip|gz|png|jpe?g|svg|so|dll|exe)$"
)
_ATTRIBUTE: Final = re.compile(r"^[A-Za-z_]\w{0,24}(?:\.[A-Za-z_]\w{0,24})+$")
_IDENTIFIER: Final = re.compile(r"^[A-Za-z_][A-Za-z_]*(?:[.][A-Za-z_]+)*$")
_NAME: Final = re.compile(r"^(?:[a-z]{2,14}(?:[-_.][a-z]{1,14})+|[A-Z]{2,20}(?:_[A-Z]{1,20})+)$")
_CONSTANT: Final = re.compile(r"^[A-Z]{2,}(?:_[A-Z]+)+$")
_UNSECRET_KEY: Final = re.compile(
    r"(?i)(?:^|_)(?:foreign|primary|sort|public|idempotency|cache|partition|routing|composite|row|index|object|lookup|"
    r"hash|dedupe?|surrogate|unique|natural|map|dict|group|storage|registry|hot|join|shard|cursor|config|i18n|query|json)"
    r"_key$"
)
_GENERIC: Final = frozenset(
    {"password", "passwd", "pass", "pwd", "secret", "token", "user", "username", "admin", "root", "postgres", "mysql"}
    | {"guest", "test", "testing", "testpass", "testpassword", "foobar", "credentials", "hunter2", "string"}
)


def entropy(value: str) -> float:
    """Shannon entropy of the characters, in bits each; 0 for the empty string."""
    total = len(value)
    if not total:
        return 0.0
    return math.log2(total) - sum(map(_part, map(value.count, set(value)))) / total


@cache
def _part(count: int) -> float:
    return count * math.log2(count)


def is_placeholder(value: str) -> bool:
    """Whether the value stands for one: a variable, a template, asterisks, our own or another tool's mark."""
    return searcher(_PLACEHOLDER)(value.strip("\"'),;").encode("utf-8", "replace"), 0)[0][0] >= 0


def is_flat(value: str) -> bool:
    """Whether the value is one or two characters over and over, as in a mask."""
    return len(set(value)) <= 2


def is_words(value: str) -> bool:
    """Whether the value is made of words (broken by case or by signs) and of numbers of three digits at most."""
    return all(_is_word(piece) for piece in _BREAK.split(value.strip()) if piece)


def is_scrambled(letters: str) -> bool:
    """Whether ten or more letters change case so often (every 2.6 on average) that no one wrote them as words."""
    return len(letters) >= 10 and len(_HUMP.findall(letters)) * 2.6 > len(letters)


def _is_word(piece: str) -> bool:
    if is_scrambled(piece):
        return False
    if piece.isalpha():
        return len(piece) < 20 or len(_HUMP.findall(piece)) * 3 <= len(piece)
    letters = piece.rstrip("0123456789")
    return _digits(piece) <= 3 and (not letters or letters.isalpha())


def _classes(value: str) -> int:
    """How many of small letters, capitals, digits and signs the value holds."""
    cased = (value != value.upper()) + (value != value.lower())
    return cased + (_DIGIT.search(value) is not None) + (_SIGN.search(value) is not None)


def _digits(value: str) -> int:
    return len(_DIGIT.findall(value))


def password(value: str) -> bool:
    """A password beside its label: six or more characters of two classes, one of them a digit or a sign."""
    if len(value) < 6 or is_placeholder(value) or is_flat(value) or value.lower() in _GENERIC or _FILE.match(value):
        return False
    if _CODE.search(value) and not (_classes(value) == 4 and len(value) >= 10):
        return False
    if _ATTRIBUTE.match(value):
        return False
    if is_scrambled(value) and value.isalpha():
        return True
    if _IDENTIFIER.match(value.lstrip("$%@")):
        return False
    return _classes(value) >= 2 and _UNWORDED.search(value) is not None and not is_words(value)


def key(value: str) -> bool:
    """A key or token beside its label: 16 or more characters with digits and letters, mixed well, no words."""
    if (
        len(value) < 16
        or value.startswith(("http://", "https://"))
        or is_placeholder(value)
        or is_flat(value)
        or _CODE.search(value)
        or _FILE.match(value)
    ):
        return False
    if _ATTRIBUTE.match(value):
        return False
    digits = _digits(value)
    if digits < 2 or digits == len(value) or is_words(value):
        return False
    return entropy(value) >= 3.0


def strong(value: str) -> bool:
    """A value so mixed that a weak label suffices: a password of three classes, or a key of 20 with 3.3 bits each."""
    if _UUID.match(value):
        return False
    return (len(value) >= 8 and _classes(value) >= 3 and password(value) and _digits(value) >= 1) or (
        len(value) >= 20 and key(value) and entropy(value) >= 3.3
    )


def assigned(label: str, value: str) -> bool:
    """An environment-style assignment: any value for a label in capitals, a well mixed one for other labels.

    Source: the swarm-memory seed redacts eight or more characters after PREFIX_KEY= and its like; names such as
    foreign_key and placeholders such as ${CI_TOKEN} are excepted because they were its false alarms.
    """
    if is_placeholder(value) or _UNSECRET_KEY.search(label) or _FILE.match(value):
        return False
    if label.isupper() and (_CONSTANT.match(value) or value.lower() in _GENERIC):
        return False
    if label.isupper():
        return not _CODE.search(value) or password(value)
    return password(value) or key(value)


def credential(value: str) -> bool:
    """A password inside a URL: anything that is no placeholder and no stock word."""
    return len(value) >= 3 and not is_placeholder(value) and value.lower() not in _GENERIC and not _CODE.search(value)


def basic(value: str) -> bool:
    """Whether base64 text decodes to `user:password`, which is what a Basic header holds."""
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return False
    return ":" in plain and plain.isprintable()


def token(value: str) -> bool:
    """The part after a bearer or vendor prefix: no placeholder, no single word, no words in kebab or snake case."""
    if is_placeholder(value):
        return False
    return not (value.isalpha() and len(value) <= 15) and _NAME.match(value) is None


def cloud(value: str) -> bool:
    """Forty characters of a cloud secret: not a commit id or other hex, and well mixed."""
    return not _HEX.match(value) and entropy(value) >= 3.5 and _digits(value) > 0


CHECKS: Final[dict[str, Callable[[str], bool]]] = {
    "password": password,
    "key": key,
    "strong": strong,
    "credential": credential,
    "basic": basic,
    "token": token,
    "cloud": cloud,
}
