"""A transcript's events folded into its digest: failed tools, failed commands, churned files, the final note.

Bounded form: identical entries once (the latest counts), the latest five of each kind, 4,000 characters shared by the
kinds in equal parts. Full form: everything, in order, repeats kept. Source: autonomous-swe seed, transcript digest
(that writes through the shell count as churn goes beyond it).
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

from learnt.capture.echo import without_echo, without_private
from learnt.capture.extract import shortened
from learnt.capture.writes import written_files
from learnt.model.digest import (
    ChurnedFile,
    Digest,
    DigestStats,
    FailedCommand,
    FailedTool,
    SessionStatus,
    TokenTotal,
)
from learnt.model.session import (
    Call,
    Compaction,
    Inherited,
    Injected,
    Interruption,
    Malformed,
    Prompt,
    Reply,
    Result,
    Tokens,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.model.session import Header, SessionEvent

LATEST: Final = 5
CHURN: Final = 3
"""Writes from which on a file is listed."""
_PROMPT_CHARS: Final = 2_000_000
"""Of prompts the bounded form holds; beyond that the oldest go, so that memory does not grow with the file."""
_OPEN_CALLS: Final = 10_000
_PATHS: Final = 20_000

_HINTS: Final = ("mem", "private", "learnt_", "prop_")
"""A text without any of these holds nothing of ours and nothing private."""

Entry = TypeVar("Entry")


class Events(Protocol):
    """What is folded: a transcript of whatever host."""

    def events(self) -> Iterator[SessionEvent]:
        """Every event, in order."""
        ...

    def header(self) -> Header:
        """The session; complete when the events are exhausted."""
        ...


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
    waiting: OrderedDict[str, Call] = field(default_factory=OrderedDict)
    unnamed: deque[Call] = field(default_factory=deque)
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
        self.calls += 1
        if call.action == "write" and call.target is not None:
            _count(self.attempts, call.target)
        if not call.call_id:
            self.unnamed.append(call)
        else:
            self.waiting[call.call_id] = call
        if len(self.waiting) + len(self.unnamed) > _OPEN_CALLS:
            _ = self.waiting.popitem(last=False) if self.waiting else self.unnamed.popleft()

    def answer(self, result: Result) -> None:
        """The answer of a call; of no call that is known, it says nothing."""
        if result.call_id:
            call = self.waiting.pop(result.call_id, None)
        else:
            call = self.unnamed.popleft() if self.unnamed else None
        if call is None or result.failure == "aborted":
            return
        if result.failure == "":
            self._succeeded(call)
        elif call.action == "shell":
            self.failed += 1
            self.failed_commands.add(FailedCommand(call.target or "", result.exit_code, result.text))
        else:
            self.failed_tools.add(FailedTool(call.tool, call.target, _unwrapped(result.text)))

    def _succeeded(self, call: Call) -> None:
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


class Fold:
    """Events in, digest out. In the file of a sub-agent its sidechain is the main thread."""

    def __init__(self, *, full: bool) -> None:
        self._full = full
        self._threads = {False: Thread(full), True: Thread(full)}
        self._prompts: deque[str] = deque()
        self._prompt_chars = 0
        self._malformed = self._inherited = self._boundaries = self._summaries = 0
        self._told: list[str] = []
        self._injected: list[str] = []
        self._torn = False

    def add(self, event: SessionEvent) -> None:
        """The next event."""
        match event:
            case Result():
                self._threads[event.sidechain].answer(event)
            case Call():
                self._resume(event.sidechain).call(event)
            case Tokens():
                self._threads[event.sidechain].pay(event)
            case Reply():
                self._resume(event.sidechain).say(event)
            case Prompt():
                self._prompt(own(event.text))
            case Interruption():
                self._threads[event.sidechain].interrupted = True
            case _:
                self._note(event)

    def _note(self, event: Injected | Compaction | Inherited | Malformed) -> None:
        """What is counted for the file as a whole."""
        match event:
            case Inherited():
                self._inherited += 1
            case Malformed():
                self._malformed += 1
                self._torn = event.torn
            case Injected() if event.source == "hook" and self._full:
                self._injected.append(event.text)
            case Compaction() if event.summary:
                self._summaries += 1
                if self._full:
                    self._told.append(event.summary)
            case Compaction():
                self._boundaries += 1
            case Injected():
                pass

    def _resume(self, side: bool) -> Thread:  # noqa: FBT001
        thread = self._threads[side]
        thread.interrupted = False
        return thread

    def _prompt(self, text: str) -> None:
        if not text.strip():
            return
        self._threads[False].interrupted = False
        self._prompts.append(text)
        self._prompt_chars += len(text)
        while not self._full and self._prompt_chars > _PROMPT_CHARS and len(self._prompts) > 1:
            self._prompt_chars -= len(self._prompts.popleft())

    def digest(self, header: Header, screen: Callable[[str], str | None]) -> Digest:
        """Everything folded so far, every text that leaves screened.

        Args:
            screen: Gives a text as it may be shown, or None when its entry is not to be shown at all.
        """
        thread, other = self._threads[header.sidechain], self._threads[not header.sidechain]
        raw = Digest(
            failed_tools=thread.failed_tools.entries(),
            failed_commands=thread.failed_commands.entries(),
            churned_files=thread.churned() if self._full else thread.churned()[-LATEST:],
            final_notes=(thread.note,) if thread.note else (),
            stats=self._stats(thread, header),
            header=header,
            tokens=TokenTotal(**{f"{name}_tokens": count for name, count in thread.cost.items()}),
            full=self._full,
            compaction_summaries=tuple(self._told),
            injected_context=tuple(self._injected),
            sidechain_calls=other.calls,
            sidechain_failed=other.failed,
        )
        return shortened(raw, lambda text: screen(own(text)))

    def _stats(self, thread: Thread, header: Header) -> DigestStats:
        return DigestStats(
            records=header.records,
            malformed_lines=self._malformed,
            human_prompts=tuple(self._prompts),
            assistant_texts=thread.replies,
            tool_calls=thread.calls,
            compactions=max(self._boundaries, self._summaries),
            inherited_records=self._inherited,
            writes_ok=dict(thread.written),
            write_attempts=dict(thread.attempts),
            shell_writes=dict(thread.shell),
            status=self._status(thread),
        )

    def _status(self, thread: Thread) -> SessionStatus:
        if self._torn:
            return "open"
        if thread.interrupted:
            return "interrupted"
        return "open" if thread.waiting or thread.unnamed else "complete"


def digest(transcript: Events, screen: Callable[[str], str | None], *, full: bool = False) -> Digest:
    """The digest of one transcript, read once. Memory does not grow with the file unless `full`."""
    fold = Fold(full=full)
    for event in transcript.events():
        fold.add(event)
    return fold.digest(transcript.header(), screen)


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
