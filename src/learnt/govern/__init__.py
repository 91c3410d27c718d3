"""The room where a statement becomes a memory, or does not.

In comes what somebody wants written (a memory built from a request, a proposal, a decision), together with what is
already there and one reading of the clock. Out goes either what to store or why not: never a side effect, never a
lookup. The one invariant: every change that makes, hides or replaces a memory is decided here, and the value it returns
holds everything needed to take it back.

Tried and rejected: validating inside the store (two stores, two meanings), and letting a proposal carry a ready memory
(its id depends on the decision's text, so it would lie).
"""
