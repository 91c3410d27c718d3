"""Tokens are exactly the seed's for ASCII, and useful for every other script."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.model.tokens import (
    MAX_QUERY_TERMS,
    QUERY_HEAD_CHARS,
    QUERY_TAIL_CHARS,
    STOP_WORDS,
    bounded,
    index_terms,
    pack,
    parts,
    query_terms,
    tokens,
    unpack,
)

ASCII = st.text(alphabet=st.characters(max_codepoint=127))


@given(ASCII)
def test_ascii_gives_exactly_the_tokens_of_the_seed(text):
    """Lower-case; what is no word character, white space or hyphen becomes a blank; split; a set."""
    assert tokens(text) == frozenset(re.sub(r"[^\w\s-]", " ", text.lower(), flags=re.ASCII).split())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a.b", {"a", "b"}),
        ("a.b/c", {"a", "b", "c"}),
        ("foo-bar snake_case", {"foo-bar", "snake_case"}),
        ("Won't 18.4 C++", {"won", "t", "18", "4", "c"}),
        ("", set()),
        ("???", set()),
        ("\0 \u200b", set()),
    ],
)
def test_tokens(text, found):
    """Hyphens and underscores hold a word together, everything else parts words."""
    assert tokens(text) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("İzmir", "izmir"),
        ("ΣΤΑΘΜΟΣ", "σταθμος"),
        ("ＡＰＩ鍵", "api鍵"),
        ("straße", "STRASSE"),
        ("résumé-notes.md", unicodedata.normalize("NFD", "résumé-notes.md")),
        ("Ёлка", "елка"),
        ("ガス", unicodedata.normalize("NFD", "ガス")),
        ("ｶﾞｽ", "ガス"),
        ("배포", unicodedata.normalize("NFD", "배포")),
        ("ﬁle", "file"),
        ("½", "1⁄2"),
        ("pass\u00adword", "password"),
    ],
)
def test_writings_of_one_word_are_one(one, other):
    """Case, width, accents, ligatures and normal forms make no difference."""
    assert tokens(one) == tokens(other)


def test_scripts_without_blanks_give_one_and_two_grams():
    """Chinese, kana and Hangul are found by any two neighbours, and by one."""
    assert tokens("预发环境") == {"预", "发", "环", "境", "预发", "发环", "环境"}
    assert {"試験", "験を"} <= tokens("試験を")
    assert "화요" in tokens("화요일에만")
    assert tokens("用 API鍵を") == {"用", "api", "鍵", "を", "鍵を"}


def test_emoji_are_tokens_and_joined_ones_by_their_members_too():
    """A joined emoji, its members, a flag as two letters; the variation selector does not count."""
    assert tokens("🔥🔥 path") == {"🔥", "path"}
    assert tokens("👩🏽\u200d🔧") == {"👩🏽\u200d🔧", "👩", "🔧"}
    assert tokens("🇩🇪🇫🇷") == {"🇩🇪", "🇫🇷"}
    assert tokens("⚠️") == tokens("⚠")
    assert tokens("│ ├── ⣾") == set()


@given(st.text())
def test_any_text_has_tokens_without_blanks(text):
    """No token holds white space, nothing raises, and pack and unpack agree with the sets."""
    found = tokens(text)
    assert all(token and token.split() == [token] for token in found)
    text_tokens, tag, *_ = unpack(pack(text, ["one-tag"], [], [], ""))
    assert set(text_tokens) == found
    assert tag == ["one-tag"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("renewLeaseBatch()", {"renew", "lease", "batch"}),
        ("retry_budget", {"retry", "budget"}),
        ("HTTPServer2Port", {"http", "server", "port"}),
        ("half-open", {"half", "open"}),
        ("src/jobs/lease_pool.py", {"lease", "pool"}),
        ("wait_for", {"wait"}),
        ("plain words only", set()),
        ("größeMessen", {"grosse", "messen"}),
        ("sha256sum", {"sha", "256", "sum"}),
    ],
)
def test_parts_of_identifiers(text, found):
    """Snake, camel, kebab and digits; what is a token already and stop words are left out."""
    assert parts(text) == found


def test_query_terms_follow_the_seed():
    """Two characters or more, stop words and short words out, numbers stay, each once, at most forty."""
    assert query_terms("What is the goal of the uv 42 build-step for user X?") == ("42", "build", "step")
    assert (
        len(query_terms(" ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}x" for n in range(100)))) == MAX_QUERY_TERMS
    )
    assert not set(query_terms(" ".join(STOP_WORDS)))


def test_a_query_of_short_words_only_keeps_them():
    """`go ci` has nothing longer to ask for."""
    assert query_terms("go ci") == ("go", "ci")


def test_grams_of_one_character_are_asked_for_only_alone():
    """A run is looked up by its pairs; a single character stands for itself."""
    assert query_terms("环境") == ("环境",)
    assert query_terms("试 x") == ("试",)


def test_of_a_pasted_log_the_head_and_the_tail_count():
    """Of 200 KB the first 1,000 and the last 3,000 characters are used, and the last line is among the terms."""
    log = (
        "please explain zebra\n"
        + "2026-01-01 INFO heartbeat fine number\n" * 5_000
        + "FATAL renewLeaseBatch deadlocked"
    )
    assert len(bounded(log)) == QUERY_HEAD_CHARS + QUERY_TAIL_CHARS + 1
    terms = query_terms(log)
    assert {"zebra", "deadlocked", "renewleasebatch"} <= set(terms)
    assert len(terms) <= MAX_QUERY_TERMS
    unique = " ".join(f"{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}q" for n in range(2_000))
    assert query_terms(unique)[:10] == tuple(unique.split()[:10])
    assert query_terms(unique)[-1] == unique.split()[-1]
    assert len(query_terms(unique)) == MAX_QUERY_TERMS


@given(st.text(max_size=200))
def test_what_is_asked_for_can_be_found(text):
    """Every term of a query is among the terms of a memory with the same text."""
    assert set(query_terms(text)) <= set(index_terms(text))


def test_index_terms_cover_every_field_and_name_the_kind():
    """Tags, kind, file, reference, symbols and files are found; the kind's own term comes last."""
    found = index_terms("text here", ["a-tag"], "repo_convention", "src/main.py", "ref-1", ["doIt"], ["docs/x_y.md"])
    for term in ("text", "tag", "convention", "main", "ref", "doit", "docs", "x_y"):
        assert term in found
    assert found[-1] == "-repo_convention"
    assert index_terms("twice twice").count("twice") == 2


def test_a_run_of_combining_marks_costs_linear_time():
    """A megabyte of alternating marks on one letter is folded without normalising it as a whole (which takes hours)."""
    assert tokens("e" + "\u0301\u0323" * 250_000) == {"e"}


def test_unpack_survives_foreign_columns():
    """A column of another make gives six lists, whatever it holds."""
    assert unpack("") == [[], [], [], [], [], []]
    assert len(unpack("a b\nc")) == 6
