"""What two statements are to each other: a table as engineers write them, and laws that hold for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.govern.claim import bearing
from learnt.model.claim import MOST_CHARS
from learnt.model.stated import looked_for, stated

PAIRS = (
    ("Tests run with pytest -n 4", "Tests run with pytest -n 8", "replaces"),
    ("Use npm", "Use pnpm, not npm", "replaces"),
    ("Use npm", "Use pnpm", "replaces"),
    ("Use npm.", "We use pnpm now.", "replaces"),
    ("Use npm for installing dependencies", "Install dependencies with pnpm", "replaces"),
    ("The package manager is npm", "Use pnpm", "replaces"),
    ("The staging database is on port 5432", "The production database is on port 5433", "apart"),
    ("Staging uses Postgres 15", "Production uses Postgres 16", "apart"),
    ("Package a uses vitest", "Package b uses jest", "apart"),
    ("In package api, tests run with jest", "In package web, tests run with vitest", "apart"),
    ("We use Python 3.11", "We use Python 3.12", "replaces"),
    ("Python 3.11", "Python 3.12", "replaces"),
    ("The project targets Python 3.11", "The project targets Python 3.12", "replaces"),
    ("Tests fail on Python 3.11", "Tests fail on Python 3.12", "apart"),
    ("We support Python 3.11", "We support Python 3.12", "apart"),
    ("Never rebase", "Rebase", "replaces"),
    ("Rebase before merging", "Never rebase before merging", "replaces"),
    ("Always rebase before merging", "Do not rebase before merging", "replaces"),
    ("payments service – owner: team Kilo", "payments service – on-call hours: 8 to 18", "apart"),
    ("payments service – owner: team Kilo", "payments service – owner: team Lima", "replaces"),
    ("Run migrations with the lock held.", "Migrations should not be skipped on the demo box either.", "apart"),
    ("Team Ash maintains the parser", "Team Birch maintains the lexer", "apart"),
    ("Team Ash maintains the parser", "Team Ash maintains the formatter", "apart"),
    ("feature freeze is on", "feature freeze is off", "replaces"),
    ("Feature freeze is off", "The feature freeze is on", "replaces"),
    ("Deploys go through Jenkins", "We moved deploys to Buildkite; Jenkins is gone.", "replaces"),
    ("Deploys go through Foo", "We moved deploys to Bar; Foo is gone.", "replaces"),
    ("We like monorepos", "We do not want monorepos any more", "replaces"),
    ("Tests need Redis", "Tests need Redis 7", "refines"),
    ("Tests need Redis 7", "Tests need Redis", "coarser"),
    ("Tests need Redis 7", "Tests need Redis 6", "replaces"),
    ("The default branch is main", "The default branch is trunk", "replaces"),
    ("The default branch is main", "The default branch is protected", "apart"),
    ("The default timeout is 30 s", "The default timeout is too short", "apart"),
    ("The default timeout is 30 s", "The default timeout is 45 seconds", "replaces"),
    ("The read timeout is 30 s", "The write timeout is 5 s", "apart"),
    ("The build timeout is 30 min", "The store timeout is 20 min", "apart"),
    ("Indent with 4 spaces", "Indent with tabs", "replaces"),
    ("Indent with 4 spaces", "Indent with 2 spaces", "replaces"),
    ("Use tabs", "Prefer spaces over tabs", "replaces"),
    ("The API listens on port 8080", "The API listens on port 9090", "replaces"),
    ("Issue 12 blocks the release", "Issue 13 blocks the release", "apart"),
    ("Step 3 needs root", "Step 4 needs root", "apart"),
    ("Config lives in config/app.toml", "Config lives in settings/app.toml", "replaces"),
    ("Tests live in tests/unit", "Tests live in tests/integration", "disputes"),
    ("See docs/a.md for the setup", "See docs/b.md for the setup", "apart"),
    ("Set `Path` in the service unit", "Set `PATH` in the service unit", "apart"),
    ("Run migrations before deploy", "Run deploy before migrations", "apart"),
    ("Use Redis for caching", "Use Postgres for storage", "apart"),
    ("pytest needs Redis", "unittest needs Redis", "apart"),
    ("Use pytest", "Use pytest for the API; use unittest for scripts", "apart"),
    ("Use Jenkins for deploys", "Use Buildkite for linting", "apart"),
    ("Use Jenkins for deploys", "Use Buildkite for deploys", "replaces"),
    ("The team uses Slack", "Also use Discord", "apart"),
    ("Retry 3 times on timeout", "Retry 5 times on timeout", "replaces"),
    ("Retry uploads 3 times", "Retry downloads 5 times", "apart"),
    ("Line length is 88", "Line length is 100", "replaces"),
    ("Line length is 88", "Line length is 100 in tests", "apart"),
    ("On Windows use path separators of os.sep", "On Linux use path separators of os.sep", "apart"),
    ("Coverage must be at least 80%", "Coverage must be at least 85%", "replaces"),
    ("Node 18 fails on Windows", "Node 20 fails on Windows", "apart"),
    ("Use Node 18", "Use Node 20", "replaces"),
    ("CI runs on Node 18", "CI runs on Node 20", "replaces"),
    ("测试使用 4 个进程", "测试使用 8 个进程", "replaces"),
    ("Tests run in Docker", "Tests run in Podman", "replaces"),
    ("Squash commits when merging", "Do not squash commits when merging", "replaces"),
    ("The main branch is protected", "The release branch is protected", "apart"),
    ("Use black for formatting", "Use ruff for formatting", "replaces"),
    ("Use ruff for linting", "Use ruff for formatting", "apart"),
    ("Format with black", "Format with ruff format instead of black", "replaces"),
    ("Deploy to AWS", "We migrated from AWS to GCP", "apart"),
    ("Run the linter before committing", "Run the linter before pushing", "apart"),
    ("Use uv", "Dependencies are installed with pip", "replaces"),
    ("Use uv to install dependencies", "Use pip to install dependencies in the docs folder", "apart"),
    ("Logs are kept 30 days", "Logs are kept 90 days", "replaces"),
    ("Access logs are kept 30 days", "Audit logs are kept 90 days", "apart"),
    ("Use Jenkins", "We replaced Jenkins with Buildkite", "replaces"),
    ("Do not use npm", "Use pnpm", "apart"),
    ("Do not use npm", "Use npm", "replaces"),
    ("Version 2.1 is the latest release", "Version 2.2 is the latest release", "apart"),
    ("The API returns 404 for missing users", "The API returns 410 for missing users", "apart"),
    ("Tests need Redis and Postgres", "Tests need Redis", "apart"),
    ("The cache TTL is 5 minutes in staging", "The cache TTL is 10 minutes in production", "apart"),
    ("The cache TTL is 5 minutes", "The cache TTL is 10 minutes in production", "apart"),
    ("Commit messages follow Conventional Commits", "Commit messages do not follow Conventional Commits", "replaces"),
    ("Das Timeout ist 30 s", "Das Timeout ist 60 s", "replaces"),
    ("Timeout: 30 s", "Timeout: 60 s", "replaces"),
    ("Owner: Alice", "Owner: Bob", "replaces"),
    ("Contact for billing: Alice", "Contact for search: Bob", "apart"),
    ("Docs are written in Markdown", "Docs are written in AsciiDoc", "replaces"),
    ("Never log tokens", "Always log request ids", "apart"),
    ("Use 4 workers for the API", "Use 8 workers for the queue", "apart"),
    ("Debug mode is enabled in staging", "Debug mode is disabled in staging", "replaces"),
    ("Debug mode is enabled in staging", "Debug mode is disabled in production", "apart"),
    ("Reviews are required", "Reviews are optional", "replaces"),
    ("Use snake_case for columns", "Use camelCase for columns", "replaces"),
    ("Use snake_case for columns", "Use camelCase for JSON keys", "apart"),
)
"""An older statement, a newer one, and what the newer one does."""

CORRECTIONS = tuple((old, new) for old, new, what in PAIRS if what == "replaces")


@pytest.mark.parametrize(("old", "new", "what"), PAIRS)
def test_what_a_newer_statement_does(old: str, new: str, what: str) -> None:
    """It replaces only what gives the same attribute of the same subject another value."""
    assert bearing(stated(old), stated(new)) == what


@pytest.mark.parametrize(("old", "new", "what"), PAIRS)
def test_what_touches_is_found_by_number(old: str, new: str, what: str) -> None:
    """A statement that does anything to another shares a number with it, so that an index finds it."""
    if what != "apart":
        assert set(looked_for(stated(new))) & set(stated(old).keys)


@pytest.mark.parametrize(("old", "new"), CORRECTIONS)
@pytest.mark.parametrize(("here", "there"), [("in staging", "in production"), ("on Windows", "on Linux")])
def test_another_environment_or_platform_is_another_subject(old: str, new: str, here: str, there: str) -> None:
    """What holds in one place takes nothing from what holds in another."""
    one, two = (f"{text.rstrip('.')} {place}" for text, place in ((old, here), (new, there)))
    assert bearing(stated(one), stated(two)) not in {"replaces", "refines"}


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    """Nothing anybody writes is too odd; a text says of itself nothing but the same."""
    read = stated(text)
    assert bearing(read, read) in {"same", "apart"}
    assert len(read.keys) <= 12
    assert all(-(2**63) <= key < 2**63 for key in looked_for(read))


@given(st.sampled_from(PAIRS), st.sampled_from(("", " ", "  ")), st.booleans())
def test_white_space_and_a_full_stop_say_nothing(pair: tuple[str, str, str], space: str, stop: bool) -> None:
    """Blanks around a statement and the point at its end change no answer."""
    old, new, what = pair
    end = "." if stop and not old.endswith(".") else ""
    assert bearing(stated(f"{space}{old}{end}{space}"), stated(new)) == what


def test_a_number_said_twice_is_read_where_it_stands() -> None:
    """The first is part of what is spoken of, the second a value, whatever was read before."""
    clause = stated("Room 60 keeps logs for 60 days; module 7 has a limit of 7").clauses[1]
    assert [claim.value for claim in clause.claims if claim.kind == "typed"] == [("7",)]
    assert "7" in clause.bare


def test_a_long_text_claims_nothing() -> None:
    """An account is no statement."""
    assert not stated("Use npm. " * (MOST_CHARS // 9 + 1)).clauses


NUMBERED = (
    "zebra {}",
    "automobile number {}",
    "Fact {} about the parser",
    "The cache of module {} is warm",
    "Module {} caches its results",
    "Memory {}: the parser is slow",
    "Service {} uses Postgres",
    "Use src/mod_{}.py for feature x",
    "File {}.txt is important",
    "src/a{}.py is generated",
    "Rule {}: always rebase",
    "The build step {} writes a file",
    "note number {} for the list",
    "Release 2.{} is broken",
    "The workaround applies to numpy 1.{}",
    "Incident on 2026-01-0{}: disk full",
    "Standup is at 10:3{}",
    "Endpoint {} returns JSON",
    "Convention {} of this repository",
    "The tests of package {} need Redis",
    "Error {} means the disk is full",
    "word{} is here",
    "Remember thing {}",
    "Statement {} about caching",
    "Team {} owns the parser",
    "This is statement {}",
    "This is memory number {} of the test",
    "Keep rule {} in mind",
    "Lesson {} was learned",
)


@pytest.mark.parametrize("frame", NUMBERED)
def test_a_number_that_names_is_no_value(frame: str) -> None:
    """Module 3 and module 4 are two things; so is what happened with two versions, or is true of two files."""
    assert bearing(stated(frame.format(3)), stated(frame.format(4))) == "apart"


@given(st.integers(0, 99), st.integers(0, 99))
def test_a_number_that_changed_replaces(old: int, new: int) -> None:
    """The same frame with another number gives another value; with the same number it repeats."""
    answer = bearing(stated(f"Tests run with pytest -n {old}"), stated(f"Tests run with pytest -n {new}"))
    assert answer == ("same" if old == new else "replaces")
