"""Identities: scope keys, content hashes and the ids made from them. Hook-safe.

Every id is lower-case hex of SHA-256 over the parts joined by a line feed. Source: swarm-memory seed, data model; the
vectors are in `tests/model/test_keys.py`.
"""

from __future__ import annotations

try:  # CPython's own digest modules: `hashlib` costs a hook 5 ms of start-up.
    from _sha2 import sha256 as _sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    from _sha256 import sha256 as _sha256  # type: ignore[import-not-found,unused-ignore]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SCOPE_FIELDS = (
    "userId",
    "workspaceId",
    "projectId",
    "repoId",
    "repoRoot",
    "runId",
    "agentId",
    "channelId",
    "teamId",
    "organizationId",
)
"""Order of the id fields inside a scope key; the seed's seven first."""


def sha256_hex(text: str) -> str:
    """The 64 lower-case hex digits of SHA-256 over the UTF-8 bytes of `text`."""
    digest: str = _sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return digest


def sha256_bytes(given: bytes) -> bytes:
    """The 32 bytes of SHA-256."""
    digest: bytes = _sha256(given).digest()
    return digest


def short_id(text: str) -> str:
    """The first 16 hex digits of `sha256_hex`."""
    return sha256_hex(text)[:16]


def number64(text: str) -> int:
    """The first 64 bits of SHA-256 as a signed integer, as databases keep it."""
    return int.from_bytes(sha256_bytes(text.encode("utf-8", "surrogatepass"))[:8], "big", signed=True)


def keyed_hash(key: bytes, text: str) -> str:
    """HMAC-SHA-256 of `text`, 64 hex digits (RFC 2104 written out: `hmac` costs a hook 6 ms)."""
    block = _sha256(key).digest() if len(key) > 64 else key
    block = block.ljust(64, b"\0")
    inner = _sha256(bytes(byte ^ 0x36 for byte in block) + text.encode("utf-8", "surrogatepass")).digest()
    outer: str = _sha256(bytes(byte ^ 0x5C for byte in block) + inner).hexdigest()
    return outer


def sealed(key: bytes, parts: Iterable[str]) -> str:
    """The seal of a receipt: which key made it, and the keyed hash of its parts in order.

    The key is another one than that of `keyed_hash`, which hashes queries anybody may choose.
    """
    own = _seal_key(key)
    return f"{seal_name(key)}:{keyed_hash(own, '[' + ','.join([_quoted(part) for part in parts]) + ']')}"


def seal_name(key: bytes) -> str:
    """Which key a seal was made with, in 8 hex digits that say nothing of it."""
    name: str = _sha256(b"learnt seal\0" + _seal_key(key)).hexdigest()
    return name[:8]


def _seal_key(key: bytes) -> bytes:
    made: bytes = _sha256(b"learnt receipt\0" + key).digest()
    return made


def collapse(text: str) -> str:
    """`text` trimmed, every run of white space one blank."""
    return " ".join(text.split())


def _quoted(value: str) -> str:
    """`value` as a JSON string, non-ASCII kept (as `JSON.stringify` writes it)."""
    out = value.replace("\\", "\\\\").replace('"', '\\"')
    if out.isprintable():
        return f'"{out}"'
    return '"' + "".join(c if c >= " " else f"\\u{ord(c):04x}" for c in out) + '"'


def scope_key(scope_type: str, ids: Iterable[tuple[str, str]]) -> str:
    """The canonical key of a scope: compact JSON, `type` first, then its non-empty ids in `SCOPE_FIELDS` order.

    A repository keeps only `repoId`, so that a moved checkout keeps its memories.
    """
    given = {name: value for name, value in ids if value}
    if scope_type == "repository":
        given = {"repoId": given.get("repoId", "")}
    fields = [f'"{name}":{_quoted(given[name])}' for name in SCOPE_FIELDS if given.get(name)]
    return "{" + ",".join([f'"type":{_quoted(scope_type)}', *fields]) + "}"


def content_hash(key: str, kind: str, text: str) -> str:
    """The 64 hex digits that identify a statement in a scope: equal for texts that differ in case or white space."""
    return sha256_hex(f"{key}\n{kind}\n{collapse(text).lower()}")


def memory_id(key: str, kind: str, text: str) -> str:
    """`mem_` and the first 16 digits of the content hash."""
    return "mem_" + content_hash(key, kind, text)[:16]


def proposal_id(created_at: str, proposer: str, text: str, again: int = 0) -> str:
    """`prop_` and 16 digits over time, proposer and text (white space collapsed, case kept).

    `again` parts those that share all three: 0 for the first, then 1, 2, ... as a part of its own.
    """
    return "prop_" + short_id(f"{created_at}\n{proposer}\n{collapse(text)}" + (f"\n{again}" if again else ""))


def bundle_id(at: str, query: str) -> str:
    """`bundle_`, the 14 digits of the ISO time, and 8 digits over time and query."""
    digits = "".join(c for c in at if c.isdigit())[:14]
    return f"bundle_{digits}_{sha256_hex(f'{at}{chr(10)}{query}')[:8]}"


def evidence_id(source_type: str, query: str, title: str, url: str, text: str) -> str:
    """`evd_` and 16 digits over the document's parts."""
    return "evd_" + short_id("\n".join((source_type, query, title, url, text)))


def repository_id(value: str) -> str:
    """16 digits over the lower-cased identity value of a repository (or workspace)."""
    return short_id(value.lower())
