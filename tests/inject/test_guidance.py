"""Memory Guidance: bounded, byte-stable, and without what may not be shown any more."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from learnt.inject.guidance import named, render

SUMMARY = """v1

## Conventions

- Tests run with TZ=UTC. [mem_1111111111111111] (person)
- Lint with ruff. [mem_2222222222222222, session:ses_1#4] (repository)

## Said by a person

- "never push to main" [session:ses_2#9] (person's own words)
"""


def _render(summary=SUMMARY, room_chars=5_000, gone=()):
    return render(
        summary,
        digest="d" * 64,
        mark="0badcafe",
        room_chars=room_chars,
        stands=lambda names: not set(names) & set(gone),
    )


def test_the_three_instructions_stand_before_the_statements():
    """Heuristic, check against the repository, repository and user prevail."""
    block, ids = _render()
    assert block.startswith('<recalled_memory bundle="guidance_dddddddddddddddd" marker="0badcafe" part="guidance">')
    assert block.endswith("\n</recalled_memory>")
    assert "## Memory Guidance" in block
    assert block.index("As a hint") < block.index("Check what you take") < block.index("stale") < block.index("TZ=UTC")
    assert ids == ["mem_1111111111111111", "mem_2222222222222222"]
    assert "\nv1\n" not in block


def test_a_line_goes_with_the_memory_it_rests_on():
    """A heading that has no line left goes, too; without any line there is no block."""
    block, ids = _render(gone=["mem_1111111111111111"])
    assert "TZ=UTC" not in block
    assert "## Conventions" in block
    assert ids == ["mem_2222222222222222"]
    block, ids = _render(gone=["mem_1111111111111111", "mem_2222222222222222"])
    assert "## Conventions" not in block
    assert "never push" in block
    assert _render("v1\n\n## Nothing\n") == ("", [])


@given(st.integers(-10, 3_000))
def test_it_fits_its_room_whole_lines_only(room):
    """However little room there is."""
    block, ids = _render(room_chars=room)
    assert len(block) <= max(0, room)
    assert all(line in f"{SUMMARY}" for line in block.split("\n") if line.startswith("- ") and "mem_" in line)
    assert [name for line in block.split("\n") for name in named(line)] == ids


def test_what_does_not_fit_is_counted():
    """Nobody takes the beginning of a summary for all there is (claude-code #56786)."""
    rows = [f"- Statement number {number} of a summary that is long. [session:s#1] (person)" for number in range(40)]
    block, _ = _render("v1\n\n## Constraints\n" + "\n".join(rows) + "\n", room_chars=2_000)
    shown = block.count("\n- Statement")
    assert 0 < shown < 40
    assert block.splitlines()[-2].startswith(f"({40 - shown} more statements do not fit here;")
    assert len(block) <= 2_000
    assert "more statements" not in _render()[0]


@given(st.text(max_size=300))
def test_no_statement_closes_the_fence(text):
    """Whatever a summary holds, the block ends once, and the same summary gives the same bytes."""
    once, _ = _render(f"v1\n\n## Odd\n\n- {text} [mem_3333333333333333] (person)\n")
    again, _ = _render(f"v1\n\n## Odd\n\n- {text} [mem_3333333333333333] (person)\n")
    assert once == again
    assert once.count("</recalled_memory>") == (1 if once else 0)


def test_names_come_from_the_last_brackets():
    """Brackets within a statement are words."""
    assert named("- use [mem_fake] carefully [mem_1111111111111111] (person)") == ["mem_1111111111111111"]
    assert named("# no statement [mem_1]") == []
    assert named("- nothing behind it") == []
