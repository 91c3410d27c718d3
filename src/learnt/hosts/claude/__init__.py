"""Claude Code: JSON lines, one record a row, a response in several rows, forks that copy their parent's rows."""
