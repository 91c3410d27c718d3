"""What redaction keeps to on every text."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from learnt.gate.scan import Gate
from learnt.gate.spans import merge, replace
from tests.gate.fakes import TOKENS

GATE = Gate()
FRAGMENTS = st.sampled_from(
    [
        *TOKENS.values(),
        "API_KEY=",
        "password: ",
        "token=",
        '"',
        "'",
        " ",
        "\n",
        ";",
        "&",
        "[REDACTED:env_secret]",
        "x7",
        "Authorization: Bearer ",
        "https://u:",
        "@host/",
        "\u200b",
        "é",
        "－",
        "\\u0041",
        "a_b",
        "%41",
        "Tr4vel!9Qx#z2",
        "]",
    ]
)
TEXT = st.lists(st.one_of(FRAGMENTS, st.text(max_size=6)), max_size=12).map("".join)


@given(TEXT)
def test_redaction_is_idempotent(text: str) -> None:
    """Redacting what was redacted changes nothing."""
    once = GATE.redact(text)
    assert GATE.redact(once) == once


@given(st.sampled_from(sorted(TOKENS.values())), TEXT, TEXT)
def test_no_piece_of_a_token_is_left(token: str, before: str, after: str) -> None:
    """Of a token that stands by itself no twelve characters remain, whatever stands around it."""
    redacted = GATE.redact(f"{before.replace(token, '')} {token} {after.replace(token, '')}")
    assert token not in redacted
    assert not any(token[at : at + 12] in redacted for at in range(len(token) - 11)) or _is_elsewhere(
        token, before, after
    )


def _is_elsewhere(token: str, before: str, after: str) -> bool:
    """Whether the words around hold a piece of the token by themselves (the made-up tokens share their letters)."""
    return any(token[at : at + 12] in before + " " + after for at in range(len(token) - 11))


@given(
    st.text(max_size=60), st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 60), st.integers(1, 20)), max_size=6)
)
def test_places_merge_in_order(text: str, places: list[tuple[str, int, int]]) -> None:
    """Merged places are in order, apart, and cover exactly what the given ones covered; the rest of the text stays."""
    spans = [(name, start, start + length) for name, start, length in places]
    merged = merge(spans)
    covered = {at for _, start, end in spans for at in range(start, end)}
    assert {at for _, start, end in merged for at in range(start, end)} == covered
    assert all(one[2] <= two[1] for one, two in itertools.pairwise(merged))
    kept = "".join(char for at, char in enumerate(text) if at not in covered)
    assert replace(text, spans).replace("[REDACTED:a]", "").replace("[REDACTED:b]", "") == kept or "[" in text


def test_a_clean_text_is_not_copied() -> None:
    """Without a secret the very same object comes back."""
    text = "the build needs node 20 — see CONTRIBUTING ✓"
    assert GATE.redact(text) is text


def test_a_long_run_of_secrets_is_redacted_whole() -> None:
    """Thousands of secrets in one text are all replaced."""
    redacted = GATE.redact("password=a1b2c3! " * 3000)
    assert redacted.count("[REDACTED:password]") == 3000
