"""The process a host starts at its events: 30 milliseconds between an agent and what was learnt before.

In come an event's word and the host's JSON on standard input. Out goes at most one JSON object with additional
context, a receipt in the store, and always exit status 0.

The invariant: memory never stands in the way. Whatever is missing, locked, damaged or slow, the answer is then empty,
the reason is on standard error and in `hook-errors.log`, and the host goes on. Nothing but context is returned: no
permission, no changed input, no stop; nothing that a memory says is executed.

Everything here is written for its start-up time. SQLite reads and writes the JSON; there are no dataclasses, regular
expressions, paths or time zones. A hook never scans a text: it shows what the present pattern set has cleared.

Tried and rejected: the house style in this room (five times the whole budget in imports alone); a daemon to ask (one
more thing that is down); the console script (it starts through the user's site-packages and their `.pth` files).
"""
