"""What an agent says it used of earlier sessions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.capture.citation import Citation, Entry, cited

X, Y = "01a1f83a-26b8-773c-a3d3-4f89dda1494c", "01a1f83a-26b8-7797-aa14-078b44dcda6a"


def block(tag: str, *ids: str, entries: str = "") -> str:
    """A block at the end of an answer."""
    listed = "\n".join(ids)
    return (
        f"Done.\n<oai-mem-citation>\n<citation_entries>\n{entries}\n</citation_entries>\n"
        f"<{tag}>\n{listed}\n</{tag}>\n</oai-mem-citation>"
    )


@pytest.mark.parametrize("tag", ["rollout_ids", "thread_ids"])
def test_each_session_counts_once_and_in_order(tag):
    """What is no id is passed over; the older name of the list is understood."""
    assert cited(block(tag, X, "not-a-uuid", Y, X)).sessions == (X, Y)


def test_places_in_files_are_read():
    """Path, lines, and what they were used for; a line of another form is none."""
    found = cited(block("rollout_ids", entries="MEMORY.md:1-2|note=[summary]\nnonsense\nskills/a.md:7-7|note=[]"))
    assert found.entries == (
        Entry(path="MEMORY.md", start=1, end=2, note="summary"),
        Entry(path="skills/a.md", start=7, end=7, note=""),
    )


def test_a_reference_in_words_counts():
    """As it stands in what a session was told."""
    assert cited(f"As said in session:{X}#14 and [session:ses_12ab#3], so.").sessions == (X, "ses_12ab")


@given(st.text(alphabet=st.sampled_from("<>/oai-mem-citation_rolluds \nsession:#1"), max_size=400))
def test_other_text_cites_nothing_odd(text):
    """However broken."""
    found = cited(text)
    assert isinstance(found, Citation)
    assert len(found.sessions) <= 100
