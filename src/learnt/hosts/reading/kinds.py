"""Which types of records the hosts are known to write; a record of any other is told as unknown."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CODEX_ROWS: Final = _words("session_meta turn_context response_item event_msg compacted token_usage_record world_state")
CODEX_ITEMS: Final = _words(
    """message agent_message reasoning function_call function_call_output custom_tool_call custom_tool_call_output
    local_shell_call tool_search_call tool_search_output web_search_call image_generation_call compaction
    context_compaction additional_tools inter_agent_communication ghost_snapshot"""
)
"""What stands in a `response_item`; the oldest versions wrote it without a wrapper."""
CODEX_EVENTS: Final = _words(
    """task_started turn_started task_complete turn_complete turn_aborted token_count thread_settings_applied
    item_completed user_message agent_message agent_reasoning agent_reasoning_raw_content exec_command_end
    mcp_tool_call_end patch_apply_end thread_goal_updated context_compacted entered_review_mode exited_review_mode
    thread_rolled_back web_search_end image_generation_end sub_agent_activity error warning stream_error
    thread_name_updated view_image_tool_call guardian_assessment collab_agent_spawn_end collab_agent_interaction_end
    collab_waiting_end collab_close_end collab_resume_end dynamic_tool_call_request dynamic_tool_call_response
    plan_update turn_diff session_configured shutdown_complete deprecation_notice background_event undo_completed
    undo_started"""
)

COPILOT_EVENTS: Final = _words(
    """session.start session.resume session.error session.idle session.title_changed session.info session.warning
    session.model_change session.mode_changed session.plan_changed session.workspace_file_changed session.handoff
    session.truncation session.snapshot_rewind session.shutdown session.usage_info session.usage_record
    session.compaction_start session.compaction_complete session.context_changed session.task_complete
    session.tools_updated session.skills_loaded session.binary_asset session.custom_agents_updated
    session.mcp_servers_loaded session.mcp_server_status_changed session.extensions_loaded session.remote_steerable
    user.message pending_messages.modified system.message system.notification abort
    assistant.turn_start assistant.turn_end assistant.intent assistant.reasoning assistant.message assistant.usage
    assistant.thinking tool.user_requested tool.execution_start tool.execution_partial_result tool.execution_progress
    tool.execution_complete skill.invoked subagent.started subagent.completed subagent.failed subagent.selected
    subagent.deselected hook.start hook.end permission.requested permission.completed user_input.requested
    user_input.completed elicitation.requested elicitation.completed command.queued command.completed
    external_tool.requested external_tool.completed exit_plan_mode.requested exit_plan_mode.completed"""
)
