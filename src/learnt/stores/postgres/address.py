"""A database URL taken apart: what the driver gets, which tenant, and what may be shown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict

from learnt.errors import ConfigError

MAIN = "main"
"""The tenant of a URL that names none."""

_TENANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")
_SCHEMES = ("postgresql://", "postgres://")
_FORM = "postgresql://USER:PASSWORD@HOST:PORT/DATABASE?tenant=NAME"
_DEFAULTS = {
    "application_name": "learnt",
    "connect_timeout": "5",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
"""What a URL need not say: a machine that is gone is noticed within a minute, not after the system's two hours."""
_OURS = {"client_encoding": "UTF8"}
"""What neither a URL nor `PGCLIENTENCODING` changes: other text would come back as another, or as bytes."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a store is.

    Attributes:
        parameters: What the driver connects with, the password among them; never shown.
        shown: The URL without its password.
    """

    parameters: dict[str, Any] = field(repr=False)
    tenant: str
    shown: str

    @property
    def password(self) -> str:
        """The password of the URL, to be taken out of whatever a server says; "" where it comes from elsewhere."""
        return str(self.parameters.get("password") or "")


def address(url: str) -> Address:
    """The parts of a `postgresql://` URL.

    Raises:
        ConfigError: It is none that the driver understands. The message holds no part of it: any may be a secret.
    """
    hint = f"Its form is {_FORM}."
    if not url.startswith(_SCHEMES):
        raise ConfigError("The database URL is none of PostgreSQL.", hint=hint)
    try:
        parts = urlsplit(url)
        options = parse_qsl(parts.query, keep_blank_values=True)
        rest = "&".join(f"{quote(name)}={quote(value, safe='')}" for name, value in options if name != "tenant")
        # both slashes also where no server is named: `urlunsplit` leaves them out, and libpq knows no other form
        parameters = conninfo_to_dict(f"postgresql://{parts.netloc}{parts.path}" + (f"?{rest}" if rest else ""))
    except (ValueError, psycopg.Error):
        raise ConfigError("The database URL is none of PostgreSQL.", hint=hint) from None
    tenants = [value for name, value in options if name == "tenant"]
    tenant = tenants[-1] if tenants else MAIN
    if not _TENANT.fullmatch(tenant):
        raise ConfigError(
            "The tenant in the database URL is no name.",
            hint="At most 63 letters, digits, points, dashes and underscores, a letter or digit first.",
        )
    return Address({**_DEFAULTS, **parameters, **_OURS}, tenant, _shown(parameters, tenant))


def _shown(parameters: dict[str, Any], tenant: str) -> str:
    user = quote(str(parameters.get("user") or ""), safe="")
    host = str(parameters.get("host") or "")
    port = f":{parameters['port']}" if parameters.get("port") else ""
    name = quote(str(parameters.get("dbname") or ""), safe="")
    return f"postgresql://{user}{'@' if user else ''}{host}{port}/{name}?tenant={tenant}"
