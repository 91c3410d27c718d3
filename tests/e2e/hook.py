"""A hook that shows where context arrives: answers with the event's own name and writes the payload down."""

from __future__ import annotations

import json
import sys
from pathlib import Path

SHOWN = ("SessionStart", "UserPromptSubmit", "PreToolUse")
"""Not SessionEnd, which takes no context, and not Stop, whose context makes the model go on."""

payload = json.load(sys.stdin)
event = payload["hook_event_name"]
with Path(sys.argv[1]).open("a", encoding="utf-8") as record:
    record.write(json.dumps(payload) + "\n")
if event in SHOWN:
    context = f'<recalled_memory n="{event}">\nfirst of {event}\n\nlast of {event}\n</recalled_memory>'
    print(json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}))
