"""Sorts of statements, in sentences of our own."""

from __future__ import annotations

import pytest

from learnt.distil.sorts import said

SENTENCES = {
    "decision": [
        "Going with PostgreSQL for the ledger service.",
        "We're dropping support for Python 3.8.",
        "Final call: weekly releases from now on.",
        "Settled on Figma for mockups after the trial.",
        "Agreed with Tom to postpone the launch.",
        "We've chosen Rust for the parser.",
        "Sticking with the old vendor for another year.",
        "Ruled out Kubernetes for the first release.",
        "The team opted for feature flags over long branches.",
        "Approved the move to a four-day sprint.",
        "I've decided to archive the 2019 dataset.",
        "We'll standardize on OTLP for tracing.",
    ],
    "preference": [
        "Ana would rather get a call than an email.",
        "Tom doesn't like morning meetings.",
        "Karis asked that all invoices come as PDFs.",
        "Ren likes his summaries short, with numbers first.",
        "Mira prefers dark roast over light.",
        "I prefer tabs in Makefiles, spaces elsewhere.",
        "She wants every draft in Markdown, never Word.",
        "Doreth insists on paper copies.",
    ],
    "commitment": [
        "I told Mark I'd review the contract by Tuesday.",
        "Agreed to send the deck before noon.",
        "I owe Lena the March numbers.",
        "Will follow up with legal next week.",
        "Volunteered to run the retro on Friday.",
        "Signed up to give the keynote in May.",
        "Taking on the migration, due March 3.",
        "I'll have the figures ready by Thursday.",
        "Committed to two reviews per week.",
    ],
    "opinion": [
        "The new API feels clunky compared to the old one.",
        "I'm not sold on microservices for this.",
        "Frankly, the docs are a mess.",
        "In my view the deadline is unrealistic.",
        "I find the tone of the paper too stiff.",
        "My gut says the churn number is wrong.",
        "The design is elegant but overengineered, if you ask me.",
    ],
    "fact": [
        "The API rate limit is 500 requests per minute.",
        "Lena moved to Berlin in March.",
        "The lease expires on June 30.",
        "Found out the sensor drifts 2% a year.",
        "The archive holds 14,000 scanned letters.",
        "Headcount grew from 20 to 35 last year.",
        "The library closes at 18:00 on Fridays.",
        "Verified: the backup runs nightly at 02:00.",
    ],
}


@pytest.mark.parametrize(("sort", "text"), [(sort, text) for sort, texts in SENTENCES.items() for text in texts])
def test_a_sentence_has_its_sort(sort: str, text: str) -> None:
    """By the words it uses, whoever it speaks of."""
    assert [each.sort for each in said(text)] == [sort]


@pytest.mark.parametrize(
    "text",
    [
        "What do we prefer here?",
        "Hello there, nice day.",
        "She was tired.",
        "Preferences are stored in the settings file.",
        "Two months for a paper of that size.",
        "",
    ],
)
def test_other_sentences_have_none(text: str) -> None:
    """Questions, greetings and what gives no sign are of no sort."""
    assert said(text) == ()


def test_a_text_of_many_statements_is_bounded() -> None:
    """At most 24, in order, each with the words as they stand."""
    made = said(" ".join(f"We decided to keep rule {number} \u2019s name." for number in range(100)))
    assert len(made) == 24
    assert made[0].quote == "We decided to keep rule 0 \u2019s name."
