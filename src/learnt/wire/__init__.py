"""Model values as JSON: one schema for `--json`, and later for MCP, HTTP and the dashboard.

In comes a value, out goes a dictionary of plain JSON types with the keys of the contract. Keys that the seeds name keep
their spelling (`textOverlap`), ours are snake_case. The one invariant: what a memory says passes through unchanged here
and is escaped where it is shown, never twice.
"""
