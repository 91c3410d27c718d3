"""The URL of a store on a server: whose it is, what may be shown of it, what of it is written down.

A password is written down only where it can be had nowhere else. Hooks and what they start get no PostgreSQL variables,
because a repository can set them; so what a variable said when `learnt init` ran goes into the URL.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from learnt.model.cargo import MARKER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from urllib.parse import SplitResult

SCHEMES = frozenset(("postgresql", "postgres"))
_PORT, _SHOWN = "5432", ("tenant", "person")
_BYTES = 256 * 1024


def is_remote(url: str) -> bool:
    """Whether a URL names a store on a server."""
    return url.partition(":")[0].lower() in SCHEMES


def person(url: str) -> str:
    """Whose preferences are meant, when the URL says so: `?person=NAME`; "" when it does not."""
    return dict(_options(url)).get("person", "")


def named(name: str) -> str:
    """The fact of a store that holds who a person of this name was in the store that was moved here."""
    return f"{MARKER}.person:{name}"


def driver_url(url: str) -> str:
    """The URL without what is ours alone and the store does not know; what is no URL stays, for the store to refuse."""
    if not _options(url):
        return url
    return _with(url, [(name, value) for name, value in _options(url) if name != "person"])


def shown(url: str) -> str:
    """What may be shown of a URL: user, server, database, tenant and person; never a password."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        named = [(name, value) for name, value in _options(url) if name in _SHOWN]
        user = parts.netloc.rpartition("@")[0].partition(":")[0]
        return _with(_joined(parts._replace(netloc=f"{user}@{host}" if user else host), ""), named)
    except ValueError:
        return f"{url.partition(':')[0]}:..."


def recorded(url: str, environment: Mapping[str, str], home: Path) -> str:
    """The URL as `learnt init` writes it down, for this user alone.

    Without its password when the password file or a service has it; with the password file that was in force.

    Args:
        home: The user's home directory, where PostgreSQL looks for the file.
    """
    options = dict(_options(url))
    file = options.get("passfile") or environment.get("PGPASSFILE") or ""
    path = Path(file) if file else home / ".pgpass"
    if file and "passfile" not in options:
        options["passfile"] = file
    if _known(url, options, path):
        url = _without_password(url)
        options.pop("password", None)
    return _with(url, list(options.items()))


def unseen(environment: Mapping[str, str]) -> list[str]:
    """Variables of PostgreSQL that are set here and that hooks, and what they start, will not see."""
    return sorted(name for name in environment if name.startswith("PG") and name != "PGPASSFILE")


def has_password(url: str) -> bool:
    """Whether a password stands in the URL."""
    return bool(urlsplit(url).password) or "password" in dict(_options(url))


def _known(url: str, options: Mapping[str, str], path: Path) -> bool:
    """Whether the password file says the same as the URL."""
    parts = urlsplit(url)
    given = unquote(parts.password or "") or options.get("password", "")
    if not given:
        return False
    user = unquote(parts.username or "") or options.get("user", "")
    name = unquote(parts.path.lstrip("/")) or options.get("dbname") or user
    lines = [line for line in _lines(path) if len(line) == 5]
    return all(_password(lines, (*server, name, user)) == given for server in _servers(parts.netloc, options))


def _password(lines: list[list[str]], wanted: tuple[str, ...]) -> str:
    """What the first line that fits says: it is the one that counts."""
    fitting = (line for line in lines if all(held in ("*", each) for held, each in zip(line, wanted, strict=False)))
    return next(fitting, [""])[-1]


def _servers(netloc: str, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Host and port of each server that a URL names. Source: PostgreSQL, connection URIs, several hosts."""
    places = [each.rpartition("]") for each in netloc.rpartition("@")[2].split(",")]
    named = [(f"{head}{mark}", rest) if mark else (rest.partition(":")[0], rest) for head, mark, rest in places]
    hosts, ports = (options.get(each, "").split(",") for each in ("host", "port"))
    for number, (host, rest) in enumerate(named if any(host for host, _ in named) else [(each, "") for each in hosts]):
        port = rest.partition(":")[2] or ports[number if number < len(ports) else -1]
        yield unquote(host.strip("[]")) or "localhost", port or _PORT


def _lines(path: Path) -> Iterator[list[str]]:
    """The lines of a password file: host, port, database, user, password. Source: PostgreSQL, the password file."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(_BYTES)
    except (OSError, UnicodeDecodeError):
        return
    for line in text.splitlines():
        if line and not line.startswith("#"):
            yield _fields(line)


def _fields(line: str) -> list[str]:
    fields, escaped = [""], False
    for char in line:
        if char == ":" and not escaped:
            fields.append("")
        elif char == "\\" and not escaped:
            escaped = True
            continue
        else:
            fields[-1] += char
        escaped = False
    return fields


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    user, mark, host = parts.netloc.rpartition("@")
    return _joined(parts._replace(netloc=user.partition(":")[0] + mark + host), parts.query)


def _options(url: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(urlsplit(url).query, keep_blank_values=True)
    except ValueError:  # half an IPv6 address
        return []


def _with(url: str, options: list[tuple[str, str]]) -> str:
    query = "&".join(f"{quote(name)}={quote(value, safe='')}" for name, value in options)
    return _joined(urlsplit(url), query)


def _joined(parts: SplitResult, query: str) -> str:
    """The URL of its parts, with both slashes also where no server is named: libpq knows no other form."""
    return f"{parts.scheme}://{parts.netloc}{parts.path}" + (f"?{query}" if query else "")
