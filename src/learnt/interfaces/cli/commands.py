"""The group `learnt`: every command, and the help a person sees first."""

from __future__ import annotations

import click

from learnt import __version__
from learnt.interfaces.cli import (
    audit,
    compact,
    conflict,
    demo,
    evaluate,
    feedback,
    forget,
    intake,
    learn,
    look,
    memory,
    migrate,
    models,
    portable,
    reembed,
    search,
    setup,
    stale,
    state,
    tools,
    transcripts,
    work,
    write,
)
from learnt.interfaces.cli.queue import pending as queue

SECTIONS: tuple[tuple[str, tuple[click.Command, ...]], ...] = (
    ("Start", (demo.demo, setup.init, state.status, state.doctor)),
    ("Ask", (look.recall, search.search, look.list_, look.show, look.explain)),
    (
        "Write and decide",
        (write.remember, queue.pending, write.decide, conflict.conflicts, write.undo, write.propose, intake.intake),
    ),
    ("Read sessions", (transcripts.sessions, memory.memory, transcripts.digest)),
    ("Forget", (forget.forget, forget.erase)),
    (
        "Learn from outcomes",
        (
            feedback.outcome,
            feedback.flag,
            feedback.unflag,
            feedback.flags,
            learn.reward,
            learn.value_log,
            learn.recall_log,
        ),
    ),
    ("Look behind", (search.evidence, stale.stale, audit.audit, evaluate.evaluate)),
    (
        "Keep it going",
        (
            compact.compact,
            reembed.reembed,
            work.worker,
            work.jobs,
            models.models,
            migrate.migrate,
            portable.export,
            portable.import_,
            state.backup,
        ),
    ),
    ("Wiring", (setup.uninit, setup.adopt, tools.mcp, setup.hook)),
)
"""What a person meets first stands first."""


class Front(click.Group):
    """A group whose help is arranged for people."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Commands by what somebody wants, not by letter."""
        del ctx
        room = max(len(name) for name in self.commands)
        for title, commands in SECTIONS:
            with formatter.section(title):
                rows = [(f"{each.name:<{room}}", each.get_short_help_str(70)) for each in commands]
                formatter.write_dl(rows)


@click.group(cls=Front, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="learnt", message="%(prog)s %(version)s")
@click.pass_context
def learnt(context: click.Context) -> None:
    """The memory of coding agents.

    Reads what a coding session left behind, keeps what it taught with its evidence, and puts it in front of the next
    agent when it matters.
    """
    if context.invoked_subcommand is None:
        click.echo(_WELCOME)


_WELCOME = """\
learnt: the memory of coding agents.

  learnt demo                          see the whole story in a few seconds
  learnt init                          wire it into your coding agents
  learnt remember TEXT --kind KIND     write a memory of this repository
  learnt recall QUESTION               what bears on a question
  learnt pending                       what sessions taught, waiting for you
  learnt status                        what is there

`learnt --help` lists every command, `learnt COMMAND --help` its options."""


def _gathered(group: click.Group) -> None:
    for _, commands in SECTIONS:
        for each in commands:
            group.add_command(each)


_gathered(learnt)
