"""The trail verified, signed, cut, proven and given away, through the engine, on both databases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from learnt.audit.statement import read
from learnt.audit.tree import continues, includes, leaf
from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.errors import AuditKeyError, NotFoundError
from learnt.flows import checkpoint as signing
from learnt.model.answer import Refusal
from learnt.model.seal import said
from learnt.model.signed import Broken, Signed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.server import Server


@pytest.fixture(params=["sqlite", "postgres"])
def opening(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Engine]]:
    """Opens an engine on an empty store; `machine` names one with a folder of keys of its own."""
    project = tmp_path / "project"
    project.mkdir()

    def opened(url: str = "", machine: str = "one", config: str = "", **variables: str) -> Engine:
        folder = tmp_path / machine
        folder.mkdir(exist_ok=True)
        if config:
            (folder / "config.toml").write_text(config, "utf-8")
        places = {"LEARNT_HOME": str(tmp_path / "data"), "LEARNT_CONFIG": str(folder / "config.toml")}
        environment = {**places, **({"LEARNT_DATABASE_URL": url} if url else {}), **variables}
        return Engine.open(project, home=Home(environment))

    if request.param == "sqlite":
        yield opened
        return
    server: Server = request.getfixturevalue("server")
    with server.database(lambda url: None) as url:
        yield lambda **given: opened(url=url, **given)


def filled(engine: Engine, count: int = 5) -> list[str]:
    """So many events; gives their ids."""
    means, names = engine.assembly.means, []
    for number in range(count):
        event = means.event("upsert", f"mem_{number:016x}", means.clock.now(), {"n": number})
        with means.store.transaction():
            means.store.events.append(event)
        names.append(event.id)
    return names


def signed(done: object) -> Signed:
    """A checkpoint that was made."""
    assert isinstance(done, Signed)
    return done


def test_a_recall_is_an_event(opening: Callable[..., Engine]) -> None:
    """With the ids of what was given, and no word of it or of the question."""
    with opening() as engine:
        written = engine.remember("This repository installs with pnpm.", kind="repo_convention")
        engine.recall("how do I install with pnpm")
        rows = [json.loads(line) for line in engine.trail()]
        told = [row for row in rows if row.get("operation") == "recall"]
        assert [json.loads(row["event_json"])["memories"] for row in told] == [[written.memory.id]]  # type: ignore[union-attr]
        assert "pnpm" not in json.dumps(rows)
        report = engine.verify().report
        assert (report.verified, report.marked, report.events) == (True, 2, 2)


def test_each_checkpoint_goes_on_from_the_last(opening: Callable[..., Engine]) -> None:
    """What is signed begins with what was signed before, and shows it; without news nothing is signed."""
    with opening() as engine:
        filled(engine, 5)
        first = signed(engine.checkpoint())
        assert (first.checkpoint.size, first.proof, first.checkpoint.epoch) == (6, (), 0)
        again = signed(engine.checkpoint())
        assert (again.checkpoint, again.event) == (first.checkpoint, "")
        filled(engine, 7)
        second = signed(engine.checkpoint())
        old, new = read(first.checkpoint.statement), read(second.checkpoint.statement)
        assert old is not None
        assert new is not None
        assert (new.epoch, new.key, new.size) == (1, old.next, 14)
        proof = [bytes.fromhex(each) for each in second.proof]
        assert continues(bytes.fromhex(old.root), old.size, bytes.fromhex(new.root), new.size, proof)
        report = engine.verify().report
        assert (report.verified, report.checkpoints, report.vouched, report.root) == (True, 2, 14, new.root)


def test_every_event_can_be_proven(opening: Callable[..., Engine]) -> None:
    """By whoever has the root alone; also over many, of which few are read."""
    with opening() as engine:
        names = filled(engine, 5)
        with pytest.raises(NotFoundError):
            engine.prove(names[0])
        means = engine.assembly.means
        many = [means.event("upsert", "mem_0", means.clock.now()) for _ in range(1_200)]
        with means.store.transaction():
            for each in many:
                means.store.events.append(each)
        engine.checkpoint()
        for name in (names[0], names[4], many[250].id, many[251].id, many[600].id, many[-1].id):
            found = engine.prove(name)
            path = [bytes.fromhex(each) for each in found.path]
            hashed = leaf(said(found.event.position, found.row_hash))
            root = bytes.fromhex(found.statement.root)
            assert found.holds
            assert includes(root, found.statement.size, found.event.position - 1, hashed, path)
        with pytest.raises(NotFoundError):
            engine.prove("evt_none")


def test_old_events_leave_with_proof(opening: Callable[..., Engine]) -> None:
    """What was anchored before still fits, what is left goes on, and what is left out is said."""
    with opening() as engine:
        filled(engine, 9)
        signed(engine.checkpoint())
        filled(engine, 3)
        rows = [json.loads(line) for line in engine.trail() if '"type":"event"' in line]
        done = signed(engine.checkpoint(before=rows[4]["timestamp"]))
        assert 0 < done.removed <= 5
        assert signed(engine.checkpoint(before="2020-01-01T00:00:00.000Z")).removed == 0
        names = filled(engine, 4)
        signed(engine.checkpoint())
        report = engine.verify().report
        assert (report.verified, report.cut, "cut" in {each.kind for each in report.notices}) == (
            True,
            done.removed,
            True,
        )
        assert engine.prove(names[0]).holds
        everything = signed(engine.checkpoint(before="2999-01-01T00:00:00.000Z"))
        assert everything.checkpoint.cut == everything.checkpoint.size - 1
        assert engine.verify().report.verified


def test_settings_cut_and_sign_by_themselves(opening: Callable[..., Engine]) -> None:
    """After so many events, and older ones leave."""
    with opening(config="[audit]\ncheckpoint_events = 10\nretention_days = 1\n") as engine:
        means = engine.assembly.means
        old = means.event("upsert", "mem_0", "2020-01-01T00:00:00.000Z")
        with means.store.transaction():
            means.store.events.append(old)
        assert signing.tend(means) is None
        filled(engine, 10)
        done = signing.tend(means)
        assert (signed(done).removed, signing.tend(means)) == (1, None)


def test_an_agent_neither_cuts_nor_accepts_nor_rotates(opening: Callable[..., Engine]) -> None:
    """It may sign and prove."""
    with opening(LEARNT_AGENT="a") as engine:
        filled(engine)
        assert isinstance(engine.checkpoint(accept=True), Refusal)
        assert isinstance(engine.checkpoint(before="2999-01-01T00:00:00.000Z"), Refusal)
        assert isinstance(engine.rotate(), Refusal)
        assert isinstance(engine.checkpoint(), Signed)


def test_two_machines_write_one_trail(opening: Callable[..., Engine], request: pytest.FixtureRequest) -> None:
    """On a server their checkpoints vouch for each other; on a file of one's own a strange key is none."""
    served = "postgres" in request.node.name
    with opening() as one, opening(machine="two") as two:
        filled(one, 3)
        filled(two, 3)
        filled(one, 1)
        report = one.verify().report
        assert (report.verified, report.marked, report.foreign) == (served, 4, 3)
        if not served:
            assert report.divergence is not None
            assert report.divergence.kind == "unknown_key"
            return
        signed(two.checkpoint())
        signed(one.checkpoint())
        report = one.verify().report
        assert (report.verified, report.checkpoints, report.foreign) == (True, 2, 4)
        filled(two, 2)
        signed(two.checkpoint())
        after = one.verify().report
        assert (after.verified, after.checkpoints, after.vouched) == (True, 3, after.events)


def test_a_lost_folder_of_keys(opening: Callable[..., Engine], tmp_path: Path) -> None:
    """A file's trail is not verified by another folder, until a person takes it as it is."""
    with opening() as engine:
        filled(engine)
    with opening(machine="new") as engine:
        filled(engine, 1)
        served = engine.assembly.means.served
        assert engine.verify().report.verified is served
        signed(engine.checkpoint(accept=True))
        assert engine.verify().report.verified
    del tmp_path


def test_without_the_key_nothing_is_written(opening: Callable[..., Engine], tmp_path: Path) -> None:
    """A marked trail is not gone on with; recall answers and says so."""
    with opening() as engine:
        engine.remember("This repository installs with pnpm.", kind="repo_convention")
    (tmp_path / "one" / "keys" / "audit.key").unlink()
    with opening() as engine:
        with pytest.raises(AuditKeyError):
            engine.remember("Another thing altogether.", kind="repo_convention")
        ranking = engine.recall("how do I install with pnpm")
        assert (ranking.total, ranking.diagnostics["usage"]) == (1, "audit_key")
        assert not engine.verify().report.verified or engine.assembly.means.served


def test_a_broken_trail_is_not_signed(opening: Callable[..., Engine]) -> None:
    """And the event that would tell of it is not there either."""
    with opening() as engine:
        names = filled(engine, 4)
        store = engine.assembly.means.store
        with store.transaction():
            store.trail.erase(names[1:2])
        done = engine.checkpoint()
        assert isinstance(done, Broken)
        assert (done.divergence.position, store.trail.end().position) == (2, 4)


def test_a_crash_between_commit_and_the_folder_of_keys(opening: Callable[..., Engine]) -> None:
    """The key that signed is in the store: the next checkpoint takes the next one, and both are believed."""
    with opening() as engine:
        filled(engine, 3)
        signed(engine.checkpoint())
        ring = engine.assembly.means.keyring
        assert ring is not None
        before = ring.record(engine.verify().report.log)
        filled(engine, 3)
        signed(engine.checkpoint())
        ring.keep(before)
        filled(engine, 3)
        assert engine.verify().report.verified
        done = signed(engine.checkpoint())
        report = engine.verify().report
        assert (done.checkpoint.epoch, report.verified, report.checkpoints) == (2, True, 3)


def test_rotation_goes_on(opening: Callable[..., Engine]) -> None:
    """Old and new marks hold, and the line of signatures is not broken."""
    with opening() as engine:
        filled(engine, 3)
        done = engine.rotate()
        assert isinstance(done, tuple)
    with opening() as engine:
        filled(engine, 3)
        signed(engine.checkpoint())
        report = engine.verify().report
        assert (report.verified, report.checkpoints, report.foreign) == (True, 2, 0)


def test_the_trail_is_given_away_whole(opening: Callable[..., Engine]) -> None:
    """Its end, its events, its checkpoints; no key."""
    with opening() as engine:
        filled(engine, 3)
        signed(engine.checkpoint())
        lines = [json.loads(line) for line in engine.trail()]
        assert [each["type"] for each in lines] == ["trail", *["event"] * 4, "checkpoint"]
        ring = engine.assembly.means.keyring
        assert ring is not None
        assert ring.record(lines[0]["log"]).secret not in json.dumps(lines)
