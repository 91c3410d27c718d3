"""Reading sessions of other hosts: how fast, and in how much memory.

The sessions are generated in each host's format, with records of the size that its real ones have (1 to 2 KB on
average): prompts, replies, shell calls with their output told as often as the host tells it. Each measurement is a
process of its own; its peak is what the system says. The same ten times shorter tells whether time grows with length.
"""

from __future__ import annotations

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.capture import _prose
from bench.figure import Figure
from bench.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Rows = Callable[[random.Random, int], Iterator[dict[str, Any]]]

_MB = 1_000_000
_FILE_MB = int(os.environ.get("LEARNT_BENCH_HOSTS_MB", "40"))
_SEED = 7
_ROUNDS = 3
THREAD = "01a1f83a-26b8-773c-a3d3-4f89dda1494c"


def _stamp(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_790_000_000 + second))


def _output(rng: random.Random) -> str:
    return "\n".join(_prose(rng, 12) for _ in range(rng.randrange(4, 40)))


def _codex(rng: random.Random, second: int) -> Iterator[dict[str, Any]]:
    def row(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": _stamp(second), "ordinal": second, "type": kind, "payload": payload}

    if second == 0:
        meta = {"id": THREAD, "cwd": "/home/dev/project", "cli_version": "0.171.0", "source": "cli"}
        yield row("session_meta", **meta, base_instructions={"text": _prose(rng, 3000)})
    call, said, output = f"call_{second}", _prose(rng, 60), _output(rng)
    yield row("event_msg", type="item_completed", item={"type": "AgentMessage", "id": f"m{second}", "content": []})
    content = [{"type": "output_text", "text": said}]
    yield row("response_item", type="message", role="assistant", content=content, id=f"a{second}")
    arguments = json.dumps({"cmd": f"make {_prose(rng, 4)}", "workdir": "/home/dev/project"})
    yield row("response_item", type="function_call", name="exec_command", arguments=arguments, call_id=call)
    item = {"type": "CommandExecution", "id": call, "exit_code": second % 7 // 6, "aggregated_output": output}
    yield row("event_msg", type="item_completed", item=item)
    told = f"Chunk ID: 1\nProcess exited with code {second % 7 // 6}\nOutput:\n{output}"
    yield row("response_item", type="function_call_output", call_id=call, output=told)
    usage = {"input_tokens": 9, "cached_input_tokens": 5, "output_tokens": 3, "total_tokens": second}
    yield row("event_msg", type="token_count", info={"total_token_usage": usage, "last_token_usage": usage})


def _copilot(rng: random.Random, second: int) -> Iterator[dict[str, Any]]:
    def row(kind: str, **data: Any) -> dict[str, Any]:
        identity = f"{kind}-{second}"
        return {"type": kind, "data": data, "id": identity, "timestamp": _stamp(second), "parentId": None}

    if second == 0:
        yield row("session.start", sessionId=THREAD, context={"cwd": "/home/dev/project"})
    call, output, given = f"call_{second}", _output(rng), {"command": f"make {_prose(rng, 4)}"}
    request = {"toolCallId": call, "name": "bash", "arguments": given}
    yield row("assistant.message", content=_prose(rng, 60), toolRequests=[request])
    yield row("tool.execution_start", toolCallId=call, toolName="bash", arguments=given)
    result = {"content": output, "detailedContent": output}
    code = {"exitCode": second % 7 // 6}
    yield row("tool.execution_complete", toolCallId=call, success=True, shellExecution=code, result=result)
    yield row("session.usage_record", usage={"inputTokens": 9, "cacheReadTokens": 5, "outputTokens": 3})


def _gemini(rng: random.Random, second: int) -> Iterator[dict[str, Any]]:
    if second == 0:
        yield {"sessionId": THREAD, "projectHash": "x", "startTime": _stamp(0), "directories": ["/home/dev/project"]}
    tokens = {"input": 9, "output": 3, "cached": 5, "thoughts": 1}
    message = {"id": f"m{second}", "timestamp": _stamp(second), "type": "gemini", "content": _prose(rng, 60)}
    yield message | {"tokens": tokens}
    yield {"$set": {"lastUpdated": _stamp(second)}}
    call, told = f"call_{second}", f"Output: {_output(rng)}\nExit Code: {second % 7}\nProcess Group PGID: 7"
    answer = [{"functionResponse": {"id": call, "name": "run_shell_command", "response": {"output": told}}}]
    made = {"id": call, "name": "run_shell_command", "args": {"command": "make"}, "result": answer, "status": "success"}
    yield message | {"tokens": tokens, "toolCalls": [made]}
    yield {"id": f"u{second}", "timestamp": _stamp(second), "type": "user", "content": answer}


_NAMED: dict[str, tuple[str, Rows]] = {
    "codex": (f"rollout-2026-11-20T09-00-00-{THREAD}.jsonl", _codex),
    "copilot-cli": ("events.jsonl", _copilot),
    "gemini-cli": ("session-2026-11-20T09-00-01a1f83a.jsonl", _gemini),
}
_SLOW = frozenset({"cline", "aider", "specstory", "swe-agent"})
"""One document, or Markdown line by line: no file of these is as long as a rollout is."""
_RECORDS_MB_S, _SLOW_MB_S = 20, 8


def written(folder: Path, host: str, size_bytes: int) -> str:
    """Write a session of about this length; gives its place."""
    if host in FORMATS:
        return FORMATS[host](folder, size_bytes)
    name, rows = _NAMED[host]
    rng = random.Random(_SEED)
    size, second = 0, 0
    with (folder / name).open("w", encoding="utf-8") as file:
        while size < size_bytes:
            for row in rows(rng, second):
                size += file.write(json.dumps(row, separators=(",", ":")) + "\n")
            second += 1
    return str(folder / name)


def _length(place: str) -> int:
    """Bytes of a session's file, or of all in its folder."""
    path = Path(place.partition("#")[0])
    return sum(each.stat().st_size for each in path.rglob("*")) if path.is_dir() else path.stat().st_size


def child(path: str, host: str) -> None:
    """What the measured process does: one digest, screened by the gate as the command does it."""
    from learnt.capture.digest import digest
    from learnt.gate.scan import Gate
    from learnt.hosts.transcript import reader

    gate = Gate()
    gate.redact("builds the automaton, which takes as long for a small file as for a large one")
    cpu_s = time.process_time()
    found = digest(reader(path, host), gate.redact)
    cpu_s = time.process_time() - cpu_s
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"cpu_s": cpu_s, "peak_kb": peak_kb, "records": found.stats.records}))


def _measured(place: str, host: str) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.hosts", place, host]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def figures() -> Iterator[Figure]:
    """Speed, peak memory and growth of a digest, host by host."""
    for host in (*_NAMED, *FORMATS):
        with tempfile.TemporaryDirectory() as folder:
            place = written(Path(folder), host, _FILE_MB * _MB)
            size_mb = _length(place) / _MB
            runs = [_measured(place, host) for _ in range(_ROUNDS)]
        with tempfile.TemporaryDirectory() as folder:
            place = written(Path(folder), host, _FILE_MB * _MB // 10)
            short = [_length(place) / _MB / _measured(place, host)["cpu_s"] for _ in range(_ROUNDS)]
        records = runs[0]["records"]
        given = f"generated session of {size_mb:.0f} MB, {records:.0f} records, seed {_SEED}, warm file; with the gate"
        speed = statistics.median(size_mb / run["cpu_s"] for run in runs)
        limit = _SLOW_MB_S if host in _SLOW else _RECORDS_MB_S
        yield Figure(f"digest, {host}", speed, "MB/s", limit, ">=", f"median of {_ROUNDS}, CPU", given)
        times = statistics.median(short) / speed
        told = "a byte of a session against a byte of one ten times shorter"
        yield Figure(f"digest, {host}, growth", times, "times", 1.5, "<=", f"medians of {_ROUNDS}, CPU", told)
        peak_mb = max(run["peak_kb"] for run in runs) * 1024 / _MB
        yield Figure(f"digest, {host}, peak memory", peak_mb, "MB", 64, "<=", "maximum", "whole process")


if __name__ == "__main__":
    child(sys.argv[1], sys.argv[2])
