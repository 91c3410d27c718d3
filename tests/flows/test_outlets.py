"""Regions in files that agents read, and skills where a host looks for them: on request, exact, and kept current."""

from __future__ import annotations

import os
import shutil
from copy import copy
from dataclasses import replace
from pathlib import Path

import pytest

from learnt.bootstrap.artifacts import Folder
from learnt.bootstrap.attic import FolderAttic
from learnt.bootstrap.outlets import FileOutlets
from learnt.errors import ConfigError, NotFoundError, StoreError, UsageError
from learnt.flows import outlets, regions, skills
from learnt.flows.artifacts import Binder, binder_of
from learnt.flows.asked import Asked, Copied, asked
from learnt.flows.consolidate import consolidate
from learnt.flows.erase import erase_person, erase_repository
from learnt.flows.forget import forget
from learnt.flows.means import NoAttic
from learnt.flows.propose import propose
from learnt.flows.regions import Redrawn
from learnt.flows.remember import remember
from learnt.flows.sweep import Gone, strike
from learnt.hosts.wiring import fresh, installed
from learnt.hosts.wiring.installed import apply, connected, copied, undone
from learnt.model.answer import Refusal, Written
from learnt.model.filter import ProposalFilter
from learnt.model.forget import Ended, Forgotten
from learnt.model.request import ProposalRequest, WriteRequest
from learnt.model.scope import Scope
from learnt.ports.outlets import Wish

OURS = "# Ours\r\n\r\nBe kind.\r\n"


@pytest.fixture
def means(means, tmp_path):
    """A repository on disk, with a folder for files."""
    root = tmp_path / "repo"
    root.mkdir()
    return replace(
        means,
        artifacts=Folder(tmp_path / "data"),
        outlets=FileOutlets(tmp_path / "data", root),
        place=_at(means, root),
    )


def _at(means, root):
    place = means.place
    place.root = str(root)
    return place


def binder(means) -> Binder:
    """Its own files."""
    found = binder_of(means)
    assert found is not None
    return found


def done(answer: Redrawn | Refusal) -> Redrawn:
    """What was done."""
    assert isinstance(answer, Redrawn)
    return answer


def here(means, name):
    """A file of the repository."""
    return Path(means.place.root) / name


def filed(means, files, at):
    """Make the repository's files these."""
    with binder(means).ready(files, at) as finish:
        finish()


def file_skill(means, name="release", body="Run it.\n"):
    """A consolidation's skill."""
    files = {
        f"skills/{name}/SKILL.md": f'---\nname: {name}\ndescription: "How."\n---\n{body}',
        f"skills/{name}/scripts/run.sh": "make release\n",
    }
    filed(means, files, "2026-01-01T00:00:00.000Z")


def test_what_older_patterns_cleared_is_looked_at_first(means):
    """After an upgrade a region holds what it held, not nothing until a worker came by."""
    made = remember(means, WriteRequest(text="Tests run with TZ=UTC.", kind="repo_convention"))
    assert isinstance(made, Written)
    with means.store.transaction():
        means.store.memories.put(replace(made.memory, clearance="older"))
    assert done(regions.publish(means, "CLAUDE.md")).memories == 1


def test_a_region_is_put_in_and_taken_out_to_the_byte(means):
    """Only what is reviewed and of this repository stands in it; the rest of the file stays."""
    path = here(means, "CLAUDE.md")
    path.write_bytes(OURS.encode())
    path.chmod(0o664)
    remember(means, WriteRequest(text="Tests run with TZ=UTC.", kind="repo_convention"))
    remember(means, WriteRequest(text="I prefer tabs.", kind="user_preference"))
    propose(means, ProposalRequest(operation="add", text="Nobody read this.", kind="lesson", evidence=("a",)))
    shown = done(regions.publish(means, "CLAUDE.md", dry_run=True))
    assert "+- Tests run with TZ=UTC." in shown.drawn[0].diff
    assert path.read_bytes() == OURS.encode()
    made = done(regions.publish(means, "CLAUDE.md"))
    text = path.read_bytes().decode()
    assert (made.written, made.memories) == (True, 1)
    assert text.startswith(OURS)
    assert "TZ=UTC" in text
    assert "tabs" not in text
    assert "Nobody" not in text
    assert path.stat().st_mode & 0o777 == 0o664
    assert not done(regions.publish(means, "CLAUDE.md")).drawn[0].differs
    regions.publish(means, "CLAUDE.md", remove=True)
    assert path.read_bytes() == OURS.encode()


def test_uninit_takes_a_region_out(means, tmp_path):
    """What was put in is remembered where init remembers its own; a file that was not there before goes."""
    remember(means, WriteRequest(text="Tests run with TZ=UTC.", kind="repo_convention"))
    regions.publish(means, "AGENTS.md")
    wired = connected(tmp_path / "data")
    assert list(wired.values()) == ["region"]
    for path, of in wired.items():
        apply(undone(path, tmp_path / "data", of), tmp_path / "data")
    assert not here(means, "AGENTS.md").exists()


def test_an_agent_may_not(means):
    """It may look."""
    agent = replace(means, context=replace(means.context, person=False))
    assert isinstance(regions.publish(agent, "CLAUDE.md"), Refusal)
    assert isinstance(skills.copy(agent, "claude-code"), Refusal)
    assert done(regions.publish(agent, "CLAUDE.md", dry_run=True)).drawn[0].differs
    assert not here(means, "CLAUDE.md").exists()


@pytest.mark.parametrize(
    "file", ["README.md", "../AGENTS.md", "/etc/AGENTS.md", "docs/CLAUDE.md", "/x/memory/../MEMORY.md"]
)
def test_other_files_are_refused(means, file):
    """Only those that agents read at a start, and a host's own MEMORY.md."""
    with pytest.raises(UsageError) as caught:
        regions.publish(means, file)
    assert caught.value.error_code == "not_an_outlet"


def test_a_host_s_own_notes_may_hold_it(means, tmp_path):
    """Its MEMORY.md lies outside of the repository."""
    path = tmp_path / "claude" / "projects" / "-repo" / "memory" / "MEMORY.md"
    remember(means, WriteRequest(text="Tests run with TZ=UTC.", kind="repo_convention"))
    regions.publish(means, str(path))
    assert "TZ=UTC" in path.read_text()


def test_a_region_is_kept_current_and_what_people_write_in_is_offered(means):
    """A line written into the region becomes a proposal; the region itself is ours."""
    remember(means, WriteRequest(text="Tests run with TZ=UTC.", kind="repo_convention"))
    regions.publish(means, "CLAUDE.md")
    path = here(means, "CLAUDE.md")
    path.write_text(path.read_text().replace("<!-- learnt:end", "- Never push on Fridays.\n<!-- learnt:end"))
    remember(means, WriteRequest(text="Lint with ruff.", kind="repo_convention"))
    made = regions.renew(means)
    text = path.read_text()
    assert "Lint with ruff." in text
    assert "Fridays" not in text
    assert len(made.proposals) == 1
    waiting = means.store.proposals.page(means.context.sight, ProposalFilter()).values
    assert [each.text for each in waiting] == ["Never push on Fridays."]
    assert regions.renew(means).drawn == ()
    path.write_text(path.read_text().replace("<!-- learnt:end", "- Never push on Mondays.\n<!-- learnt:end"))
    assert len(consolidate(means).proposals) == 1  # which a rebuild tells


def test_what_was_forgotten_stands_in_no_copy_of_a_region(means, tmp_path):
    """Written into it by hand it is neither kept nor offered."""
    means = replace(means, digest_key=b"d" * 32)
    written = remember(means, WriteRequest(text="The zanzibar host is for releases.", kind="lesson"))
    assert isinstance(written, Written)
    regions.publish(means, "CLAUDE.md")
    forget(means, [written.memory.id])
    path = here(means, "CLAUDE.md")
    told = "- The zanzibar host is for releases.\n- Never push on Fridays.\n"
    path.write_text(path.read_text().replace("<!-- learnt:end", f"{told}<!-- learnt:end"))
    assert len(regions.renew(means).proposals) == 1
    held = [each.read_text() for each in tmp_path.rglob("*.md")]
    assert any("Fridays" in text for text in held)
    assert not any("zanzibar" in text for text in held)


def test_a_region_taken_out_by_hand_stays_out(means):
    """A person's no."""
    regions.publish(means, "CLAUDE.md")
    here(means, "CLAUDE.md").write_text("# Ours\n")
    regions.renew(means)
    assert here(means, "CLAUDE.md").read_text() == "# Ours\n"
    regions.renew(means)
    assert here(means, "CLAUDE.md").read_text() == "# Ours\n"


def test_broken_marks_and_links_are_left(means, tmp_path):
    """Nothing is written, and why is told."""
    here(means, "CLAUDE.md").write_text("<!-- learnt:begin memory -->\n")
    with pytest.raises(ConfigError):
        regions.publish(means, "CLAUDE.md")
    outside = tmp_path / "outside.md"
    outside.write_text("x")
    here(means, "AGENTS.md").symlink_to(outside)
    with pytest.raises(ConfigError):
        regions.publish(means, "AGENTS.md")
    assert outside.read_text() == "x"


def test_skills_are_copied_kept_current_and_taken_out(means):
    """With the files beside them; one that is gone leaves its copy."""
    file_skill(means)
    made = done(skills.copy(means, "claude-code"))
    copy = here(means, ".claude/skills/release/SKILL.md")
    assert len(made.drawn) == 2
    assert copy.read_text().endswith("Run it.\n")
    file_skill(means, body="Run it twice.\n")
    assert [each.path for each in skills.renew(means).drawn] == [str(copy)]
    assert copy.read_text().endswith("Run it twice.\n")
    filed(means, {}, "2026-01-02T00:00:00.000Z")
    skills.renew(means)
    assert not here(means, ".claude/skills/release").exists()


def test_somebody_s_skill_is_left(means):
    """One of the same name, and a copy that somebody changed."""
    file_skill(means)
    own = here(means, ".claude/skills/release/SKILL.md")
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    with pytest.raises(ConfigError):
        skills.copy(means, "claude-code")
    assert own.read_text() == "mine"
    skills.copy(means, "codex")
    changed = here(means, ".codex/skills/release/SKILL.md")
    changed.write_text("mine, too")
    file_skill(means, body="Run it twice.\n")
    told = skills.renew(means)
    assert len(told.faults) == 1
    assert changed.read_text() == "mine, too"


def test_a_skill_is_named_or_not_there(means):
    """Unknown names and hosts without a place are told."""
    file_skill(means)
    assert "Run it." in skills.read(means, "skill:release").text
    for name in ("nothing", "../release", ""):
        with pytest.raises(NotFoundError):
            skills.read(means, name)
    with pytest.raises(NotFoundError):
        skills.copy(means, "claude-code", ["nothing"])
    with pytest.raises(UsageError):
        skills.copy(means, "aider")


def test_some_skills_can_be_taken_out(means):
    """The others stay."""
    file_skill(means)
    held = {f"skills/{name}/SKILL.md": f"---\nname: {name}\ndescription: x\n---\nx\n" for name in ("one", "two")}
    filed(means, held, "2026-01-02T00:00:00.000Z")
    skills.copy(means, "claude-code")
    skills.copy(means, "claude-code", ["one"], remove=True)
    assert not here(means, ".claude/skills/one").exists()
    assert here(means, ".claude/skills/two/SKILL.md").exists()
    skills.copy(means, "claude-code", remove=True)
    assert not here(means, ".claude/skills/two").exists()


def test_what_is_forgotten_while_a_region_is_drawn_is_not_in_it(means):
    """Whoever draws looks again; and a copy of what a person changed goes, also where no artifacts were made."""
    here(means, "CLAUDE.md").write_bytes(OURS.encode())
    gone = remember(means, WriteRequest(text="The zanzibar host is for releases.", kind="project_fact"))
    assert isinstance(gone, Written)
    name = gone.memory.id
    done(regions.publish(means, "CLAUDE.md"))
    path = here(means, "CLAUDE.md")
    path.write_text(path.read_text().replace("for releases", "for every release"))

    class Late(FileOutlets):
        """It is forgotten when somebody is about to draw what he made before."""

        def draw(self, wish):
            """Just before."""
            if "zanzibar" in (wish.text or ""):
                forget(means, [name])
            return super().draw(wish)

    outlets.renew(replace(means, outlets=Late(Path(means.place.root).parent / "data", Path(means.place.root))))
    assert "zanzibar" not in path.read_text()
    kept = [each for each in (Path(means.place.root).parent / "data").rglob("*") if each.is_file()]
    assert not [each for each in kept if b"zanzibar" in each.read_bytes()]


@pytest.mark.parametrize("planted", ["pipe", "device", "link that leads out"])
def test_what_took_a_files_place_is_told_and_left(means, planted: str) -> None:
    """A pipe holds nobody up, a device is not read without end, and what lies outside is not taken for a region."""
    regions.publish(means, "CLAUDE.md")
    path = Path(means.place.root) / "CLAUDE.md"
    outside = path.parent.parent / "outside.md"
    outside.write_text("Of another place.\n<!-- learnt:begin memory lead= -->\nx\n<!-- learnt:end memory -->\n")
    path.unlink()
    if planted == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero" if planted == "device" else outside)
    before = outside.read_text()
    assert len(regions.renew(means).faults) == 1
    with pytest.raises(ConfigError):
        regions.publish(means, "CLAUDE.md")
    assert outside.read_text() == before
    path.unlink()
    assert not regions.renew(means).faults


def test_forgetting_a_word_that_stands_in_a_path_forgets_no_path(means):
    """What a person asked for is still known, so that it can be kept current and taken back."""
    here(means, "CLAUDE.md").write_bytes(OURS.encode())
    said = remember(means, WriteRequest(text="CLAUDE.md", kind="project_fact"))
    assert isinstance(said, Written)
    done(regions.publish(means, "CLAUDE.md"))
    forget(means, [said.memory.id])
    assert "mem_" not in here(means, "CLAUDE.md").read_text()
    assert done(regions.publish(means, "CLAUDE.md", remove=True)).drawn
    assert here(means, "CLAUDE.md").read_bytes() == OURS.encode()


def test_a_copied_skill_that_somebody_changed_is_told_when_a_repository_ends(means) -> None:
    """It is theirs and stays; whoever erases the repository has to look at it."""
    file_skill(means)
    skills.copy(means, "claude-code")
    path = here(means, ".claude/skills/release/SKILL.md")
    path.write_text(path.read_text() + "Mine.\n")
    faults = outlets.withdraw(means, asked(means))
    assert [str(path) in fault for fault in faults] == [True]
    assert path.exists()


def test_ending_a_repository_takes_regions_and_copied_skills_back(means, tmp_path):
    """Its files in the repository and of hosts go with it; what somebody changed stays and is told."""
    path = here(means, "CLAUDE.md")
    path.write_bytes(OURS.encode())
    remember(means, WriteRequest(text="Tests run with TZ=UTC.", kind="repo_convention"))
    done(regions.publish(means, "CLAUDE.md"))
    file_skill(means)
    file_skill(means, "deploy")
    skills.copy(means, "claude-code")
    mine = here(means, ".claude/skills/deploy/SKILL.md")
    mine.write_text(mine.read_text() + "Mine.\n")
    ended = erase_repository(means, ".")
    assert isinstance(ended, Ended)
    assert path.read_bytes() == OURS.encode()
    assert not here(means, ".claude/skills/release").exists()
    assert [str(mine) in each.place for each in ended.elsewhere] == [True]


def test_a_link_among_the_files_is_told_when_something_is_forgotten(means, tmp_path):
    """What a link leads to is not searched, and nobody takes that for nothing there."""
    means = replace(means, attic=FolderAttic(tmp_path / "data"))
    said = remember(means, WriteRequest(text="Tests run with TZ=UTC.", kind="repo_convention"))
    assert isinstance(said, Written)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "data").mkdir(exist_ok=True)
    link = tmp_path / "data" / "projects"
    link.symlink_to(tmp_path / "elsewhere")
    gone = forget(means, [said.memory.id])
    assert isinstance(gone, Forgotten)
    assert [(each.type, each.place) for each in gone.elsewhere] == [("link", str(link))]
    remember(means, WriteRequest(text="Tests run with uv.", kind="repo_convention"))
    ended = erase_repository(means, ".")
    assert isinstance(ended, Ended)
    assert [(each.type, each.place) for each in ended.elsewhere] == [("link", str(link))]


def test_whom_one_repository_erases_is_in_no_region_of_another(means, tmp_path):
    """The region of the other stays, empty, and is filled again by its next consolidation."""
    other = tmp_path / "other"
    other.mkdir()
    there = replace(
        means,
        identity=replace(means.identity, repository_id="bbbb"),
        context=replace(means.context, scopes=(Scope(type="repository", repo_id="bbbb"),)),
        outlets=FileOutlets(tmp_path / "data", other),
        place=copy(means.place),
    )
    there.place.root = str(other)
    for text in ("Zelda Zimmer reviews the parser.", "Tests run with TZ=UTC."):
        remember(there, WriteRequest(text=text, kind="repo_convention"))
    done(regions.publish(there, "CLAUDE.md"))
    path = here(there, "CLAUDE.md")
    assert "Zimmer" in path.read_text()
    erase_person(means, "Zelda Zimmer")
    assert "Zimmer" not in path.read_text()
    regions.renew(there)
    assert "TZ=UTC" in path.read_text()
    assert "Zimmer" not in path.read_text()


def test_files_on_other_machines_of_a_store_are_told(means):
    """A server is used from several; what was made on another is not in reach of whoever forgets."""
    said = remember(means, WriteRequest(text="Tests run with TZ=UTC.", kind="repo_convention"))
    assert isinstance(said, Written)
    gone = forget(replace(means, served=True), [said.memory.id])
    assert isinstance(gone, Forgotten)
    assert [each.type for each in gone.elsewhere] == ["machine"]


class StuckAttic(NoAttic):
    """A folder of old copies that cannot be written to."""

    def clear(self, texts, *, shared=False):
        """Fails."""
        raise StoreError("An old copy cannot be cleared.")


def test_what_stays_in_an_old_copy_is_not_forgotten_yet(means):
    """Rows go with the copies that nobody makes anew or not at all: whoever tries again is not told it was done."""
    said = remember(means, WriteRequest(text="Tests run with TZ=UTC.", kind="repo_convention"))
    assert isinstance(said, Written)
    with pytest.raises(StoreError):
        forget(replace(means, attic=StuckAttic()), [said.memory.id])
    with pytest.raises(StoreError):
        erase_repository(replace(means, attic=StuckAttic()), ".")
    assert means.store.memories.many(means.context.sight, [said.memory.id])
    assert isinstance(forget(means, [said.memory.id]), Forgotten)


def test_old_copies_lose_what_was_asked_of_a_memory_too(means, tmp_path):
    """A change somebody proposed says most of what is forgotten, in other words."""
    means = replace(means, attic=FolderAttic(tmp_path / "data"))
    said = remember(means, WriteRequest(text="Tests run with TZ=UTC.", kind="repo_convention"))
    assert isinstance(said, Written)
    propose(means, ProposalRequest(operation="update", target_id=said.memory.id, text="Tests run with TZ=CET now."))
    copy = tmp_path / "data" / "exports" / "mine" / "proposals.jsonl"
    copy.parent.mkdir(parents=True)
    copy.write_text('{"text": "Tests run with TZ=CET now."}\n{"text": "Use uv."}\n')
    forget(means, [said.memory.id])
    assert copy.read_text() == '{"text": "Use uv."}\n'


def test_copies_of_what_a_person_changed_go_before_the_rows(means, tmp_path):
    """They are made anew by nobody: whoever dies after the rows went would leave them for good."""
    said = remember(means, WriteRequest(text="Tests run with TZ=UTC.", kind="repo_convention"))
    assert isinstance(said, Written)
    copies = [tmp_path / "data" / "projects" / "repo-a" / "edited" / name for name in ("x/MEMORY.md", "y/MEMORY.md")]
    for path, text in zip(copies, ("- Tests run with TZ=UTC.\n", "- Use uv.\n"), strict=True):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    strike(means, Gone((said.memory.text,), frozenset()), shared=False)
    assert [path.exists() for path in copies] == [False, True]


@pytest.mark.parametrize("at_home", [True, False])
def test_nothing_is_taken_out_behind_a_link(means, tmp_path, at_home):
    """By then a folder of the repository may be a link to one of another repository that was given the same."""
    roots = [tmp_path / "repo", tmp_path / "other"]
    roots[1].mkdir()
    for root in roots:
        drawing = FileOutlets(tmp_path / "data", root)
        drawing.draw(Wish(path=str(root / ".claude/skills/release/SKILL.md"), of="skill", text="Ours.\n"))
        drawing.draw(Wish(path=str(root / ".github/copilot-instructions.md"), of="region", text="Ours.\n"))
    kept = {path: path.read_bytes() for path in roots[1].rglob("*") if path.is_file()}
    for name in (".claude", ".github"):
        shutil.rmtree(roots[0] / name)
        (roots[0] / name).symlink_to(roots[1] / name)
    given = Asked(
        regions=frozenset({str(roots[0] / ".github/copilot-instructions.md")}),
        skills={"claude-code": Copied(files=frozenset({str(roots[0] / ".claude/skills/release/SKILL.md")}))},
    )
    if not at_home:
        means = replace(means, outlets=FileOutlets(tmp_path / "data", tmp_path / "third"))
    assert len(outlets.withdraw(means, given)) == 2
    assert {path: path.read_bytes() for path in roots[1].rglob("*") if path.is_file()} == kept


def test_a_folder_that_became_a_link_is_not_written_through(tmp_path):
    """Between what was planned and what is written."""
    root, away = tmp_path / "repo", tmp_path / "away"
    for folder in (root / ".claude", away):
        folder.mkdir(parents=True)
    change = copied(root / ".claude" / "x.md", "Ours.\n", tmp_path / "data", root)
    (root / ".claude").rmdir()
    (root / ".claude").symlink_to(away)
    with pytest.raises(ConfigError):
        apply(change, tmp_path / "data")
    assert not list(away.iterdir())


def test_files_of_other_repositories_lose_a_person_before_the_rows(means, tmp_path):
    """Afterwards nobody knows the texts that did not name them: erasing once more would not find the files."""
    top = tmp_path / "data" / "projects" / "repo-b"
    there = replace(means, identity=replace(means.identity, repository_id="repo-b"))
    filed(there, {"MEMORY.md": "- Tests run with TZ=UTC.\n", "notes/utc.md": "Use uv."}, "2026-01-01T00:00:00.000Z")
    (top / "notes" / "utc.md").unlink()  # somebody died after that
    strike(means, Gone(("Tests run with TZ=UTC.",), frozenset()), shared=True, everywhere=True)
    assert not (top / "MEMORY.md").exists()
    assert (top / ".made" / "files.json").read_text() == "{}"


class Dying(FileOutlets):
    """A process that dies as soon as a file is there."""

    def draw(self, wish):
        """Draws, and never comes back."""
        super().draw(wish)
        raise KeyboardInterrupt


@pytest.mark.parametrize("what", ["region", "skill", "record"])
def test_what_was_put_in_by_who_died_then_is_taken_out(means, tmp_path, monkeypatch, what):
    """What is to be there is written down before it is there."""
    remember(means, WriteRequest(text="Tests run with TZ=UTC.", kind="repo_convention"))
    file_skill(means)
    dying = replace(means, outlets=Dying(tmp_path / "data", Path(means.place.root)))
    with monkeypatch.context() as patch:
        if what == "record":
            patch.setattr(installed, "_write", _dies_after(installed._write))
        with pytest.raises(KeyboardInterrupt):
            regions.publish(dying, "CLAUDE.md") if what == "region" else skills.copy(dying, "claude-code")
    assert isinstance(erase_repository(means, "."), Ended)
    assert not [path for path in Path(means.place.root).rglob("*") if path.is_file() and path.read_bytes()]


def _dies_after(write):
    def written(path, *rest):
        write(path, *rest)
        if path.name == "SKILL.md":
            raise KeyboardInterrupt

    return written


def test_what_a_killed_process_left_beside_a_file_goes(means):
    """Never renamed, it holds what was to be put in; what somebody writes now, and what is not ours, stays."""
    remember(means, WriteRequest(text="Tests run with TZ=UTC.", kind="repo_convention"))
    regions.publish(means, "CLAUDE.md")
    handle, name = fresh.made(here(means, "."))
    left, foreign = here(means, ".learnt-abcdefgh.part"), here(means, ".learnt-settings")
    for path in (left, foreign, Path(name)):
        path.write_text("- Tests run with TZ=UTC.\n")
        os.utime(path, (1, 1))
    assert isinstance(erase_repository(means, "."), Ended)
    assert [path.exists() for path in (left, foreign, Path(name))] == [False, True, True]
    os.close(handle)
