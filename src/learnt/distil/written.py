"""What a model wrote in phase 2, held against what is known: an entry stands only on facts, and shows as they may.

The model names facts; standing, references and counts are taken from those, never from the model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from learnt.distil.compose import SHOWN, STANDINGS, compose, entry_of, label, rank
from learnt.distil.line import clipped, collapsed, fenced, line
from learnt.distil.near import gist, same
from learnt.distil.procedure import LEAST_SESSIONS, LEAST_STEPS, MAX_SKILLS, is_refused, refusals
from learnt.distil.schema import Unusable
from learnt.distil.skill import DESCRIPTION_CHARS, FILE_CHARS, MAX_FILES, faults, name, path
from learnt.distil.support import supported
from learnt.model.extraction import Entry, Playbook, Skill

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from learnt.distil.near import Gist
    from learnt.distil.schema import Composed, WrittenEntry, WrittenSkill
    from learnt.model.extraction import Extraction, Fact
    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal

ENTRY_CHARS = 500


@dataclass(frozen=True, slots=True)
class Judged:
    """A model's playbook as it may be used, and how much of it was dropped, by reason."""

    playbook: Playbook
    dropped: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Known:
    """What an id stands for."""

    entry: Entry
    sessions: frozenset[str]
    fact: Fact | None = None

    @property
    def grounds(self) -> tuple[str, ...]:
        """What a sentence that rests on it may say."""
        fact = self.fact
        return (self.entry.text, *((*(q.text for q in fact.quotes), *fact.commands, *fact.files) if fact else ()))


def judged(
    answer: Composed,
    extractions: Iterable[Extraction],
    memories: Iterable[Memory] = (),
    observations: Iterable[Proposal] = (),
    rejected: Iterable[str] = (),
    *,
    writer: str,
) -> Judged | Unusable:
    """The playbook of an answer; what the model left out of active memories is added, for those were decided on.

    An answer of which no entry stands is none: the artifacts stay as they are.
    """
    taken, remembered, seen = list(extractions), list(memories), list(observations)
    refused = list(rejected)
    plain = compose(taken, remembered, seen, refused, writer)
    judge = _Judge(_known(taken, remembered, seen), refused)
    entries = [made for each in answer.entries if (made := judge.entry(each)) is not None]
    if not entries:
        return Unusable("no entry rests on a known fact")
    shown = [made for each in answer.summary if (made := judge.entry(each, shown=True)) is not None]
    made_skills = judge.skills(answer.skills)
    playbook = Playbook(
        writer=writer,
        entries=tuple(sorted(_with_active(entries, plain.entries), key=rank)),
        summary=tuple(sorted(_with_active(shown, plain.summary), key=rank)),
        skills=made_skills,
    )
    return Judged(playbook, dict(sorted(judge.dropped.items())))


def _known(
    extractions: Iterable[Extraction], memories: Iterable[Memory], observations: Iterable[Proposal]
) -> dict[str, _Known]:
    known: dict[str, _Known] = {}
    for extraction in extractions:
        for fact in extraction.facts:
            known[fact.id] = _Known(entry_of(extraction, fact), frozenset({extraction.session_id}), fact)
    alone = compose((), memories, observations)
    for entry in alone.entries:
        known.update((ref, _Known(entry, frozenset())) for ref in entry.refs if ref.startswith(("mem_", "prop_")))
    return known


class _Judge:
    def __init__(self, known: Mapping[str, _Known], rejected: Sequence[str]) -> None:
        self._known = known
        self._refused, self._refused_steps = [gist(text) for text in rejected], refusals(rejected)
        self.dropped: dict[str, int] = {}

    def _drop(self, reason: str) -> None:
        self.dropped[reason] = self.dropped.get(reason, 0) + 1

    def _is_refused(self, text: str) -> bool:
        """Whether a person said no to this."""
        told = gist(text)
        return any(same(told, each) for each in self._refused)

    def entry(self, written: WrittenEntry, *, shown: bool = False) -> Entry | None:
        """The entry with the standing of the weakest thing it rests on; None when it rests on nothing known."""
        text = clipped(collapsed(written.text), ENTRY_CHARS)
        named = [self._known[each] for each in dict.fromkeys(written.facts) if each in self._known]
        if not named or not text:
            self._drop("unknown_facts" if text else "empty")
            return None
        standing = max((each.entry.standing for each in named), key=STANDINGS.index)
        if standing != "active" and any(self._is_refused(each) for each in (text, *(one.entry.text for one in named))):
            self._drop("rejected")
            return None
        if not supported(text, (ground for each in named for ground in each.grounds)):
            self._drop("unsupported")
            return None
        if shown and standing not in SHOWN:
            self._drop("standing")
            return None
        sessions = max(1, len(frozenset[str]().union(*(each.sessions for each in named))))
        active = standing == "active" and len(named) == 1
        return Entry(
            text=_own_words(named) if standing in SHOWN else text,
            section=named[0].entry.section,
            standing=standing,
            refs=tuple(dict.fromkeys(ref for each in named for ref in each.entry.refs))[:12],
            sessions=sessions,
            updated_at=max(each.entry.updated_at for each in named),
            label=named[0].entry.label if active else label(standing, sessions),
        )

    def skills(self, written: Iterable[WrittenSkill]) -> tuple[Skill, ...]:
        """The skills whose steps were seen to work in two sessions, by name."""
        made: dict[str, Skill] = {}
        for each in written:
            skill = self._skill(each)
            if skill is not None and skill.name not in made and len(made) < MAX_SKILLS:
                made[skill.name] = skill
            elif skill is not None:
                self._drop("repeated_skill")
        return tuple(made[each] for each in sorted(made))

    def _skill(self, written: WrittenSkill) -> Skill | None:
        named = [self._known[each] for each in dict.fromkeys(written.facts) if each in self._known]
        worked = [each for each in named if each.fact is not None and each.fact.worked]
        grounds = [ground for each in named for ground in each.grounds]
        sessions = frozenset[str]().union(*(each.sessions for each in worked)) if worked else frozenset()
        if len(sessions) < LEAST_SESSIONS:
            self._drop("skill_not_proven")
            return None
        proven = {command for each in worked if each.fact for command in each.fact.commands}
        steps = [step for each in written.steps if (step := collapsed(each)) and self._is_step(step, proven, grounds)]
        if len(steps) < LEAST_STEPS or not any(step in proven for step in steps):
            self._drop("skill_steps")
            return None
        good = {
            made: text
            for given, text in written.files
            if (made := path(given)) and _is_fit(made, text, proven, grounds)
        }
        for _ in range(len(written.files) - len(good)):
            self._drop("skill_path")
        if is_refused([step for step in steps if step in proven], self._refused_steps) or self._is_refused(
            written.description
        ):
            self._drop("rejected")
            return None
        named_as = name(written.name).replace("-", " ")
        skill = Skill(
            name=name(written.name),
            description=_description(written.description, steps, proven, grounds),
            body=_body(named_as, steps, proven),
            files=dict(sorted(good.items())[:MAX_FILES]),
            refs=tuple(sorted({ref for each in worked for ref in each.entry.refs}))[:12],
            sessions=len(sessions),
        )
        if faults(skill):
            self._drop("skill_format")
            return None
        return skill

    def _is_step(self, step: str, proven: Collection[str], grounds: Sequence[str]) -> bool:
        """Whether a step is a command that was seen to work, or says no more than what was, and holds no command."""
        if step in proven or (not _SHELL.search(step) and supported(step, grounds)):
            return True
        self._drop("skill_step")
        return False


_SHELL = re.compile(r"[`|;&$<>\\]|://|(?:^|\s)(?:\./|--?\w)|\b(?:curl|wget|sudo|rm|eval|bash|sh|python|node|npx)\b")
"""What makes words a command."""
_FRAME = re.compile(r"set -\w+(?: -?\w+)*|")
_SHEBANGS: Final = frozenset({"#!/bin/sh", "#!/bin/bash", "#!/usr/bin/env bash", "#!/usr/bin/env sh"})
"""Lines of a script that run nothing; which interpreter runs it is no free choice."""


def _is_fit(where: str, text: str, proven: Collection[str], grounds: Sequence[str]) -> bool:
    """Whether a file may be written: a script only of commands that were seen to work, a text only of what was."""
    if len(text) > FILE_CHARS or any(not (char.isprintable() or char in "\n\t") for char in text):
        return False
    rows = [row.strip() for row in text.split("\n")]
    if not where.startswith("scripts/"):
        return all(row in proven or supported(row, grounds) for row in rows if row)
    framed = rows[1:] if rows[0] in _SHEBANGS else rows
    return all(row in proven or _FRAME.fullmatch(row) or _is_remark(row, grounds) for row in framed)


def _is_remark(row: str, grounds: Sequence[str]) -> bool:
    return row.startswith("#") and not row.startswith("#!") and supported(row.lstrip("# "), grounds)


def _description(text: str, steps: Sequence[str], proven: Collection[str], grounds: Sequence[str]) -> str:
    """A model's description where it says no more than what was seen: every session reads it. Else the commands."""
    told = collapsed(text)
    if not supported(told, grounds):
        told = f"Seen to work: {', then '.join(f'`{clipped(step, 80)}`' for step in steps if step in proven)}."
    return clipped(line(told, DESCRIPTION_CHARS), DESCRIPTION_CHARS)


def _own_words(named: Sequence[_Known]) -> str:
    """What facts themselves say: put together by a model, true words may come to say what nobody said."""
    told: dict[str, Gist] = {}
    for text in (each.entry.text for each in named):
        meant = gist(text)
        if not any(meant == each or same(meant, each) for each in told.values()):
            told[text] = meant
    ended = (text if text.endswith((".", "!", "?", ":")) else f"{text};" for text in told)
    return clipped(" ".join(ended).removesuffix(";"), ENTRY_CHARS)


def _body(title: str, steps: Iterable[str], proven: Iterable[str]) -> str:
    """Steps as a list: commands that were run in a fence, the rest as a line."""
    known = set(proven)
    rows = [f"# {line(title, 100)}", ""]
    for number, step in enumerate(steps, 1):
        if step in known:
            fence = "\n".join("   " + row for row in fenced(step, "sh").split("\n"))
            rows.append(f"{number}. Run\n\n{fence}\n")
        else:
            rows.append(f"{number}. {line(step)}")
    return "\n".join(rows)


def _with_active(entries: Iterable[Entry], plain: Iterable[Entry]) -> list[Entry]:
    """Entries, and every active memory that none of them names."""
    kept = list(entries)
    told = {ref for entry in kept for ref in entry.refs}
    return kept + [replace(each) for each in plain if each.standing == "active" and told.isdisjoint(each.refs)]
