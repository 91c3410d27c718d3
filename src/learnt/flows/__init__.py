"""The only place where rooms meet.

A flow takes the means of one operation (a store, the gate, a clock, the context) and a request, calls the rooms one
after another, and stores what they answer in one transaction. In comes a request value, out goes an answer value; the
invariant is that each flow reads the clock once, fits on a screen, and decides nothing itself.

Where to look:

| about | modules |
|---|---|
| every flow | `means` `identify` `switch` `state` |
| writing | `remember` `propose` `intake` `queue` `decide` `undo` |
| what a write passes | `screen` `bar` `personal` `waiting` |
| one truth | `truth` `conflict` `near` `alike` `brake` `rule` `evidence` `pin` `embed` `share` |
| asking | `recall` `search` `read` `logs` `receipt` |
| parts of an answer | `arms` `touch` `lift` `beside` `redirect` `then` `dispute` `explore` |
| what is shown | `guard` (cleared by the gate), `fresh` (beside the work tree), `guidance` (at a start) |
| transcripts | `sessions` `capture` `reading` `digest` `observe`; what they propose: `learn` `same` `suggest` |
| what sessions come to | `threads` `phases` `owing` `pipeline`; phase 1 `extract`; phase 2 `gather` `consolidate` |
| files made of it | `artifacts` `learned` `offer`; in files of others: `outlets` `regions` `skills` `asked` |
| models | `writers` `account` `models` |
| what became of it | `outcome` `reward` `flag` `reflect` |
| leaving | `forget` `erase` `wipe` `sweep`; `compact` `decay` `prune` `stale` |
| moving | `export`; `imports` `sift` `admit` `imported`; `migrate` `moved` `marker`; the hooks' `copy` |
| the trail | `audit` `sign` `checkpoint` `spans` `prove` `alarm` |
| work | `work` `trade` `lease`; `clear` `reembed` `renew` `shelve` `upkeep` |
"""
