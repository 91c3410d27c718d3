"""What tests of learnt, of its stores and of programs around it are made from.

In comes a store (a way to open it, and raw access that bypasses it), out goes whether it does what
`learnt.ports.store` says. The invariant: every behaviour of a store is a test here, so a store's own test file is a
factory and what is peculiar to it. Besides: fakes of the small ports, sample values, and wrappers that make a store
slow, failing or counted.

Tried and rejected: mocks (they agree with whatever the code does), and one scope for all tests (durable stores then
fail by what an earlier test left).
"""

import pytest

pytest.register_assert_rewrite(
    "learnt.testing.archive",
    "learnt.testing.chain",
    "learnt.testing.feed",
    "learnt.testing.generations",
    "learnt.testing.jobs",
    "learnt.testing.leases",
    "learnt.testing.lexicon",
    "learnt.testing.machine",
    "learnt.testing.memories",
    "learnt.testing.proposals",
    "learnt.testing.rehearsal",
    "learnt.testing.transactions",
    "learnt.testing.usage",
    "learnt.testing.vectors",
)
