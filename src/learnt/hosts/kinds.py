"""Which types of records the hosts are known to write; a record of any other is told as unknown."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CODEX_ROWS: Final = _words(
    "session_meta turn_context response_item event_msg compacted token_usage_record world_state"
)
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
