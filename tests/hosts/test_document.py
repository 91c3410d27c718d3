"""One document, its records one by one with their place in the file."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.hosts.reading import cut as cutting
from learnt.hosts.reading import document
from learnt.hosts.reading.cut import cut, decoded
from learnt.hosts.reading.document import Piece, pieces
from learnt.model.session import Malformed

WANTED = frozenset({("info",), ("messages", "*", "parts", "*")})
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def whole(path):
    """Every wanted value of a document without damage."""
    found = list(pieces(path, WANTED))
    assert not any(isinstance(each, Malformed) for each in found)
    return [each for each in found if isinstance(each, Piece)]


def written(tmp_path, value, **more):
    """A document on disk."""
    path = tmp_path / "document.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value, **more), "utf-8")
    return path


@given(info=VALUE, parts=st.lists(st.lists(VALUE, max_size=4), max_size=4), indent=st.sampled_from([None, 1]))
def test_every_wanted_value_comes_out_with_its_bytes(tmp_path_factory, info, parts, indent):
    """In order, numbered, and standing where the file says."""
    value = {
        "head": [1, {"a": "]"}],
        "info": info,
        "messages": [{"parts": each, "x": {"parts": [0]}} for each in parts],
    }
    path = written(tmp_path_factory.mktemp("d"), value, indent=indent, ensure_ascii=False)
    found = whole(path)
    assert [json.loads(piece.body) for piece in found] == [info, *(part for each in parts for part in each)]
    body = path.read_bytes()
    assert all(body[piece.offset : piece.offset + len(piece.body)] == piece.body for piece in found)
    assert [piece.numbers for piece in found[1:]] == [
        (at, n) for at, each in enumerate(parts) for n in range(len(each))
    ]


def test_a_value_longer_than_what_is_read_at_once(tmp_path, monkeypatch):
    """Pieces of the file end anywhere: inside a string, an escape, a character."""
    monkeypatch.setattr(document, "_CHUNK_BYTES", 3)
    info, parts = 'é"\\\n' * 40, [{"text": "x" * 100}, 12345, None]
    path = written(tmp_path, {"info": info, "messages": [{"parts": parts}]}, ensure_ascii=False)
    assert [json.loads(piece.body) for piece in whole(path)] == [info, *parts]


@pytest.mark.parametrize("large", ["y" * 500, '\\"' * 300, ["y" * 9] * 60, {"a": {"b": "\\" * 500}}])
def test_a_record_too_large_to_hold_is_stepped_over(tmp_path, monkeypatch, large):
    """It is told as damage with its place; what stands before and behind it is read, also behind one not wanted."""
    monkeypatch.setattr(document, "_CHUNK_BYTES", 16)
    monkeypatch.setattr(document, "_MAX_PIECE_BYTES", 200)
    path = written(tmp_path, {"other": large, "messages": [{"parts": [1, large, {"a": 2}]}], "info": {"id": 3}})
    first, skipped, *rest = pieces(path, WANTED)
    assert [json.loads(each.body) for each in (first, *rest) if isinstance(each, Piece)] == [1, {"a": 2}, {"id": 3}]
    assert isinstance(skipped, Malformed)
    assert not skipped.torn
    begin = skipped.span.offset
    assert json.loads(path.read_bytes()[begin : begin + skipped.span.length]) == large


@given(cut_at=st.integers(min_value=1, max_value=120))
def test_a_document_that_ends_early_gives_what_stands_before(tmp_path_factory, cut_at):
    """Whole records, then one damaged span that is torn."""
    text = json.dumps({"info": {"id": "a"}, "messages": [{"parts": [{"n": n, "t": "x" * 9}]} for n in range(4)]})
    path = written(tmp_path_factory.mktemp("d"), text[:-cut_at])
    found = list(pieces(path, WANTED))
    assert all(isinstance(each, Piece) for each in found[:-1])
    assert isinstance(found[-1], Malformed)
    assert found[-1].torn


@pytest.mark.parametrize(
    "text", ["", "[", "{", '{"info" 1}', '{"messages": [1 2]}', "nonsense", '{"info": {}}}', '{"a":1 "b":2}']
)
def test_what_is_no_document_is_told_as_damage(tmp_path, text):
    """Never an exception."""
    assert all(isinstance(each, (Piece, Malformed)) for each in pieces(written(tmp_path, text), WANTED))


def test_giant_strings_are_cut_before_decoding():
    """Ends are kept, escapes stay whole, everything else is untouched."""
    for filler in ("x", "\\", '"', "é", "\n", "\\u00e9"):
        body = json.dumps({"a": filler * 1_100_000, "b": [1, "short"]}).encode()
        assert len(cut(body)) < 200_000
        fields = decoded(body)
        assert fields is not None
        assert (fields["b"], fields["a"][:1]) == ([1, "short"], filler[:1])
        assert "left out" in fields["a"]


def test_what_stays_too_large_without_its_giant_strings_is_not_decoded(monkeypatch):
    """As values a million small texts take ten times as much."""
    monkeypatch.setattr(cutting, "_MOST_BYTES", 1 << 20)
    assert decoded(json.dumps({"a": ["text"] * 200_000})) is None


def test_what_is_no_object_decodes_to_none():
    """Lists, numbers, constants that are no JSON, nesting without end."""
    for text in ("[1]", "1", "NaN", '{"a": NaN}', "{", '{"a":' * 100_000, b"\xff", ""):
        assert decoded(text) is None
    assert decoded('{"a": "\\ud800"}') == {"a": "\ufffd"}
