"""A transcript's events folded into its digest: failed tools, failed commands, churned files, the final note.

Bounded form: identical entries once (the latest counts), the latest five of each kind, 4,000 characters shared by the
kinds in equal parts. Full form: everything, in order, repeats kept. Source: autonomous-swe seed, transcript digest
(that writes through the shell count as churn goes beyond it).
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, Protocol

from learnt.capture.echo import unechoed
from learnt.capture.extract import shortened
from learnt.capture.thread import LATEST, Thread, own
from learnt.model.digest import DamagedRecord, Digest, DigestStats, InlineAgent, SessionStatus, TokenTotal
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

_PROMPT_CHARS: Final = 2_000_000
"""Of prompts the bounded form holds; beyond that the oldest go, so that memory does not grow with the file."""
_DAMAGED: Final = 1_000
"""Damaged records named in the full form: of a file of rubbish every line is one."""
_AGENTS: Final = 1_000
"""Sub-agents told apart in one file."""


class Events(Protocol):
    """What is folded: a transcript of whatever host."""

    def events(self) -> Iterator[SessionEvent]:
        """Every event, in order."""
        ...

    def header(self) -> Header:
        """The session; complete when the events are exhausted."""
        ...


class Fold:
    """Events in, digest out. In the file of a sub-agent its sidechain is the main thread."""

    def __init__(self, *, full: bool) -> None:
        self._full = full
        self._threads = {False: Thread(full), True: Thread(full)}
        self._agents: dict[str, Thread] = {}
        self._prompts: deque[str] = deque()
        self._prompt_chars = 0
        self._malformed = self._inherited = self._boundaries = self._summaries = 0
        self._damaged: deque[DamagedRecord] = deque(maxlen=_DAMAGED if full else LATEST)
        self._told: list[str] = []
        self._injected: list[str] = []
        self._torn = False

    def add(self, event: SessionEvent) -> None:
        """The next event."""
        if self._full and isinstance(event, (Result, Call, Reply)) and event.sidechain and event.agent_id:
            self._inline(event)
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

    def _inline(self, event: Result | Call | Reply) -> None:
        """The same once more, for the sub-agent it is of."""
        if event.agent_id not in self._agents and len(self._agents) >= _AGENTS:
            return
        thread = self._agents.setdefault(event.agent_id, Thread(full=True))
        match event:
            case Result():
                thread.answer(event)
            case Call():
                thread.call(event)
            case Reply():
                thread.say(event)

    def _note(self, event: Injected | Compaction | Inherited | Malformed) -> None:
        """What is counted for the file as a whole."""
        match event:
            case Inherited():
                self._inherited += 1
            case Malformed():
                self._malformed += 1
                self._damaged.append(DamagedRecord(event.span.record, event.span.offset, event.reason))
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
            tokens=TokenTotal(**{f"{name}_tokens": count for name, count in thread.cost.items()})
            if thread.cost
            else None,
            full=self._full,
            compaction_summaries=tuple(self._told),
            injected_context=tuple(self._injected),
            sidechain_calls=other.calls,
            sidechain_failed=other.failed,
            inline_agents=tuple(
                InlineAgent(agent_id=name, failed_commands=each.failed_commands.entries(), final_note=each.note)
                for name, each in self._agents.items()
            ),
        )
        return shortened(raw, lambda text: screen(own(text)))

    def _stats(self, thread: Thread, header: Header) -> DigestStats:
        return DigestStats(
            records=header.records,
            malformed_lines=self._malformed,
            damaged=tuple(self._damaged),
            human_prompts=tuple(self._prompts),
            assistant_texts=thread.replies,
            tool_calls=thread.calls,
            compactions=max(self._boundaries, self._summaries),
            inherited_records=self._inherited,
            writes_ok=dict(thread.written),
            write_attempts=dict(thread.attempts),
            shell_writes=dict(thread.shell),
            status=self._status(thread, header),
        )

    def _status(self, thread: Thread, header: Header) -> SessionStatus:
        if self._torn:
            return "open"
        if thread.interrupted:
            return "interrupted"
        return "open" if thread.waiting or thread.unnamed or header.unfinished else "complete"


def digest(transcript: Events, screen: Callable[[str], str | None], *, full: bool = False) -> Digest:
    """The digest of one transcript, read once. Memory does not grow with the file unless `full`."""
    fold = Fold(full=full)
    for event in unechoed(transcript.events()):
        fold.add(event)
    return fold.digest(transcript.header(), screen)
