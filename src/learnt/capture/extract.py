"""A digest as it may leave: every text through the gate, the bounded form within its 4,000 characters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from learnt.model.digest import ChurnedFile, Digest, FailedCommand, FailedTool, InlineAgent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Screen = Callable[[str], str | None]

KIND_CHARS: Final = 1_000
"""4,000 characters in equal parts for the four kinds. Source: autonomous-swe seed, transcript digest."""
_MARK: Final = "…"


def shortened(digest: Digest, screen: Screen) -> Digest:
    """`digest` screened, and in its bounded form cut. What the screen refuses is dropped and counted."""
    tools = [tool for one in digest.failed_tools if (tool := _tool(one, screen))]
    commands = [command for one in digest.failed_commands if (command := _command(one, screen))]
    files = [ChurnedFile(path, one.writes) for one in digest.churned_files if (path := screen(one.path)) is not None]
    notes = _passed(digest.final_notes, screen)
    prompts = _passed(digest.stats.human_prompts, screen)
    dropped = _size(digest) - len(tools) - len(commands) - len(files) - len(notes) - len(prompts)
    stats = replace(
        digest.stats,
        human_prompts=prompts,
        writes_ok=_paths(digest.stats.writes_ok, screen),
        write_attempts=_paths(digest.stats.write_attempts, screen),
        shell_writes=_paths(digest.stats.shell_writes, screen),
        dropped=dropped,
    )
    return replace(
        digest,
        failed_tools=tuple(tools if digest.full else _cut_tools(tools)),
        failed_commands=tuple(commands if digest.full else _cut_commands(commands)),
        churned_files=tuple(files if digest.full else _cut_files(files)),
        final_notes=notes if digest.full else tuple(_head(note, KIND_CHARS // len(notes)) for note in notes),
        compaction_summaries=_passed(digest.compaction_summaries, screen),
        injected_context=_passed(digest.injected_context, screen),
        inline_agents=tuple(_agent(one, screen) for one in digest.inline_agents),
        header=replace(
            digest.header,
            title=screen(digest.header.title) or "",
            abandoned_writes=tuple(_paths(dict(digest.header.abandoned_writes), screen).items()),
        ),
        stats=stats,
    )


def _size(digest: Digest) -> int:
    entries = len(digest.failed_tools) + len(digest.failed_commands) + len(digest.churned_files)
    return entries + len(digest.final_notes) + len(digest.stats.human_prompts)


def _passed(texts: Iterable[str], screen: Screen) -> tuple[str, ...]:
    return tuple(shown for text in texts if (shown := screen(text)) is not None)


def _paths(counts: Mapping[str, int], screen: Screen) -> Mapping[str, int]:
    return {shown: count for path, count in counts.items() if (shown := screen(path)) is not None}


def _tool(entry: FailedTool, screen: Screen) -> FailedTool | None:
    target = screen(entry.target) if entry.target is not None else None
    error, tool = screen(entry.error), screen(entry.tool)
    if error is None or tool is None or (target is None and entry.target is not None):
        return None
    return FailedTool(tool, target, error)


def _command(entry: FailedCommand, screen: Screen) -> FailedCommand | None:
    command, tail = screen(entry.command), screen(entry.tail)
    return None if command is None or tail is None else FailedCommand(command, entry.exit_code, tail)


def _agent(agent: InlineAgent, screen: Screen) -> InlineAgent:
    commands = tuple(command for one in agent.failed_commands if (command := _command(one, screen)))
    return InlineAgent(
        agent_id=screen(agent.agent_id) or "", failed_commands=commands, final_note=screen(agent.final_note) or ""
    )


def _cut_tools(entries: Sequence[FailedTool]) -> list[FailedTool]:
    cut = []
    for entry, room in zip(entries, _shares([_tool_size(one) for one in entries]), strict=True):
        target = None if entry.target is None else _tail(entry.target, room // 2)
        rest = room - len(target or "")
        tool = _head(entry.tool, rest // 2)
        cut.append(FailedTool(tool, target, _head(entry.error, rest - len(tool))))
    return cut


def _tool_size(entry: FailedTool) -> int:
    return len(entry.tool) + len(entry.target or "") + len(entry.error)


def _cut_commands(entries: Sequence[FailedCommand]) -> list[FailedCommand]:
    cut = []
    for entry, room in zip(entries, _shares([len(one.command) + len(one.tail) for one in entries]), strict=True):
        command = _head(entry.command, max(room // 2, room - len(entry.tail)))
        cut.append(FailedCommand(command, entry.exit_code, _tail(entry.tail, room - len(command))))
    return cut


def _cut_files(entries: Sequence[ChurnedFile]) -> list[ChurnedFile]:
    rooms = _shares([len(one.path) for one in entries])
    return [ChurnedFile(_tail(one.path, room), one.writes) for one, room in zip(entries, rooms, strict=True)]


def _shares(sizes: Sequence[int]) -> list[int]:
    """How many characters each entry of a kind may have: what short ones leave goes to the longer ones."""
    rooms = [0] * len(sizes)
    left = KIND_CHARS
    for served, place in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        rooms[place] = min(sizes[place], left // (len(sizes) - served))
        left -= rooms[place]
    return rooms


def _head(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[: max(0, chars - 1)] + _MARK[:chars]


def _tail(text: str, chars: int) -> str:
    return text if len(text) <= chars else _MARK[:chars] + text[len(text) - max(0, chars - 1) :]
