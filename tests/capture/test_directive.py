"""Rules for next time are told from the task of the moment."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.capture.directive import directives, masked


def rules(text: str) -> list[str]:
    """The standing instructions of a text."""
    return [found.text for found in directives(text) if found.standing]


@pytest.mark.parametrize(
    "text",
    [
        "Always run `make lint` before committing.",
        "never use npm here, use pnpm",
        "Use uv, not pip",
        "no, use pnpm",
        "No, we use uv in this repo",
        "don't use unittest, use pytest",
        "Please always write tests first",
        "From now on, run the tests with `just test`.",
        "You are to ask me before you push.",
        "prefer composition over inheritance",
        "I said use pnpm",
        "No! I told you to never push to main",
        "Don't ever commit to main",
        "You should always ask before deleting files",
        "we never mock the database in tests",
        "Do not add comments unless I ask",
        "broken plugins must NEVER crash the host",
        "use `just test`, not `go test`",
        "In this repo, use tabs.",
        "stop using grep, use rg",
        "Make sure every new file has a license header",
        "don't push without asking",
        "Please don't use emojis in commit messages",
        "When you write tests, always use table-driven style",
        "we should use typed ids instead of plain strings wherever we can",
        "thanks. never use default exports in this codebase",
        "the spelling changes - let's make sure we're using US English everywhere",
        "We use pnpm in this repo, not npm.",
        "remember to paginate the results",
    ],
)
def test_standing_instructions_are_found(text):
    """Always, never, use X not Y, prefer, a correction: each gives exactly one rule."""
    assert len(rules(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "use the other branch for this PR",
        "use pnpm",
        "fix the login page",
        "ok, later maybe.",
        "it always prompts me at the end",
        "never mind",
        "YOU ARE TO ASK ME!",
        "you must ask.",
        "why does it never work?",
        "can you always use tabs?",
        "Don't fix anything, just validate",
        "use the staging config for now",
        "that should never happen",
        "do not stash anything, read the files you need",
        "we have never seen this",
        "Use 12 chars instead of 10 for issues 17",
        "don't commit",
        "the hook never fires",
        "use the semver package instead of implementing isOutdated",
        "I always get this error when running npm test",
        "run the tests before you commit this",
        "You could use a cache here.",
        "if there is an error, always exit with 1",
        "stop, do not touch that file",
        "always use it",
        'The guide says "always use tabs in every file".',
        "> always use tabs",
        "```\nalways use tabs\n```",
        "~~~\nnever use npm",
        "    always use tabs",
        "Look at this:\n$ never use npm here",
    ],
)
def test_tasks_questions_and_quotations_are_no_rules(text):
    """What belongs to the moment, asks, tells a story, or is somebody else's words gives none."""
    assert rules(text) == []


@pytest.mark.parametrize(
    ("text", "certain"),
    [
        ("Never commit to main", True),
        ("use pnpm, not npm", True),
        ("I never want you to push", True),
        ("I always use vim at home", False),
        ("No, use tabs not spaces.", False),
        ("Use tabs, not spaces.", False),
    ],
)
def test_what_only_a_person_can_tell(text, certain):
    """A habit that is told and a choice between two unknown things are rules a person has to look at."""
    assert [(found.standing, found.certain) for found in directives(text)] == [(True, certain)]


@pytest.mark.parametrize(
    "text",
    ["Always run\n```\nmake x\n```", "Never touch:\n> a\n", "never say never lol", "use the old one, not this one"],
)
def test_half_a_sentence_is_no_rule(text):
    """What goes on in a fence or a quotation, and a saying, teach nothing."""
    assert rules(text) == []


def test_a_whole_sentence_before_a_fence_is_a_rule():
    """Code below a finished sentence takes nothing from it."""
    assert rules("Never commit to main.\n```\nx\n```") == ["Never commit to main."]


def test_forbidden_programs_are_named():
    """The tool a rule forbids is known, so that the rule can be shown before it is used."""
    assert [found.forbidden for found in directives("Use uv, not pip. Never use npm here. Always use tabs.")] == [
        ("pip",),
        ("npm",),
        (),
    ]


def test_corrections_are_marked():
    """A rule that corrects what was just done, or was said before, is worth more."""
    assert [found.insisted for found in directives("No, always use pnpm.")] == [True]
    assert [found.insisted for found in directives("Always use pnpm.")] == [False]


@given(st.text(max_size=300))
def test_masking_keeps_every_place(text):
    """The masked text has the length and the lines of the original."""
    assert len(masked(text)) == len(text)
    assert masked(text).count("\n") == text.count("\n")


@given(st.text(alphabet="alwysnevru tb`\"'>\n.,", max_size=200))
def test_any_text_gives_bounded_rules(text):
    """No text makes more than twelve rules or one longer than a sentence."""
    found = directives(text)
    assert len(found) <= 12
    assert all(len(rule.text) <= 300 for rule in found)


ABROAD = {
    "Verwende immer pnpm statt npm.": "npm",
    "Committe nie direkt auf main!": "",
    "Bitte immer zuerst die Tests laufen lassen.": "",
    "Ab sofort nutze uv, nicht pip": "",
    "Usa siempre pnpm en lugar de npm.": "npm",
    "Nunca hagas commit en main.": "",
    "Utilise toujours pnpm au lieu de npm.": "npm",
    "Ne jamais modifier les migrations.": "",
    "Sempre use pnpm em vez de npm.": "npm",
    "Usa sempre pnpm invece di npm.": "npm",
    "Всегда используй pnpm вместо npm.": "npm",
    "常に npm ではなく pnpm を使ってください。": "npm",
    "main に絶対に直接コミットしないでください。": "",
    "始终使用 pnpm 而不是 npm。": "npm",
    "永远不要直接提交到 main。": "",
    "항상 npm 대신 pnpm을 사용하세요.": "npm",
}


@pytest.mark.parametrize("text", ABROAD)
def test_rules_in_other_languages_wait_for_a_person(text):
    """Always, never and this instead of that are heard; that they are meant for good, a person says."""
    (found,) = directives(text)
    assert (found.standing, found.certain) == (True, False)
    assert found.forbidden == tuple(filter(None, [ABROAD[text]]))


@pytest.mark.parametrize(
    "text",
    [
        "Der Test schlägt immer fehl, warum?",
        "Der Import ist nie fertig geworden.",
        "Ich verwende immer den Debugger.",
        "Verwende diesmal immer den anderen Branch.",
        "Siempre falla el test de integración.",
        "¿Por qué usa siempre npm?",
        "Ça ne marche jamais chez moi.",
        "O teste sempre falha no CI.",
        "Il test fallisce sempre qui.",
        "Тест всегда падает на сервере.",
        "テストは常に失敗します。",
        "今回は必ず npm を使ってください。",
        "测试总是失败，为什么？",
        "总是报错，请看一下。",
        "테스트가 항상 실패합니다.",
    ],
)
def test_reports_in_other_languages_are_no_rules(text):
    """What always or never happens, what somebody does, a question, or an order for this time."""
    assert rules(text) == []


def test_sentences_end_without_a_blank_too():
    """Two rules of a Chinese message are two."""
    assert len(rules("始终使用 pnpm 而不是 npm。永远不要直接提交到 main。")) == 2
