"""Names, paths and form of skills."""

from __future__ import annotations

import pytest

from learnt.distil.skill import document, faults, front_matter_faults, name, path
from learnt.model.extraction import Skill


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("My Skill!", "my-skill"),
        ("a__b", "a-b"),
        ("--x--", "x"),
        ("x" * 80, "x" * 64),
        ("a" * 63 + " b", "a" * 63),
        ("???", ""),
        ("CON", ""),
        ("../etc", "etc"),
    ],
)
def test_names(given: str, made: str) -> None:
    """Lower case, odd runs one hyphen, none at the ends, at most 64; nothing when nothing is left."""
    assert name(given) == made


@pytest.mark.parametrize("given", ["scripts/run.sh", "templates/a/b.txt", "examples/x_1.json"])
def test_good_paths(given: str) -> None:
    """Files in the three folders are taken."""
    assert path(given) == given


@pytest.mark.parametrize(
    "given",
    ["../x", "/etc/passwd", "a:b", "scripts/a:b", "scripts/../x", "scripts/./x", "scripts/\0", "scripts/", "run.sh",
     "scripts//x", "scripts/.hidden", "scripts/x.", "scripts/nul.txt", "scripts\\x", "other/x", "scripts/a/b/c/d"],
)  # fmt: skip
def test_bad_paths(given: str) -> None:
    """Absolute paths, steps upwards, odd characters, hidden and device names are refused."""
    assert path(given) is None


GOOD = Skill(name="run-checks", description='Runs: all "checks" \\ here', body="# Run\n\n1. x\n")


def test_a_good_skill_is_written_and_valid() -> None:
    """Front matter of name, description and metadata; quotation marks and colons in a description are no YAML."""
    assert faults(GOOD) == ()
    text = document(GOOD)
    assert front_matter_faults(text, "run-checks") == ()
    assert 'description: "Runs: all \\"checks\\" \\\\ here"' in text


@pytest.mark.parametrize("dashes", ["---", "----", "-----", "--- ---", "--fix"])
def test_hyphens_in_a_description_end_no_front_matter(dashes: str) -> None:
    """`skills-ref` splits a file at three hyphens wherever they stand; the description still says them."""
    text = document(Skill(name="a", description=f"`echo {dashes}` first", body="x"))
    block = text[4 : text.index("\n---\n")]
    assert "---" not in block
    assert dashes in block.replace("\\x2d", "-")
    assert front_matter_faults(text, "a") == ()


@pytest.mark.parametrize(
    ("skill", "reason"),
    [
        (Skill(name="Run", description="x", body="x"), "name"),
        (Skill(name="a--b", description="x", body="x"), "name"),
        (Skill(name="a", description="", body="x"), "description"),
        (Skill(name="a", description="x" * 1025, body="x"), "description"),
        (Skill(name="a", description="x", body=""), "body"),
        (Skill(name="a", description="x", body="x", files={"../x": "y"}), "path"),
        (Skill(name="a", description="x", body="x", files={"scripts/x": "y" * 20_001}), "file"),
    ],
)
def test_faults_are_named(skill: Skill, reason: str) -> None:
    """What is not valid is told and never written."""
    assert faults(skill) == (reason,)


@pytest.mark.parametrize(
    "text",
    [
        "no front matter",
        "---\nname: a\n---\n",
        "---\nname: b\ndescription: x\n---\n",
        "---\nname: a\ndescription: x\ntags: y\n---\n",
        '---\nname: a\ndescription: "x --- y"\n---\n',
    ],
)
def test_bad_front_matter_is_found(text: str) -> None:
    """No front matter, no description, another folder's name, an unknown field or three hyphens are a fault."""
    assert front_matter_faults(text, "a")
