"""One request to a server, and everything that goes wrong with it."""

from __future__ import annotations

import socket
from email.utils import formatdate

import pytest

from learnt.errors import ProviderError
from learnt.providers import client as module
from learnt.providers.client import Client, checked
from tests.providers.server import Reply, serving

KEY = "sk-" + "x" * 20


def _failing(client: Client, path: str = "/embed") -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        client.post(path, {"input": ["a private text"]})
    assert "private" not in f"{caught.value} {caught.value.details} {caught.value.advice}"
    assert KEY not in f"{caught.value!r} {caught.value.details} {client!r}"
    return caught.value


def test_the_key_is_sent_and_never_shown() -> None:
    """A bearer token in the request; in no representation of the client."""
    with serving([Reply({"ok": True})]) as server:
        client = Client(server.url, KEY)
        assert client.post("/embed", {"a": 1}) == {"ok": True}
    assert server.asked[0].headers["Authorization"] == f"Bearer {KEY}"
    assert server.asked[0].body == {"a": 1}
    assert KEY not in repr(client)


def test_the_address_may_name_the_endpoint() -> None:
    """With or without the endpoint's path, with a query of its own."""
    with serving([Reply({})]) as server:
        for url in ("", "/", "/v1", "/v1/", "/v1/embeddings", "/v1/embeddings?api-version=2"):
            Client(server.url + url).post("/embeddings", {})
    assert [each.path for each in server.asked] == [
        "/embeddings",
        "/embeddings",
        "/v1/embeddings",
        "/v1/embeddings",
        "/v1/embeddings",
        "/v1/embeddings?api-version=2",
    ]


@pytest.mark.parametrize(
    ("status", "code", "retryable"),
    [
        (400, "bad_request", False),
        (401, "unauthorized", False),
        (403, "unauthorized", False),
        (404, "no_model", False),
        (413, "too_long", False),
        (418, "server_error", False),
        (500, "server_error", True),
        (302, "redirected", False),
    ],
)
def test_a_refusal_is_not_repeated(status: int, code: str, retryable: bool) -> None:
    """One request, one error with the status; a redirect is not followed, so the key goes nowhere else."""
    with serving([Reply("a private text", status, {"Location": "/elsewhere"})]) as server:
        error = _failing(Client(server.url, KEY))
    assert (error.error_code, error.may_retry, error.details["status"]) == (code, retryable, status)
    assert len(server.asked) == 1


def test_a_busy_server_is_asked_again_after_the_time_it_names() -> None:
    """429 with Retry-After in seconds and as a date, 503 without: waits grow, then the answer."""
    waits: list[float] = []
    replies = [
        Reply(status=429, headers={"Retry-After": "1"}),
        Reply(status=503),
        Reply([1]),
    ]
    with serving(replies) as server:
        assert Client(server.url, wait=waits.append).post("/embed", {}) == [1]
    assert waits == [1.0, 0.5]
    with serving([Reply(status=429, headers={"Retry-After": formatdate(0)}), Reply([1])]) as server:
        assert Client(server.url, wait=waits.append).post("/embed", {}) == [1]
    assert waits[-1] == 0


def test_pauses_are_stretched_where_many_come_back_at_once() -> None:
    """By chance, up to twice as long; what a server asks for is never cut short."""
    waits: list[float] = []
    replies = [Reply(status=503), Reply(status=503), Reply([1])]
    with serving(replies) as server:
        assert Client(server.url, wait=waits.append, jitter=lambda: 0.5).post("/embed", {}) == [1]
    with serving([Reply(status=429, headers={"Retry-After": "1"}), Reply([1])]) as server:
        Client(server.url, wait=waits.append, jitter=lambda: 0.5).post("/embed", {})
    assert waits == [0.375, 0.75, 1.125]


@pytest.mark.parametrize("after", ["soon", "-1", "", "9" * 400])
def test_a_retry_after_that_says_nothing_is_ignored(after: str) -> None:
    """The usual pause instead."""
    waits: list[float] = []
    with serving([Reply(status=429, headers={"Retry-After": after}), Reply([1])]) as server:
        assert Client(server.url, wait=waits.append).post("/embed", {}) == [1]
    assert waits == [0.25]


def test_repeats_are_bounded() -> None:
    """Three attempts, then `rate_limited`, retryable."""
    with serving([Reply(status=429)]) as server:
        error = _failing(Client(server.url, wait=lambda _: None))
    assert (error.error_code, error.may_retry, len(server.asked)) == ("rate_limited", True, 3)


def test_nobody_waits_beyond_the_deadline() -> None:
    """Asked to come back in an hour, it fails at once and passes the hour on."""
    waits: list[float] = []
    with serving([Reply(status=429, headers={"Retry-After": "3600"})]) as server:
        error = _failing(Client(server.url, wait=waits.append))
    assert (error.error_code, error.details["retry_after_s"], waits) == ("rate_limited", 3600.0, [])


def test_a_dripping_server_is_cut() -> None:
    """A byte every 20 ms keeps a socket's own timeout away for ever; the deadline counts."""
    with serving([Reply([0] * 10_000, drip=True)]) as server:
        error = _failing(Client(server.url, timeout_ms=200))
    assert (error.error_code, error.may_retry) == ("timeout", True)


def test_a_silent_server_is_cut() -> None:
    """A server that accepts and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        error = _failing(Client(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout_ms=150))
    assert error.error_code == "timeout"


def test_nobody_there() -> None:
    """A port nobody listens at: `unreachable`, retryable."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    error = _failing(Client(f"http://127.0.0.1:{port}"))
    assert (error.error_code, error.may_retry) == ("unreachable", True)
    assert "127.0.0.1:" in error.message


@pytest.mark.parametrize("content", [b"", b"<html>", b"\xff\xfe", b"[" * 200_000, b"{"])
def test_an_answer_that_is_no_json(content: bytes) -> None:
    """`bad_response`, whatever came."""
    with serving([Reply(content)]) as server:
        assert _failing(Client(server.url)).error_code == "bad_response"


def test_an_answer_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """More bytes than an answer can have: `bad_response`."""
    monkeypatch.setattr("learnt.providers.client.MOST_BYTES", 100)
    with serving([Reply("x" * 101)]) as server:
        assert _failing(Client(server.url)).error_code == "bad_response"


@pytest.mark.parametrize(
    "url",
    ["", "localhost:80", "file:///etc/passwd", "ftp://host", "http://", "http://[", "http://a:b", "http://ho\u0455t"],
)
def test_an_address_that_cannot_be_used(url: str) -> None:
    """`bad_url` before anything is sent."""
    assert _failing(Client(url)).error_code == "bad_url"


def test_a_password_belongs_in_no_address() -> None:
    """Settings are shown and backed up; an address with a password is refused and not repeated."""
    secret = "hunter" + "2"
    error = _failing(Client(f"https://user:{secret}@host/"))
    assert error.error_code == "bad_url"
    assert secret not in f"{error} {error.details}"


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://example.org/v1", True),
        ("http://localhost:8080", True),
        ("http://127.0.0.2", True),
        ("http://[::1]:80", True),
        ("http://example.org", False),
        ("http://10.0.0.1", False),
        ("http://localhost.example.org", False),
    ],
)
def test_a_key_travels_encrypted_or_not_at_all(url: str, allowed: bool) -> None:
    """Plain http with a key only to this machine; without one anywhere."""
    checked(url, keyed=False)
    if allowed:
        checked(url, keyed=True)
    else:
        with pytest.raises(ProviderError, match="https"):
            checked(url, keyed=True)


def test_a_key_with_a_line_break_is_no_header() -> None:
    """A key that would start another header stops the request."""
    with serving([Reply({})]) as server:
        assert _failing(Client(server.url, f"{KEY}\r\nX-Other: 1")).error_code == "bad_url"
    assert server.asked == []


@pytest.mark.parametrize(
    ("url", "through"),
    [
        ("https://example.org:8443/v1", "proxy.example"),
        ("https://127.0.0.1/v1", "127.0.0.1"),
        ("https://inside.example/v1", "inside.example"),
        ("http://example.org/v1", "example.org"),
    ],
)
def test_a_proxy_sees_no_content(url: str, through: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment's proxy tunnels https to other machines; it gets no plain http and nothing for this machine."""
    monkeypatch.setattr(module, "getproxies", lambda: {"https": "http://proxy.example:3128", "http": "http://p:1"})
    monkeypatch.setattr(module, "proxy_bypass", lambda host: host == "inside.example")
    assert module._connection(checked(url, keyed=False), 1).host == through
