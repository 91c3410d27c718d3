"""Repository identity, against real git repositories."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.model import place as module
from learnt.model.keys import repository_id
from learnt.model.origin import canonical, local_path, public
from learnt.model.place import identity, place, witness

if TYPE_CHECKING:
    from pathlib import Path

GIT_ENV = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.test",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example.test",
}
APP = "https://git.example.test/acme/app.git"


def git(folder: Path, *arguments: str) -> str:
    """What git prints, without this machine's own configuration."""
    command = ["git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *arguments]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **GIT_ENV}, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def repository(folder: Path, origin: str = "") -> Path:
    """A repository with one commit."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    (folder / "readme").write_text("hello")
    git(folder, "add", "readme")
    git(folder, "commit", "-q", "-m", "first")
    if origin:
        git(folder, "remote", "add", "origin", origin)
    return folder


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory beside the repositories of the test."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


def id_of(folder: Path) -> str:
    """The repository id of a folder."""
    return place(str(folder)).repository_id


@pytest.mark.parametrize(
    "spelling",
    [
        "https://github.com/Acme/App.git",
        "https://github.com/acme/app",
        "https://github.com/acme/app/",
        "https://ann:" + "word" + "@GitHub.com:443/acme/app.git/",
        "git@github.com:acme/app.git",
        "ssh://git@github.com/acme/app",
        "ssh://git@github.com:22/acme/app.git",
        "ssh://git@ssh.github.com:443/acme/app.git",
        "git://github.com:9418/acme/app.git",
        "git@github.com:/acme/app",
    ],
)
def test_spellings(tmp_path: Path, spelling: str) -> None:
    """Every spelling of an origin gives one identity value, and no credential stays in it."""
    at = place(str(repository(tmp_path / "app", spelling)))
    assert at.value == "github.com/acme/app"
    assert "word" not in at.origin


def test_path_case_is_kept_elsewhere() -> None:
    """An unknown host may tell `App` from `app`; the ids differ although ids are made over lower-cased values."""
    assert canonical("https://Git.example.test/Acme/App") == "git.example.test/Acme/App"
    assert identity("git.example.test/Acme/App") != identity("git.example.test/acme/app")


def test_lower_case_values_hash_as_they_stand() -> None:
    """A value in lower case has the id the shared function gives it."""
    assert identity("github.com/acme/app") == repository_id("github.com/acme/app")


def test_other_port_is_another_server() -> None:
    """A port that is not the scheme's default stays part of the value."""
    assert canonical("https://git.example.test:8443/a/b") == "git.example.test:8443/a/b"
    assert canonical("ssh://git@[::1]:2222/a/b.git") == "[::1]:2222/a/b"
    assert canonical("git@[::1]:a/b.git") == canonical("ssh://git@[::1]/a/b")


def test_same_folder_name(tmp_path: Path) -> None:
    """Two repositories checked out in folders of one name are two (H01)."""
    assert id_of(repository(tmp_path / "one/api")) != id_of(repository(tmp_path / "two/api"))


@pytest.mark.parametrize("origin", ["", APP])
def test_worktree_subfolder_symlink(tmp_path: Path, origin: str) -> None:
    """A worktree, a sub-folder and a symlinked root are the same repository (H02, H07)."""
    main = repository(tmp_path / "app", origin)
    (main / "packages/web").mkdir(parents=True)
    git(main, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    (tmp_path / "door").symlink_to(main)
    expected = id_of(main)
    assert id_of(main / "packages/web") == expected
    assert id_of(tmp_path / "linked") == expected
    assert id_of(tmp_path / "door" / "packages") == expected
    assert place(str(tmp_path / "linked")).root == os.path.realpath(tmp_path / "linked")
    assert id_of(main / ".git" / "hooks") == expected


def test_clone(tmp_path: Path) -> None:
    """A clone of a folder, and a clone of that clone, are the same repository as the folder."""
    main = repository(tmp_path / "app")
    git(tmp_path, "clone", "-q", str(main), "second")
    git(tmp_path, "clone", "-q", f"file://{tmp_path}/second", "third")
    assert id_of(tmp_path / "second") == id_of(tmp_path / "third") == id_of(main)


def test_clones_of_one_bare_repository(tmp_path: Path) -> None:
    """Two clones of a bare repository, and the bare repository itself, are one."""
    main = repository(tmp_path / "seed")
    git(tmp_path, "clone", "-q", "--bare", str(main), "hub.git")
    git(tmp_path / "hub.git", "remote", "remove", "origin")
    git(tmp_path, "clone", "-q", "hub.git", "one")
    git(tmp_path, "clone", "-q", str(tmp_path / "hub"), "two")
    assert id_of(tmp_path / "one") == id_of(tmp_path / "two") == id_of(tmp_path / "hub.git") != id_of(main)


def test_relative_and_circular_local_origins(tmp_path: Path) -> None:
    """A relative origin counts from the work tree; two repositories that name one another end in a value."""
    one, two = repository(tmp_path / "one", "../two"), repository(tmp_path / "two", "../one")
    git(one, "remote", "set-url", "origin", "../two")
    assert place(str(one)).value.endswith("/.git")
    assert place(str(two)).value.endswith("/.git")
    assert id_of(repository(tmp_path / "lost", "../gone")) == identity(str(tmp_path / "lost" / ".git"))


def test_submodule_and_nested(tmp_path: Path) -> None:
    """A submodule and a repository inside another have their own identity (H03)."""
    library = repository(tmp_path / "library", "https://git.example.test/acme/library")
    outer = repository(tmp_path / "outer", APP)
    git(outer, "submodule", "--quiet", "add", str(library), "vendor/library")
    nested = repository(outer / "nested")
    assert id_of(outer / "vendor/library") == id_of(library)
    assert len({id_of(outer), id_of(nested), id_of(outer / "vendor/library")}) == 3
    assert id_of(outer / "vendor") == id_of(outer)


def test_plain_folder(tmp_path: Path, home: Path) -> None:
    """A plain folder, the home directory and the root have an identity of their own (H05)."""
    (home / "notes").mkdir()
    (tmp_path / "plain/inside").mkdir(parents=True)
    folders = [home, home / "notes", tmp_path / "plain", tmp_path / "plain/inside"]
    assert len({id_of(folder) for folder in folders} | {place("/").repository_id}) == 5
    assert place("/").root == "/"


def test_home_repository_is_not_inherited(tmp_path: Path, home: Path) -> None:
    """A dotfiles repository in the home directory is no catch-all for the folders below."""
    git(home, "init", "-q")
    git(home, "remote", "add", "origin", "https://git.example.test/ann/dotfiles")
    (home / "notes/deep").mkdir(parents=True)
    assert place(str(home)).value == "git.example.test/ann/dotfiles"
    assert place(str(home / "notes/deep")).value == os.path.realpath(home / "notes/deep")
    inside = repository(home / "work/app", APP)
    assert id_of(inside) == id_of(repository(tmp_path / "app", APP))


@pytest.mark.parametrize("content", ["", "gitdir: /nowhere/at/all\n", "nonsense"])
def test_broken_pointer(tmp_path: Path, content: str) -> None:
    """A `.git` file that leads nowhere makes a plain folder, not a part of the repository above."""
    outer = repository(tmp_path / "outer", APP)
    (outer / "part").mkdir()
    (outer / "part/.git").write_text(content)
    assert place(str(outer / "part")).value == os.path.realpath(outer / "part")


def test_empty_git_folder_is_passed_over(tmp_path: Path) -> None:
    """A folder named `.git` that is no git directory does not hide the repository above, as for git."""
    outer = repository(tmp_path / "outer", APP)
    (outer / "part/.git").mkdir(parents=True)
    assert id_of(outer / "part") == id_of(outer)


def test_gone_folder(tmp_path: Path) -> None:
    """A folder that was removed belongs to what its nearest parent belongs to."""
    main = repository(tmp_path / "app", APP)
    assert id_of(main / "was/here") == id_of(main)


@pytest.mark.parametrize(
    ("config", "value"),
    [
        ('[remote "origin"]\n\turl = "https://git.example.test/a;b" ; why\n', "git.example.test/a;b"),
        (
            '[REMOTE "origin"] URL = https://git.example.test/one\n url = https://git.example.test/two\n',
            "git.example.test/one",
        ),
        (
            '[remote "Origin"]\nurl = https://git.example.test/x\n[remote.origin]\nurl=https://git.example.test/y\n',
            "git.example.test/y",
        ),
        (
            '[include]\npath = other\n[url "https://h.test/"]\ninsteadOf = x:\n[remote "origin"]\nurl = x:y\n',
            "x/y",
        ),
        ('[remote "origin"]\r\nurl = https://git.example.test/\\\r\nz\r\n', "git.example.test/z"),
    ],
)
def test_config_forms(tmp_path: Path, config: str, value: str) -> None:
    """Quotes, comments, letter case, repeated keys and continued lines are read as git reads them; includes are not."""
    main = repository(tmp_path / "app")
    (main / ".git/config").write_bytes(config.encode())
    assert place(str(main)).value == value


def test_folding_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file system folds case, two spellings of a path are one value; elsewhere they are two (H06)."""
    monkeypatch.setattr(module, "folds_case", lambda _parent, _name: True)
    assert module._path_value("/Srv/App") == module._path_value("/srv/APP")
    monkeypatch.setattr(module, "folds_case", lambda _parent, _name: False)
    assert module._path_value("/Srv/App") != module._path_value("/srv/APP")


def test_case_probe(tmp_path: Path) -> None:
    """The probe takes neither a second file nor a link in the other case for folding."""
    (tmp_path / "App").mkdir()
    folded = (tmp_path / "aPP").exists()
    assert module.folds_case(str(tmp_path), "App") == folded
    if not folded:
        (tmp_path / "aPP").symlink_to(tmp_path / "App")
        assert not module.folds_case(str(tmp_path), "App")


def test_witness_follows_a_move(tmp_path: Path) -> None:
    """A moved folder keeps its inode witness, a fresh clone its root commit; two repositories share neither."""
    main = repository(tmp_path / "app")
    commit = git(main, "rev-list", "--max-parents=0", "HEAD")
    before = witness(place(str(main)), commit)
    main.rename(tmp_path / "moved")
    assert witness(place(str(tmp_path / "moved")), commit) == before
    assert not set(before) & set(witness(place(str(repository(tmp_path / "other"))), "0" * 40))


@given(st.text(max_size=40), st.text(max_size=40))
def test_injective(one: str, other: str) -> None:
    """Two values have one id exactly when they are equal: no case, prefix or pattern joins them."""
    assert (identity(one) == identity(other)) == (one == other)


@given(st.text(alphabet="aAbB^./-ıİſßΣσς", max_size=8), st.text(alphabet="aAbB^./-ıİſßΣσς", max_size=8))
def test_injective_in_letter_case(one: str, other: str) -> None:
    """The same for letters whose case folding is not one to one, and for the escape character."""
    assert (identity(one) == identity(other)) == (one == other)


@given(st.text(max_size=60))
def test_any_origin(origin: str) -> None:
    """Whatever stands in the configuration gives a value, and a server's value never looks like a path."""
    if local_path(origin):
        return
    assert not origin or not canonical(origin).startswith("/")
    assert public(public(origin)) == public(origin) or "@" in public(origin)
