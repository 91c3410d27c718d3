"""A digest as JSON. Source of the keys: contract, shapes, and the ground truth of the transcript samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.digest import Digest, DigestStats, FailedCommand, InlineAgent, TokenTotal

Json = dict[str, Any]


def digest(value: Digest) -> Json:
    """The four kinds of entry and the counts; in the full form with the session."""
    shape: Json = {
        "failed_tools": [
            {"tool": entry.tool, "target": entry.target, "error": entry.error} for entry in value.failed_tools
        ],
        "failed_commands": list(map(_command, value.failed_commands)),
        "churned_files": [{"path": entry.path, "writes": entry.writes} for entry in value.churned_files],
        "final_notes": list(value.final_notes),
        "stats": _stats(value.stats),
    }
    if value.full:
        shape["session"] = _session(value)
    return shape


def _command(entry: FailedCommand) -> Json:
    return {"command": entry.command, "exit_code": entry.exit_code, "tail": entry.tail}


def _agent(agent: InlineAgent) -> Json:
    return {
        "agent_id": agent.agent_id,
        "failed_commands": list(map(_command, agent.failed_commands)),
        "final_note": agent.final_note or None,
    }


def _stats(stats: DigestStats) -> Json:
    return {
        "records": stats.records,
        "malformed_lines": stats.malformed_lines,
        "damaged": [{"record": each.record, "offset": each.offset, "reason": each.reason} for each in stats.damaged],
        "human_prompts": list(stats.human_prompts),
        "assistant_texts": stats.assistant_texts,
        "tool_calls": stats.tool_calls,
        "compactions": stats.compactions,
        "inherited_records": stats.inherited_records,
        "writes_ok": dict(stats.writes_ok),
        "write_attempts": dict(stats.write_attempts),
        "shell_writes": dict(stats.shell_writes),
        "dropped": stats.dropped,
        "status": stats.status,
    }


def _session(value: Digest) -> Json:
    """What the file says about the session; null where it does not say."""
    header, stats = value.header, value.stats
    return {
        "agent": header.agent or header.host,
        "session_id": None if header.unnamed else header.session_id,
        "agent_version": header.version or None,
        "cwd": header.cwd or None,
        "git_branch": header.branch or None,
        "git_commit": header.commit or None,
        "model": header.model or None,
        "started_at": header.started_at or None,
        "ended_at": header.ended_at or None,
        "status": stats.status,
        "title": header.title or None,
        "subagents": [*header.subagents, *map(_agent, value.inline_agents)],
        "parent_session_id": header.parent_session_id or None,
        "is_sidechain": header.sidechain,
        "agent_id": header.agent_id or None,
        "interactive": header.interactive,
        "human_prompts": list(stats.human_prompts),
        "assistant_texts": stats.assistant_texts,
        "tool_calls": stats.tool_calls,
        "compactions": stats.compactions,
        "malformed_lines": stats.malformed_lines,
        "inherited_records": stats.inherited_records,
        "unknown_records": header.unknown,
        "writes_ok": dict(stats.writes_ok),
        "write_attempts": dict(stats.write_attempts),
        "churned_files": {entry.path: entry.writes for entry in value.churned_files},
        "final_note": value.final_notes[-1] if value.final_notes else None,
        "compaction_summaries": list(value.compaction_summaries),
        "injected_context": list(value.injected_context),
        "tokens": _tokens(value.tokens) if value.tokens else None,
        "sidechain_inline": {
            "failed_commands": value.sidechain_failed,
            "tool_calls": value.sidechain_calls,
        },
        "abandoned_branch": {"writes_ok": dict(header.abandoned_writes)} if header.abandoned_writes else None,
        "notes": list(_notes(value)),
    }


def _tokens(total: TokenTotal) -> Json:
    return {
        "input": total.input_tokens,
        "cache_read": total.cache_read_tokens,
        "cache_write": total.cache_write_tokens,
        "output": total.output_tokens,
    }


def _notes(value: Digest) -> Iterator[str]:
    """What a reader of the counts should know."""
    if value.stats.inherited_records:
        parent = value.header.parent_session_id or "an earlier file"
        yield f"{value.stats.inherited_records} records were copied from {parent} and are counted there"
    if value.sidechain_calls:
        yield "calls of sub-agents told inside this file are counted under sidechain_inline only"
    if value.header.abandoned_writes:
        yield "what was written on branches that were gone back on is counted under abandoned_branch only"
