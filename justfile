# `just --list` is the manual. Every recipe is one or two plain commands that also work without just.

bin := ".venv/bin"

# A virtual environment with everything pinned, and this checkout in it
setup:
    python3 -m venv .venv
    {{bin}}/pip install -q -r requirements/test.txt
    {{bin}}/pip install -q --no-deps --no-build-isolation -e .

# Everything CI runs: lint, types, import contracts, tests
ci:
    .ci/run

# Lint, types and import contracts only
check:
    {{bin}}/ruff check && {{bin}}/ruff format --check && {{bin}}/mypy && {{bin}}/lint-imports --no-logo

# Rewrite what ruff can
fix:
    {{bin}}/ruff check --fix && {{bin}}/ruff format

# Tests, or some of them: just test tests/recall -k ties
test *ARGS:
    {{bin}}/python -m pytest -q {{ARGS}}

# The real clients against a scripted model on loopback, and what they were seen to do: just e2e, just e2e codex,pi
e2e HOSTS="all":
    LEARNT_E2E={{HOSTS}} {{bin}}/python -m pytest -q -rs tests/e2e

# The figures learnt holds itself to: just bench, just bench recall hook
bench *NAMES:
    {{bin}}/python -m bench {{NAMES}}

# Faults made on purpose, and what must hold through them: just faults, just faults kills
faults *NAMES:
    {{bin}}/python -m faults {{NAMES}}

# The story, in a throw-away directory
demo:
    {{bin}}/learnt demo

# The documentation as a site, in site/
docs:
    {{bin}}/pip install -q -r requirements/docs.txt
    {{bin}}/mkdocs build --strict

# Pin every requirement again, with hashes and without addresses (needs uv)
pin:
    uv pip compile -q pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url --custom-compile-command "just pin" -o requirements/core.txt
    uv pip compile -q pyproject.toml --extra test --universal --python-version 3.11 --generate-hashes --no-emit-index-url --custom-compile-command "just pin" -o requirements/test.txt
    uv pip compile -q pyproject.toml --extra docs --universal --python-version 3.11 --generate-hashes --no-emit-index-url --custom-compile-command "just pin" -o requirements/docs.txt

# Gather the fragments of changes/ into CHANGELOG.md for a version: just changelog 0.2.0
changelog VERSION:
    {{bin}}/towncrier build --version {{VERSION}}
