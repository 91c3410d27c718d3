"""Agents' own programs as writers: with which flags they run, in what, and what they may say."""

from __future__ import annotations

import json
import os
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from learnt.errors import ProviderError
from learnt.jobs.eligible import is_own
from learnt.model.writer import NamedModel, Provider
from learnt.ports.writer import Unwritten
from learnt.providers.writers.choose import model_of
from learnt.providers.writers.write import ModelWriter
from tests.providers.writers.scene import GOOD, SCHEMA, TASK, Counting

pytestmark = pytest.mark.skipif(os.name != "posix", reason="fake programs are scripts with a first line that names one")


def _program(folder: Path, body: str) -> str:
    """A program that first writes down how it was started."""
    path = folder / "fake"
    head = f"""\
        #!{sys.executable}
        import json, os, sys, time, subprocess
        given = sys.stdin.read()
        seen = {{"argv": sys.argv[1:], "given": given, "cwd": os.getcwd(), "in": os.listdir(".")}}
        seen["env"] = dict(os.environ)
        with open({str(folder / "seen")!r}, "a") as file:
            file.write(json.dumps(seen) + "\\n")
        """
    path.write_text(textwrap.dedent(head) + textwrap.dedent(body), encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def _seen(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "seen").read_text("utf-8").splitlines()]


def _writer(
    provider: Provider, command: str, meter: Counting | None = None, timeout_ms: int = 10_000, **given: Any
) -> ModelWriter:
    named = NamedModel(name="it", provider=provider, model="haiku", command=command, timeout_ms=timeout_ms, **given)
    home = {"HOME": "/nowhere", "PATH": os.environ["PATH"], "CLAUDECODE": "1", "ANTHROPIC_BASE_URL": "http://x"}
    model = model_of(named, {**home, "LEARNT_SESSION": "s", "SECRET": "hush"})
    assert not isinstance(model, Unwritten)
    return ModelWriter(model, meter or Counting())


def _answer(value: Any, **more: Any) -> str:
    """What Claude Code prints."""
    usage = {"input_tokens": 5, "cache_creation_input_tokens": 7, "cache_read_input_tokens": 8, "output_tokens": 9}
    whole = {"type": "result", "subtype": "success", "is_error": False, "result": "", "structured_output": value}
    return f"print({json.dumps({**whole, 'usage': usage, 'total_cost_usd': 0.25, **more})!r})"


def test_claude_runs_with_these_flags_and_nothing_else(tmp_path: Path) -> None:
    """No tools, no session, no servers, no settings; the material by standard input, in an empty folder."""
    meter = Counting()
    found = _writer("claude-code", _program(tmp_path, _answer(GOOD)), meter).write(TASK)
    assert (found.value, found.writer) == (GOOD, "claude-code:haiku")
    assert (found.input_tokens, found.output_tokens, found.cost_usd) == (20, 9, 0.25)
    (seen,) = _seen(tmp_path)
    flags = ["--output-format", "json", "--tools", "", "--no-session-persistence", "--strict-mcp-config"]
    assert seen["argv"][:9] == ["-p", *flags, "--setting-sources", ""]
    rest = dict(zip(seen["argv"][9::2], seen["argv"][10::2], strict=True))
    assert set(rest) == {"--json-schema", "--system-prompt", "--model"}
    assert (rest["--system-prompt"], rest["--model"]) == (TASK.system, "haiku")
    assert json.loads(rest["--json-schema"])["required"] == SCHEMA["required"]
    assert seen["given"] == TASK.material
    assert seen["in"] == []
    assert is_own(seen["cwd"])
    assert not Path(seen["cwd"]).exists()


def test_a_program_is_given_the_usual_variables_and_those_a_person_named(tmp_path: Path) -> None:
    """It is our child, so its hooks do nothing; the session it was started in is none of its business."""
    command = _program(tmp_path, _answer(GOOD))
    _writer("claude-code", command).write(TASK)
    _writer("claude-code", command, variables=("ANTHROPIC_BASE_URL",)).write(TASK)
    one, two = (each["env"] for each in _seen(tmp_path))
    assert one["LEARNT_CHILD"] == "1"
    assert one["HOME"] == "/nowhere"
    assert not {"CLAUDECODE", "ANTHROPIC_BASE_URL", "LEARNT_SESSION", "SECRET"} & set(one)
    assert two["ANTHROPIC_BASE_URL"] == "http://x"
    assert "SECRET" not in two


def test_claude_may_answer_in_prose(tmp_path: Path) -> None:
    """An older version without `structured_output`: the object in `result` counts."""
    body = _answer(None, result=f"Here: {json.dumps(GOOD)}")
    assert _writer("claude-code", _program(tmp_path, body)).write(TASK).value == GOOD


def test_codex_runs_with_these_flags_and_nothing_else(tmp_path: Path) -> None:
    """No rollout, no hooks, read-only; the schema in a file, the answer in another, the prompt by standard input."""
    body = f"""
    argv = sys.argv
    schema = json.load(open(argv[argv.index("--output-schema") + 1]))
    assert schema["required"] == {SCHEMA["required"]!r}
    open(argv[argv.index("-o") + 1], "w").write({json.dumps(GOOD)!r})
    print(json.dumps({{"type": "thread.started", "thread_id": "t"}}))
    print("no json")
    print(json.dumps({{"type": "turn.completed", "usage": {{"input_tokens": 30, "output_tokens": 4}}}}))
    """
    found = _writer("codex", _program(tmp_path, body)).write(TASK)
    assert (found.value, found.writer) == (GOOD, "codex:haiku")
    assert (found.input_tokens, found.output_tokens) == (30, 4)
    (seen,) = _seen(tmp_path)
    plain = ["exec", "--json", "--ephemeral", "--skip-git-repo-check", "-s", "read-only", "-c", "features.hooks=false"]
    assert seen["argv"][: len(plain)] == plain
    assert [seen["argv"][at] for at in (8, 10, 12, 13, 14)] == ["--output-schema", "-o", "-m", "haiku", "-"]
    assert seen["given"] == f"{TASK.system}\n\n{TASK.material}"
    assert seen["in"] == []


@pytest.mark.parametrize("provider", ["claude-code", "codex"])
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("print('Not logged in'); sys.exit(1)", "bad_response"),
        ("sys.exit(3)", "bad_response"),
        ("print(json.dumps({'is_error': True, 'type': 'turn.failed', 'result': 'hush'}))", "server_error"),
        ("print('[' * 100_000)", "bad_response"),
        ("sys.stdout.buffer.write(b'\\xff' * 10)", "bad_response"),
        ("while True: sys.stdout.write('x' * 1_000_000)", "bad_response"),
    ],
)
def test_a_program_that_does_not_answer(tmp_path: Path, provider: Provider, body: str, code: str) -> None:
    """One error with a code and a hint; what it printed stands in none."""
    with pytest.raises(ProviderError) as caught:
        _writer(provider, _program(tmp_path, body)).write(TASK)
    assert caught.value.error_code == code
    assert not {"hush", "Not logged in"} & set(f"{caught.value!r} {caught.value.details}".split("'"))


@pytest.mark.parametrize(
    ("provider", "printed", "least_s"),
    [
        ("claude-code", {"is_error": True, "result": "Claude AI usage limit reached|4102444800"}, 10_000),
        ("claude-code", {"is_error": True, "result": "API Error: 429 rate limit"}, 3_600),
        ("codex", {"type": "turn.failed", "error": {"message": "You've hit your usage limit."}}, 3_600),
    ],
)
def test_a_subscription_that_is_used_up_rests(
    tmp_path: Path, provider: Provider, printed: dict[str, Any], least_s: float
) -> None:
    """`rate_limited`, and nothing is left of it until it says, else for an hour: quotas are not drained."""
    meter = Counting()
    with pytest.raises(ProviderError) as caught:
        _writer(provider, _program(tmp_path, f"print({json.dumps(json.dumps(printed))})"), meter).write(TASK)
    assert caught.value.error_code == "rate_limited"
    assert (meter.settled[0].tokens, meter.settled[0].remaining_percent) == (0, 0.0)
    assert float(meter.settled[0].resets_at) >= least_s


def test_a_program_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    """Within its time, and nothing of it is left; what was reserved counts."""
    meter = Counting()
    body = f"""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    open({str(tmp_path / "child")!r}, "w").write(str(child.pid))
    time.sleep(600)
    """
    with pytest.raises(ProviderError) as caught:
        _writer("claude-code", _program(tmp_path, body), meter, timeout_ms=2_000).write(TASK)
    assert (caught.value.error_code, caught.value.may_retry) == ("timeout", True)
    assert meter.settled[0].tokens == meter.reserved[0].tokens
    _is_gone(int((tmp_path / "child").read_text("ascii")))


def test_children_that_outlive_a_program_are_ended(tmp_path: Path) -> None:
    """Also when it answered."""
    body = f"""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    open({str(tmp_path / "child")!r}, "w").write(str(child.pid))
    """
    _writer("claude-code", _program(tmp_path, body + "\n    " + _answer(GOOD))).write(TASK)
    _is_gone(int((tmp_path / "child").read_text("ascii")))


def _is_gone(number: int) -> None:
    for _ in range(200):
        try:
            os.kill(number, 0)
            state = Path(f"/proc/{number}/stat")
            if state.exists() and state.read_text("ascii").rpartition(")")[2].split()[0] == "Z":
                return
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("a child is left")


def test_no_program(tmp_path: Path) -> None:
    """`no_program` with what to do, nothing paid."""
    meter = Counting()
    with pytest.raises(ProviderError) as caught:
        _writer("claude-code", str(tmp_path / "nothing"), meter).write(TASK)
    assert (caught.value.error_code, meter.settled[0].tokens) == ("no_program", 0)
    assert "command" in caught.value.advice


def test_a_check_asks_for_the_version(tmp_path: Path) -> None:
    """Nothing else is run."""
    command = _program(tmp_path, "print('9.9.9 (Fake)')")
    for provider in ("claude-code", "codex"):
        assert _writer(provider, command)._model.check() == "9.9.9 (Fake)"
    assert [each["argv"] for each in _seen(tmp_path)] == [["--version"]] * 2


@pytest.mark.parametrize("folder", [".", "bin", "{here}/bin"])
def test_a_program_of_the_repository_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    """A repository can set what an agent starts, its search path among that; the person's own program is found."""
    theirs, mine = tmp_path / "repo", tmp_path / "mine"
    for each in (theirs, theirs / "bin", mine):
        each.mkdir()
        _program(each, _answer(GOOD))
    monkeypatch.chdir(theirs)
    monkeypatch.setenv("PATH", f"{folder.format(here=theirs)}:{mine}")
    assert _writer("claude-code", "fake").write(TASK).value == GOOD
    assert _seen(mine)[0]["env"]["PATH"] == str(mine)
    assert not [*theirs.rglob("seen")]
