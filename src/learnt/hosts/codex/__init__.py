"""Codex: rollouts in JSON lines, in which the same call is told by several records; threads that start others."""
