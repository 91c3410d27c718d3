"""What a statement claims: its subject, the attribute it speaks of, and the value it gives it.

Two statements that share subject and attribute and differ in value cannot both hold; which of them does is decided
elsewhere (`learnt.govern.truth`). A claim is only read where the wording leaves no doubt: four kinds are known.

- `member`: a word of a family of alternatives (`use pnpm`); the subject is what else the clause speaks of.
- `field`: a subject that has one of something (`the default branch is main`, `payments - owner: team Kilo`).
- `typed`: a number, version or path in a frame of words (`tests run with pytest -n 8`).
- `plain`: the words in their order, asserted or denied (`never rebase`).

Everything that narrows a statement (staging, Windows, a package, a branch, a condition) is part of its subject, so a
statement about another environment is about another subject. What is not understood claims nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from learnt.model.keys import number64

Kind = Literal["member", "field", "typed", "plain"]
Grip = Literal["firm", "weak", "loose"]
"""How a claim holds its value: another value replaces it, disputes it, or stands beside it."""

MOST_CHARS: Final = 240
"""A longer text is an account, not a statement, and claims nothing."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One reading of a clause.

    Attributes:
        subject: Keys of the words it is about; sorted, but for `plain`, whose order counts.
        attribute: A family, `is`, the shapes of the slots, or "".
        value: What it says, in order; empty for `plain`.
        positive: Whether it is asserted or denied.
    """

    kind: Kind
    subject: tuple[str, ...]
    attribute: str = ""
    value: tuple[str, ...] = ()
    positive: bool = True
    grip: Grip = "firm"

    @property
    def key(self) -> int:
        """The number by which claims of the same subject and attribute find one another."""
        return number64(f"claim\n{self.kind}\n{' '.join(self.subject)}\n{self.attribute}")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a statement, in all its readings; none where it was not understood.

    Attributes:
        words: Keys of what it speaks of, in order, values included.
        bare: The same without the numbers, versions and paths it gives as values.
        names: Values it rests on, by which a later statement may take it back.
        relates: `words` less what only relates them to one another.
        named: Those that are written as names.
    """

    claims: tuple[Claim, ...] = ()
    words: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    positive: bool = True
    names: frozenset[str] = frozenset()
    relates: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text claims, clause by clause.

    Attributes:
        rejects: Values it says do not hold (any more): `not npm`, `Jenkins is gone`, `from X to Y`.
        words: Everything it speaks of.
        changed: It says itself that something else held before.
        places: Environments, platforms, packages it is narrowed to.
    """

    clauses: tuple[Clause, ...] = ()
    rejects: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    changed: bool = False
    places: frozenset[str] = frozenset()
    keys: tuple[int, ...] = field(default=(), compare=False)

    @property
    def sequence(self) -> tuple[tuple[bool, tuple[str, ...]], ...]:
        """The clauses as words in order, each asserted or denied: equal for statements that say the same."""
        return tuple((clause.positive, clause.words) for clause in self.clauses)


def said_key(name: str) -> int:
    """The number by which a statement that rests on a value is found by one that rejects it."""
    return number64(f"said\n{name}")


def bare_key(words: tuple[str, ...]) -> int:
    """The number by which statements that differ in detail alone find one another."""
    return number64(f"bare\n{' '.join(words)}")
