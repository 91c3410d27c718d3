"""The sockets: what the rooms and flows ask of the world.

Each Protocol holds at most eight methods and speaks in model values. A `Store` is a bundle of narrow ports over one
file or server; everything written between entering and leaving `transaction()` is committed together or not at all,
and a write outside of one is an error of the caller. Every reader takes a `Sight`: there is no unscoped read.
"""
