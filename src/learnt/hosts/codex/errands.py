"""The calls of a Codex session that are under way: each told once, each answered once.

A call comes as the model made it, is judged by a completed item, and is answered by an output; a process that still
runs when its call is answered has its result held back until it ends.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.codex import execution
from learnt.hosts.codex.execution import Aim, Ending, Verdict
from learnt.hosts.reading import tools
from learnt.hosts.reading.moment import End, Use
from learnt.hosts.reading.value import text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.hosts.reading.moment import Moment
    from learnt.hosts.reading.seen import Seen
    from learnt.model.session import Call, Result

_OPEN: Final = 10_000
_CHILDREN: Final = 1_000


@dataclass(slots=True)
class _Waiting:
    """A call without its result. `process` names one that still runs, `output` what it said so far."""

    aim: Aim
    process: str = ""
    output: str = ""


class Errands:
    """Fed with calls, items and answers in the order of the file. `children`: sub-agents' threads that were started."""

    def __init__(self, seen: Seen) -> None:
        self.children: dict[str, None] = {}
        self._seen = seen
        self._waiting: OrderedDict[str, _Waiting] = OrderedDict()
        self._verdicts: OrderedDict[str, Verdict] = OrderedDict()

    def call(self, tool: str, payload: dict[str, Any], cwd: str, now: Moment) -> Iterator[Call]:
        """A call; of a patch one for each file, of which the further ones are parts."""
        call_id = text(payload, "call_id") or text(payload, "id") or f"@{now.span.offset}"
        if not self._seen.add(f"call {call_id}"):
            return
        aim = execution.aim(tool, execution.given_of(payload), cwd)
        self._waiting[call_id] = _Waiting(aim)
        if len(self._waiting) > _OPEN:
            self._waiting.popitem(last=False)
        for part, path in enumerate(aim.paths or (aim.target,)):
            told = f"{call_id}:{part}" if part else call_id
            yield replace(now, message_id=told, cwd=aim.cwd).call(_use(aim, path, told, part=bool(part)))

    def own_tool(self, tool: str, payload: dict[str, Any], cwd: str, now: Moment) -> Iterator[Call | Result]:
        """A tool that runs at the model's provider: its call is all that is written."""
        action = payload.get("action")
        asked = {"arguments": action if isinstance(action, dict) else {}, "call_id": payload.get("id")}
        for call in self.call(tool, asked, cwd, now):
            yield call
            yield from self._ended(call.call_id, Ending("", None, ""), now)

    def answer(self, payload: dict[str, Any], now: Moment) -> Iterator[Result]:
        """An answer; the first for its call counts."""
        call_id = text(payload, "call_id")
        waiting = self._waiting.get(call_id)
        if waiting is None and f"call {call_id}" in self._seen:
            return
        output, marked = execution.output_of(payload)
        action = waiting.aim.action if waiting else None
        ended = execution.ending(action, output, self._verdicts.pop(call_id, None), marked=marked)
        if waiting is not None and ended.running:
            waiting.process, waiting.output = ended.running, ended.text
            return
        yield from self._ended(call_id, ended, now)
        if waiting is not None and waiting.aim.tool == "write_stdin":
            yield from self._polled(waiting.aim, output, now)
        elif waiting is not None and waiting.aim.tool == "spawn_agent":
            self.started(execution.given_of({"arguments": output}).get("agent_id"))

    def judged(self, call_id: str, item: dict[str, Any], now: Moment) -> Iterator[Result]:
        """A completed item; it comes before the answer of its call, or ends a process that went on after it."""
        if not call_id:
            return
        verdict = execution.verdict_of(item)
        waiting = self._waiting.get(call_id)
        if waiting is not None and waiting.process:
            told = text(item, "aggregated_output") or waiting.output
            yield from self._ended(call_id, execution.ending(waiting.aim.action, told, verdict), now)
            return
        self._verdicts[call_id] = verdict
        if len(self._verdicts) > _OPEN:
            self._verdicts.popitem(last=False)

    def started(self, thread_id: object) -> None:
        """A sub-agent was started under this id."""
        if isinstance(thread_id, str) and thread_id and len(self.children) < _CHILDREN:
            self.children[thread_id] = None

    def still_running(self, now: Moment) -> Iterator[Result]:
        """At the end of the file: processes that nobody waited for."""
        for call_id, waiting in list(self._waiting.items()):
            if waiting.process:
                end = End(text=waiting.output)
                yield replace(now, message_id=f"{call_id}:running").result(call_id, end, waiting.aim.action)

    def _polled(self, aim: Aim, output: str, now: Moment) -> Iterator[Result]:
        """What a look at a running process says of the call that started it."""
        ended = execution.ending("shell", output, None)
        if ended.exit_code is None:
            return
        for call_id, waiting in list(self._waiting.items()):
            if waiting.process and waiting.process == str(aim.given.get("session_id")):
                yield from self._ended(call_id, ended, now)

    def _ended(self, call_id: str, ended: Ending, now: Moment) -> Iterator[Result]:
        """The result of a call. Of a patch that failed the further files were not written, and fail with the first."""
        waiting = self._waiting.pop(call_id, None)
        action = waiting.aim.action if waiting else None
        now = replace(now, message_id=call_id)
        end = End(text=ended.text, failure=ended.failure, exit_code=ended.exit_code)
        yield now.result(call_id, end, action)
        rest = End(failure="aborted" if ended.failure else "")
        for part in range(1, len(waiting.aim.paths) if waiting else 0):
            yield now.result(f"{call_id}:{part}", rest, action)


def _use(aim: Aim, target: str | None, call_id: str, *, part: bool) -> Use:
    role = text(aim.given, "agent_type")[: tools.NAME_CHARS] if aim.action == "agent" else ""
    return Use(
        call_id=call_id,
        tool=aim.tool,
        action=aim.action,
        target=target,
        given=aim.given,
        text=aim.written,
        role=role,
        part=part,
    )


def rollout_of(path: Path, thread_id: str) -> Path | None:
    """A thread's file: in the same folder, or in that of the day its id was made on."""
    if re.fullmatch(r"[0-9A-Za-z-]{1,64}", thread_id) is None:
        return None
    for folder in (path.parent, *_days(path, thread_id)):
        if found := next(iter(sorted(folder.glob(f"rollout-*-{thread_id}.jsonl"))), None):
            return found
    return None


def _days(path: Path, thread_id: str) -> Iterator[Path]:
    """The folders of the day in a version 7 UUID and of its neighbours; folders are named by local time."""
    made = re.match(r"([0-9a-f]{8})-([0-9a-f]{4})-7", thread_id)
    if made is None or len(path.parents) < 5:
        return
    day = datetime.fromtimestamp(int(made[1] + made[2], 16) / 1000, UTC)
    for shift in (0, -1, 1):
        yield path.parents[3] / (day + timedelta(days=shift)).strftime("%Y/%m/%d")
