"""SWE-agent: one JSON document a run, its steps with thought, action and observation."""
