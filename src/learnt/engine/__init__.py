"""What a caller holds: one short method a verb, no logic of its own."""

from __future__ import annotations

from learnt.engine.asking import Asking
from learnt.engine.auditing import Auditing
from learnt.engine.carrying import Carrying
from learnt.engine.distilling import Distilling
from learnt.engine.keeping import Keeping
from learnt.engine.learning import Learning
from learnt.engine.leaving import Leaving
from learnt.engine.queueing import Queueing
from learnt.engine.settling import Settling
from learnt.engine.sources import Sources
from learnt.engine.standing import Standing
from learnt.engine.writing import Writing


class Engine(
    Writing, Queueing, Settling, Asking, Sources, Distilling, Learning, Keeping, Carrying, Leaving, Auditing, Standing
):
    """The memory of one project, as one process sees it.

    Use it as a context manager, or call `close`. It may be shared by threads; it must not be shared by forked
    processes (open one each).
    """
