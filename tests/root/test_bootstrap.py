"""The composition root: places, configuration, who is asking, which repository this is."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from learnt.bootstrap import GitWorkplace, Home, configuration, installation
from learnt.engine import Engine
from learnt.errors import ConfigError, StoreError
from learnt.interfaces.hook.limits import Limits
from learnt.model.answer import Proposed, Refusal, Written
from learnt.model.place import place

if TYPE_CHECKING:
    from pathlib import Path

GIT = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


def home(tmp_path: Path, **environment: str) -> Home:
    """A user whose things lie under `tmp_path`."""
    places = {"LEARNT_HOME": str(tmp_path / "home"), "LEARNT_CONFIG": str(tmp_path / "conf" / "config.toml")}
    return Home({**places, **environment})


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env={**os.environ, **GIT}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit and no remote."""
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.txt").write_text("a")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def wrote(at: Path, user: Home, text: str) -> str:
    with Engine.open(at, home=user) as engine:
        answer = engine.remember(text, kind="project_fact")
        assert isinstance(answer, Written)
        return answer.memory.id


def known(at: Path, user: Home) -> list[str]:
    with Engine.open(at, home=user) as engine:
        return [memory.id for memory in engine.list().values]


def test_the_identity_once_given_stays(repository: Path, tmp_path: Path) -> None:
    """A first remote, a changed remote, a moved folder: the memories are found after each step."""
    user = home(tmp_path)
    memory = wrote(repository, user, "The parser is generated.")
    git(repository, "remote", "add", "origin", "https://example.org/acme/app.git")
    assert known(repository, user) == [memory]
    git(repository, "remote", "set-url", "origin", "git@example.net:acme/moved.git")
    assert known(repository, user) == [memory]
    moved = tmp_path / "elsewhere" / "repo"
    moved.parent.mkdir()
    repository.rename(moved)
    assert known(moved, user) == [memory]
    git(moved, "remote", "remove", "origin")
    assert known(moved, user) == [memory]


def test_a_first_write_after_the_change_writes_the_new_name_down(repository: Path, tmp_path: Path) -> None:
    """Then a clone made under the new remote is the same repository, too."""
    user = home(tmp_path)
    wrote(repository, user, "One.")
    git(repository, "remote", "add", "origin", "https://example.org/acme/app.git")
    wrote(repository, user, "Two.")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(repository), str(clone))
    git(clone, "remote", "set-url", "origin", "ssh://git@EXAMPLE.org/acme/app")
    assert len(known(clone, user)) == 2


def test_the_same_history_elsewhere_is_only_a_likeness(repository: Path, tmp_path: Path) -> None:
    """Never automatic; `adopt` links it."""
    user = home(tmp_path)
    memory = wrote(repository, user, "The parser is generated.")
    fork = tmp_path / "fork"
    git(tmp_path, "clone", "-q", str(repository), str(fork))
    git(fork, "remote", "set-url", "origin", "https://example.org/other/fork.git")
    with Engine.open(fork, home=user) as engine:
        assert engine.list().values == ()
        assert any("adopt" in gap for gap in engine.status().gaps)
        assert engine.adopt() == place(str(repository)).repository_id
    assert known(fork, user) == [memory]


def test_git_variables_of_a_hook_do_not_lead_elsewhere(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inside another repository's git hook the folder's own history is asked."""
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    head = git(repository, "rev-parse", "HEAD")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert GitWorkplace(str(repository)).head_commit() == head
    assert GitWorkplace(str(repository)).root_commit() == head


def test_two_repositories_of_one_name_share_nothing(tmp_path: Path) -> None:
    """Both checked out in folders named `api`."""
    user = home(tmp_path)
    for owner in ("one", "two"):
        (tmp_path / owner / "api").mkdir(parents=True)
        git(tmp_path / owner / "api", "init", "-q")
    wrote(tmp_path / "one" / "api", user, "Only here.")
    assert known(tmp_path / "two" / "api", user) == []


def test_an_agent_is_recognised_and_may_only_propose(tmp_path: Path) -> None:
    """By LEARNT_AGENT, or by the mark a host leaves in its commands' environment."""
    for mark in ({"LEARNT_AGENT": "a1"}, {"CLAUDECODE": "1"}, {"CODEX_SANDBOX": "x"}, {"GEMINI_CLI": "1"}):
        with Engine.open(tmp_path, home=home(tmp_path, **mark)) as engine:
            answer = engine.remember("Uses tabs.", kind="todo")
            assert isinstance(answer, Proposed)
            assert answer.redirected
            assert isinstance(engine.decide(answer.proposal.id, "accept"), Refusal)
            assert isinstance(engine.undo("evt_0000000000000000"), Refusal)
            assert isinstance(engine.adopt("x"), Refusal)
    with Engine.open(tmp_path, home=home(tmp_path, CODEX_HOME="/x")) as engine:
        assert isinstance(engine.remember("Uses spaces.", kind="todo"), Written)


def test_names_from_the_environment_pass_the_gate(tmp_path: Path) -> None:
    """A token set as run or unit is nowhere in the store."""
    token = "ghp_" + "a1B2" * 9
    with Engine.open(tmp_path, home=home(tmp_path, LEARNT_RUN=token, LEARNT_UNIT=f"u {token}")) as engine:
        engine.remember("Uses tabs.", kind="todo")
        engine.recall("tabs")
        assert token not in repr(engine.receipts())
        assert token not in repr(engine.list())
        assert token.encode() not in (tmp_path / "home" / "memory.db").read_bytes()


def test_a_curator_role_counts_where_a_person_enabled_it(tmp_path: Path) -> None:
    """In the user's own file, for this very repository."""
    user = home(tmp_path, LEARNT_AGENT_ROLE="curator_phase")
    with Engine.open(tmp_path, home=user) as engine:
        answer = engine.remember("Uses tabs.", kind="project_fact", evidence=["a.txt"])
        assert isinstance(answer, Proposed)
        assert isinstance(engine.decide(answer.proposal.id, "accept"), Refusal)
        value = engine.assembly.place.value
    user.config_file.parent.mkdir(exist_ok=True)
    user.config_file.write_text(f'[curators]\n"{value}" = ["curator_phase"]\n')
    with Engine.open(tmp_path, home=user) as engine:
        assert not isinstance(engine.decide(answer.proposal.id, "accept"), Refusal)


def test_a_repository_cannot_weaken_the_gate(tmp_path: Path) -> None:
    """Its file only narrows; what else it says is ignored and listed."""
    project = tmp_path / "project"
    (project / ".learnt").mkdir(parents=True)
    (project / ".learnt" / "config.toml").write_text(
        "[gate]\nreject_durable_secrets = false\n[recall]\nmax_items = 2\n"
    )
    user = home(tmp_path)
    found = configuration(user, place(str(project)))
    assert found.settings.gate.reject_durable_secrets
    assert found.settings.recall.max_items == 2
    assert [each.key for _, each in found.ignored] == ["gate.reject_durable_secrets"]
    (project / ".learnt" / "config.toml").write_text("not = = toml")
    assert configuration(user, place(str(project))).ignored


def test_a_broken_user_file_is_an_error(tmp_path: Path) -> None:
    """Exit 4, and it says which file."""
    user = home(tmp_path)
    user.config_file.parent.mkdir()
    user.config_file.write_text("[recall\n")
    with pytest.raises(ConfigError) as caught:
        Engine.open(tmp_path, home=user)
    assert str(user.config_file) in caught.value.advice


def test_keys_are_made_once_and_private(tmp_path: Path) -> None:
    """0600, 32 bytes, the same on the next call; none where none can be kept."""
    user = home(tmp_path)
    key = user.key("receipts")
    assert (len(key), user.key("receipts")) == (32, key)
    assert (user.keys_dir / "receipts.key").stat().st_mode & 0o777 == 0o600
    (tmp_path / "file").write_text("")
    assert Home({"LEARNT_CONFIG": str(tmp_path / "file" / "x" / "config.toml")}).key("receipts") == b""


def test_an_unknown_engine_is_a_configuration_error(tmp_path: Path) -> None:
    """Exit 4 for a URL of an engine this version does not have; sqlite URLs work."""
    with pytest.raises(ConfigError):
        Engine.open(tmp_path, home=home(tmp_path, LEARNT_DATABASE_URL="mysql://db/x"))
    url = f"sqlite:///{tmp_path / 'own.db'}"
    with Engine.open(tmp_path, home=home(tmp_path, LEARNT_DATABASE_URL=url)):
        assert (tmp_path / "own.db").exists()


@pytest.mark.parametrize(
    "url", ["sqlite:", "sqlite://", "sqlite:///", "sqlite:///%00", "sqlite:///:memory:", "sqlite://host/x.db"]
)
def test_a_url_without_a_file_is_a_configuration_error(tmp_path: Path, url: str) -> None:
    """What names no file is refused, and nothing is made anywhere."""
    with pytest.raises(ConfigError, match="names no file"):
        _ = home(tmp_path, LEARNT_DATABASE_URL=url).database


@pytest.mark.parametrize("url", ["sqlite:///x.db?mode=ro", "sqlite:///x.db#a"])
def test_options_of_a_url_are_not_ignored(tmp_path: Path, url: str) -> None:
    """Options this version does not have are refused rather than dropped."""
    with pytest.raises(ConfigError, match="no options"):
        _ = home(tmp_path, LEARNT_DATABASE_URL=url).database


def test_a_folder_in_the_store_s_place_is_named(tmp_path: Path) -> None:
    """A folder is no disk error."""
    with pytest.raises(StoreError, match="directory"):
        Engine.open(tmp_path, home=home(tmp_path, LEARNT_DATABASE_URL=f"sqlite://{tmp_path}"))


@pytest.mark.parametrize("how", ["pipe", "device", "large"])
def test_a_repository_file_that_is_no_plain_file_is_not_read(tmp_path: Path, how: str) -> None:
    """A pipe would make every command wait and a device read for ever: it is ignored, and said."""
    folder = tmp_path / "repo" / ".learnt"
    folder.mkdir(parents=True)
    file = folder / "config.toml"
    if how == "pipe":
        os.mkfifo(file)
    elif how == "device":
        file.symlink_to("/dev/zero")
    else:
        file.write_text("# " + "x" * 70_000)
    found = configuration(home(tmp_path), place(str(tmp_path / "repo")))
    assert [each.why for _, each in found.ignored] == ["config.toml is no plain file of at most 64 KB"]
    limits = Limits({"hook.all": "1"}, "")
    limits.narrow(str(tmp_path / "repo"))
    assert limits.inject


def test_an_empty_key_left_by_a_crash_is_replaced(tmp_path: Path) -> None:
    """A key is whole or not there; nothing else is left beside it."""
    user = home(tmp_path)
    user.keys_dir.mkdir(parents=True)
    (user.keys_dir / "receipts.key").touch()
    key = user.key("receipts")
    assert len(key) == 32
    assert user.key("receipts") == key
    assert [each.name for each in user.keys_dir.iterdir()] == ["receipts.key"]


def test_a_broken_store_is_no_empty_store(tmp_path: Path) -> None:
    """The first hundred bytes zeroed: every command says that the store is unreadable."""
    user = home(tmp_path)
    wrote(tmp_path, user, "Something.")
    file = tmp_path / "home" / "memory.db"
    file.write_bytes(bytes(100) + file.read_bytes()[100:])
    for path in file.parent.glob("memory.db-*"):
        path.unlink()
    with pytest.raises(StoreError) as caught:
        known(tmp_path, user)
    assert caught.value.error_code == "store_corrupt"


def test_the_record_of_init_is_read_with_care(tmp_path: Path) -> None:
    """Absent, damaged or odd: as if init never ran."""
    user = home(tmp_path)
    assert not installation(user).accept_instructions
    user.config_file.parent.mkdir()
    record = user.config_file.parent / "install.json"
    for text in ("", "[]", '{"accept_instructions": "yes"}'):
        record.write_text(text)
        assert not installation(user).accept_instructions
    record.write_text('{"accept_instructions": true, "hosts": ["claude-code"]}')
    assert installation(user).accept_instructions


def test_a_planted_repository_hides_no_file_of_a_clone(tmp_path: Path) -> None:
    """A folder that looks like a bare repository, and says where its work tree is, may be part of any clone."""
    inner = tmp_path / "work" / "history"
    inner.mkdir(parents=True)
    git(tmp_path / "work", "init", "-q")
    (inner / "x.md").write_text("x")
    (inner / "HEAD").write_text("ref: refs/heads/main\n")
    (inner / "config").write_text(f"[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = {inner}\n")
    for name in ("objects", "refs"):
        (inner / name).mkdir()
        (inner / name / "x").write_text("x")
    git(tmp_path / "work", "add", ".")
    assert GitWorkplace(str(tmp_path / "work")).brought(str(inner / "x.md"))


def test_a_file_that_git_tracks_came_with_the_work_tree(tmp_path: Path) -> None:
    """So did one of a folder without git; one that is not tracked, ignored or elsewhere did not."""
    repository = tmp_path / "work"
    repository.mkdir()
    git(repository, "init", "-q")
    for name in ("kept.md", "own.md", "ignored.md"):
        (repository / name).write_text("x")
    (repository / ".gitignore").write_text("ignored.md\n")
    git(repository, "add", "kept.md")
    (tmp_path / "link.md").symlink_to(repository / "kept.md")
    (tmp_path / "elsewhere.md").write_text("x")
    told = {
        name: GitWorkplace(str(repository)).brought(str(tmp_path / name))
        for name in ("work/kept.md", "work/kept.md#2", "work/own.md", "work/ignored.md", "link.md", "elsewhere.md")
    }
    assert [name for name, brought in told.items() if brought] == ["work/kept.md", "work/kept.md#2", "link.md"]
    assert not GitWorkplace(str(tmp_path / "other")).brought(str(repository / "kept.md"))
    assert GitWorkplace(str(tmp_path / "other")).brought(str(repository / "kept.md"), str(repository))
    assert GitWorkplace(str(tmp_path)).brought(str(tmp_path / "elsewhere.md"))
