"""Which file system a path lies on, so that WAL is used only where its shared memory works.

WAL needs memory shared between all processes that use the file, and locks that hold. Network and host-shared file
systems give one or neither, and a database is damaged there without a message.
"""

from __future__ import annotations

from pathlib import Path

_SHARED = frozenset(
    (
        "nfs",
        "nfs4",
        "cifs",
        "smb",
        "smb2",
        "smb3",
        "smbfs",
        "9p",
        "virtiofs",
        "vboxsf",
        "vmhgfs",
        "prl_fs",
        "drvfs",
        "afs",
        "ceph",
        "glusterfs",
        "lustre",
        "beegfs",
        "gpfs",
        "ncpfs",
        "ocfs2",
        "gfs2",
        "davfs",
        "sshfs",
    )
)


def filesystem(path: Path) -> str:
    """The type of the file system that holds `path` (`ext4`, `nfs4`, `fuse.sshfs`); "" where nothing says."""
    try:
        text = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
        return longest(text, str(path.resolve()))
    except OSError:
        return ""


def longest(mountinfo: str, path: str) -> str:
    """Type of the last mount whose mount point is the longest prefix of `path`, by the text of a `mountinfo` file."""
    best, found = -1, ""
    for line in mountinfo.splitlines():
        left, dash, right = line.partition(" - ")
        fields = left.split(" ")
        if not dash or len(fields) < 5:
            continue
        point = _plain(fields[4])
        if len(point) >= best and (path == point or path.startswith(point.rstrip("/") + "/")):
            best, found = len(point), right.partition(" ")[0]
    return found


def _plain(point: str) -> str:
    """A mount point without the kernel's octal escapes for blank, tab, line feed and backslash."""
    for escape, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(escape, char)
    return point


def is_shared(kind: str) -> bool:
    """Whether WAL is unsafe there: a network or host-shared file system, or anything behind FUSE."""
    return kind in _SHARED or kind.partition(".")[0] == "fuse"
