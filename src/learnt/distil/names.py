"""What the files of a repository are called, and the headings in them. Source: autonomous-memory seed, artifacts."""

from __future__ import annotations

from typing import Final

MEMORY: Final = "MEMORY.md"
SUMMARY: Final = "memory_summary.md"
RAW: Final = "raw_memories.md"
ROLLOUTS: Final = "rollout_summaries"
SKILLS: Final = "skills"
HEADINGS: Final = {
    "memory": "Remembered",
    "decision": "Decisions",
    "constraint": "Constraints and facts",
    "workflow": "Workflows",
    "failure": "Failures that were resolved",
    "pitfall": "Pitfalls",
}
