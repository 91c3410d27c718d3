"""The URL of a store on a server: what may be shown of it, and what is written down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from learnt.bootstrap import Home, remote
from learnt.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

WORD = "".join(("open", "ses", "ame"))
URL = f"postgresql://ada:{WORD}@db.example:6432/team?tenant=main&person=ada&sslmode=require"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (URL, "postgresql://ada@db.example:6432/team?tenant=main&person=ada"),
        (f"postgres://db/team?password={WORD}", "postgres://db/team"),
        (f"postgresql://:{WORD}@db/team", "postgresql://db/team"),
        (f"postgresql://[{WORD}/team", "postgresql:..."),
        ("postgresql:///team?host=/run/postgresql", "postgresql:///team"),
    ],
)
def test_no_password_is_shown(url: str, shown: str) -> None:
    """User, server, database, tenant and person; nothing else of the options, and of no URL at all its scheme."""
    assert remote.shown(url) == shown


def test_the_driver_hears_nothing_of_persons() -> None:
    """What is ours alone is taken out; the rest stays, the tenant too, which the store takes."""
    url = remote.driver_url(URL)
    assert "person" not in url
    assert url.endswith("team?tenant=main&sslmode=require")
    assert remote.person(URL) == "ada"
    assert remote.person("postgresql://db/team") == ""


def test_only_server_urls_are_remote() -> None:
    """A file is none."""
    assert remote.is_remote("postgres://db/x")
    assert remote.is_remote(URL)
    assert not remote.is_remote("sqlite:///x.db")
    assert not remote.is_remote("")


def passfile(folder: Path, *lines: str) -> Path:
    """A password file of the user's."""
    file = folder / ".pgpass"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_a_password_that_is_kept_elsewhere_is_not_written_down(tmp_path: Path) -> None:
    """The password file's first line that fits says the same: the URL is recorded without."""
    passfile(tmp_path, "# mine", "other:*:*:*:x", f"db.example:6432:*:ada:{WORD}")
    found = remote.recorded(URL, {}, tmp_path)
    assert WORD not in found
    assert found == "postgresql://ada@db.example:6432/team?tenant=main&person=ada&sslmode=require"
    assert not remote.has_password(found)


def test_a_password_that_is_nowhere_else_is_kept(tmp_path: Path) -> None:
    """No file, another server, or another password: hooks could not do without."""
    assert remote.recorded(URL, {}, tmp_path) == URL
    passfile(tmp_path, f"*:*:*:bob:{WORD}", "*:*:*:ada:another", f"*:*:*:ada:{WORD}")
    assert remote.has_password(remote.recorded(URL, {}, tmp_path))


def test_the_password_file_in_force_is_recorded(tmp_path: Path) -> None:
    """A variable that a hook will not have goes into the URL."""
    file = passfile(tmp_path, rf"*:*:te\:am:ada:pass\:{WORD}")
    url = f"postgresql://ada:pass%3A{WORD}@db/te%3Aam"
    found = remote.recorded(url, {"PGPASSFILE": str(file)}, tmp_path / "nowhere")
    assert WORD not in found
    assert found.startswith("postgresql://ada@db/te%3Aam?passfile=")
    assert str(file).rpartition("/")[2] in found


def test_variables_that_hooks_do_not_see() -> None:
    """All of PostgreSQL's own but the password file's, which is recorded."""
    given = {"PGHOST": "db", "PGPASSWORD": WORD, "PGPASSFILE": "/x", "PATH": "/bin"}
    assert remote.unseen(given) == ["PGHOST", "PGPASSWORD"]


def test_a_home_on_a_server_has_a_copy(tmp_path: Path) -> None:
    """The file of hooks is the copy, whatever is shown; a child of a hook takes what was recorded."""
    home = Home({"LEARNT_HOME": str(tmp_path / "data"), "LEARNT_DATABASE_URL": URL})
    assert home.database == str(tmp_path / "data" / "copy.db")
    assert home.shown == remote.shown(URL)
    config = tmp_path / "config" / "config.toml"
    config.parent.mkdir()
    (config.parent / "install.json").write_text(f'{{"url": "{URL}"}}')
    given = {"LEARNT_HOME": str(tmp_path), "LEARNT_CONFIG": str(config)}
    assert Home({**given, "LEARNT_CHILD": "1"}).url == URL
    assert Home(given).url == ""


def test_the_copy_is_no_store(tmp_path: Path) -> None:
    """A store of its name would be taken for the copy."""
    given = {"LEARNT_HOME": str(tmp_path), "LEARNT_DATABASE_URL": f"sqlite://{tmp_path}/copy.db"}
    with pytest.raises(ConfigError, match="copy"):
        _ = Home(given).database


@pytest.mark.parametrize(
    "servers",
    ["db.example:6432,db2.example:6432", "[::1]:6432,db.example:6432", "db.example:6432,db2.example"],
)
def test_several_servers_are_each_looked_up(servers: str, tmp_path: Path) -> None:
    """A URL may name several servers: its password is left out only when the file has it for all of them."""
    url = f"postgresql://ada:{WORD}@{servers}/team"
    passfile(tmp_path, f"db.example:6432:*:ada:{WORD}")
    assert WORD in remote.recorded(url, {}, tmp_path)
    passfile(tmp_path, f"*:6432:*:ada:{WORD}", f"db2.example:5432:*:ada:{WORD}", "*:*:*:*:x")
    assert WORD not in remote.recorded(url, {}, tmp_path)
