"""The seed's secret classes and its published look-alikes."""

from __future__ import annotations

import pytest

from learnt.gate.scan import Gate
from tests.gate.fakes import DASHES, MIXED, TOKENS, block

GATE = Gate()


@pytest.mark.parametrize(
    "text",
    [
        "TOKEN_COUNT = twelve_items",
        "https://example.com/?key=abcdefgh",
        "https://example.com/a?x=1&token=abcdefgh",
        "PASSWORD=abcdefgh",
        "0_PASSWORD=somepassword",
        "123_TOKEN=abcdefgh",
        "glpat-short",
        "xoxb-short",
        "eyJonly",
        "AWS_SECRET_ACCESS_KEY=short",
        "sk_live_short",
        "AIzaShort",
        "task_scheduler_config",
        "keyboard-shortcut-list",
    ],
)
def test_look_alikes_stay(text: str) -> None:
    """What the seed leaves unchanged is unchanged here, and what it cut by mistake is not cut."""
    assert GATE.redact(text) is text


@pytest.mark.parametrize("label", ["API_KEY=abcdefgh", "MY_API_SECRET=abcdefgh", "DATABASE_PASSWORD=somepassword"])
def test_environment_entries_go_whole(label: str) -> None:
    """A prefixed KEY, TOKEN, SECRET or PASSWORD and its value become one placeholder."""
    assert GATE.redact(label) == "[REDACTED:env_secret]"


@pytest.mark.parametrize(("name", "token"), TOKENS.items())
def test_tokens_get_their_own_placeholder(name: str, token: str) -> None:
    """Each class is replaced by its typed placeholder, and the words around it stay."""
    assert GATE.redact(f"use {token} for it") == f"use [REDACTED:{name}] for it"


def test_inner_token_is_swallowed() -> None:
    """A known token inside an environment entry ends as the entry's one placeholder, and both are reported."""
    text = "OPENAI_API_KEY=" + TOKENS["openai_api_key"]
    assert GATE.redact(text) == "[REDACTED:env_secret]"


@pytest.mark.parametrize("kind", ["RSA PRIVATE", "OPENSSH PRIVATE", "PRIVATE", "ENCRYPTED PRIVATE", "EC PRIVATE"])
def test_key_blocks_go_whole(kind: str) -> None:
    """A private key over several lines becomes one placeholder."""
    assert GATE.redact(f"before\n{block(kind)}\nafter") == "before\n[REDACTED:private_key_block]\nafter"


@pytest.mark.parametrize("newline", ["\n", "\\n", "\r\n"])
def test_cut_key_blocks_go_to_their_end(newline: str) -> None:
    """A begin marker with body lines and no end marker loses every body line, with real and with escaped line ends."""
    redacted = GATE.redact(f"log: {block('RSA PRIVATE', end=False, newline=newline)}")
    assert redacted == "log: [REDACTED:private_key_block]"


def test_cut_key_block_spares_the_prose_after_it() -> None:
    """What follows the key material is kept."""
    text = block("PRIVATE", 3, end=False) + "\n\nThen rotate the key on the build host."
    assert GATE.redact(text).endswith("Then rotate the key on the build host.")


def test_bearer_header_loses_its_token() -> None:
    """The token of an authorization header goes, in any case."""
    for header in ("Authorization: Bearer ", "authorization: bearer "):
        assert GATE.redact(header + MIXED) == header + "[REDACTED:authorization_bearer]"


@pytest.mark.parametrize(
    "text",
    [
        "AWS_SECRET_ACCESS_KEY={}",
        '"SecretAccessKey": "{}"',
        "aws secret_access_key:\n{}",
        "AKIA" + "Q7RZW2X9K4M1P8TN {}",
    ],
)
def test_cloud_secret_needs_its_label_or_key_id(text: str) -> None:
    """Forty characters go beside a label or a key id, slashes or not, and stay when nothing says what they are."""
    secret = "a1B2/c3D4e5F6g7H8/" + "i9J0k1L2m3N4o5P6q7R8s9"
    assert secret not in GATE.redact(text.format(secret))
    assert secret in GATE.redact(f"see {secret} there")


def test_code_that_names_both_markers_stays() -> None:
    """Constants for the begin and end of a block are no key."""
    text = f'START = b"{DASHES}BEGIN OPENSSH PRIVATE KEY{DASHES}"\nEND = b"{DASHES}END OPENSSH PRIVATE KEY{DASHES}"'
    assert GATE.redact(text) is text
