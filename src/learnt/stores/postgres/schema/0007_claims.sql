-- 0007 claims: what a memory is about and says, so that a later statement about the same is found.

