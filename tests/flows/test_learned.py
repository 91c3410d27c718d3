"""`learned.md`: what a person gave as a lesson is there at once; what people write in is offered, once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from learnt.bootstrap.artifacts import Folder
from learnt.flows import learned
from learnt.flows.compact import compact
from learnt.flows.decide import decide
from learnt.flows.forget import forget
from learnt.flows.propose import propose
from learnt.flows.remember import remember
from learnt.model.answer import Proposed, Written
from learnt.model.filter import ProposalFilter
from learnt.model.proposal import Decision
from learnt.model.request import ProposalRequest, WriteRequest


@pytest.fixture
def means(means, tmp_path):
    """With a folder for files."""
    return replace(means, artifacts=Folder(tmp_path / "files"))


def file(means, tmp_path):
    """The file."""
    return tmp_path / "files" / "projects" / means.identity.repository_id / "learned.md"


def _id(answer):
    """Of what was written or proposed."""
    assert isinstance(answer, (Proposed, Written))
    return answer.proposal.id if isinstance(answer, Proposed) else answer.memory.id


def test_a_lesson_of_a_person_is_written_at_once(means, tmp_path):
    """By remembering it, or by accepting it; other kinds and an agent's words are not."""
    remember(means, WriteRequest(text="Prefer pathlib over os.path.", kind="lesson", rationale="agreed in review"))
    remember(means, WriteRequest(text="The build needs Go 1.22.", kind="project_fact"))
    asked = propose(means, ProposalRequest(operation="add", text="Run ruff first.", kind="lesson", evidence=("a.md",)))
    assert "ruff" not in file(means, tmp_path).read_text()
    decide(means, Decision(proposal_id=_id(asked), action="accept"))
    assert file(means, tmp_path).read_text() == (
        "# Learned lessons\n\n- Run ruff first.\n- Prefer pathlib over os.path. _(agreed in review)_\n"
    )


def test_what_people_write_in_is_offered_once(means, tmp_path):
    """A bullet that is no memory becomes a proposal; decided or not it is not offered again, and it stays."""
    remember(means, WriteRequest(text="Prefer pathlib over os.path.", kind="lesson"))
    path = file(means, tmp_path)
    path.write_text(path.read_text() + "\n## Mine\n- Never rebase shared branches.\n")
    assert learned.refresh(means) == 1
    assert learned.refresh(means) == 0
    waiting = means.store.proposals.page(means.context.sight, ProposalFilter()).values
    assert [(each.text, each.kind, each.trust) for each in waiting] == [
        ("Never rebase shared branches.", "lesson", "agent")
    ]
    assert "## Mine\n- Never rebase shared branches." in path.read_text()


def test_file_and_rows_come_together(means, tmp_path):
    """A lost file is written anew; a retired lesson leaves it."""
    first = remember(means, WriteRequest(text="Use tox for tests.", kind="lesson"))
    remember(means, WriteRequest(text="Prefer pathlib over os.path.", kind="lesson"))
    file(means, tmp_path).unlink()
    learned.refresh(means)
    assert file(means, tmp_path).read_text().count("\n- ") == 2
    asked = propose(
        means,
        ProposalRequest(operation="delete", target_id=_id(first), rationale="tox is gone", evidence=("tox.ini",)),
    )
    decide(means, Decision(proposal_id=_id(asked), action="accept"))
    learned.refresh(means)
    assert "tox" not in file(means, tmp_path).read_text()


def test_a_lesson_whose_row_goes_leaves_the_file(means, tmp_path):
    """It is not taken for a person's line afterwards; and a temporary file of a killed writer goes."""
    first = remember(means, WriteRequest(text="Use tox for tests.", kind="lesson"))
    remember(means, WriteRequest(text="Prefer pathlib over os.path.", kind="lesson"))
    asked = propose(
        means,
        ProposalRequest(operation="delete", target_id=_id(first), rationale="tox is gone", evidence=("tox.ini",)),
    )
    decide(means, Decision(proposal_id=_id(asked), action="accept"))
    left = file(means, tmp_path).with_name(".learned.md.0123456789abcdef")
    left.write_text("half")
    compact(means, confirm=True)
    assert "tox" not in file(means, tmp_path).read_text()
    assert [path.name for path in file(means, tmp_path).parent.iterdir()] == ["learned.md"]
    assert learned.refresh(means) == 0


def test_what_was_forgotten_leaves_the_file(means, tmp_path):
    """Line by line; the rest stays."""
    remember(means, WriteRequest(text="Use tox for tests.", kind="lesson"))
    remember(means, WriteRequest(text="Prefer pathlib over os.path.", kind="lesson"))
    learned.drop(means, lambda line: "tox" in line)
    assert file(means, tmp_path).read_text() == "# Learned lessons\n\n- Prefer pathlib over os.path.\n"


def test_a_lesson_forgotten_while_the_file_is_made_is_not_in_it(means, tmp_path):
    """Saved or brought together: the rows are read where whoever forgets waits, not before."""
    kept = remember(means, WriteRequest(text="Prefer pathlib over os.path.", kind="lesson"))
    assert isinstance(kept, Written)
    gone = remember(means, WriteRequest(text="The zanzibar host is for releases.", kind="lesson"))
    assert isinstance(gone, Written)
    memory = gone.memory

    class Late(Folder):
        """It is forgotten as soon as somebody is about to change the file."""

        def change(self, name, most_bytes, edit):
            """Just before."""
            if b"zanzibar" in (self.read(name, most_bytes) or b""):
                forget(means, [memory.id])
            return super().change(name, most_bytes, edit)

    late = replace(means, artifacts=Late(tmp_path / "files"))
    learned.refresh(late)
    assert "zanzibar" not in file(means, tmp_path).read_text()
    learned.save(late, memory)
    assert "zanzibar" not in file(means, tmp_path).read_text()
    assert "pathlib" in file(means, tmp_path).read_text()
