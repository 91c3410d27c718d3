"""Rows of an export: each value comes back as it was, and the reference names every field."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from learnt.model.cargo import EXPORTED, Said
from learnt.model.field import MisfitError, line_of, table_of
from learnt.model.parcel import FILES
from learnt.model.portable import CODECS, SaidCodec
from learnt.testing import samples
from learnt.testing.fakes import NOON
from tests.house.source import ROOT

if TYPE_CHECKING:
    from learnt.model.scope import Scope

HERE = samples.user("u")


def _values(scope: Scope) -> dict[str, Any]:
    memory = samples.full_memory(scope)
    return {
        "memories": memory,
        "proposals": samples.proposal(
            scope, source=memory.source, provenance=memory.provenance, trigger=(("file", "a"),), observation=True
        ),
        "units": samples.unit(scope, 3, type="document", cited=True, detail=(("title", "é"),)),
        "outcomes": Said(scope, samples.outcome(memory, result="corrected", correction="No.")),
        "flags": Said(scope, samples.flag(memory, cleared_at=NOON, cleared_by="person:x")),
    }


@pytest.mark.parametrize("chapter", EXPORTED)
def test_values_come_back(chapter: str) -> None:
    """Every field, through one line of JSON, whose form another serialiser does not change."""
    value, codec = _values(HERE)[chapter], CODECS[chapter]
    line = line_of(codec.row(value))
    assert codec.value(table_of(line)) == value
    again = json.dumps(dict(reversed(json.loads(line).items())), indent=1)
    assert line_of(codec.row(codec.value(table_of(again)))) == line


@pytest.mark.parametrize("chapter", EXPORTED)
def test_fields_are_checked(chapter: str) -> None:
    """A field of another type is told by its name, never by what it holds."""
    codec = CODECS[chapter]
    row = table_of(line_of(codec.row(_values(HERE)[chapter])))
    for name in row:
        if name == "scope":
            continue
        with pytest.raises(MisfitError) as raised:
            codec.value({**row, name: -3.25})
        assert name in str(raised.value)
        assert "3.25" not in str(raised.value)


def test_what_a_terminal_would_not_show_is_escaped() -> None:
    """Characters that turn the direction, and controls beyond ASCII, stand in no file as they are."""
    memory = replace(samples.memory(HERE), text="a\u202eb\x9bc")
    assert line_of(CODECS["memories"].row(memory)).isascii()
    assert not line_of(CODECS["memories"].row(replace(memory, text="日本"))).isascii()


def test_the_reference_names_every_field() -> None:
    """docs/reference/export-format.md has a section for each file, with each of its keys."""
    page = (ROOT / "docs" / "reference" / "export-format.md").read_text("utf-8")
    sections = dict(re.findall(r"^## `(\S+)`\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    for chapter, name in FILES.items():
        codec = CODECS[chapter]
        names = codec.codec.names if isinstance(codec, SaidCodec) else codec.names
        told = set(re.findall(r"`([a-z_]+)`", sections[name]))
        assert {*names, "scope", "scope_ids"} <= told, name
