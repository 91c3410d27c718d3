"""The files that a playbook and its extractions make: relative path to text. Equal input gives equal bytes.

Source: autonomous-memory seed (which files there are) and codex (`v1` as the summary's first line, names of rollout
summaries).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.distil.compose import SHOWN, rank
from learnt.distil.draft import SECTIONS, slug
from learnt.distil.line import clipped, collapsed, line
from learnt.distil.names import HEADINGS, MEMORY, RAW, ROLLOUTS, SKILLS, SUMMARY
from learnt.distil.payload import CHARS_PER_TOKEN
from learnt.distil.skill import document, faults, front_matter_faults
from learnt.model.keys import sha256_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from learnt.model.extraction import Entry, Extraction, Playbook, Skill

VERSION: Final = "v1"
"""The first line of the summary, so that a reader of another format notices. Source: codex."""
NOTHING: Final = "Nothing yet.\n"
REFS_SHOWN: Final = 3
WHOLE_CHARS: Final = 2_000
"""Of a line of MEMORY.md: no memory is longer, so that a line changed by hand is not one that was cut."""
SUMMARY_CHARS: Final = 600
SKILL_CHARS: Final = 240
_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def artifacts(playbook: Playbook, extractions: Iterable[Extraction], *, summary_tokens: int) -> dict[str, str]:
    """Every file of a repository, by path. Without entries and skills only the raw ones, as a placeholder."""
    taken = sorted(extractions, key=lambda each: each.session_id)
    made = {RAW: raw(taken)}
    made.update((f"{ROLLOUTS}/{rollout_name(each)}", rollout(each)) for each in taken)
    if playbook.entries or playbook.skills:
        made[MEMORY] = memory(playbook)
        made[SUMMARY] = summary(playbook, summary_tokens)
    for skill in playbook.skills:
        text = document(skill)
        if not faults(skill) and not front_matter_faults(text, skill.name):
            made[f"{SKILLS}/{skill.name}/SKILL.md"] = text
            made.update((f"{SKILLS}/{skill.name}/{path}", text) for path, text in sorted(skill.files.items()))
    return made


def memory(playbook: Playbook) -> str:
    """MEMORY.md: every entry by section, with what it rests on; then the skills."""
    rows = [
        "# MEMORY",
        "",
        "What sessions here taught: background, to be checked first.",
        "",
    ]
    for section, heading in HEADINGS.items():
        entries = sorted((each for each in playbook.entries if each.section == section), key=rank)
        if entries:
            rows += [f"## {heading}", "", *(entry_line(each) for each in entries), ""]
    if playbook.skills:
        rows += ["## Skills", "", *(skill_line(each, WHOLE_CHARS) for each in playbook.skills), ""]
    return "\n".join(rows).rstrip("\n") + "\n"


def summary(playbook: Playbook, budget_tokens: int) -> str:
    """memory_summary.md: `v1`, then what may be shown, the strongest first, within the budget; "" when none fits."""
    room = budget_tokens * CHARS_PER_TOKEN - len(VERSION) - 1
    kept: list[tuple[str, str]] = []
    for heading, row in _summary_rows(playbook):
        cost = len(row) + 1 + (0 if any(other == heading for other, _ in kept) else len(heading) + 6)
        if cost <= room:
            kept.append((heading, row))
            room -= cost
    if not kept:
        return ""
    rows = [VERSION]
    for heading in (*HEADINGS.values(), _SKILLS):
        members = [row for other, row in kept if other == heading]
        rows += ["", f"## {heading}", *members] if members else []
    return "\n".join(rows) + "\n"


_SKILLS: Final = "Skills"


def _summary_rows(playbook: Playbook) -> Iterator[tuple[str, str]]:
    """Lines with their headings, in the order in which they may take room: skills after what people said."""
    entries = sorted((each for each in playbook.summary if each.standing in SHOWN), key=rank)
    strong = [each for each in entries if each.standing != "observed"]
    weak = [each for each in entries if each.standing == "observed"]
    yield from ((HEADINGS[each.section], summary_line(each)) for each in strong)
    yield from ((_SKILLS, skill_line(each)) for each in playbook.skills)
    yield from ((HEADINGS[each.section], summary_line(each)) for each in weak)


def entry_line(entry: Entry) -> str:
    """`- text [ids] (label)`, with the first places that it rests on."""
    return _line(entry, entry.refs[:REFS_SHOWN], WHOLE_CHARS)


def summary_line(entry: Entry) -> str:
    """The same with every memory and proposal it rests on; without any, with one place.

    A hook leaves out a line when one of them may not be shown any more.
    """
    kept = tuple(ref for ref in entry.refs if ref.startswith(("mem_", "prop_")))
    return _line(entry, kept or entry.refs[:1], SUMMARY_CHARS)


def _line(entry: Entry, shown: tuple[str, ...], most_chars: int) -> str:
    refs = [line(ref, 120).replace("]", "") for ref in shown]
    more = len(entry.refs) - len(refs)
    told = ", ".join([*refs, f"+{more}"] if more > 0 else refs)
    return f"- {line(entry.text, most_chars)}{f' [{told}]' if told else ''} ({line(entry.label, 80)})"


def skill_line(skill: Skill, most_chars: int = SKILL_CHARS) -> str:
    """One line of a skill: its name, which `memory_explain` takes, and what it is for."""
    return f"- skill:{skill.name}: {line(skill.description, most_chars)} (seen in {skill.sessions} sessions)"


def raw(extractions: Sequence[Extraction]) -> str:
    """raw_memories.md: what each session taught, as it was found, by session id."""
    rows = ["# Raw memories", ""]
    for each in extractions:
        rows += [f"## Session {line(each.session_id, 120)}", f"updated_at: {each.source_updated_at}", ""]
        rows += [f"- {fact.section}: {line(fact.text)}" for fact in sorted(each.facts, key=_fact_order)]
        rows += [""]
    return "\n".join(rows).rstrip("\n") + "\n" if extractions else "# Raw memories\n\n" + NOTHING


def _fact_order(fact: object) -> tuple[int, str, str]:
    section, text, name = (getattr(fact, field) for field in ("section", "text", "id"))
    return SECTIONS.index(section), text, name


def rollout_name(extraction: Extraction) -> str:
    """`<UTC time>-<4 characters of a hash>-<slug>.md`, without a slug when there is none. Source: codex."""
    at = extraction.source_updated_at[:19].replace(":", "-")
    number = int.from_bytes(sha256_bytes(extraction.session_id.encode("utf-8", "surrogatepass"))[:8], "big")
    hashed = ""
    for _ in range(4):
        number, digit = divmod(number, len(_DIGITS))
        hashed = _DIGITS[digit] + hashed
    named = slug(extraction.slug or "")
    return f"{at}-{hashed}{f'-{named}' if named else ''}.md"


def rollout(extraction: Extraction) -> str:
    """The synopsis of one session, under the two lines that say which and when. Source: oh-my-pi, rollout summaries."""
    facts = [f"- {fact.section}: {line(fact.text)}" for fact in sorted(extraction.facts, key=_fact_order)]
    rows = [
        f"thread_id: {clipped(collapsed(extraction.session_id), 120)}",
        f"updated_at: {extraction.source_updated_at}",
        f"writer: {clipped(collapsed(extraction.writer), 80)}",
        "",
        line(extraction.summary, 1_200) or NOTHING.rstrip("\n"),
        *(["", *facts] if facts else []),
    ]
    return "\n".join(rows) + "\n"
