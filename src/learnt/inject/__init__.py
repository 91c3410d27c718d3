"""Ranking to a fenced block.

In come hits as `Shown` values, best first, a token budget and the present. Out goes the text an agent gets, how many
hits are in it, and what it costs.

The invariant: whatever a memory says, it stays inside its own lines of its own fence. Every line of recalled text
begins with blanks and a bar, every `<` is escaped, every hidden or control character shows as one replacement
character, so no memory can close the block, open another, pose as a heading or an item of ours, or read otherwise
than it looks.

Tried and rejected: a list of tags and phrases to neutralise (it is never complete, and it damages honest text);
escaping `&` too (it would break every `&&` an agent should copy); skipping an item that does not fit and trying the
next (the seed stops there, and an answer that silently lacks its best item misleads).
"""
