"""One JSON request to a server, within a deadline.

Why `http.client` and no library: it follows no redirect (which would carry the key elsewhere), and its socket can be
cut when the time is up, however slowly a server drips.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection, InvalidURL
from ipaddress import ip_address
from socket import SHUT_RDWR
from threading import Timer
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from learnt.errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ATTEMPTS = 3
MOST_BYTES = 32_000_000
"""Of an answer. 32 texts of 4,096 numbers are 3 MB as text."""

_FIRST_PAUSE_S = 0.25
AGAIN = frozenset({408, 429, 502, 503, 504})
"""Answers after which the same is asked again."""

_CODES = {400: "bad_request", 413: "too_long", 422: "bad_request", 401: "unauthorized", 403: "unauthorized"}
_CODES |= {404: "no_model", 408: "timeout", 429: "rate_limited", 504: "timeout"}
_TOO_LONG = ("context_length_exceeded", "exceed_context_size", "prompt is too long", "maximum context length")
"""How OpenAI, llama.cpp, Anthropic and vLLM say that a request does not fit the model."""

_NAMED = ("temperature", "response_format", "output_config", "json_schema", "reasoning", "max_tokens")
"""Parameters a server may refuse by name; other words of an answer stay in it."""

_HINTS = {
    "unauthorized": "Check the key in the environment variable that the settings name.",
    "no_model": "Check url and model in the settings.",
    "rate_limited": "Wait, or raise the server's limit.",
    "unreachable": "Does it run, and is its address right?",
    "redirected": "Put the final address into the settings; redirects are not followed.",
}


def _steady() -> float:
    """No jitter."""
    return 0.0


@dataclass(frozen=True, slots=True)
class Reply:
    """The JSON of an answer, and its headers by lower-case names."""

    content: Any
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Client:
    """A server: its address, the key it wants, and how long it may take.

    `timeout_ms` bounds a call with all its repeats (looking a name up excepted). The key is sent as a bearer token, or
    as it is in a header of another name, over TLS or to this machine only, and is in no error, representation or log.

    Attributes:
        headers: Further ones, for every request.
        again: Statuses after which the same is asked again. `jitter`: what a pause is stretched by, from 0 to 1.
        most_bytes: Of an answer; 0 for `MOST_BYTES`.
    """

    url: str
    key: str = field(default="", repr=False)
    timeout_ms: int = 10_000
    wait: Callable[[float], None] = field(default=time.sleep, repr=False)
    key_header: str = "Authorization"
    headers: tuple[tuple[str, str], ...] = ()
    again: frozenset[int] = AGAIN
    jitter: Callable[[], float] = field(default=_steady, repr=False)
    most_bytes: int = 0

    def get(self, path: str) -> Any:
        """The JSON behind a path."""
        return self._json("GET", path, b"").content

    def post(self, path: str, body: object) -> Any:
        """The JSON answer to a JSON body.

        Raises:
            ProviderError: `timeout`, `unreachable`, `cut_off`, `rate_limited`, `unauthorized`, `bad_request`,
                `too_long` (it does not fit the model), `no_model`, `server_error`, `redirected`, `bad_response`,
                `bad_url`. Never holds what was sent or answered.
        """
        return self.ask(path, body).content

    def ask(self, path: str, body: object) -> Reply:
        """The same, with the headers of the answer.

        Raises:
            ProviderError: As `post`.
        """
        return self._json("POST", path, json.dumps(body).encode())

    def _json(self, method: str, path: str, body: bytes) -> Reply:
        headers, answer = self._answer(method, path, body)
        try:
            return Reply(json.loads(answer), headers)
        except (ValueError, RecursionError) as error:
            raise self.error("bad_response", "The server's answer is no JSON.") from error

    def _answer(self, method: str, path: str, body: bytes) -> tuple[Mapping[str, str], bytes]:
        parts = checked(self.url, keyed=bool(self.key))
        deadline_s = time.monotonic() + self.timeout_ms / 1000
        for attempt in range(1, ATTEMPTS + 1):
            status, headers, answer = self._once(parts, method, path, body, deadline_s)
            if 200 <= status < 300:
                return headers, answer
            after_s = _seconds(headers.get("retry-after"))
            pause_s = self._pause_s(attempt, after_s)
            late = time.monotonic() + pause_s >= deadline_s
            if status not in self.again or attempt == ATTEMPTS or late:
                raise self.refusal(status, after_s, _reason(answer))
            self.wait(pause_s)
        raise self.refusal(429)

    def _pause_s(self, attempt: int, after_s: float | None) -> float:
        """What the server asks for, or twice as long each time; stretched, so that many do not come back at once."""
        if after_s is not None:
            return after_s + _FIRST_PAUSE_S * self.jitter()
        return _FIRST_PAUSE_S * 2.0 ** (attempt - 1) * (1 + self.jitter())

    def _once(
        self, parts: SplitResult, method: str, path: str, body: bytes, deadline_s: float
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and body of one attempt."""
        most_bytes = self.most_bytes or MOST_BYTES
        remaining_s = max(0.001, deadline_s - time.monotonic())
        connection = _connection(parts, remaining_s)
        cutter = Timer(remaining_s, _cut, [connection])
        cutter.daemon = True
        there = False
        try:
            cutter.start()
            connection.connect()
            there = True
            connection.request(method, _target(parts, path), body or None, self._headers())
            response = connection.getresponse()
            answer = response.read(most_bytes + 1)
            headers = {name.lower(): text for name, text in response.getheaders()}
        except (OSError, HTTPException, ValueError) as error:
            raise self._failure(error, late=time.monotonic() >= deadline_s, there=there) from error
        finally:
            cutter.cancel()
            connection.close()
        if time.monotonic() >= deadline_s:
            raise self.error("timeout", "The server did not answer in time.", retryable=True)
        if len(answer) > most_bytes:
            raise self.error("bad_response", "The server's answer is too large.")
        return response.status, headers, answer

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "learnt"}
        held = self.key if self.key_header != "Authorization" else f"Bearer {self.key}"
        return headers | dict(self.headers) | ({self.key_header: held} if self.key else {})

    def _failure(self, error: Exception, *, late: bool, there: bool) -> ProviderError:
        """The error of a request without an answer; `there`: somebody may have read it before the line was cut."""
        if late or isinstance(error, TimeoutError):
            return self.error("timeout", "The server did not answer in time.", retryable=True)
        if isinstance(error, ValueError | InvalidURL):
            return self.error("bad_url", "The request cannot be sent: the key or the address holds odd characters.")
        code, what = ("cut_off", "did not answer whole") if there else ("unreachable", "cannot be reached")
        parts = urlsplit(self.url)
        server = f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname
        return self.error(code, f"The server {server} {what} ({type(error).__name__}).", retryable=True)

    def refusal(self, status: int, after_s: float | None = None, reason: str = "") -> ProviderError:
        """The error of a status that is none of success."""
        code = _CODES.get(status, "redirected" if 300 <= status < 400 else "server_error")
        if code == "bad_request" and reason == "too_long":
            code = reason
        error = self.error(code, f"The server answered {status}.", retryable=status in AGAIN or status >= 500)
        error.details["status"] = status
        if reason:
            error.details["reason"] = reason
        if after_s is not None:
            error.details["retry_after_s"] = after_s
        return error

    def error(self, code: str, message: str, *, retryable: bool = False) -> ProviderError:
        """An error that names the server and nothing else."""
        host = urlsplit(self.url).hostname or ""
        return ProviderError(
            message, code=code, hint=_HINTS.get(code, ""), details={"server": host}, retryable=retryable
        )


def checked(url: str, *, keyed: bool) -> SplitResult:
    """The parts of a usable address.

    Raises:
        ProviderError: `bad_url`: no http or https address, a password in it, or a key that would travel in clear.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = SplitResult("", "", "", "", ""), None
    if parts.scheme not in {"http", "https"} or not host or not url.isascii():
        raise ProviderError("The server's address is no http or https URL.", code="bad_url", hint="Correct url.")
    if parts.username or parts.password:
        raise ProviderError("The address holds a password.", code="bad_url", hint="Name a variable in key_variable.")
    if keyed and parts.scheme == "http" and not _here(host):
        raise ProviderError(
            "A key is sent over https or to this machine only.", code="bad_url", hint="Use https, or no key."
        )
    return parts


def _here(host: str) -> bool:
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return False


def _connection(parts: SplitResult, timeout_s: float) -> HTTPConnection:
    """A connection; through the environment's proxy for https, where the proxy sees no content."""
    host, port = parts.hostname or "", parts.port
    if parts.scheme == "http":
        return HTTPConnection(host, port, timeout=timeout_s)
    proxy = None if _here(host) or proxy_bypass(host) else urlsplit(getproxies().get("https", ""))
    if not proxy or not proxy.hostname:
        return HTTPSConnection(host, port, timeout=timeout_s)
    connection = HTTPSConnection(proxy.hostname, proxy.port or 80, timeout=timeout_s)
    connection.set_tunnel(host, port or 443)
    return connection


def _cut(connection: HTTPConnection) -> None:
    sock = connection.sock
    if sock is not None:
        with suppress(OSError):
            sock.shutdown(SHUT_RDWR)


def _target(parts: SplitResult, path: str) -> str:
    """The path of an endpoint; the address may name it already, and may have a query of its own."""
    base = parts.path.rstrip("/")
    whole = base if base.endswith(path) else base + path
    return f"{whole}?{parts.query}" if parts.query else whole


def _reason(answer: bytes) -> str:
    """Which parameter a refusal names, or `too_long`; "" for anything else. What was sent may stand in it, too."""
    said = answer[:4_000].decode("utf-8", "replace").lower()
    if any(words in said for words in _TOO_LONG):
        return "too_long"
    return next((name for name in _NAMED if name in said), "")


def _seconds(after: str | None) -> float | None:
    """`Retry-After` as seconds from now; None when there is none, or none that can be read."""
    if after is None:
        return None
    if after.strip().isdecimal() and len(after) < 10:
        return float(after)
    from email.utils import parsedate_to_datetime

    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, parsedate_to_datetime(after).timestamp() - time.time())
    return None
