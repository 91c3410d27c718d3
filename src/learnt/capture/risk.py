"""Commands that no rule takes over and no observation suggests."""

from __future__ import annotations

import re
from typing import Final

_OUTSIDE: Final = "acts outside the checkout"
_RISKS: Final = (
    (
        re.compile(r"(?:curl|wget|fetch|iwr|invoke-webrequest)\b.*\|\s*\S*(?:sh|bash|zsh|python\d?|node|perl|iex)\b"),
        "runs a download",
    ),
    (re.compile(r"\$\(|`|<\(|\beval\b|\bsource\b|\bxargs\b|\biex\b"), "runs what another command prints"),
    (re.compile(r"\b(?:sudo|doas|su|runas|pkexec)\b"), "takes other rights"),
    (
        re.compile(
            r"(?:^|[\s;&|/])(?:rm|rmdir|unlink|shred|del|erase|rd|dropdb|truncate|mkfs\S*|dd)\b|\bgit\s+(?:clean|reset|gc|rm)\b|"
            r"\bgit\s+(?:branch|tag|push|remote|worktree|stash)\b.*(?:\s-[dD]\b|--delete|\sremove\b|\srm\b|\sdrop\b|\sclear\b|\s:)|"
            r"\s-delete\b|--delete\b|--prune\b|--purge\b|\b(?:drop|destroy|purge|prune|wipe|delete|remove|uninstall|clean|reset|nuke|unpublish|down)\b"
        ),
        "deletes",
    ),
    (re.compile(r"\bgit\b.*\s(?:-f|--force\S*|\+\S+)(?:\s|$)|\bpush\b.*\s\+\S|--force\b|--hard\b"), "forces"),
    (
        re.compile(r"--no-verify\b|\bcommit\b.*\s-\w*n\w*\b|\bHUSKY=0|\bSKIP=|--skip-hooks\b|--no-gpg-sign\b"),
        "skips checks",
    ),
    (
        re.compile(
            r"\b(?:chmod|chown|chgrp|setfacl|icacls|umask|takeown)\b|--privileged\b|--dangerously\S*|--allow-all\b|--yolo\b|"
            r"--no-sandbox\b|--insecure\b"
        ),
        "changes permissions",
    ),
    (
        re.compile(
            r"token|secret|passw|passphrase|api[_-]?key|credential|private[_-]?key|access[_-]?key|\bauth\b|authorization|"
            r"bearer|\blogin\b|\.env\b|\.netrc|\.pem\b|id_rsa|\bssh\b|\bscp\b|\bgpg\b|://[^/\s]*@",
        ),
        "touches credentials",
    ),
    (re.compile(r"(?:^|=|(?<!>)\s)['\"]?/(?:tmp|var/tmp|dev/shm)/"), "uses what anybody may put there"),
    (re.compile(r"\b(?:publish|deploy|release|upload|push|migrate)\b"), _OUTSIDE),
)


def danger(command: str) -> str:
    """What keeps a command from ever being accepted by itself ("" for nothing). It errs on the side of asking."""
    plain = " ".join(command.split())
    if plain != command.strip() or not plain.isprintable():
        return "is more than one line"
    lowered = plain.lower()
    for pattern, words in _RISKS:
        if pattern.search(plain) or pattern.search(lowered):
            return words
    return ""


def risky(command: str) -> bool:
    """Whether a command is not to be suggested even as an observation. Pushing is, where it does not force."""
    return danger(command) not in ("", _OUTSIDE)
