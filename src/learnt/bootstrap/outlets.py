"""Parts of ours in files of a repository or a host, put there because a person asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from learnt.hosts.wiring import installed, piece, region
from learnt.ports.outlets import Drawn

if TYPE_CHECKING:
    from learnt.hosts.wiring.installed import Change
    from learnt.ports.outlets import Wish

_SKILLS: Final = {
    "claude-code": ".claude/skills",
    "codex": ".codex/skills",
    "opencode": ".opencode/skills",
    "pi": ".pi/skills",
    "oh-my-pi": ".omp/skills",
    "gemini-cli": ".gemini/skills",
    "copilot-cli": ".github/skills",
}
"""Where hosts look for the skills of a repository. Source: the requests of the real clients; pi's documentation (it
looks there only in a project that the person trusts)."""

_MOST_CHARS: Final = 1 << 20


class FileOutlets:
    """See `learnt.ports.outlets.Outlets`.

    Args:
        home: The data directory, where it is remembered what was put in.
        root: The repository's checkout, which no link may lead out of.
    """

    def __init__(self, home: Path, root: Path) -> None:
        self._home = home
        self._root = root

    def region(self, path: str) -> str | None:
        """See `learnt.ports.outlets.Outlets.region`."""
        text = installed.held(Path(path), self._within(Path(path))) or ""
        found = region.found(text[:_MOST_CHARS].replace("\r\n", "\n"), piece.REGION)
        return found.body if isinstance(found, region.Region) else None

    def drawn(self, wish: Wish) -> Drawn:
        """What would be changed."""
        return _told(self._change(wish), gone=wish.text is None)

    def draw(self, wish: Wish) -> Drawn:
        """Change it; a folder that a skill leaves empty goes, too."""
        change = self._change(wish)
        installed.apply(change, self._home)
        if change.after is None and wish.of == "skill":
            _emptied(change.path.parent)
        return _told(change, gone=wish.text is None)

    def skills_folder(self, host: str) -> str:
        """The folder, below a repository, where a host looks for skills; "" where it has none."""
        return _SKILLS.get(host, "")

    def _within(self, path: Path) -> Path:
        """The checkout that a file lies in, which may be another repository's; else its folder."""
        if path.is_relative_to(self._root):
            return self._root
        for folder in (*_SKILLS.values(), ".github"):
            root, found, _ = path.as_posix().rpartition(f"/{folder}/")
            if found:
                return Path(root)
        return path.parent

    def _change(self, wish: Wish) -> Change:
        path = Path(wish.path)
        within = self._within(path)
        if wish.text is None:
            return installed.undone(path, self._home, wish.of, within)
        if wish.of == "skill":
            return installed.copied(path, wish.text, self._home, within)
        return installed.planned(piece.marked(path, wish.text), self._home, within)


def _told(change: Change, *, gone: bool) -> Drawn:
    left = gone and change.of == "skill" and change.after is not None
    return Drawn(path=str(change.path), differs=change.differs, diff=change.diff, left=left)


def _emptied(folder: Path) -> None:
    """Remove a folder without files, and those above it that are left empty; a folder of skills is the last."""
    for each in (folder, folder.parent, folder.parent.parent):
        try:
            each.rmdir()
        except OSError:
            return
