"""Fixtures and manifests are read from inside the project, whatever a path looks like."""

from __future__ import annotations

from pathlib import Path

import pytest

from learnt.errors import RefusedError, UsageError
from learnt.evals import golden
from learnt.evals.fence import SHIPPED, contained


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project beside a neighbour whose name begins like its own."""
    for name in ("project/fixtures", "project-secrets", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path / "project"


def test_what_lies_inside_passes(project: Path) -> None:
    """Folders of the project, steps that stay inside, and what ships with the package."""
    for given in (project / "fixtures", project / "fixtures" / ".." / "fixtures", project, SHIPPED / "fixtures"):
        assert contained(str(given), str(project)) == given.resolve()


@pytest.mark.parametrize(
    "given",
    [
        "../elsewhere",
        "fixtures/../../elsewhere",
        "../project-secrets",
        "/etc",
        "../no-such-place",
        "fixtures/\0",
        "..",
    ],
)
def test_what_leads_out_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    """Steps upwards, absolute paths, neighbours and NUL are refused, in words that do not tell what is there."""
    monkeypatch.chdir(project)
    with pytest.raises(RefusedError) as caught:
        contained(given, str(project))
    assert caught.value.error_code == "outside_project"
    assert "elsewhere" not in caught.value.message
    assert caught.value.message == _refusal_of("/no/such/place", project)


def _refusal_of(given: str, project: Path) -> str:
    with pytest.raises(RefusedError) as caught:
        contained(given, str(project))
    return caught.value.message


@pytest.mark.parametrize("given", ["..%2felsewhere", "....//elsewhere", "__proto__", "C:\\secrets", "%00"])
def test_odd_names_are_only_names(project: Path, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    """Nothing is decoded: such a name is a file of the project that does not exist, or leads out and is refused."""
    monkeypatch.chdir(project)
    try:
        assert contained(given, str(project)).is_relative_to(project.resolve())
    except RefusedError:
        assert (project / given).resolve().is_relative_to(project.resolve()) is False


def test_a_link_out_of_the_project_is_refused(project: Path) -> None:
    """A folder that is a link is judged by where it leads, also below a link that stays inside."""
    (project / "out").symlink_to(project.parent / "elsewhere", target_is_directory=True)
    (project / "in").symlink_to(project / "fixtures", target_is_directory=True)
    assert contained(str(project / "in"), str(project)) == (project / "fixtures").resolve()
    for given in ("out", "out/deeper", "in/../out"):
        with pytest.raises(RefusedError):
            contained(str(project / given), str(project))


def test_a_loop_of_links_is_refused_or_missing(project: Path) -> None:
    """Links in a circle end in an answer."""
    (project / "one").symlink_to(project / "two")
    (project / "two").symlink_to(project / "one")
    with pytest.raises((RefusedError, UsageError)):
        golden.load(contained(str(project / "one"), str(project)), str(project))


def test_the_project_itself_may_be_a_link(project: Path) -> None:
    """A project reached through a link still holds its own folders."""
    alias = project.parent / "alias"
    alias.symlink_to(project, target_is_directory=True)
    assert contained(str(alias / "fixtures"), str(alias)) == (project / "fixtures").resolve()
    assert contained(str(project / "fixtures"), str(alias)) == (project / "fixtures").resolve()


def test_a_file_that_is_a_link_out_is_refused(project: Path) -> None:
    """A folder inside does not excuse a file that leads out."""
    outside = project.parent / "elsewhere" / "secret.json"
    outside.write_text("{}")
    (project / "fixtures" / "a.json").symlink_to(outside)
    with pytest.raises(RefusedError):
        golden.load(project / "fixtures", str(project))
