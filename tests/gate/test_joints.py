"""A secret that was cut in pieces is found whole; words, dates and other secrets that follow one are left alone."""

from __future__ import annotations

import base64
import json

import pytest

from learnt.gate.scan import Gate
from learnt.model.verdict import Passage
from tests.gate.fakes import MIXED, TOKENS

GATE = Gate()
JOINTS = {
    "line": "\n",
    "windows": "\r\n",
    "returned": "\r",
    "indented": "\n    ",
    "quoted": "\n> ",
    "table": " │\n│ ",
    "numbered": "\n   12\t",
    "difference": "\n+",
    "coloured": "\x1b[0m\n\x1b[32m",
    "soft": "=\n",
    "printed": "\\n",
    "printed twice": "\\\\n",
    "side by side": '" "',
    "listed": "', '",
    "under another": '"\n    "',
    "dots": "' . '",
    "two dots": "' .. '",
    "ampersand": '" & "',
    "tag": "<wbr>",
    "tags": '</b><b class="x">',
}
LONG = [name for name in TOKENS if name not in {"password_hash", "aws_access_key_id", "slack_token"}]


def pieces(token: str) -> list[str]:
    """Every 12 characters of a token."""
    return [token[at : at + 12] for at in range(len(token) - 11)]


@pytest.mark.parametrize("joint", JOINTS)
@pytest.mark.parametrize("name", LONG)
def test_a_cut_token_is_found_whole(name: str, joint: str) -> None:
    """However output was wrapped, no piece of a token of any class is left, and what stands around it is."""
    token = TOKENS[name]
    text = f"old note {token[:16]}{JOINTS[joint]}{token[16:]} end"
    redacted = GATE.redact(text)
    assert redacted.startswith("old note ")
    assert redacted.endswith(" end")
    left = redacted.replace(JOINTS[joint], "")
    assert not [piece for piece in pieces(token) if piece in left]
    assert GATE.scan([Passage(field="text", text=text)]).outcome == "refuse"


def test_a_token_over_three_lines_is_found_whole() -> None:
    """Also where each line is nothing but a piece, and the line before is a word."""
    token = TOKENS["github_token"]
    text = f"done\n{token[:14]}\n{token[14:25]}\n{token[25:]}\nnext"
    assert GATE.redact(text) == "done\n[REDACTED:github_token]\nnext"


@pytest.mark.parametrize("name", TOKENS)
@pytest.mark.parametrize("mark", ["\n", "\t", '"', "\x1b[32m"])
def test_a_token_in_a_printed_literal_is_found(name: str, mark: str) -> None:
    """The letter of a written-out line end or colour before a token is no part of it, once and twice escaped."""
    text = f"done{mark}{TOKENS[name]}{mark}next"
    for shown in (json.dumps(text), json.dumps(json.dumps({"out": text})), text.replace("\x1b", "\\033")):
        redacted = GATE.redact(shown)
        assert not [piece for piece in pieces(TOKENS[name]) if piece in redacted]


def test_a_labelled_value_in_a_printed_literal_is_found() -> None:
    """What stands beside its label in a file stands so in the text of the file, too."""
    value = "RW8eia" + "JEHR25xQ"
    for text in (f"password: {value}\nport: 80", f"a\nDB_PASSWORD={value}\nb", json.dumps({"password": value})):
        assert value not in GATE.redact(json.dumps({"content": text}))


def test_the_rest_of_a_labelled_value_goes_with_it() -> None:
    """A value whose beginning is redacted leaves no end on the next line."""
    assert GATE.redact(f"SERVICE_TOKEN={MIXED[:20]}\n{MIXED[20:]}\nnext") == "[REDACTED:env_secret]\nnext"


@pytest.mark.parametrize(
    "follows",
    [
        "Done in 3s",
        "2026-11-30T08:39:01 next",
        "12:04:05 next",
        "exit_code: 1",
        "404",
        "src/app.py",
        "v1.2.3",
        "* item",
    ],
)
def test_what_follows_a_token_is_left_alone(follows: str) -> None:
    """A word, a date, a time, a number or a path on the next line is no part of it."""
    assert GATE.redact(f"uses {TOKENS['github_token']}\n{follows}") == f"uses [REDACTED:github_token]\n{follows}"


def test_two_tokens_in_two_lines_stay_two() -> None:
    """Nothing goes on where another secret begins."""
    first, second = TOKENS["github_token"], TOKENS["gitlab_token"]
    assert GATE.redact(f"{first}\n{second}\n") == "[REDACTED:github_token]\n[REDACTED:gitlab_token]\n"


@pytest.mark.parametrize(
    "text",
    [
        "ghp_\ngho_\nghu_\nghs_\nghr_\ngithub_pat_",
        '{"win32cred": "types-pywin32",\n "win32event": "types-pywin32"}',
        "MLKEM768X25519PrivateKey = rust_openssl.hpke.MLKEM768X25519PrivateKey\nMLKEM1024P384PrivateKey = rust\n",
        "password: string\n4f3a2b1c9d fix the parser",
        base64.encodebytes(bytes(range(200))).decode(),
        "\n".join(f"{at:040x}" for at in range(7, 10**40, 10**39)),
    ],
)
def test_lists_and_listings_are_no_secret(text: str) -> None:
    """Prefixes, names, digests and encoded lines one under the other are not put together to one."""
    assert GATE.redact(text) == text
