"""Bounded lines: whole up to 1 MiB, both ends and an outline beyond."""

from __future__ import annotations

import json
import os
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.errors import NotFoundError, UsageError
from learnt.hosts.reading.lines import KEPT_BYTES, MAX_LINE_BYTES, LongLine, head_hash, lines
from learnt.hosts.reading.outline import Outline


def body(line):
    """The bytes of a line that is given whole."""
    assert not isinstance(line, LongLine)
    return line.body


def test_lines_are_split_on_line_feeds_only(tmp_path):
    """Carriage returns, form feeds and U+2028 stay inside a line."""
    path = tmp_path / "a.jsonl"
    path.write_bytes("a\rb\x0cc\u2028d\ne\n".encode())
    assert [body(line).decode() for line in lines(path)] == ["a\rb\x0cc\u2028d", "e"]


def test_a_reading_goes_on_at_an_offset(tmp_path):
    """From an offset on come the same lines with the same places and numbers."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntwo\nthree")
    every = list(lines(path))
    assert list(lines(path, every[1].offset, 1)) == every[1:]
    assert [line.ended for line in every] == [True, True, False]


def test_a_line_end_written_later_is_no_empty_line(tmp_path):
    """A last record without a line end was read; the end that comes later is stepped over."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntwo\nthree\n")
    assert [body(line) for line in lines(path, 7, 2)] == [b"three"]


def test_a_byte_order_mark_is_stepped_over(tmp_path):
    """At the start of the file only."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbfone\n\xef\xbb\xbftwo\n")
    assert [body(line) for line in lines(path)] == [b"one", b"\xef\xbb\xbftwo"]


def test_a_long_line_keeps_its_ends_in_constant_memory(tmp_path):
    """Of 20 MB first and last 32 KiB are kept, and less than 8 MB are in memory at any time."""
    path = tmp_path / "a.jsonl"
    with path.open("wb") as file:
        file.write(b'{"type":"user","x":"')
        for _ in range(20):
            file.write(b"y" * 1_000_000)
        file.write(b'","uuid":"u-1"}\n{}\n')
    tracemalloc.start()
    long, short = lines(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8_000_000
    assert isinstance(long, LongLine)
    assert (len(long.head), len(long.tail)) == (KEPT_BYTES, KEPT_BYTES - 1)
    assert long.outline.facts == {"type": "user", "uuid": "u-1"}
    assert short.offset == long.length
    assert short.number == 1


def test_a_long_line_that_is_no_object_is_only_stepped_over(tmp_path, monkeypatch):
    """The zeros that a crash leaves behind are not looked into, however many; the lines around them are read."""
    monkeypatch.setattr(Outline, "feed", lambda *_: pytest.fail("looked into"))
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"{}\n" + bytes(3 * MAX_LINE_BYTES) + b"\n{}\n")
    first, zeros, last = lines(path)
    assert (body(first), zeros.length, zeros.ended, body(last)) == (b"{}", 3 * MAX_LINE_BYTES + 1, True, b"{}")


@pytest.mark.parametrize("size", [MAX_LINE_BYTES - 1, MAX_LINE_BYTES, MAX_LINE_BYTES + 1])
def test_the_border_between_whole_and_long(tmp_path, size):
    """Lines around 1 MiB are read once, at their places."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'"' + b"x" * (size - 2) + b'"\n{}\n')
    first, second = lines(path)
    assert (first.length, second.offset, second.number) == (size + 1, size + 1, 1)


@given(st.data())
def test_the_outline_does_not_depend_on_the_pieces(data):
    """However a record is cut into pieces, its outermost short values are the same."""
    scalar = st.one_of(st.booleans(), st.text(max_size=12))
    nested = st.recursive(
        st.one_of(scalar, st.integers(), st.none()),
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
        max_leaves=8,
    )
    record = data.draw(st.dictionaries(st.text(min_size=1, max_size=6), nested, max_size=6))
    text = json.dumps(record, ensure_ascii=data.draw(st.booleans()), indent=data.draw(st.sampled_from([None, 1])))
    body = text.replace("\n", " ").encode() + b"\n"
    outline, at = Outline(), 0
    while at < len(body):
        step = data.draw(st.integers(1, max(1, len(body) // 3)))
        outline.feed(body[at : at + step])
        at += step
    expected = {key: value for key, value in record.items() if isinstance(value, str | bool)}
    assert outline.facts == expected


def test_the_outline_sees_an_error_mark_behind_a_giant_value():
    """`is_error` of a content block counts; the same words deeper, elsewhere or inside a text do not."""
    block = {"type": "tool_result", "content": "x" * 50, "is_error": True}
    seen = []
    for record in (
        {"message": {"content": [block]}},
        {"message": {"content": [{"a": block}]}},
        {"other": {"content": [block]}},
        {"message": {"content": [{"content": '"is_error": true', "is_error": False}]}},
    ):
        outline = Outline()
        outline.feed(json.dumps(record).encode())
        seen.append(outline.failed)
    assert seen == [True, False, False, False]


def test_only_regular_files_are_read(tmp_path):
    """A folder, a pipe and a missing file are three clear errors."""
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    for name in ("pipe.jsonl", "folder.jsonl"):
        with pytest.raises(UsageError):
            list(lines(tmp_path / name))
    with pytest.raises(NotFoundError):
        list(lines(tmp_path / "nothing.jsonl"))


def test_a_replaced_file_has_another_head(tmp_path):
    """The hash is that of the first bytes, whatever follows."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"abc")
    before = head_hash(path, 3)
    path.write_bytes(b"abcdef")
    assert head_hash(path, 3) == before
    path.write_bytes(b"xbcdef")
    assert head_hash(path, 3) != before
