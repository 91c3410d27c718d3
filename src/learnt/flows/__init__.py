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
| work | `work` `trade` `lease`; `rescan` `reembed` `renew` `shelve` `upkeep` |
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    # isort: off
    from learnt.flows import (
        account as account,
        alarm as alarm,
        audit as audit,
        capture as capture,
        checkpoint as checkpoint,
        compact as compact,
        conflict as conflict,
        copy as copy,
        decay as decay,
        decide as decide,
        digest as digest,
        erase as erase,
        export as export,
        flag as flag,
        forget as forget,
        guidance as guidance,
        imports as imports,
        intake as intake,
        lease as lease,
        logs as logs,
        migrate as migrate,
        models as models,
        observe as observe,
        outcome as outcome,
        pipeline as pipeline,
        propose as propose,
        prove as prove,
        queue as queue,
        read as read,
        recall as recall,
        reembed as reembed,
        reflect as reflect,
        regions as regions,
        remember as remember,
        rescan as rescan,
        reward as reward,
        search as search,
        sessions as sessions,
        skills as skills,
        stale as stale,
        state as state,
        then as then,
        threads as threads,
        undo as undo,
        upkeep as upkeep,
        wipe as wipe,
        work as work,
    )
    # isort: on


def __getattr__(name: str) -> ModuleType:
    """A flow, loaded when it is first asked for: a command uses a few, and all of them take a quarter of its start."""
    if name.startswith("_"):
        raise AttributeError(name)
    return import_module(f"learnt.flows.{name}")
