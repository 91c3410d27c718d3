"""The table of hosts: where each is looked for, which of its files are changed, and what is left to the person.

Source: the hosts' documentation and files written by the real clients.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from learnt.hosts import piece, templates
from learnt.hosts.wiring import Hook, claude_hooks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from learnt.hosts.piece import Piece
    from learnt.hosts.server import Server, Style

_TIMEOUT_S = 5
_CURSOR_EMPTY = '{\n  "version": 1\n}\n'
_RULE_FRONT = "---\ndescription: The memory of this repository\nalwaysApply: true\n---\n"
_RULE_MARK = "<!-- written by learnt init -->\n\n"
_CODEX_TOOLS = "Bash|apply_patch"
_GEMINI_TOOLS = "run_shell_command|replace|write_file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where something is to be wired.

    Attributes:
        home: The user's home directory. `root`: of the repository; None where all of the user's are meant.
        words: The command that runs a hook, without event and host. `line`: for a shell, with the event and the host.
        server: The tool server, written down as a host wants it.
        memory: The generated summary of this repository; for hosts that only read files.
    """

    environment: Mapping[str, str]
    home: Path
    root: Path | None
    words: Sequence[str]
    line: Callable[[str, str], str]
    server: Callable[[str, Style], Server]
    memory: Path | None = None

    def under(self, variable: str, *usual: str) -> Path:
        """A folder of the user's that a variable moves."""
        moved = self.environment.get(variable, "")
        return Path(moved) if moved else self.home.joinpath(*usual)

    def editor(self, extension: str) -> Path:
        """The folder of an extension of VS Code."""
        return self.home.joinpath(*_editor(self.environment), "User", "globalStorage", extension, "settings")


def _editor(environment: Mapping[str, str]) -> tuple[str, ...]:
    if sys.platform == "darwin":
        return ("Library", "Application Support", "Code")
    if os.name == "nt":
        return (environment.get("APPDATA", "AppData/Roaming"), "Code")
    return (".config", "Code")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitting:
    """What one host has, and where.

    Attributes:
        programs: Names of its program. `folder`: its own folder, of a user who has it.
        pieces: What is changed for a user. `shared`: in a repository's own files; () where it has none.
        todo: What is left to the person. `gets`: what it has where nothing is wired, or not everything.
        asked: Whether it is wired only when it is named.
    """

    host: str
    programs: tuple[str, ...]
    folder: Callable[[Site], Path]
    pieces: Callable[[Site], tuple[Piece, ...]]
    shared: Callable[[Site], tuple[Piece, ...]]
    todo: str = ""
    gets: str = ""
    asked: bool = False

    def wired(self, site: Site) -> tuple[Piece, ...]:
        """The files to change."""
        return self.shared(site) if site.root else self.pieces(site)

    def found(self, site: Site) -> bool:
        """Whether this user has the host."""
        search = site.environment.get("PATH")
        return self.folder(site).is_dir() or any(shutil.which(each, path=search) for each in self.programs)


def _hooks(site: Site, host: str, events: Sequence[tuple[str, str, str]], **style: str) -> tuple[Hook, ...]:
    """Hooks by the host's event, our word for it, and the host's pattern."""
    line = site.line
    return tuple(Hook(event, line(kebab, host), matcher, **style) for event, kebab, matcher in events)  # type: ignore[arg-type]


def _nothing(site: Site) -> tuple[Piece, ...]:
    del site
    return ()


# Claude Code


def _claude_home(site: Site) -> Path:
    return site.under("CLAUDE_CONFIG_DIR", ".claude")


def _claude(site: Site) -> tuple[Piece, ...]:
    base = _claude_home(site)
    servers = (base if site.environment.get("CLAUDE_CONFIG_DIR") else site.home) / ".claude.json"
    return _claude_in(site, base, servers)


def _claude_shared(site: Site) -> tuple[Piece, ...]:
    root = site.root or Path()
    return _claude_in(site, root / ".claude", root / ".mcp.json")


def _claude_in(site: Site, base: Path, servers: Path) -> tuple[Piece, ...]:
    hooks = claude_hooks(lambda event: site.line(event, "claude-code"))
    return (
        piece.hooks(base / "settings.json", hooks),
        piece.servers(servers, site.server("claude-code", "stdio")),
    )


# Codex CLI


def _codex_home(site: Site) -> Path:
    return site.under("CODEX_HOME", ".codex")


def _codex(site: Site) -> tuple[Piece, ...]:
    return _codex_in(site, _codex_home(site), (*site.words, "notify", "--host", "codex"))


def _codex_shared(site: Site) -> tuple[Piece, ...]:
    return _codex_in(site, (site.root or Path()) / ".codex", ())


def _codex_in(site: Site, base: Path, notice: Sequence[str]) -> tuple[Piece, ...]:
    events = (
        ("SessionStart", "session-start", ""),
        ("UserPromptSubmit", "user-prompt-submit", ""),
        ("PreToolUse", "pre-tool-use", _CODEX_TOOLS),
        ("SubagentStart", "subagent-start", ""),
        ("SessionEnd", "session-end", ""),
    )
    return (
        piece.hooks(base / "hooks.json", _hooks(site, "codex", events)),
        piece.config(base / "config.toml", site.server("codex", "plain"), notice),
    )


# Gemini CLI


def _gemini_home(site: Site) -> Path:
    return site.under("GEMINI_CLI_HOME") / ".gemini"


def _gemini(site: Site) -> tuple[Piece, ...]:
    return _gemini_in(site, _gemini_home(site))


def _gemini_shared(site: Site) -> tuple[Piece, ...]:
    return _gemini_in(site, (site.root or Path()) / ".gemini")


def _gemini_in(site: Site, base: Path) -> tuple[Piece, ...]:
    events = (
        ("SessionStart", "session-start", "*"),
        ("BeforeAgent", "before-agent", "*"),
        ("AfterTool", "after-tool", _GEMINI_TOOLS),
        ("PreCompress", "pre-compress", "*"),
        ("SessionEnd", "session-end", "*"),
    )
    hooks = _hooks(site, "gemini-cli", events, style="milliseconds")
    return (piece.settings(base / "settings.json", hooks, site.server("gemini-cli", "plain")),)


# Copilot CLI


def _copilot_home(site: Site) -> Path:
    return site.under("COPILOT_HOME", ".copilot")


def _copilot(site: Site) -> tuple[Piece, ...]:
    base = _copilot_home(site)
    return (
        _copilot_hooks(site, base / "hooks" / "learnt.json"),
        piece.servers(base / "mcp-config.json", site.server("copilot-cli", "local")),
    )


def _copilot_shared(site: Site) -> tuple[Piece, ...]:
    return (_copilot_hooks(site, (site.root or Path()) / ".github" / "hooks" / "learnt.json"),)


def _copilot_hooks(site: Site, path: Path) -> Piece:
    events = (
        ("sessionStart", "session-start"),
        ("userPromptSubmitted", "user-prompt-submitted"),
        ("postToolUse", "post-tool-use"),
        ("preCompact", "pre-compact"),
        ("sessionEnd", "session-end"),
    )
    hooks = {}
    for event, kebab in events:
        line = site.line(kebab, "copilot-cli")
        shell = f"& {line}" if line.startswith('"') else line
        hooks[event] = [{"type": "command", "bash": line, "powershell": shell, "timeoutSec": _TIMEOUT_S}]
    document = {"version": 1, "description": f"{piece.MARK}; `learnt uninit` removes it", "hooks": hooks}
    return piece.file(path, json.dumps(document, indent=2) + "\n")


# opencode


def _opencode_home(site: Site) -> Path:
    return site.under("XDG_CONFIG_HOME", ".config") / "opencode"


def _opencode(site: Site) -> tuple[Piece, ...]:
    base = _opencode_home(site)
    return _opencode_in(site, base, base)


def _opencode_shared(site: Site) -> tuple[Piece, ...]:
    root = site.root or Path()
    return _opencode_in(site, root, root / ".opencode")


def _opencode_in(site: Site, base: Path, plugins: Path) -> tuple[Piece, ...]:
    config = base / "opencode.jsonc"
    plugin = templates.filled("opencode.js", words=site.words)
    return (
        piece.file(plugins / "plugins" / "learnt.js", plugin),
        piece.mcp(config if config.is_file() else base / "opencode.json", site.server("opencode", "listed")),
    )


# pi, oh-my-pi


def _pi_home(site: Site) -> Path:
    return site.under("PI_CODING_AGENT_DIR", ".pi", "agent")


def _omp_home(site: Site) -> Path:
    return site.under("PI_CODING_AGENT_DIR", ".omp", "agent")


def _pi_in(site: Site, base: Path, host: str) -> tuple[Piece, ...]:
    extension = templates.filled("pi.ts", words=site.words, host=host)
    return (
        piece.file(base / "extensions" / "learnt.ts", extension),
        piece.servers(base / "mcp.json", site.server(host, "direct")),
    )


FITTINGS: Final[Mapping[str, Fitting]] = {
    each.host: each
    for each in (
        Fitting(
            host="claude-code",
            programs=("claude",),
            folder=_claude_home,
            pieces=_claude,
            shared=_claude_shared,
        ),
        Fitting(
            host="codex",
            programs=("codex",),
            folder=_codex_home,
            pieces=_codex,
            shared=_codex_shared,
            todo="Codex runs hooks only when you trust them: start it once, open /hooks, and trust those of learnt.",
        ),
        Fitting(
            host="opencode",
            programs=("opencode",),
            folder=_opencode_home,
            pieces=_opencode,
            shared=_opencode_shared,
        ),
        Fitting(
            host="pi",
            programs=("pi",),
            folder=_pi_home,
            pieces=lambda site: _pi_in(site, _pi_home(site), "pi"),
            shared=lambda site: _pi_in(site, (site.root or Path()) / ".pi", "pi"),
        ),
        Fitting(
            host="oh-my-pi",
            programs=("omp",),
            folder=_omp_home,
            pieces=lambda site: _pi_in(site, _omp_home(site), "oh-my-pi"),
            shared=lambda site: _pi_in(site, (site.root or Path()) / ".omp", "oh-my-pi"),
        ),
        Fitting(
            host="gemini-cli",
            programs=("gemini",),
            folder=_gemini_home,
            pieces=_gemini,
            shared=_gemini_shared,
        ),
        Fitting(
            host="copilot-cli",
            programs=("copilot",),
            folder=_copilot_home,
            pieces=_copilot,
            shared=_copilot_shared,
        ),
    )
}
"""Every host, in the order of the contract."""
