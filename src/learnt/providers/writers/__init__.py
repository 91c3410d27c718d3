"""Writers: language models that fill a schema, behind the port of `learnt.ports.writer`.

In comes a task: a system prompt, fenced material, a schema. Out goes a value that meets the schema, or an error with a
code. Each provider is one small module that turns a `Turn` into a request and an answer into a `Said`; `write` does
what is the same for all: look whether it fits, reserve, ask, check, repair once, settle.

The invariant: whatever a model or a server says, only a value that our own check of the schema passed leaves here, and
nothing is sent before the ledger has room for it. What a provider claims about its own schema mode is not believed.
Text of an answer stands in no error.

Tried and rejected: a provider's SDK each (four dependencies for four POSTs; the client that is here has a deadline that
a dripping server cannot stretch); streaming (nobody waits for the first word); asking twice after a truncated answer
(the same input gives the same length, and a background job drained people's quotas that way).
"""
