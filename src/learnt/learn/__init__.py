"""What became of it.

In come a council's verdict, what the rewarded memories and their neighbours are worth now, and how they were rewarded
before; what whoever used a memory says of it, and what readers have against it. Out go steps of a moving average and
the values they lead to; which memories are near enough to share in a reward; how far a memory may be believed after all
that; the digest of all outcomes; and whether flags put a memory aside. Nothing here reads a store or a clock.

The invariant: a memory's value is a function of the set of its rewards, and a digest of the set of outcomes, never of
the order in which they happened to come in. Each step carries the instant of the recall it rewards, and the average
goes through the steps in that order. Being recalled is no step: retrieval never certifies itself.

Tried and rejected: applying each verdict to the value as it stands (two councils that answer in another order then
leave another value), a table of steps beside the audit trail (the trail holds them already, chained), a fallback to the
latest bundle where none is named (it rewarded what had nothing to do with it), letting outcomes move the value as well
(who uses a memory and who judges the work are not the same, and one of them would count twice), and flags that hide by
themselves on one person's machine (there every agent is as many readers as it has sessions).
"""
