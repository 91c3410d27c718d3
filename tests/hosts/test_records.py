"""One bad line never ends a reading."""

from __future__ import annotations

import json

import pytest

from learnt.hosts.reading.records import Record, Skipped, records
from learnt.model.session import Malformed


def read(tmp_path, content, **options):
    """The records of a file with this content."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(records(path, **options))


def numbers(items, kind):
    """The line numbers of one sort of item."""
    return [item.span.record for item in items if isinstance(item, kind)]


def test_bad_lines_in_the_middle(tmp_path):
    """Of 100 lines one is cut, one empty, one a number: 97 records, three notes with their numbers."""
    rows = [json.dumps({"type": "user", "n": n, "text": "words here"}) for n in range(100)]
    rows[40] = rows[40][:20]
    rows[41] = ""
    rows[42] = "42"
    items = read(tmp_path, "\n".join(rows) + "\n")
    assert len(numbers(items, Record)) == 97
    assert numbers(items, Malformed) == [40, 41, 42]


def test_a_torn_last_line(tmp_path):
    """It is marked with its place; finished and followed by two more, three records come from there."""
    path = tmp_path / "a.jsonl"
    whole = [f'{{"n": {n}}}\n' for n in range(4)]
    path.write_text(whole[0] + whole[1][:5])
    first = list(records(path))
    assert isinstance(first[1], Malformed)
    assert first[1].torn
    path.write_text("".join(whole))
    again = list(records(path, first[1].span.offset, first[1].span.record))
    assert [item.fields["n"] for item in again if isinstance(item, Record)] == [1, 2, 3]


def test_a_last_record_without_a_line_end_is_read(tmp_path):
    """A whole object at the end of the file is a record."""
    assert len(numbers(read(tmp_path, '{"n": 1}\n{"n": 2}'), Record)) == 2


def test_two_records_on_one_line(tmp_path):
    """Both are read, each with its own place; what cannot be read behind them is noted."""
    items = read(tmp_path, '{"n": "é"} {"n": 2}\n{"n": 3}{"n"\n')
    assert [item.fields["n"] for item in items if isinstance(item, Record)] == ["é", 2, 3]
    assert [(item.span.offset, item.span.length) for item in items if isinstance(item, Record)][:2] == [
        (0, 11),
        (12, 8),
    ]
    assert numbers(items, Malformed) == [1]


def test_line_breaks_inside_a_record(tmp_path):
    """One object over three lines is one damaged span; the next record is read."""
    items = read(tmp_path, '{"a": "one\ntwo\nthree"}\n{"n": 1}\n')
    assert [type(item) for item in items] == [Malformed, Record]
    assert items[0].span.length == items[1].span.offset


@pytest.mark.parametrize(
    "line",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"n": ' + "7" * 5_000 + "}",
        '{"n": NaN}',
        "[1, 2]",
        '"text"',
        "null",
        "{]",
        "\x00\x00",
    ],
)
def test_hostile_lines(tmp_path, line):
    """Each is noted with its number, and the records around it are read."""
    items = read(tmp_path, '{"n": 1}\n' + line + '\n{"n": 2}\n')
    assert [type(item) for item in items] == [Record, Malformed, Record]
    assert items[1].span.record == 1


def test_a_repeated_key_counts_by_its_last(tmp_path):
    """As the host's own parser has it."""
    assert read(tmp_path, '{"role": "a", "role": "b"}\n')[0].fields == {"role": "b"}


def test_invalid_utf8_becomes_a_replacement_character(tmp_path):
    """The record goes on."""
    assert read(tmp_path, b'{"a": "x\xffy"}\n')[0].fields == {"a": "x\ufffdy"}


def test_half_a_surrogate_pair_becomes_a_replacement_character(tmp_path):
    """In keys and values at any depth; a whole pair stays."""
    line = '{"a": ["\\ud83d", {"\\uDE00k": "\\ud83d\\ude00"}]}\n'
    assert read(tmp_path, line)[0].fields == {"a": ["\ufffd", {"\ufffdk": "\U0001f600"}]}


def test_types_to_skip_are_not_decoded(tmp_path):
    """By their first key only; spaced or ordered otherwise the record is given decoded; a cut one is noted."""
    items = read(
        tmp_path,
        '{"type":"blob","x":1}\n{"type": "blob"}\n{"x":1,"type":"blob"}\n{"type":"blobs"}\n{"type":"blob","x\n{}\n',
        skipped_types=["blob"],
    )
    assert [type(item) for item in items] == [Skipped, Record, Record, Record, Malformed, Record]


def long_record(middle):
    """A tool's answer with this content."""
    return '{"type":"user","message":{"content":[{"tool_use_id":"t","content":' + middle + '}]},"uuid":"u"}'


def test_a_giant_text_is_cut_in_the_middle(tmp_path):
    """Head, mark and tail of the text stand in the record; everything around it is there."""
    line = long_record(json.dumps("a" * 40_000 + '\\"é😀' * 200_000 + "z" * 40_000, ensure_ascii=True))
    item = read(tmp_path, line.replace('}]},"uuid"', ',"is_error":true}]},"uuid"') + "\n{}\n")[0]
    block = item.fields["message"]["content"][0]
    assert (item.fields["uuid"], block["tool_use_id"], block["is_error"]) == ("u", "t", True)
    assert block["content"].startswith("aaa")
    assert block["content"].endswith("zzz")
    assert "bytes left out" in block["content"]


def test_identity_between_two_giant_values(tmp_path):
    """A record whose type, id and time stand between two giant texts keeps them, and its error mark."""
    giant = json.dumps("é \\ " * 200_000)
    line = '{"message":{"content":[{"type":"tool_result","tool_use_id":"t","content":' + giant + ',"is_error":true}]},'
    line += '"type":"user","uuid":"u","timestamp":"T","isSidechain":false,"toolUseResult":{"stdout":' + giant + "}}"
    item = read(tmp_path, line + "\n{}\n")[0]
    assert {key: item.fields[key] for key in ("type", "uuid", "timestamp", "isSidechain")} == {
        "type": "user",
        "uuid": "u",
        "timestamp": "T",
        "isSidechain": False,
    }
    assert item.fields["message"]["content"][0]["is_error"] is True
    assert "bytes left out" in item.fields["message"]["content"][0]["content"]


def test_a_giant_list_of_small_items(tmp_path):
    """What was begun is closed, and the identity behind it is kept."""
    line = '{"type":"user","message":{"content":[' + '{"a":1,"b":"x"},' * 100_000 + '{}]},"uuid":"u"}'
    item = read(tmp_path, line + "\n{}\n")[0]
    assert item.fields["uuid"] == "u"
    assert item.fields["message"]["content"][0] == {"a": 1, "b": "x"}


@pytest.mark.parametrize("tail", ["", '"}'])
def test_an_over_long_line_that_is_no_record(tmp_path, tail):
    """It is noted, and the next record is read; without a line end it is torn."""
    items = read(tmp_path, "x" * 1_500_000 + tail + '\n{"n": 1}\n')
    assert [type(item) for item in items] == [Malformed, Record]
    torn = read(tmp_path, '{"n": "' + "x" * 1_500_000)
    assert torn[0].torn


def test_every_cut_of_a_giant_text_is_clean(tmp_path):
    """Wherever the 32 KiB border falls in escapes and wide characters, the text stays readable."""
    for shift in range(14):
        body = "b" * shift + "\\\\n\\u00e9\\ud83d\\ude00\u00e9😀" * 60_000
        item = read(tmp_path, long_record(f'"{body}"') + "\n{}\n")[0]
        content = item.fields["message"]["content"][0]["content"]
        assert "bytes left out" in content
        assert "\ufffd" not in content.split("[...")[0]
