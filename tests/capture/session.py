"""Sessions told in a few words: a builder of events with the positions a reader would give."""

from __future__ import annotations

from dataclasses import dataclass, field

from learnt.model.session import Call, Compaction, Header, Prompt, Reply, Result, SessionEvent, Span

ROOT = "/srv/shop"


@dataclass
class Story:
    """Events in order; every method adds some and gives the story back."""

    events: list[SessionEvent] = field(default_factory=list)
    records: int = 0

    def _span(self) -> Span:
        self.records += 1
        return Span(offset=self.records * 100, length=100, record=self.records)

    def _at(self) -> str:
        return f"2026-03-01T10:{self.records // 60:02d}:{self.records % 60:02d}.000Z"

    def asked(self, text: str, *, typed: bool = True, sidechain: bool = False) -> Story:
        """A message of the user role."""
        span = self._span()
        self.events.append(
            Prompt(at=self._at(), span=span, message_id=f"m{span.record}", text=text, typed=typed, sidechain=sidechain)
        )
        return self

    def said(self, text: str, *, sidechain: bool = False) -> Story:
        """Words of the agent."""
        span = self._span()
        self.events.append(
            Reply(at=self._at(), span=span, message_id=f"m{span.record}", text=text, sidechain=sidechain)
        )
        return self

    def ran(self, command: str, output: str = "", code: int = 0) -> Story:
        """A shell call; a code other than 0 fails as the client shows it."""
        call_id = self._call("Bash", "shell", command)
        text = f"Exit code {code}\n{output}" if code else output
        return self._answered(call_id, text, "exit" if code else "", code)

    def wrote(self, path: str, text: str = "x = 1\n", *, failed: bool = False) -> Story:
        """A file written by an editing tool."""
        call_id = self._call("Edit", "write", f"{ROOT}/{path}", text)
        return self._answered(call_id, "boom" if failed else "ok", "error" if failed else "", None)

    def read(self, path: str, output: str, *, failed: bool = False) -> Story:
        """A file read."""
        call_id = self._call("Read", "read", f"{ROOT}/{path}")
        return self._answered(call_id, output, "error" if failed else "", None)

    def refused(self, command: str, words: str) -> Story:
        """The person stopped a call and said why: the words come as a prompt of the result's own record."""
        call_id = self._call("Bash", "shell", command)
        self._answered(
            call_id, f"The user doesn't want to proceed with this tool use. the user said:\n{words}", "aborted", None
        )
        answered = self.events[-1]
        assert isinstance(answered, Result)
        self.events.append(Prompt(at=answered.at, span=answered.span, message_id=answered.message_id, text=words))
        return self

    def compacted(self, summary: str) -> Story:
        """The conversation so far became a summary."""
        span = self._span()
        self.events.append(Compaction(at=self._at(), span=span, message_id=f"m{span.record}", summary=summary))
        return self

    def _call(self, tool: str, action: str, target: str, text: str = "") -> str:
        span = self._span()
        call_id = f"call-{span.record}"
        self.events.append(
            Call(
                at=self._at(),
                span=span,
                message_id=f"m{span.record}",
                call_id=call_id,
                tool=tool,
                action=action,  # type: ignore[arg-type]
                target=target,
                head=target,
                text=text,
                cwd=ROOT,
            )
        )
        return call_id

    def _answered(self, call_id: str, text: str, failure: str, code: int | None) -> Story:
        span = self._span()
        self.events.append(
            Result(
                at=self._at(),
                span=span,
                message_id=f"m{span.record}",
                call_id=call_id,
                failure=failure,  # type: ignore[arg-type]
                exit_code=code,
                text=text,
            )
        )
        return self


def header(**changes: object) -> Header:
    """An interactive session of the shop."""
    fields: dict[str, object] = {"host": "claude-code", "session_id": "s-1", "cwd": ROOT, "interactive": True}
    return Header(**(fields | changes))  # type: ignore[arg-type]
