"""init and uninit for every host: what is put where, and that exactly that goes again."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from learnt.hosts.wiring.fitting import FITTINGS

if TYPE_CHECKING:
    from tests.cli.shell import Shell

VSCODE = ".config/Code/User/globalStorage"
FILES = {
    "codex": [".codex/hooks.json", ".codex/config.toml"],
    "opencode": ["xdg/opencode/plugins/learnt.js", "xdg/opencode/opencode.json"],
    "pi": [".pi/agent/extensions/learnt.ts", ".pi/agent/mcp.json"],
    "oh-my-pi": [".omp/agent/extensions/learnt.ts", ".omp/agent/mcp.json"],
    "gemini-cli": [".gemini/settings.json"],
    "copilot-cli": [".copilot/hooks/learnt.json", ".copilot/mcp-config.json"],
    "cursor": [".cursor/hooks.json", ".cursor/mcp.json"],
    "cline": [
        ".cline/hooks/PreToolUse",
        ".cline/hooks/UserPromptSubmit",
        ".cline/hooks/PreCompact",
        ".cline/hooks/TaskComplete",
        ".cline/hooks/SessionShutdown",
        ".cline/data/settings/cline_mcp_settings.json",
    ],
    "roo": [f"{VSCODE}/rooveterinaryinc.roo-cline/settings/mcp_settings.json", ".roo/rules/learnt.md"],
    "openhands": [".openhands/hooks.json", ".openhands/mcp.json"],
}
SHARED = {
    "codex": [".codex/hooks.json", ".codex/config.toml"],
    "opencode": [".opencode/plugins/learnt.js", "opencode.json"],
    "pi": [".pi/extensions/learnt.ts", ".pi/mcp.json"],
    "oh-my-pi": [".omp/extensions/learnt.ts", ".omp/mcp.json"],
    "gemini-cli": [".gemini/settings.json"],
    "copilot-cli": [".github/hooks/learnt.json"],
    "cursor": [".cursor/hooks.json", ".cursor/mcp.json", ".cursor/rules/learnt.mdc"],
    "cline": [f".clinerules/hooks/{name}" for name in ("PreToolUse", "UserPromptSubmit", "PreCompact")]
    + [".clinerules/hooks/TaskComplete", ".clinerules/hooks/SessionShutdown"],
    "roo": [".roo/mcp.json", ".roo/rules/learnt.md"],
    "openhands": [".openhands/hooks.json"],
}
BEFORE = {
    ".codex/hooks.json": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}',
    ".codex/config.toml": 'model = "gpt-5.5"\n# mine\n[mcp_servers.other]\ncommand = "x"\n\n[tui]\ntheme = "dark"',
    "xdg/opencode/opencode.json": '{\n  // mine\n  "model": "a/b", /* , */\n  "mcp": {\n    "o": {},\n  },\n}\n',
    ".pi/agent/mcp.json": '{"mcpServers": {"other": {"command": "x"}}}',
    ".omp/agent/mcp.json": "{}\n",
    ".gemini/settings.json": '{\n\t// mine\n\t"ui": {"theme": "x"},\n\t"hooks": {"AfterAgent": [{"hooks": []}]}\n}',
    ".copilot/mcp-config.json": '{\r\n  "mcpServers": {}\r\n}\r\n',
    ".cursor/hooks.json": '{"version": 1, "hooks": {"stop": [{"command": "true"}]}}',
    ".cursor/mcp.json": '{"mcpServers": {"other": {"url": "https://example.org"}}}',
    ".cline/data/settings/cline_mcp_settings.json": '{"mcpServers": {}}',
    f"{VSCODE}/rooveterinaryinc.roo-cline/settings/mcp_settings.json": '{"mcpServers": {}}',
    ".openhands/hooks.json": '{"hooks": {}}',
    ".openhands/mcp.json": '{"mcpServers": {}}',
}


@pytest.fixture
def user(learnt: Shell, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, where no variable leads elsewhere and no program is found."""
    for name in ("GEMINI_CLI_HOME", "COPILOT_HOME", "PI_CODING_AGENT_DIR", "CLINE_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return learnt.root / "user"


def texts(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.mark.parametrize("host", FILES)
def test_made_and_removed(learnt: Shell, user: Path, host: str) -> None:
    """What was not there before is there, once, names the hook of this installation, and is gone afterwards."""
    done = learnt.json("init", "--host", host)
    assert done["hosts"] == [host]
    assert sorted(texts(user)) == sorted(FILES[host])
    assert [change["path"] for change in done["changes"]] == [str(user / name) for name in FILES[host]]
    held = texts(user)
    if host != "roo":
        assert str(learnt.home / "hook.py") in held[FILES[host][0]].decode()
        assert host in held[FILES[host][0]].decode()
    again = learnt.json("init", "--host", host)
    assert not any(change["changed"] for change in again["changes"])
    assert texts(user) == held
    learnt.json("uninit")
    assert list(user.iterdir()) == []


@pytest.mark.parametrize("host", FILES)
def test_beside_what_is_there(learnt: Shell, user: Path, host: str) -> None:
    """What a person has in these files stays, comments and all, and comes back byte for byte."""
    before = {name: BEFORE[name].encode() for name in FILES[host] if name in BEFORE}
    for name, text in before.items():
        (user / name).parent.mkdir(parents=True, exist_ok=True)
        (user / name).write_bytes(text)
    learnt.json("init", "--host", host)
    held = texts(user)
    assert all(held[name] != text for name, text in before.items())
    assert not any(change["changed"] for change in learnt.json("init", "--host", host)["changes"])
    learnt.json("uninit")
    assert texts(user) == before


@pytest.mark.parametrize("host", FILES)
def test_without_a_record(learnt: Shell, user: Path, host: str) -> None:
    """What init did is found again when its record is lost, and what others have there stays."""
    for name in FILES[host]:
        if name in BEFORE:
            (user / name).parent.mkdir(parents=True, exist_ok=True)
            (user / name).write_text(BEFORE[name], "utf-8")
    learnt.json("init", "--host", host)
    (learnt.home / "wiring.json").unlink()
    learnt.json("uninit")
    left = texts(user)
    assert not any(b"hook.py" in text or b"learnt" in text for text in left.values())
    assert all("other" in left[name].decode() for name in left if "other" in BEFORE[name])


@pytest.mark.parametrize("host", SHARED)
def test_shared(learnt: Shell, user: Path, host: str) -> None:
    """--shared writes the repository's own files, which name no path of this user."""
    learnt.json("init", "--host", host, "--shared")
    held = texts(learnt.project)
    assert sorted(held) == sorted(SHARED[host])
    assert not any(str(learnt.root).encode() in text for text in held.values())
    assert texts(user) == {}
    if host != "roo":
        assert b"learnt hook" in held[SHARED[host][0]] or b'["learnt", "hook"]' in held[SHARED[host][0]]
    learnt.json("uninit")
    assert texts(learnt.project) == {}


@pytest.mark.parametrize(
    ("host", "name", "text"),
    [
        ("codex", ".codex/hooks.json", "{"),
        ("codex", ".codex/config.toml", "model = "),
        ("codex", ".codex/config.toml", "mcp_servers = {}\n"),
        ("gemini-cli", ".gemini/settings.json", "[]"),
        ("gemini-cli", ".gemini/settings.json", '{"mcpServers": []}'),
        ("copilot-cli", ".copilot/hooks/learnt.json", '{"version": 1}'),
        ("copilot-cli", ".copilot/mcp-config.json", "{ // no\n}"),
        ("opencode", "xdg/opencode/opencode.json", '{"mcp": 3}'),
        ("opencode", "xdg/opencode/plugins/learnt.js", "export const mine = 1;\n"),
        ("pi", ".pi/agent/extensions/learnt.ts", "export default () => {};\n"),
        ("cursor", ".cursor/hooks.json", '{"hooks": []}'),
        ("cline", ".cline/hooks/PreToolUse", "#!/bin/sh\nmine\n"),
        ("openhands", ".openhands", "no folder\n"),
    ],
)
def test_what_cannot_be_changed(learnt: Shell, user: Path, host: str, name: str, text: str) -> None:
    """A file that is broken, of another shape or somebody's is named in a clear error; nothing is written anywhere."""
    (user / name).parent.mkdir(parents=True, exist_ok=True)
    (user / name).write_text(text, "utf-8")
    error = learnt.json("init", "--host", host, code=4)["error"]
    assert error["code"] == "host_settings"
    assert name in error["message"]
    assert texts(user) == {name: text.encode()}
    assert not (learnt.home / "hook.py").exists()


def test_moved_folders(learnt: Shell, user: Path) -> None:
    """Every host's own variable is honoured."""
    moved = {
        "CODEX_HOME": ("codex", "a", "a/hooks.json"),
        "GEMINI_CLI_HOME": ("gemini-cli", "b", "b/.gemini/settings.json"),
        "COPILOT_HOME": ("copilot-cli", "c", "c/hooks/learnt.json"),
        "XDG_CONFIG_HOME": ("opencode", "d", "d/opencode/opencode.json"),
        "PI_CODING_AGENT_DIR": ("pi", "e", "e/extensions/learnt.ts"),
        "CLINE_DIR": ("cline", "f", "f/hooks/PreToolUse"),
    }
    for name, (host, folder, path) in moved.items():
        learnt.monkeypatch.setenv(name, str(user / folder))
        learnt.json("init", "--host", host)
        assert (user / path).is_file(), name
    learnt.json("uninit")
    assert texts(user) == {}


def test_two_hosts_in_one_folder(learnt: Shell, user: Path) -> None:
    """Both pi and oh-my-pi, moved to one folder, get one extension there."""
    learnt.monkeypatch.setenv("PI_CODING_AGENT_DIR", str(user / "both"))
    done = learnt.json("init", "--host", "pi", "--host", "oh-my-pi")
    assert len(done["changes"]) == 2
    assert not any(c["changed"] for c in learnt.json("init", "--host", "pi", "--host", "oh-my-pi")["changes"])


def test_what_is_found(learnt: Shell, user: Path) -> None:
    """Without --host those are wired whose folder or program is there; aider only when it is named."""
    programs = learnt.root / "bin"
    programs.mkdir()
    for name in ("codex", "aider"):
        (programs / name).write_text("#!/bin/sh\n", "utf-8")
        (programs / name).chmod(0o755)
    learnt.monkeypatch.setenv("PATH", str(programs))
    (user / ".gemini").mkdir()
    assert learnt.json("init", "--dry-run")["hosts"] == ["codex", "gemini-cli"]


def test_a_found_host_that_cannot_be_wired_stops_no_other(learnt: Shell, user: Path) -> None:
    """It is named, exit 1; where it is the only one, or was asked for, it is an error."""
    learnt.monkeypatch.setenv("PATH", str(user))
    for folder in (".gemini", ".cursor"):
        (user / folder).mkdir()
    (user / ".cursor/hooks.json").write_text("{", "utf-8")
    done = learnt.json("init", code=1)
    assert (done["hosts"], [each["host"] for each in done["left"]]) == (["gemini-cli"], ["cursor"])
    assert sorted(texts(user)) == [".cursor/hooks.json", ".gemini/settings.json"]
    assert learnt.json("init", "--host", "cursor", code=4)["error"]["code"] == "host_settings"
    learnt.json("uninit")
    with learnt.monkeypatch.context() as patched:
        patched.setattr("learnt.hosts.wiring.fresh.tempfile.mkstemp", _nowhere)
        (user / ".cursor/hooks.json").write_text("{}", "utf-8")
        done = learnt.json("init", code=1)
    assert (done["hosts"], {each["host"] for each in done["left"]}) == ([], {"gemini-cli", "cursor"})
    (user / ".cursor/hooks.json").write_text("{", "utf-8")
    (user / ".gemini").rmdir()
    assert learnt.json("init", code=4)["error"]["code"] == "host_settings"


def _nowhere(**options: object) -> None:
    raise PermissionError(13, "Permission denied", str(options["dir"]))


def test_uninit_and_a_file_that_may_not_be_removed(learnt: Shell, user: Path) -> None:
    """It is named, and what can go goes."""
    learnt.json("init", "--host", "cursor", "--host", "pi")
    unlink = Path.unlink

    def refused(path: Path, missing_ok: bool = False) -> None:
        if path.name == "hooks.json":
            raise PermissionError(13, "Permission denied", str(path))
        unlink(path, missing_ok=missing_ok)

    with learnt.monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refused)
        done = learnt.json("uninit", code=1)
    assert [each["path"] for each in done["left"]] == [str(user / ".cursor/hooks.json")]
    assert [each["path"] for each in done["changes"] if not each["applied"]] == [str(user / ".cursor/hooks.json")]
    assert sorted(texts(user)) == [".cursor/hooks.json"]
    assert learnt.json("uninit")["left"] == []
    assert texts(user) == {}


def test_codex_config(learnt: Shell, user: Path) -> None:
    """Codex gets the tools and a notice; trust is the person's, and a program they have told of turns stays."""
    done = learnt.json("init", "--host", "codex")
    found = tomllib.loads((user / ".codex/config.toml").read_text("utf-8"))
    assert found["mcp_servers"]["learnt"]["args"][3:6] == ["mcp", "--host", "codex"]
    assert found["notify"][-3:] == ["notify", "--host", "codex"]
    assert "hooks" not in found
    assert "/hooks" in done["notes"]["codex"]
    learnt.json("uninit")
    (user / ".codex").mkdir(exist_ok=True)
    (user / ".codex/config.toml").write_text('notify = ["mine"]\n', "utf-8")
    learnt.json("init", "--host", "codex")
    assert tomllib.loads((user / ".codex/config.toml").read_text("utf-8"))["notify"] == ["mine"]


def test_codex_wrote_into_our_table(learnt: Shell, user: Path) -> None:
    """What Codex keeps about our tools goes with them; trust that it wrote stays its own."""
    learnt.json("init", "--host", "codex")
    path = user / ".codex/config.toml"
    text = path.read_text("utf-8")
    ours = '\n[mcp_servers.learnt.tools.memory_recall]\napproval_mode = "approve"\n'
    theirs = '\n[hooks.state."x:session_start:0:0"]\ntrusted_hash = "sha256:0"\n'
    path.write_text(text + ours + theirs, "utf-8")
    learnt.json("uninit")
    assert tomllib.loads(path.read_text("utf-8")) == tomllib.loads(theirs)


def test_cline_hooks_are_programs(learnt: Shell, user: Path) -> None:
    """Cline starts a hook as a program: it runs, and answers as Cline wants it."""
    learnt.json("init", "--host", "cline")
    learnt.remember()
    path = user / ".cline/hooks/PreToolUse"
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    payload = {
        "taskId": "t",
        "workspaceRoots": [str(learnt.project)],
        "preToolUse": {"toolName": "read", "parameters": {}},
    }
    done = subprocess.run([path], input=json.dumps(payload).encode(), capture_output=True, check=True)
    answer = json.loads(done.stdout)
    assert "TZ=UTC" in answer["contextModification"]
    assert answer["cancel"] is False


@pytest.mark.parametrize("before", ["", "model: x\n", "read: [A.md]\n", "read:\n- A.md\n- B.md\n", "read:\n    - A.md"])
def test_aider_reads_a_file(learnt: Shell, user: Path, before: str) -> None:
    """This repository's summary is named beside what aider reads; nothing else of its settings changes."""
    path = learnt.project / ".aider.conf.yml"
    if before:
        path.write_text(before, "utf-8")
    done = learnt.json("init", "--host", "aider")
    assert "nothing at a prompt" in done["notes"]["aider"]
    text = path.read_text("utf-8")
    assert text.count("memory_summary.md") == 1
    assert all(line in text for line in before.splitlines() if "[" not in line)
    assert not learnt.json("init", "--host", "aider")["changes"][0]["changed"]
    learnt.json("uninit")
    assert (path.read_text("utf-8") if path.exists() else "") == before


def test_aider_list_of_another_kind(learnt: Shell, user: Path) -> None:
    """A `read` that is no list is left untouched, with an error that says what to do."""
    path = learnt.project / ".aider.conf.yml"
    path.write_text("read: A.md\n", "utf-8")
    assert learnt.json("init", "--host", "aider", code=4)["error"]["code"] == "host_settings"
    assert path.read_text("utf-8") == "read: A.md\n"


@pytest.mark.parametrize("host", ["mastra", "swe-agent", "specstory"])
def test_nothing_to_wire(learnt: Shell, user: Path, host: str) -> None:
    """A host without hooks is no error: init says plainly what it gets."""
    done = learnt.json("init", "--host", host)
    assert (done["hosts"], done["changes"]) == ([host], [])
    assert "learnt sessions" in done["notes"][host]
    assert texts(user) == {}


def test_a_host_without_a_file_is_not_said_to_be_wired(learnt: Shell) -> None:
    """Neither at once nor in the status; where many files change, they are named once more in a list."""
    shown = learnt("init", "--host", "mastra").out
    assert "Nothing was wired" in shown
    assert "are on" not in shown
    assert "uninit" not in shown
    assert learnt.json("status")["hooks"]["hosts"] == []
    shown = learnt("init", "--host", "mastra", "--host", "codex", "--host", "claude-code").out
    assert "4 files in all" in shown
    assert "in codex, claude-code." in shown or "in claude-code, codex." in shown


@pytest.mark.parametrize("host", ["aider", "mastra"])
def test_nothing_to_share(learnt: Shell, user: Path, host: str) -> None:
    """A host without a file that a repository shares is told so under --shared, and nothing is written."""
    done = learnt.json("init", "--host", host, "--shared")
    assert done["changes"] == []
    assert "shares" in done["notes"][host]
    assert texts(learnt.project) == {}


def test_every_host_of_the_contract() -> None:
    """The table knows the hosts of the contract, in its order."""
    assert list(FITTINGS) == [
        *("claude-code", "codex", "opencode", "pi", "oh-my-pi", "gemini-cli", "copilot-cli", "cursor", "cline", "roo"),
        *("openhands", "mastra", "swe-agent", "aider", "specstory"),
    ]


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_plugin_asks_the_hook(learnt: Shell, user: Path) -> None:
    """The plugin of opencode brings start and prompt once a session, a warning with a result, and never throws."""
    learnt.json("init", "--host", "opencode")
    learnt.remember()
    plugin = learnt.root / "plugin.mjs"
    shutil.copy(user / FILES["opencode"][0], plugin)
    script = learnt.root / "drive.mjs"
    script.write_text(
        f"""
        import {{ Learnt }} from {json.dumps(str(plugin))};
        const plugin = await Learnt({{ directory: {json.dumps(str(learnt.project))} }});
        const asked = async (session, text) => {{
          const parts = [{{ id: "prt_1", messageID: "m", sessionID: session, type: "text", text }}];
          await plugin["chat.message"]({{ sessionID: session }}, {{ message: {{ id: "m" }}, parts }});
          return parts.slice(1);
        }};
        await plugin.event({{ event: {{ type: "session.created", properties: {{ info: {{ id: "s1" }} }} }} }});
        const child = {{ id: "s2", parentID: "s1" }};
        await plugin.event({{ event: {{ type: "session.created", properties: {{ info: child }} }} }});
        const first = await asked("s1", "which time zone do the tests need?");
        const second = await asked("s1", "which time zone do the tests need?");
        const agents = await asked("s2", "which time zone do the tests need?");
        await plugin.event({{ event: {{ type: "session.idle", properties: {{ sessionID: "s1" }} }} }});
        await plugin.event({{}});
        await plugin["chat.message"](undefined, undefined);
        await plugin["tool.execute.after"]({{}}, {{}});
        console.log(JSON.stringify({{ first, second, agents }}));
        """,
        "utf-8",
    )
    done = subprocess.run(["node", script], capture_output=True, check=True)
    said: dict[str, Any] = json.loads(done.stdout)
    assert ["TZ=UTC" in part["text"] for part in said["first"]] == [True]
    assert said["first"][0]["synthetic"] is True
    assert said["first"][0]["id"].startswith("prt_1")
    assert (said["second"], said["agents"]) == ([], [])


def test_doctor_names_what_is_not_wired_once(learnt: Shell, user: Path) -> None:
    """All agents of this machine that learnt is not in stand in one line."""
    for folder in (".codex", ".gemini"):
        (user / folder).mkdir()
    learnt.json("init", "--host", "claude-code")
    told = [each for each in learnt.json("doctor")["checks"] if "not wired" in each["found"]]
    assert [each["found"] for each in told] == ["on this machine and not wired: codex, gemini-cli"]
    assert "learnt init" in told[0]["advice"]


def test_doctor_tries_every_host(learnt: Shell, user: Path) -> None:
    """Doctor runs the hook of each wired host with what that host would say, and tells what still needs trust."""
    hosts = [host for host in FILES if host != "roo"]
    learnt.json("init", *(word for host in [*hosts, "roo", "specstory"] for word in ("--host", host)))
    learnt.remember()
    checks = learnt.json("doctor")["checks"]
    tried = {each["found"].partition(":")[0]: each for each in checks if each["name"] == "hook"}
    assert sorted(tried) == sorted(hosts)
    assert {each["result"] for each in tried.values()} == {"ok"}
    assert not any("answered, 0 bytes" in each["found"] for each in tried.values())
    again = [each["found"] for each in learnt.json("doctor")["checks"] if each["name"] == "hook"]
    assert all("answered, 0 bytes" in found for found in again)  # what was given once is not given, and counted, again
    assert [each["result"] for each in checks if each["name"] == "tools"] == ["ok"] * 10
    told = [each for each in checks if each["name"] == "hosts" and each["result"] != "ok"]
    assert ["trusted" in each["found"] and "/hooks" in each["advice"] for each in told] == [True]
    config = user / ".codex/config.toml"
    events = ("session_start", "user_prompt_submit", "pre_tool_use", "subagent_start", "session_end")
    trust = "".join(f'[hooks.state."{user}/.codex/hooks.json:{event}:0:0"]\nenabled = true\n' for event in events)
    config.write_text(config.read_text("utf-8") + trust, "utf-8")
    (user / ".gemini/settings.json").unlink()
    checks = learnt.json("doctor", code=1)["checks"]
    told = [each["found"] for each in checks if each["name"] == "hosts" and each["result"] != "ok"]
    assert told == [f"gemini-cli: the hooks are not in {user}/.gemini/settings.json"]


@pytest.mark.usefixtures("user")
def test_doctor_tries_what_a_repository_s_files_start(learnt: Shell) -> None:
    """That is `learnt` of the PATH: where it is not there the hooks of that repository do nothing."""
    learnt.json("init", "--shared", "--host", "claude-code")
    programs = learnt.root / "bin"
    programs.mkdir()
    learnt.monkeypatch.setenv("PATH", str(programs))
    (told,) = (each for each in learnt.json("doctor", code=1)["checks"] if each["name"] == "hook")
    assert (told["result"], "PATH" in told["advice"]) == ("problem", True)
    (programs / "learnt").write_text("#!/bin/sh\necho '{}'\n", "utf-8")
    (programs / "learnt").chmod(0o755)
    (told,) = (each for each in learnt.json("doctor", code=1)["checks"] if each["name"] == "hook")
    assert told["result"] == "ok"


def test_trust_is_that_of_our_hooks(learnt: Shell, user: Path) -> None:
    """Trust in somebody's own hook of the same event is none in ours, which stands behind it."""
    hooks = user / ".codex/hooks.json"
    hooks.parent.mkdir()
    hooks.write_text(
        json.dumps({"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "true"}]}]}}), "utf-8"
    )
    learnt.json("init", "--host", "codex")
    config = user / ".codex/config.toml"
    events = ("session_start", "user_prompt_submit", "pre_tool_use", "subagent_start", "session_end")
    trust = "".join(f'[hooks.state."{hooks}:{event}:0:0"]\ntrusted_hash = "x"\n' for event in events)
    config.write_text(config.read_text("utf-8") + trust, "utf-8")
    (told,) = [each["found"] for each in learnt.json("doctor")["checks"] if "trusted" in each["found"]]
    assert told.endswith(": session_end")


def test_uninit_and_a_broken_file(learnt: Shell, user: Path) -> None:
    """A file that cannot be changed any more stops no other; until it is, the hook it starts is there, and silent."""
    learnt.json("init", "--host", "cursor", "--host", "pi")
    learnt.remember()
    whole = (user / ".cursor/hooks.json").read_text("utf-8")
    (user / ".cursor/hooks.json").write_text(whole[:-4], "utf-8")
    done = learnt.json("uninit", code=1)
    assert [each["path"] for each in done["left"]] == [str(user / ".cursor/hooks.json")]
    assert sorted(texts(user)) == [".cursor/hooks.json"]
    given = {"conversation_id": "k", "workspace_roots": [str(learnt.project)]}
    heard = learnt.process("hook", "session-start", "--host", "cursor", stdin=json.dumps(given).encode())
    assert (heard.returncode, heard.stdout) == (0, b"")
    assert (learnt.home / "hook.py").exists()
    (user / ".cursor/hooks.json").write_text(whole, "utf-8")
    assert learnt.json("uninit")["left"] == []
    assert (texts(user), (learnt.home / "hook.py").exists()) == ({}, False)


def test_doctor_and_a_broken_file(learnt: Shell, user: Path) -> None:
    """A host's file that cannot be read is a problem of that host, and spoils no other's check."""
    learnt.json("init", "--host", "cursor", "--host", "pi")
    (user / ".cursor/hooks.json").write_text("{", "utf-8")
    checks = learnt.json("doctor", code=1)["checks"]
    found = {each["found"].partition(":")[0]: each["result"] for each in checks if each["name"] == "hosts"}
    assert found["pi"] == "ok"
    assert found["cursor"] == "problem"


def test_a_session_of_copilot_is_captured(learnt: Shell, user: Path) -> None:
    """Where a host names no transcript, its place follows from the session's id: a capture of it is begun."""
    learnt.json("init", "--host", "copilot-cli")
    session = user / ".copilot/session-state/c-1/events.jsonl"
    session.parent.mkdir(parents=True)
    session.write_text("{}\n", "utf-8")
    payload = {"sessionId": "c-1", "timestamp": 1, "cwd": str(learnt.project), "reason": "complete"}
    done = learnt.process("hook", "session-end", "--host", "copilot-cli", stdin=json.dumps(payload).encode())
    assert (done.returncode, done.stdout) == (0, b"")
    assert locks(learnt)


def locks(learnt: Shell) -> list[Path]:
    """The captures that were begun, as soon as there is one."""
    for _ in range(50):
        if found := sorted((learnt.home / "locks").glob("capture-*")):
            return found
        subprocess.run(["sleep", "0.1"], check=True)
    return []


def test_codex_tells_of_turns(learnt: Shell, user: Path) -> None:
    """A notice of a turn, given as an argument, begins a capture; the next within ten minutes does not."""
    learnt.json("init", "--host", "codex")
    session = user / ".codex/sessions/2026/11/29/rollout-2026-11-29T19-36-09-01a2-b.jsonl"
    session.parent.mkdir(parents=True)
    session.write_text("{}\n", "utf-8")
    notice = {
        "type": "agent-turn-complete",
        "thread-id": "01a2-b",
        "cwd": str(learnt.project),
        "input-messages": ["a=b"],
    }
    words = ("hook", "notify", "--host", "codex", json.dumps(notice))
    assert (done := learnt.process(*words)).returncode == 0
    assert done.stdout == b""
    (lock,) = locks(learnt)
    begun = lock.stat().st_mtime_ns
    learnt.process(*words)
    assert lock.stat().st_mtime_ns == begun
