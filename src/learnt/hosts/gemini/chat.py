"""A Gemini CLI session: a log of rows in which a message is written again whenever it changes, or one old document.

The last form of a message counts, so the newest messages are held back for a while. `$set.messages` restates the
conversation, shortened by the client: what is known is not told again, a summary in it is a compaction. What a person
took back does not count (`rewind`). Results of tools are told once more in the user role, and are no prompt there.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.gemini import tools
from learnt.hosts.reading import whole
from learnt.hosts.reading.moment import Moment
from learnt.hosts.reading.records import Record, records
from learnt.hosts.reading.rewind import MARK, MOST_BYTES, Rewinds, messages_of, rewinds
from learnt.hosts.reading.seen import Seen
from learnt.hosts.reading.sheet import Sheet
from learnt.hosts.reading.value import blocks, count, fields, instant, text
from learnt.model.session import Malformed, Span

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.hosts.host import Asked
    from learnt.model.session import ActionType, Header, SessionEvent

_MEMBERS: Final = ("sessionId", "projectHash", "startTime", "lastUpdated", "kind", "directories", "summary")
_HELD: Final = 64
_HELD_BYTES: Final = 4 << 20
_OPEN: Final = 10_000
_SNAPSHOT = re.compile(r"\A\s*<state_snapshot>\n?(.*?)\n?(?:</state_snapshot>\s*)?\Z", re.DOTALL)
_FILES = re.compile(
    r"^--- Content from referenced files ---$.*?(?:^--- End of content ---$|\Z)", re.DOTALL | re.MULTILINE
)
"""What the client puts behind a prompt for every `@file` in it."""
_HOST_STARTS: Final = ("<session_context>", "This is the Gemini CLI. We are setting up the context")
_SLASH = re.compile(r"[/?][A-Za-z][\w:-]*(?:\s[^\n]*)?\Z")
_CANCELLED: Final = "Request cancelled."


@dataclass(slots=True)
class _Held:
    """A message that may still change. `restated`: it came with the conversation as a whole."""

    message: dict[str, Any]
    span: Span
    restated: bool

    @property
    def progress(self) -> tuple[int, int, bool]:
        """How far it has come: calls, of these with a result, whether its cost is known."""
        calls = _calls(self.message)
        return len(calls), sum("result" in call for call in calls), bool(self.message.get("tokens"))


class ChatReader:
    """One session, read from its beginning each time.

    Args:
        asked: `offset` is not used.
        cwd: Where the session ran, as the folder it lies in says.
    """

    def __init__(self, asked: Asked, cwd: str, size_bytes: int) -> None:
        self._path = asked.path
        self._lineage = asked.lineage
        self._sheet = Sheet("gemini-cli", asked.path.stem, cwd=cwd)
        self._rewinds = Rewinds()
        self._seen = Seen()
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._held_bytes = 0
        self._calls: OrderedDict[str, ActionType] = OrderedDict()
        self._compacted = False
        self._behind_snapshot = False
        self.next_offset = size_bytes
        self.next_number = 0

    def header(self) -> Header:
        """What is known of the session so far."""
        return self._sheet.header(_subagents(self._path, self._sheet.session_id) if self._lineage else ())

    def events(self) -> Iterator[SessionEvent]:
        """Every event in the order in which the messages began."""
        if _is_child(self._path):
            self._sheet.sidechain, self._sheet.parent_session_id = True, self._path.parent.name
        if _is_document(self._path):
            self._about(whole.members(self._path, *_MEMBERS))
            items: Iterator[Any] = whole.elements(self._path, ("messages", "*"))
        else:
            self._rewinds = rewinds(self._path)
            items = records(self._path, most_bytes=MOST_BYTES)
        for item in items:
            self.next_number = item.span.record + 1
            if isinstance(item, Malformed):
                while self._held and item.torn:
                    yield from self._let_go()
                yield item
            elif isinstance(item, Record):
                self._sheet.records += 1
                yield from self._row(item)
        while self._held:
            yield from self._let_go()
        self._seen.close()

    def _row(self, record: Record) -> Iterator[SessionEvent]:
        row, number = record.fields, record.span.record
        messages = messages_of(row)
        own = bool(messages) and messages[0] is row
        if not own and MARK not in row:
            self._sheet.unknown += "$set" not in row and not row.keys() & {*_MEMBERS, "messages"}
            self._about(fields(row.get("$set")) or row)
        for index, message in enumerate(messages):
            if not self._rewinds.took((number, index)):
                self._hold(message, record.span, restated=not own)
        while len(self._held) > _HELD or (self._held_bytes > _HELD_BYTES and len(self._held) > 1):
            yield from self._let_go()

    def _about(self, told: dict[str, Any]) -> None:
        """What a header or a change of it says."""
        sheet, folders = self._sheet, told.get("directories")
        sheet.session_id = text(told, "sessionId") or sheet.session_id
        sheet.title = text(told, "summary") or sheet.title
        for key in ("startTime", "lastUpdated"):
            sheet.seen(instant(text(told, key)))
        if not sheet.cwd and isinstance(folders, list) and folders and isinstance(folders[0], str):
            sheet.cwd = folders[0]
        if told.get("kind") == "subagent" and not sheet.sidechain:
            sheet.sidechain, sheet.parent_session_id = True, self._path.parent.name

    def _hold(self, message: dict[str, Any], span: Span, *, restated: bool) -> None:
        """Keep a message until it cannot change any more; restated it counts only where it knows more."""
        identity = text(message, "id") or f"@{span.offset}"
        held, known = _Held(message, span, restated), self._held.get(identity)
        if known is not None and restated and held.progress <= known.progress:
            return
        if known is not None:
            self._held_bytes -= known.span.length
        self._held[identity] = held
        self._held_bytes += span.length

    def _let_go(self) -> Iterator[SessionEvent]:
        """Tell the oldest message."""
        identity, held = self._held.popitem(last=False)
        self._held_bytes -= held.span.length
        message = held.message
        at = instant(text(message, "timestamp"))
        self._sheet.seen(at)
        now = Moment(at=at, span=held.span, message_id=identity, cwd=self._sheet.cwd, sidechain=self._sheet.sidechain)
        match text(message, "type"):
            case "user":
                yield from self._user(message, held.restated, now)
            case "gemini":
                yield from self._gemini(message, held.restated, now)
            case "info" | "error" | "warning":
                if text(message, "content").strip() == _CANCELLED and self._seen.add(f"said {identity}"):
                    yield now.interruption()
            case _:
                self._sheet.unknown += 1

    def _user(self, message: dict[str, Any], restated: bool, now: Moment) -> Iterator[SessionEvent]:  # noqa: FBT001
        """A prompt, what was put beside it, or what tools answered."""
        texts = [told for part in blocks(message.get("content")) if (told := text(part, "text")).strip()]
        results = tools.answers(message.get("content"))
        for part in results:
            yield from self._answer(part, now)
        self._sheet.unfinished = bool(results) and not texts
        if not texts or not self._seen.add(f"said {now.message_id}"):
            return
        self._behind_snapshot = False
        own: list[str] = []
        for told in texts:
            if (snapshot := _SNAPSHOT.match(told)) is not None:
                self._compacted = self._behind_snapshot = True
                yield now.compaction(snapshot[1])
            elif told.lstrip().startswith(_HOST_STARTS):
                yield now.injected(told, "host")
            else:
                said, contexts = tools.parted(told)
                yield from map(now.injected, contexts)
                own.append(said)
        display = blocks(message.get("displayContent"))
        shown = [tools.parted(text(part, "text"))[0] for part in display] or own
        whole = "\n".join(said for said in shown if said.strip())
        yield from (now.injected(files, "host") for files in _FILES.findall(whole))
        yield from self._prompt(_FILES.sub("", whole).strip(), restated, now)

    def _prompt(self, said: str, restated: bool, now: Moment) -> Iterator[SessionEvent]:  # noqa: FBT001
        if not said or not self._first(said, restated):
            return
        if now.sidechain:
            yield now.injected(said, "host")
        elif _SLASH.match(said) and "/" not in said[1:].split(maxsplit=1)[0]:
            self._sheet.interactive = True
            yield now.injected(said, "host")
        else:
            yield now.prompt(said)

    def _first(self, said: str, restated: bool) -> bool:  # noqa: FBT001
        """Whether words are new: after a compaction what was kept of the conversation may come under new ids."""
        return self._seen.add(f"text {said}") or not (restated and self._compacted)

    def _gemini(self, message: dict[str, Any], restated: bool, now: Moment) -> Iterator[SessionEvent]:  # noqa: FBT001
        """What the model said, what it called, what came back, what it cost."""
        content, self._sheet.unfinished = message.get("content"), False
        said = "\n".join(told for part in blocks(content) if (told := text(part, "text")).strip())
        self._sheet.model = text(message, "model") or self._sheet.model
        if said and self._seen.add(f"said {now.message_id}") and self._first(said, restated):
            acknowledges = restated and self._behind_snapshot
            yield now.injected(said, "host") if acknowledges else now.reply(said)
        self._behind_snapshot = False
        calls = _calls(message)
        for call in calls:
            yield from self._call(call, now)
        for call in calls:
            yield from self._ended(call, now)
        if (cost := fields(message.get("tokens"))) and self._seen.add(f"cost {now.message_id}"):
            paid, made, read = (count(cost, key) for key in ("input", "output", "cached"))
            yield now.tokens(max(0, paid - read), made + count(cost, "thoughts"), read)

    def _call(self, call: dict[str, Any], now: Moment) -> Iterator[SessionEvent]:
        tool, call_id = text(call, "name"), text(call, "id")
        if not call_id or not self._seen.add(f"call {call_id}"):
            return
        use = tools.TOOLS.use(tool, call_id, fields(call.get("args")))
        self._calls[call_id] = use.action
        if len(self._calls) > _OPEN:
            self._calls.popitem(last=False)
        yield replace(_at(now, call), message_id=f"{now.message_id}:{call_id}").call(use)

    def _ended(self, call: dict[str, Any], now: Moment) -> Iterator[SessionEvent]:
        call_id = text(call, "id")
        action = self._calls.get(call_id)
        end = tools.end_of(call, shell=action == "shell")
        if action is not None and end is not None and self._seen.add(f"result {call_id}"):
            told = _at(now, call)
            yield told.result(call_id, end, action)
            yield from map(told.injected, tools.parted(tools.output_of(call)[0])[1])

    def _answer(self, part: dict[str, Any], now: Moment) -> Iterator[SessionEvent]:
        """A result in the user role; it counts where the call itself was never told to have ended."""
        call_id = text(fields(part.get("functionResponse")), "id")
        action = self._calls.get(call_id)
        if action is not None and self._seen.add(f"result {call_id}"):
            output, failed = tools.response_text(part)
            yield now.result(call_id, tools.ending(output, failed=failed, shell=action == "shell"), action)


def _at(now: Moment, call: dict[str, Any]) -> Moment:
    return replace(now, at=instant(text(call, "timestamp")) or now.at)


def _calls(message: dict[str, Any]) -> list[dict[str, Any]]:
    calls = message.get("toolCalls")
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def _is_child(path: Path) -> bool:
    return path.parent.parent.name == "chats"


def _is_document(path: Path) -> bool:
    """Whether a file is one document; without its usual name by its first line, which is no whole record then."""
    if path.suffix in (".json", ".jsonl"):
        return path.suffix == ".json"
    first = next(iter(records(path)), None)
    return not isinstance(first, Record) or bool(first.fields.get("messages"))


def _subagents(path: Path, session_id: str) -> tuple[str, ...]:
    """The files of the sub-agents of a session, in the folder named after it."""
    if _is_child(path) or "/" in session_id or session_id in ("", ".", ".."):
        return ()
    return tuple(str(found) for found in sorted((path.parent / session_id).glob("*.jsonl")))
