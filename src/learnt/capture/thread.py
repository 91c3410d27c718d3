"""One thread of a session while it is folded: what it called, what failed, what it wrote, what it said last."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from learnt.capture.echo import without_echo, without_private
from learnt.capture.writes import written_files
from learnt.model.digest import ChurnedFile, FailedCommand, FailedTool

if TYPE_CHECKING:
    from learnt.model.session import ActionType, Call, Reply, Result, Tokens

LATEST: Final = 5
CHURN: Final = 3
"""Writes from which on a file is listed. Source: autonomous-swe seed, transcript digest."""
_OPEN_CALLS: Final = 10_000
_OPEN_CHARS: Final = 8_000_000
_PATHS: Final = 20_000
_HINTS: Final = ("mem", "private", "learnt_", "prop_")
"""A text without any of these holds nothing of ours and nothing private."""

Entry = TypeVar("Entry")


class Latest(Generic[Entry]):
    """Entries in order: all of them, or the latest five different ones."""

    def __init__(self, *, full: bool) -> None:
        self._full = full
        self._all: list[Entry] = []
        self._latest: OrderedDict[Entry, None] = OrderedDict()

    def add(self, entry: Entry) -> None:
        """One entry more."""
        if self._full:
            self._all.append(entry)
            return
        self._latest[entry] = None
        self._latest.move_to_end(entry)
        if len(self._latest) > LATEST:
            self._latest.popitem(last=False)

    def entries(self) -> tuple[Entry, ...]:
        """In the order of the transcript."""
        return tuple(self._all or self._latest)


@dataclass(frozen=True, slots=True)
class Open:
    """What is kept of a call until its answer comes."""

    tool: str
    action: ActionType
    target: str | None
    cwd: str


@dataclass(slots=True)
class Thread:
    """What one thread of a session did so far: the main one, or the sub-agents told inline."""

    full: bool
    failed_tools: Latest[FailedTool] = field(init=False)
    failed_commands: Latest[FailedCommand] = field(init=False)
    note: str = ""
    replies: int = 0
    calls: int = 0
    failed: int = 0
    interrupted: bool = False
    waiting: OrderedDict[str, Open] = field(default_factory=OrderedDict)
    unnamed: deque[Open] = field(default_factory=deque)
    waiting_chars: int = 0
    written: Counter[str] = field(default_factory=Counter)
    attempts: Counter[str] = field(default_factory=Counter)
    shell: Counter[str] = field(default_factory=Counter)
    cost: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.failed_tools = Latest(full=self.full)
        self.failed_commands = Latest(full=self.full)

    def say(self, reply: Reply) -> None:
        """A text of the agent; one that only repeats our own block is none."""
        if own(reply.text).strip():
            self.note = reply.text
            self.replies += 1

    def call(self, call: Call) -> None:
        """A call, waiting for its answer; one without an id is answered in its turn."""
        self.calls += not call.part
        if call.action == "write" and call.target is not None:
            _count(self.attempts, call.target)
        waits = Open(call.tool, call.action, call.target, call.cwd)
        if call.call_id:
            self.waiting[call.call_id] = waits
        else:
            self.unnamed.append(waits)
        self.waiting_chars += len(call.target or "")
        while len(self.waiting) + len(self.unnamed) > _OPEN_CALLS or self.waiting_chars > _OPEN_CHARS:
            oldest = self.waiting.popitem(last=False)[1] if self.waiting else self.unnamed.popleft()
            self.waiting_chars -= len(oldest.target or "")

    def answer(self, result: Result) -> None:
        """The answer of a call; of no call that is known, it says nothing."""
        if result.call_id:
            call = self.waiting.pop(result.call_id, None)
        else:
            call = self.unnamed.popleft() if self.unnamed else None
        if call is None:
            return
        self.waiting_chars -= len(call.target or "")
        if result.failure == "aborted":
            return
        if result.failure == "":
            self._succeeded(call)
        elif call.action == "shell":
            self.failed += 1
            self.failed_commands.add(FailedCommand(call.target or "", result.exit_code, result.text.rstrip()))
        else:
            self.failed_tools.add(FailedTool(call.tool, call.target, _unwrapped(result.text)))

    def _succeeded(self, call: Open) -> None:
        if call.target is None:
            return
        if call.action == "write":
            _count(self.written, call.target)
        elif call.action == "shell":
            for path in written_files(call.target, call.cwd):
                _count(self.shell, path)

    def pay(self, tokens: Tokens) -> None:
        """One response's cost."""
        self.cost["input"] += tokens.input_tokens
        self.cost["output"] += tokens.output_tokens
        self.cost["cache_read"] += tokens.cache_read_tokens
        self.cost["cache_write"] += tokens.cache_write_tokens

    def churned(self) -> tuple[ChurnedFile, ...]:
        """Files written three or more times; a path the client gave relative stays apart from an absolute one."""
        together = self.written + self.shell
        return tuple(ChurnedFile(path, together[path]) for path in together if together[path] >= CHURN)


def own(text: str) -> str:
    """`text` without our own injected blocks and without what is marked private; unchanged where there is neither."""
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS):
        return text
    return without_echo(without_private(text))


def _unwrapped(error: str) -> str:
    return error.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")


def _count(counter: Counter[str], path: str) -> None:
    if path in counter or len(counter) < _PATHS:
        counter[path] += 1
