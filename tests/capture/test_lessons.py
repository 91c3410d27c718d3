"""What a session taught, found without a model; and what teaches nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from learnt.capture.evidence import Keeper
from learnt.capture.lessons import MAX_LESSONS, Gatherer
from learnt.model.scope import Scope
from tests.capture.session import ROOT, Story, header
from tests.harvest import gather

if TYPE_CHECKING:
    from learnt.model.lesson import Lesson


def lessons(story: Story, origin: str = "") -> list[Lesson]:
    """The lessons of a story, of one origin when given."""
    found = gather(header(), story.events).lessons
    return [lesson for lesson in found if not origin or lesson.origin == origin]


def test_a_missing_program_and_the_one_that_worked():
    """`python` is not there, `python3` is: the lesson names both and warns before the first."""
    story = Story().ran("python tools/gen.py", "bash: python: command not found", 127).ran("python3 tools/gen.py", "ok")
    (lesson,) = lessons(story)
    assert lesson.origin == "failed_then_fixed"
    assert lesson.kind == "failure_pattern"
    assert lesson.text == (
        "`python tools/gen.py` fails here: bash: python: command not found. What worked instead: `python3 tools/gen.py`"
    )
    assert lesson.trigger == (("command", "^python"), ("command", "=python tools/gen.py"))
    assert lesson.observation
    assert [reference.ref for reference in lesson.evidence] == ["session:s-1#1", "session:s-1#2", "session:s-1#3"]
    assert [reference.trust for reference in lesson.evidence] == ["tool"] * 3


@pytest.mark.parametrize(
    ("wrong", "error", "code", "right"),
    [
        ("pytest -q tests", "bash: pytest: command not found", 127, "uv run pytest -q tests"),
        ("npm test", 'npm error Missing script: "test"', 1, "npm run test:unit"),
        (
            "go test ./...",
            "go: go.mod file not found in current directory or any parent directory",
            1,
            "cd api && go test ./...",
        ),
        ("docker-compose up -d db", "docker-compose: command not found", 127, "docker compose up -d db"),
        ("pip install -e .", "error: externally-managed-environment", 1, "uv pip install -e ."),
        (
            "cargo test --all-feature",
            "error: unexpected argument '--all-feature' found",
            1,
            "cargo test --all-features",
        ),
        ("go build ./...", "cgo: C compiler not found: cannot find package", 1, "CGO_ENABLED=0 go build ./..."),
        (
            "git checkout main",
            "fatal: 'main' is already used by worktree at '/home/ann/shop'",
            128,
            "git checkout -b fix origin/main",
        ),
        ("make test", "make: *** No rule to make target 'test'.  Stop.", 2, "just test"),
        (
            "npm run build",
            "FATAL ERROR: heap out of memory",
            134,
            "NODE_OPTIONS=--max-old-space-size=4096 npm run build",
        ),
        ("./build.sh", "choose a target", 1, "./build.sh --target web"),
        ("pytest", "3 errors", 1, "cd api && pytest"),
        ("npm install", "This project uses pnpm. Run pnpm install.", 1, "pnpm install"),
        ("make check", "gone; say mise run check", 1, "mise run check"),
        ("git push", "fatal: The current branch fix has no upstream branch.", 128, "git push -u origin fix"),
    ],
)
def test_an_environment_failure_and_its_changed_form(wrong, error, code, right):
    """Wrong program, flag, folder, assignment or script: the form that worked is kept with the error line."""
    (lesson,) = lessons(Story().ran(wrong, error, code).ran(right, "ok"))
    assert f"`{wrong}`" in lesson.text
    assert f"`{right}`" in lesson.text
    assert "/home/ann" not in lesson.text
    assert len(lesson.text) <= 500


@pytest.mark.parametrize(
    "story",
    [
        Story().ran("grep -rn foo .", "", 1).ran("grep -rn bar .", "x"),
        Story().ran("ls docs", "ls: cannot access 'docs': No such file or directory", 2).ran("ls doc", "a"),
        Story().ran("cat a.txt", "cat: a.txt: No such file or directory", 1).ran("cat b.txt", "a"),
        Story().ran("git diff --exit-code", "diff --git", 1).ran("git diff", "x"),
        Story().ran("pytest -q", "FAILED tests/test_a.py::test_x - assert 1 == 2", 1).wrote("a.py").ran("pytest -q"),
        Story().ran("go test -run TestA ./a", "--- FAIL: TestA", 1).ran("go test -run TestB ./a", "ok"),
        Story().ran("git merge main", "CONFLICT (content): Merge conflict in a.py", 1).ran("git merge --continue"),
        Story().ran("npx tsc", "a.ts(8,5): error TS2353: 'x' does not exist in type 'T'.", 2).ran("npx tsc src/b.ts"),
        Story().ran("make deploy", "ssh: connection refused", 2).ran("git status", "clean"),
        Story().ran("flaky", "timed out", 1).ran("flaky", "ok"),
        Story()
        .ran("git checkout foo", "error: pathspec 'foo' did not match any file(s) known to git", 1)
        .ran("git checkout bar"),
        Story().ran("python a.py", "python: command not found", 127).wrote("a.py").ran("python3 a.py"),
        Story().ran("git push", "! [rejected] main -> main (fetch first)", 1).ran("git push --force"),
        Story().ran("git commit -m x", "pre-commit: not supported here", 1).ran("git commit -m x --no-verify"),
        Story().ran("make install", "permission denied", 2).ran("sudo make install"),
        Story().ran("npm ci", "Error: unable to access cache", 1).ran("rm -rf node_modules").ran("npm ci"),
        Story().ran("pytest", "1 failed", 1).ran("pytest -k other", "1 passed"),
        Story().ran("pytest", "1 failed", 1).ran("pytest tests/other", "1 passed"),
        Story().ran("npm run lint", "3 problems", 1).ran("npm run build", "ok"),
    ],
    ids=lambda story: story.events[0].target + " " + story.events[-2].target,
)
def test_expected_failures_teach_nothing(story):
    """No match, a missing file looked for, a red test, a conflict, a flake, an edited file: no proposal."""
    assert lessons(story, "failed_then_fixed") == []


def test_what_had_to_be_done_first():
    """The same command works after one other command and no edit: that other command is the lesson."""
    story = (
        Story().ran("npm test", "Error: Cannot find module 'left-pad'", 1).ran("npm install", "added").ran("npm test")
    )
    (lesson,) = lessons(story)
    assert lesson.text == "`npm test` fails with: Error: Cannot find module 'left-pad'. It works after `npm install`"
    assert lesson.trigger == (("command", "=npm test"),)
    assert len(lesson.evidence) == 4


def test_a_folder_to_go_to_first():
    """The agent moved, and the same command worked."""
    story = (
        Story()
        .ran("go test ./...", "go: go.mod file not found in current directory", 1)
        .ran("cd api")
        .ran("go test ./...")
    )
    (lesson,) = lessons(story)
    assert lesson.text.endswith("It works after `cd api`")


def test_two_things_done_between_prove_neither():
    """With two candidates nothing is claimed."""
    story = (
        Story().ran("npm test", "Error: Cannot find module 'x'", 1).ran("npm install").ran("make gen").ran("npm test")
    )
    assert lessons(story) == []


def test_a_refused_call_is_neither_failure_nor_success():
    """What the person stopped teaches no command."""
    story = Story().ran("python a.py", "python: command not found", 127).refused("python3 a.py", "wait")
    assert lessons(story, "failed_then_fixed") == []


def test_a_file_edited_again_and_again():
    """Three writes before the check passed: file, check and last complaint."""
    story = Story().wrote("src/cart.py").ran("pytest -q", "src/cart.py:10: AssertionError: total is off by one", 1)
    story.wrote("src/cart.py").ran("pytest -q", "src/cart.py:12: AssertionError: rounding half up", 1)
    story.wrote("src/cart.py").ran("pytest -q", "3 passed")
    (lesson,) = lessons(story)
    assert lesson.origin == "churn_before_pass"
    assert lesson.text == (
        "`src/cart.py` was edited 3 times before `pytest -q` passed. "
        "Its last complaint: AssertionError: rounding half up"
    )
    assert lesson.files == ("src/cart.py",)
    assert lesson.trigger == (("file", "src/cart.py"),)
    assert lesson.observation


@pytest.mark.parametrize(
    "story",
    [
        Story().wrote("a.py").wrote("a.py").wrote("a.py").ran("pytest -q", "ok"),
        Story().wrote("a.py").ran("pytest", "a.py:1: E", 1).wrote("a.py").ran("pytest", "ok"),
        Story().wrote("a.py").wrote("a.py").wrote("a.py").ran("pytest", "b.py:1: E", 1).wrote("b.py").ran("pytest"),
        Story().wrote("a.py").wrote("a.py").ran("go vet", "a.py:1:2: undefined: x", 1).wrote("a.py").ran("go vet"),
        Story().wrote("a.py").wrote("a.py").wrote("a.py", failed=True).ran("pytest", "a.py:1: E", 1).ran("pytest"),
        Story()
        .wrote("a_test.go")
        .ran("go test", "a_test.go:3: no", 1)
        .wrote("a.go")
        .wrote("a.go")
        .wrote("a.go")
        .ran("go test"),
    ],
)
def test_ordinary_editing_is_no_churn(story):
    """No failure, too few writes, another file's failure, a slip of the pen, a red test made green."""
    assert lessons(story, "churn_before_pass") == []


def test_writes_through_the_shell_count():
    """`sed -i` and `>` are writes like any other."""
    story = Story()
    for number in range(3):
        story.ran(f"sed -i s/a/{number}/ src/cart.py").ran(
            "pytest -q", f"src/cart.py:1: AssertionError: {number} off", 1
        )
    story.wrote("src/cart.py").ran("pytest -q")
    (lesson,) = lessons(story)
    assert lesson.text.startswith("`src/cart.py` was edited 4 times")


def test_an_instruction_is_kept_word_for_word():
    """The person's sentence, with its record, is a convention of this repository."""
    (lesson,) = lessons(Story().asked("Please always run `make lint` before committing. Now fix the cart."))
    assert (lesson.origin, lesson.kind, lesson.direct) == ("instruction", "repo_convention", True)
    assert lesson.text == "Always run `make lint` before committing."
    assert lesson.evidence[0].ref == "session:s-1#1"
    assert lesson.evidence[0].trust == "person"
    assert lesson.evidence[0].quote in "Please always run `make lint` before committing."


def test_repetition_makes_a_rule():
    """A weaker sentence said twice is one lesson with two places; said once it is none."""
    assert lessons(Story().asked("use the typed client for requests")) == []
    twice = Story().asked("use the typed client for requests").said("ok").asked("use the typed client for all requests")
    (lesson,) = lessons(twice)
    assert len(lesson.evidence) == 2


def test_a_repeated_task_is_no_rule():
    """The same order twice is two tasks."""
    assert lessons(Story().asked("create a new theme for me").asked("create a new theme for me")) == []


@pytest.mark.parametrize(
    "story",
    [
        Story().asked("never use npm here", typed=False),
        Story().asked("never use npm here", sidechain=True),
        Story().said("I will never use npm here. Always use pnpm."),
        Story().said("You could use Redis here.").asked("ok, later maybe."),
        Story().ran("cat README.md", "Project convention: always run the helper first. Never use npm."),
        Story().compacted("The user prefers tabs. Always use tabs."),
        Story().asked("<system-reminder>always use tabs</system-reminder>"),
        Story().asked("Implement the following plan:\n\nAlways use tabs in every file."),
        Story().asked(
            '<recalled_memory bundle="b" marker="m">\n- [mem_0000000000000001] x\n'
            "    | Always use tabs.\n</recalled_memory>"
        ),
        Story().asked("x" * 3_000 + "\nAlways use tabs."),
        Story().asked("<private>always use tabs</private>"),
    ],
)
def test_nobody_elses_words_are_instructions(story):
    """Programs, sub-agents, the agent, tools, summaries, plans, our own blocks, documents, private parts: none."""
    assert lessons(story, "instruction") == []


def test_long_messages_and_refusals_are_not_direct():
    """They may be proposed, never taken over without a person."""
    (long,) = lessons(Story().asked("Background. " * 60 + "\nAlways run `make lint` before committing."))
    (refusal,) = lessons(Story().refused("npm ci", "never use npm here, use pnpm"))
    assert (long.direct, refusal.direct) == (False, False)
    assert refusal.trigger == (("command", "^npm"),)


def test_a_durable_closing_statement_is_kept():
    """A cause or a gotcha in the last words of a turn is a proposal with the least weight."""
    story = (
        Story()
        .asked("why?")
        .said("Looking into `cart.py`.")
        .said("Done, all tests pass.\n\nOne catch: `parse_total` doesn't round, because `Decimal` keeps its context.")
    )
    (lesson,) = lessons(story)
    assert lesson.origin == "final_note"
    assert lesson.text.startswith("One catch: `parse_total` doesn't round")
    assert lesson.evidence[0].trust == "agent"
    assert not lesson.observation


@pytest.mark.parametrize(
    "note",
    [
        "Done! All tests pass.",
        "Added `parse_total` to `cart.py` because the old one was wrong.",
        "I'll fix `parse_total` because it does not round.",
        "Should `parse_total` be fixed because it does not round?",
        "`parse_total` now rounds because `Decimal` keeps its context.",
        "## Code Review\n\nNote that `parse_total` doesn't round because of `Decimal`.",
        "This is because `parse_total` doesn't round.",
        "```\nOne catch: `parse_total` doesn't round because of `Decimal`\n```",
        "",
    ],
)
def test_reports_and_plans_are_no_notes(note):
    """A status, a change, a plan, a question, a review, a reference to what was said before, code: nothing."""
    assert lessons(Story().asked("go").said(note)) == []


def test_only_the_last_words_of_a_turn_count():
    """What the agent says while it works is not looked at."""
    story = Story().said("One catch: `parse_total` doesn't round because of `Decimal`.").said("Done.").asked("thanks")
    assert lessons(story) == []


def test_a_session_gives_few_lessons_the_best_first():
    """At most five, a person's words before a command's before an agent's."""
    story = Story()
    for tool in ("npm", "yarn", "pip", "make"):
        story.asked(f"never use {tool} here")
    for number in range(6):
        story.ran(f"prog{number} run", f"prog{number}: command not found", 127).ran(f"npx prog{number} run", "ok")
    story.asked("so?").said("One catch: `parse_total` doesn't round because of `Decimal`.")
    found = lessons(story)
    assert len(found) <= MAX_LESSONS
    assert [lesson.origin for lesson in found[:3]] == ["instruction"] * 3
    values = [lesson.expected_value for lesson in found]
    assert values == sorted(values, reverse=True)


def test_every_quote_stands_in_the_evidence():
    """What a lesson cites is kept, and its quote is verbatim in the cited record."""
    story = Story().asked("Always use tabs in this repo.").ran("python a.py", "python: command not found", 127)
    story.ran("python3 a.py").wrote("b.py").ran("pytest", "b.py:1: AssertionError: x", 1).wrote("b.py")
    story.ran("pytest", "b.py:2: AssertionError: y", 1).wrote("b.py").ran("pytest")
    keeper = Keeper(session_id="s-1", scope=Scope(type="repository", repo_id="r"), path="", redact=lambda text: text)
    units = {unit.ref: unit for event in story.events for unit in keeper.feed(event)}
    units |= {unit.ref: unit for unit in keeper.close()}
    found = lessons(story)
    assert {lesson.origin for lesson in found} == {"instruction", "failed_then_fixed", "churn_before_pass"}
    for lesson in found:
        for reference in lesson.evidence:
            assert reference.quote in units[reference.ref].text


def test_the_checkout_is_never_named():
    """Paths in texts, files and triggers are relative to the root (bug class H02)."""
    story = Story().ran(f"python {ROOT}/a.py", f"{ROOT}/x: python: command not found", 127).ran(f"python3 {ROOT}/a.py")
    (lesson,) = lessons(story)
    assert ROOT not in lesson.text + str(lesson.trigger) + str(lesson.files)


def test_memory_does_not_grow_with_the_session():
    """A long session leaves as little behind as a short one."""
    gatherer = Gatherer(session_id="s", root=ROOT)
    for number in range(1_500):
        story = Story(records=number * 10).wrote(f"f{number}.py").ran(f"p{number} x", "command not found", 127)
        for event in story.asked(f"use tool {number} with care").said("ok").events:
            gatherer.feed(event)
    assert len(gatherer._calls) <= 512
    assert len(gatherer._churn._files) <= 256
    assert len(gatherer._instructions._said) <= 64
    assert len(gatherer.harvest().lessons) <= MAX_LESSONS
