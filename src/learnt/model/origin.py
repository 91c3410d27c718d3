"""Where a repository was cloned from: the origin of its git configuration, and the one form all its spellings share.

Hook-safe. Only the file itself is read: `include` and `insteadOf` are a user's own and would give one repository
several names. A local origin (a path or `file://`) is no value of its own: it names another repository on this
machine, and `learnt.model.place` asks that one.
"""

from __future__ import annotations

import os

_CONFIG_BYTES = 1 << 20
_DEFAULT_PORTS = {"http": "80", "https": "443", "git": "9418", "ssh": "22", "git+ssh": "22", "ssh+git": "22", "": "22"}
_FOLDING_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
"""Hosts where `Acme/App` and `acme/app` are known to be one repository."""
_OTHER_DOORS = {
    "www.github.com": "github.com",
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}
"""Second names of a host, documented by it for networks that block port 22; they answer on 443."""


def read_origin(common_dir: str) -> str:
    """The first `remote.origin.url` of a git directory's `config`, as written there; "" when there is none."""
    try:
        with open(os.path.join(common_dir, "config"), "rb") as file:
            text = file.read(_CONFIG_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    section = ""
    for line in text.replace("\r\n", "\n").replace("\\\n", "").split("\n"):
        rest = line.strip()
        if rest.startswith("["):
            head, _, rest = rest[1:].partition("]")
            section = _section(head)
            rest = rest.strip()
        key, equals, value = rest.partition("=")
        if section == 'remote "origin"' and equals and key.strip().lower() == "url":
            return _unquoted(value.strip())
    return ""


def _section(head: str) -> str:
    """A section head in one spelling: the name folded, the subsection as it is (the dotted form is git's old one)."""
    name, quote, rest = head.strip().partition('"')
    if quote:
        return f'{name.strip().lower()} "{rest.rstrip().removesuffix(chr(34))}"'
    name, dot, rest = name.strip().lower().partition(".")
    return f'{name} "{rest}"' if dot else name


def _unquoted(value: str) -> str:
    """A configuration value without its quotes, escapes and trailing comment."""
    out: list[str] = []
    quoted = escaped = False
    for char in value:
        if escaped:
            out.append({"n": "\n", "t": "\t", "b": "\b"}.get(char, char))
            escaped = False
        elif char == "\\":
            escaped = True
        elif char == '"':
            quoted = not quoted
        elif char in "#;" and not quoted:
            break
        else:
            out.append(char)
    return "".join(out).strip()


def local_path(origin: str) -> str:
    """The path a local origin names (absolute or relative), or "" when the origin is on a server."""
    if origin[:7].lower() == "file://":
        authority, _, path = origin[7:].partition("/")
        return "/" + path if authority.lower() in ("", "localhost") else ""
    if "://" in origin or _is_scp(origin):
        return ""
    return origin


def _is_scp(origin: str) -> bool:
    """Whether this is git's `user@host:path`: a colon before any slash, and no drive letter."""
    start = origin.find("]") + 1 if origin.partition("@")[2].startswith("[") or origin.startswith("[") else 0
    colon, slash = origin.find(":", start), origin.find("/", start)
    if colon < 0 or (0 <= slash < colon):
        return False
    return not (colon == 1 and os.name == "nt")


def public(origin: str) -> str:
    """`origin` without user information, fit to be stored and shown."""
    scheme, slashes, rest = origin.partition("://")
    if slashes:
        authority, slash, path = rest.partition("/")
        return scheme + slashes + authority.rpartition("@")[2] + slash + path
    if not _is_scp(origin):
        return origin
    before, colon, path = _scp(origin)
    return before.rpartition("@")[2] + colon + path


def _scp(origin: str) -> tuple[str, str, str]:
    """`[user@]host`, the colon, and the path of the scp form; brackets may hold colons of the host."""
    close = origin.find("]:")
    if close >= 0 and "[" in origin[:close]:
        return origin[: close + 1], ":", origin[close + 2 :]
    return origin.partition(":")


def canonical(origin: str) -> str:
    """`host[:port]/path` of a server's URL in whatever spelling; never begins with a slash.

    Scheme, user information, default port, `.git` and final slashes are dropped, the host is lower-cased, the path's
    case is kept unless the host is known to fold it. The scp form equals the ssh form. Source: contract, repository
    identity.
    """
    scheme, slashes, rest = origin.partition("://")
    if slashes:
        authority, _, path = rest.partition("/")
        host, port = _host_port(authority.rpartition("@")[2])
    else:
        scheme = ""
        authority, _, path = _scp(origin)
        host, port = _host_port(authority.rpartition("@")[2].removeprefix("[").removesuffix("]"))
    if port == _DEFAULT_PORTS.get(scheme.lower()) or (host in _OTHER_DOORS and port == "443"):
        port = ""
    host = _OTHER_DOORS.get(host, host) or "-"  # no host must not read as a path
    path = path.strip("/").removesuffix(".git").rstrip("/")
    return f"{host}{':' if port else ''}{port}/{path.lower() if host in _FOLDING_HOSTS else path}"


def _host_port(authority: str) -> tuple[str, str]:
    """Host (lower-cased, an IPv6 address in brackets) and port ("" for none)."""
    if authority.count(":") > 1 and not authority.startswith("["):
        return f"[{authority.lower()}]", ""
    head, colon, port = authority.rpartition(":")
    if colon and (port == "" or port.isdecimal()) and (not head.startswith("[") or head.endswith("]")):
        return head.lower().rstrip("."), port.lstrip("0")
    return authority.lower().rstrip("."), ""
