-- 0009 trail: checkpoints of the event chain, and how far it was cut.

