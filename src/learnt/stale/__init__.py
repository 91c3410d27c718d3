"""What no longer holds.

In come a pin (what a memory rests on, as it stood when it was written) and the file as it stands now, or the memories
and receipts of one reader. Out goes how they compare: intact, moved, changed, gone, or unknown; or a report of what
could be cleared away. Nothing here reads a file or changes a memory.

The invariant: a state is a statement about the work tree in front of us and is never stored. Another worktree or branch
has another answer, and putting the lines back brings the memory back. What cannot be read is unknown, never gone.

Tried and rejected: syntax trees for every language (they add 20 MB and found nothing that the hashes of lines had
missed), similarity thresholds for lines that changed a little (a statement about code is as old as the code it was
made about), and marking memories in the store (wrong as soon as a second worktree exists).
"""
