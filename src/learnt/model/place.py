"""Which repository a folder belongs to: one injective function that every reader and writer uses. Hook-safe.

The identity value is the canonical origin URL, else the real path of the common git directory, else the folder's real
path. It is the same in every worktree, clone, sub-folder and through every symlink; a submodule and a nested repository
have their own. Names are never matched by prefix or pattern. The home directory and the file-system root have an
identity of their own which nothing below them inherits, even where they are repositories: a dotfiles repository would
otherwise be the memory of every folder without one.

An origin on this machine (a path, `file://`) names a repository here: its identity is taken, so that a clone of a
folder is the same repository as the folder. Source: contract, repository identity.
"""

from __future__ import annotations

import os

from learnt.model.keys import repository_id as _repository_id
from learnt.model.keys import short_id
from learnt.model.origin import canonical, local_path, public, read_origin

_HOPS = 4
"""How many local origins are followed (a clone of a clone ...)."""
_POINTER_BYTES = 4096


class Place:
    """Where somebody works.

    Attributes:
        root: Real path of the work tree (of the folder itself where there is no repository).
        common_dir: Real path of the common git directory; "" where there is no repository.
        origin: The origin as configured, without user information; "" for none.
        value: The identity value, readable. Two places are one repository exactly when their values are equal.
        repository_id: 16 hex digits of the value; the `repoId` of a repository scope.
        workspace: The workspace's identity value: the real path of the folder `root` lies in.
        workspace_id: 16 hex digits of it.
    """

    __slots__ = ("common_dir", "origin", "repository_id", "root", "value", "workspace", "workspace_id")

    def __init__(self, root: str, common_dir: str, origin: str, value: str, workspace: str) -> None:
        self.root = root
        self.common_dir = common_dir
        self.origin = origin
        self.value = value
        self.repository_id = identity(value)
        self.workspace = workspace
        self.workspace_id = identity(workspace)


def identity(value: str) -> str:
    """The id of an identity value: injective, although ids are made over lower-cased values.

    Every character that lower-casing would change is written as `^HEX;` first, so `/srv/App` and `/srv/app` differ
    where the file system tells them apart, and a value in lower case hashes as it stands.
    """
    return _repository_id("".join(c if c == c.lower() and c != "^" else f"^{ord(c):x};" for c in value))


def user_id() -> str:
    """The local id of the OS user, 16 hex digits: a number is hashed, no name is stored."""
    number = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    return short_id(f"user:{number}")


def place(cwd: str) -> Place:
    """The place of a folder; of its nearest existing parent when it is gone. Never raises for an existing folder.

    Cost: a few `stat` calls per path level and one read of the git configuration.
    """
    folder = os.path.realpath(cwd)
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    root, git_dir = _discover(folder)
    if not git_dir:
        return Place(folder, "", "", _path_value(folder), _path_value(os.path.dirname(folder)))
    common_dir = _common(git_dir)
    origin = read_origin(common_dir)
    value = _value(common_dir, origin, _HOPS)
    return Place(root, common_dir, public(origin), value, _path_value(os.path.dirname(root)))


def witness(at: Place, root_commit: str = "") -> tuple[str, ...]:
    """What makes two identity values the same repository: `inode:DEVICE:INODE` of the git directory, `root:COMMIT`.

    The inode follows a moved folder, the root commit (only an engine knows it; it costs a walk of the history) a clone
    made elsewhere. Inode numbers are used again after a deletion: never adopt on the inode alone when both sides have a
    root commit and these differ.
    """
    status = os.stat(at.common_dir or at.root)
    found = (f"inode:{status.st_dev}:{status.st_ino}",)
    return (*found, f"root:{root_commit}") if root_commit else found


def _discover(folder: str) -> tuple[str, str]:
    """The work tree root and the git directory `folder` belongs to, or ("", "")."""
    closed = {os.path.realpath(os.path.expanduser("~")), os.path.abspath(os.sep)}
    at = folder
    while True:
        dot_git = os.path.join(at, ".git")
        if os.path.isfile(dot_git):
            pointed = _pointed(dot_git)
            # Like git, do not look further up from a broken pointer: the parent is another repository.
            return (at, pointed) if pointed else ("", "")
        if _is_git_dir(dot_git):
            return at, os.path.realpath(dot_git)
        if _is_git_dir(at):
            return (os.path.dirname(at) if os.path.basename(at) == ".git" else at), at
        above = os.path.dirname(at)
        if above == at or above in closed or at in closed:
            return "", ""
        at = above


def _is_git_dir(path: str) -> bool:
    """Whether this folder is a git directory by git's own test."""
    return os.path.exists(os.path.join(path, "HEAD")) and (
        os.path.exists(os.path.join(path, "commondir"))
        or (os.path.isdir(os.path.join(path, "objects")) and os.path.isdir(os.path.join(path, "refs")))
    )


def _pointed(dot_git: str) -> str:
    """The git directory a `.git` file (of a worktree or submodule) names, or "" when it names none."""
    text = _first_line(dot_git)
    if not text.startswith("gitdir:"):
        return ""
    path = os.path.realpath(os.path.join(os.path.dirname(dot_git), text[7:].strip()))
    return path if _is_git_dir(path) else ""


def _common(git_dir: str) -> str:
    """The real path of the git directory that all worktrees share."""
    line = _first_line(os.path.join(git_dir, "commondir"))
    return os.path.realpath(os.path.join(git_dir, line)) if line else git_dir


def _first_line(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(_POINTER_BYTES).decode("utf-8", "surrogateescape").partition("\n")[0].strip()
    except OSError:
        return ""


def _value(common_dir: str, origin: str, hops: int) -> str:
    """The identity value of a git directory; a local origin's own value in its stead, at most `hops` deep."""
    path = local_path(origin)
    if origin and not path:
        return canonical(origin)
    if not origin or not hops:
        return _path_value(common_dir)
    base = os.path.dirname(common_dir) if os.path.basename(common_dir) == ".git" else common_dir
    target = os.path.realpath(os.path.join(base, path))
    git_dir = _git_dir_at(target)
    if not git_dir:
        return _path_value(common_dir)
    there = _common(git_dir)
    return _path_value(common_dir) if there == common_dir else _value(there, read_origin(there), hops - 1)


def _git_dir_at(path: str) -> str:
    """The git directory of the repository at exactly this path, tried as git's clone does; "" when there is none."""
    for name in (path, path + ".git"):
        dot_git = os.path.join(name, ".git")
        if _is_git_dir(dot_git):
            return os.path.realpath(dot_git)
        if os.path.isfile(dot_git):
            return _pointed(dot_git)
        if _is_git_dir(name):
            return os.path.realpath(name)
    return ""


def _path_value(path: str) -> str:
    """A real path as identity value: `/` first and between, folded where the file system folds."""
    parts = path.replace(os.sep, "/").split("/")
    at = "" if path.startswith(os.sep) else parts[0] + os.sep
    out = [parts[0].lower() if parts[0] else ""]
    for part in parts[1:]:
        here = at + os.sep + part if part else at
        out.append(part.lower() if part != part.lower() and folds_case(at or os.sep, part) else part)
        at = here
    value = "/".join(out)
    return value if value.startswith("/") else "/" + value


def folds_case(parent: str, name: str) -> bool:
    """Whether `parent`'s file system takes `name` in the other case for the same file."""
    try:
        one = os.lstat(os.path.join(parent, name))
        other = os.lstat(os.path.join(parent, name.swapcase()))
    except OSError:
        return False
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
