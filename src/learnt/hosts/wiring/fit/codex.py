"""Codex CLI: hooks in `hooks.json`, which a person must trust; server and notice in `config.toml`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.hosts.wiring import piece
from learnt.hosts.wiring.site import Fitting, hooks_for

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from learnt.hosts.wiring.piece import Piece
    from learnt.hosts.wiring.site import Site

_TOOLS = "Bash|apply_patch"


def _codex_home(site: Site) -> Path:
    return site.under("CODEX_HOME", ".codex")


def _codex(site: Site) -> tuple[Piece, ...]:
    return _codex_in(site, _codex_home(site), (*site.words, "notify", "--host", "codex"))


def _codex_shared(site: Site) -> tuple[Piece, ...]:
    return _codex_in(site, site.base / ".codex", ())


def _codex_in(site: Site, base: Path, notice: Sequence[str]) -> tuple[Piece, ...]:
    events = (
        ("SessionStart", "session-start", ""),
        ("UserPromptSubmit", "user-prompt-submit", ""),
        ("PreToolUse", "pre-tool-use", _TOOLS),
        ("SubagentStart", "subagent-start", ""),
        ("SessionEnd", "session-end", ""),
    )
    return (
        piece.hooks(base / "hooks.json", hooks_for(site, "codex", events)),
        piece.config(base / "config.toml", site.server("codex", "plain"), notice),
    )


CODEX = Fitting(
    host="codex",
    programs=("codex",),
    folder=_codex_home,
    pieces=_codex,
    shared=_codex_shared,
    todo="Codex runs hooks only when you trust them: start it once, open /hooks, and trust those of learnt.",
)
