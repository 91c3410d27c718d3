"""Stores: where memories lie. Each adapter implements `learnt.ports.store` and passes the suite of `learnt.testing`.

`sqlite` is one file for many processes, `postgres` a server for many machines; `ephemeral` is dictionaries for tests
and throw-away use; `index` is the form of full text that both databases keep. The invariant: a store decides nothing.
What may be written, shown or forgotten is decided before it is called; a store keeps it whole and gives it back
within the reader's sight. Tried and rejected: a base class with shared logic (two independent implementations of one
suite find more than one implementation twice).
"""
