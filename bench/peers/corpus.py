"""Ten thousand statements as a project's memory holds them, and questions that ask for some in other words.

A seeded grammar: who, what they do, to what, when, and why. A question keeps the subject's name, and says each other
part in the memory's words or in others, by the toss of a coin; it leaves the reason out. So it shares some words with
its memory, not all, and hundreds of other memories share some with it too.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

_FRONTS = ("billing", "search", "invoice", "upload", "login", "report", "export", "mail", "catalogue", "payment")
_BACKS = ("service", "worker", "gateway", "scheduler", "importer", "console")
SUBJECTS = tuple(f"{front} {back}" for front in _FRONTS for back in _BACKS)

ACTIONS = (
    ("retries", "tries again with"),
    ("caches", "keeps a copy of"),
    ("deletes", "throws away"),
    ("validates", "checks"),
    ("compresses", "makes smaller"),
    ("encrypts", "scrambles"),
    ("rejects", "refuses"),
    ("duplicates", "makes twice"),
    ("renames", "gives another name to"),
    ("archives", "puts into storage"),
    ("sorts", "puts in order"),
    ("streams", "sends piece by piece"),
    ("locks", "holds exclusively"),
    ("merges", "joins"),
    ("ignores", "pays no attention to"),
    ("logs", "writes a line about"),
    ("delays", "postpones"),
    ("signs", "puts a signature on"),
)
OBJECTS = (
    ("customer addresses", "where clients live"),
    ("failed requests", "calls that went wrong"),
    ("large attachments", "big files"),
    ("session tokens", "login credentials"),
    ("database migrations", "schema changes"),
    ("currency rates", "exchange values"),
    ("audit records", "the trail of what happened"),
    ("feature flags", "switches"),
    ("background jobs", "queued tasks"),
    ("thumbnail images", "small pictures"),
    ("test fixtures", "sample inputs for the checks"),
    ("translation files", "localised strings"),
    ("webhook messages", "callbacks"),
    ("access policies", "permission rules"),
    ("stale branches", "old lines of work"),
    ("release notes", "the list of changes"),
    ("license headers", "legal notices"),
    ("timestamps", "points in time"),
    ("pull requests", "proposed patches"),
    ("build artifacts", "compiled outputs"),
)
TIMES = (
    ("after midnight", "at night"),
    ("when the disk is nearly full", "with little space left"),
    ("before every deployment", "ahead of a rollout"),
    ("while the cluster restarts", "as the machines come back up"),
    ("on the staging environment", "in preproduction"),
    ("when a certificate has expired", "with an outdated certificate"),
    ("during the weekly backup", "as the copy of the week is taken"),
    ("once memory runs low", "short of RAM"),
    ("if the network is slow", "over a bad connection"),
    ("on Windows only", "under Microsoft's system"),
    ("when two users edit at once", "with simultaneous changes"),
    ("after three timeouts", "having waited in vain thrice"),
    ("behind the company proxy", "from inside the firm's network"),
    ("in the nightly pipeline", "in the scheduled build"),
)
REASONS = (
    "the vendor limits the rate",
    "an auditor asked for it",
    "version 4 broke the old way",
    "nobody owned the alternative",
    "support saw too many tickets",
    "the index would grow without bound",
    "a customer lost work that way",
    "the library leaks handles",
    "the contract says so",
    "it halves the bill",
)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Distinct memories, questions, and for each question the number of the memory it asks for."""

    memories: list[str]
    queries: list[str]
    wanted: list[int]


def corpus(count: int, asked: int, seed: int = 7) -> Corpus:
    """`count` memories and `asked` questions about as many of them."""
    chance = random.Random(seed)
    drawn: dict[tuple[int, int, int, int], None] = {}
    while len(drawn) < count:
        lists = (SUBJECTS, ACTIONS, OBJECTS, TIMES)
        subject, action, thing, time = (chance.randrange(len(words)) for words in lists)
        drawn[subject, action, thing, time] = None
    parts = list(drawn)
    wanted = chance.sample(range(count), asked)
    memories = [_memory(*each, chance.choice(REASONS)) for each in parts]
    return Corpus(memories, [_query(*parts[number], chance) for number in wanted], wanted)


def _memory(subject: int, action: int, thing: int, time: int, reason: str) -> str:
    words = f"{ACTIONS[action][0]} {OBJECTS[thing][0]} {TIMES[time][0]}"
    return f"The {SUBJECTS[subject]} {words}, because {reason}."


def _query(subject: int, action: int, thing: int, time: int, chance: random.Random) -> str:
    said = [chance.choice(pair) for pair in (ACTIONS[action], OBJECTS[thing], TIMES[time])]
    return f"{SUBJECTS[subject]} {' '.join(said)}: why?"
