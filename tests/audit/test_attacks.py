"""Every attack on a real store with keys and an anchor, and what happens honestly."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from learnt.evals.security.assault import ATTACKS
from learnt.evals.security.chain import measured
from learnt.evals.security.honest import HONEST, chosen
from learnt.evals.security.scene import Scene

if TYPE_CHECKING:
    from pathlib import Path

KINDS = {
    "unmarked": "older_writer",
    "rollback": "rolled_back",
    "rollback_grow": "rolled_back",
    "rollback_anchor": "rolled_back",
    "stolen_key": "forked",
    "delete_all": "replaced",
    "delete_file": "replaced",
    "delete_checkpoints": "checkpoint",
    "truncate": "truncated",
    "truncate_mended": "truncated",
    "head": "truncated",
    "head_gone": "truncated",
    "seal": "truncated",
    "seal_gone": "truncated",
}
"""What an attack is called; the others are tampering."""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """A store with a history."""
    scene = Scene(tmp_path_factory.mktemp("scene") / "scene")
    scene.lived()
    scene.kept()
    return scene


@pytest.fixture
def scene(template: Scene) -> Scene:
    """The same, as it was at first."""
    template.renewed()
    return template


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_named(scene: Scene, name: str) -> None:
    """In its kind and at its place."""
    position = ATTACKS[name](scene)
    first = scene.verified().divergence
    assert first is not None
    assert first.kind == KINDS.get(name, "tampered")
    assert first.position <= position <= max(first.position, first.until)


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_history_holds(scene: Scene, name: str) -> None:
    """Erasure, rotation, retention, several writers, an older trail, an interruption."""
    HONEST[name](scene)
    assert scene.verified().divergence is None


def test_a_stolen_key_and_its_secret_forge_no_past(scene: Scene) -> None:
    """Who takes the whole folder of keys, rewrites the trail and removes the checkpoints is found by the anchor too."""
    ATTACKS["stolen_key"](scene)
    ATTACKS["delete_checkpoints"](scene)
    shutil.rmtree(scene.folder / "config" / "keys" / "audit")
    first = scene.verified().divergence
    assert first is not None
    assert (first.kind, first.position <= 30 <= first.until) == ("forked", True)


def test_a_person_takes_a_trail_as_it_is(scene: Scene) -> None:
    """It holds from then on, with a notice; what is done to it later shows."""
    ATTACKS["rollback_grow"](scene)
    with scene.opened() as engine:
        engine.checkpoint(accept=True)
    report = scene.verified()
    assert (report.verified, "accepted" in {each.kind for each in report.notices}) == (True, True)
    scene.grown()
    assert scene.verified().verified
    ATTACKS["truncate_mended"](scene)
    assert not scene.verified().verified


def test_a_copy_elsewhere_goes_its_own_way(scene: Scene, tmp_path: Path) -> None:
    """Both hold, whatever the other did: a backup that is looked at is no older copy in the place of the store."""
    shutil.copytree(scene.folder / "data", tmp_path / "data")
    scene.grown()
    other = Scene(scene.folder)
    other.file = tmp_path / "data" / "memory.db"
    assert other.verified().verified
    other.grown(9)
    assert (other.verified().verified, scene.verified().verified) == (True, True)


def test_the_catalogue_is_measured() -> None:
    """What `evaluate --dataset security` asks for; an unknown attack is taken for what it is most like."""
    design = "keyed_merkle_with_external_anchor"
    attacks = [
        {"id": "some_rows_deleted", "must_detect": {design: True}, "mutation": "DELETE", "what": ""},
        {"id": "honest_rotation", "must_detect": {design: None}, "mutation": "", "what": "the key is rotated"},
        {"id": "cannot", "must_detect": {design: False}},
    ]
    found = measured(attacks)
    assert (found["attacks"], found["detected"], found["false_alarms"], found["missed"]) == (3, 1.0, 0, [])
    assert found["verified_per_s"] > 0
    assert [chosen(each) for each in attacks] == ["delete_one", "rotation", "edit"]
