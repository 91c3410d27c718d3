"""A shell call with its outcome, and what its output says about why it failed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from learnt.model.anchor import command_keys
from learnt.model.shell import bare, essential, program, simple

if TYPE_CHECKING:
    from learnt.model.session import Span


def words_of(text: str) -> frozenset[str]:
    """The words of a written-out list."""
    return frozenset(text.split())


SHOWN_CHARS: Final = 160
ERROR_CHARS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One shell call and its result.

    Attributes:
        number: Place among the shell calls of the session.
        edits: How many successful file writes came before it in the session.
        written: The command as it stands in the transcript; `command` is without the checkout's root.
        parts: Its simple commands (see `learnt.model.shell.essential`), pipelines flattened.
        said, answered: Records of the call and of its result.
        output: Bounded.
    """

    number: int
    edits: int
    written: str
    command: str
    parts: tuple[tuple[str, ...], ...]
    at: str
    said: Span
    answered: Span
    failed: bool
    output: str

    @property
    def exact(self) -> str:
        """The key of the whole command (see `learnt.model.anchor.command_keys`); "" for an empty one."""
        return next(iter(command_keys(self.command)), "")


def attempt(
    command: str, root: str, *, number: int, edits: int, at: str, said: Span, answered: Span, failed: bool, output: str
) -> Attempt:
    """The attempt with its command taken apart; paths below `root` made relative."""
    local = localise(command, root).replace(" -C . ", " ")
    return Attempt(
        number=number,
        edits=edits,
        written=command,
        command=local,
        parts=tuple(words for stages in essential(local) for words in stages),
        at=at,
        said=said,
        answered=answered,
        failed=failed,
        output=output,
    )


def localise(text: str, root: str) -> str:
    """`text` with the checkout's root cut off every path, so that no checkout is named in another (bug class H02)."""
    base = root.rstrip("/")
    return text.replace(base + "/", "").replace(base, ".") if len(base) > 1 else text


_HOME = re.compile(r"(?:/Users|/home)/[^/\s'\"`:]{1,64}|(?<![\w/])/root(?=/)")


def homeless(text: str) -> str:
    """`text` with every home folder shown as `~`: whose machine it was teaches nothing."""
    return _HOME.sub("~", text)


_ESCAPES = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_CODE_HEADS: Final = "EeCc["
_CODE_LINE = re.compile(r"(?:Exit code \d+|Command exited with code \d+|\[?exit(?:ed)?[ :]+\d+\]?)$", re.IGNORECASE)

ENVIRONMENT = re.compile(
    r"command not found|: not found$|no such (?:file or directory|option|command|subcommand|service|remote|table|file)|"
    r"is not recognized|unknown (?:flag|option|command|argument|shorthand|subcommand|revision|target)|"
    r"unrecognized (?:option|argument|flag|command)|(?:invalid|illegal|unexpected) (?:option|flag|argument|choice)|"
    r"flag provided but not defined|missing (?:script|required|argument|separator|operand)|unexpected argument|"
    r"cannot find (?:module|package|main module)|no module named|modulenotfounderror|go\.mod file not found|"
    r"no required module provides|not a git repository|already (?:exists|used by|in use|checked out|been taken)|"
    r"permission denied|\beacces\b|\beaddrinuse\b|\beconnrefused\b|\benoent\b|connection refused|"
    r"could not (?:find|read|open|resolve|determine|connect|lock)|unable to (?:read|find|locate|access|resolve|open|"
    r"connect)|(?:is|are) not (?:set|installed|supported|available|allowed)|must be (?:run|set|specified|used|one of)|"
    r"requires? (?:a|an|the|python|node|go|java|at least|version|--?\w)|externally-managed-environment|unsupported|"
    r"no tests? (?:found|ran|files?|to run)|no test files|timed out|no rule to make target|unbound variable|"
    r"did you mean|not inside a|no configuration file|cannot (?:be used|combine|use|connect)|does not (?:exist|"
    r"support)|"
    r"missing dependenc|missing go\.sum|file or directory not found|"
    r"not a valid|fatal: .{0,80}(?:worktree|refusing|ambiguous|no upstream)",
    re.IGNORECASE,
)
"""What an output says when the command itself, or the place it ran in, was wrong, rather than the code it looked at."""

CLUES: Final = tuple(
    """not found|no such |is not |are not |unknown |unrecognized |invalid |illegal |unexpected |flag provided|missing |
cannot |no module|modulenotfound|go.mod|no required|not a |already |permission denied|eacces|eaddrinuse|econnrefused|
enoent|connection refused|could not |unable to |must be |require|externally-managed|unsupported|no test|timed out|
no rule|unbound|did you mean|not inside|no configuration|does not |fatal: """.replace("\n", "").split("|")
)
"""One of these is in whatever `ENVIRONMENT` finds; hardly any other output holds one, and looking is cheap."""

CONFLICTS = re.compile(
    r"^CONFLICT|could not apply|automatic merge failed|fix conflicts|nothing to commit|pathspec .{0,120} did not match|"
    r"would be overwritten|non-fast-forward|\(fetch first\)|Everything up-to-date|"
    r"unable to read .{0,80}\b[0-9a-f]{40}\b|(?:index|HEAD|shallow|config)\.lock'?: File exists",
    re.IGNORECASE | re.MULTILINE,
)
"""Outcomes of a moment, which teach nothing about the next time."""

_DIAGNOSTIC = re.compile(r"\.\w{1,5}[(:]\d+|\berror (?:TS|CS|E|C)\d+|^\s*(?:assert|expected|\+|-\s|FAIL|not ok)")
"""A complaint about code, whatever words it uses."""

_BLAME = re.compile(
    r"^(?:fatal|error|err!|npm err!|panic|exception|usage)\b|error:|exception:|\berror\b", re.IGNORECASE
)


CONFLICT_CLUES: Final = (
    "conflict",
    "could not apply",
    "merge failed",
    "nothing to commit",
    "pathspec ",
    "overwritten",
    "fast-forward",
    "(fetch first)",
    "up-to-date",
    "unable to read ",
    ".lock",
)


def _holds(text: str, clues: tuple[str, ...]) -> bool:
    """Whether a text holds one of these in any case; yes where it is not ASCII, whose cases only `re` knows."""
    if not text.isascii():
        return True
    return any(map(text.lower().__contains__, clues))


def conflicts(output: str) -> bool:
    """Whether an output tells of something that will not be so the next time."""
    head = output[:20_000]
    return _holds(head, CONFLICT_CLUES) and CONFLICTS.search(head) is not None


def output_lines(output: str) -> list[str]:
    """The lines of an output without colours, blank ones and those that only give the exit code; 400 at most."""
    head = output[:60_000].replace("\r", "\n")
    head = _ESCAPES.sub("", head) if "\x1b" in head else head
    plain = [line.strip() for line in head.split("\n")]
    kept = [line for line in plain if line and not (line[0] in _CODE_HEADS and _CODE_LINE.match(line))]
    return kept if len(kept) <= 400 else kept[:200] + kept[-200:]


def environment_line(output: str) -> str:
    """The line that says that the command or its place was wrong; "" when none does."""
    return "" if conflicts(output) else blamed_line(output)


def blamed_line(output: str) -> str:
    """`environment_line` of an output without conflicts."""
    lines = output_lines(output)
    edge = lines if len(lines) <= 24 else lines[:8] + lines[-16:]
    if not _holds("\n".join(edge), CLUES):
        return ""
    return next((line for line in edge if ENVIRONMENT.search(line[:400]) and not _DIAGNOSTIC.search(line[:400])), "")


def complaint(output: str) -> str:
    """The line that says most about a failure: an environment's, else the first that names an error, else the last."""
    lines = output_lines(output)
    found = environment_line(output) or next((line for line in lines if _BLAME.search(line[:300])), "")
    return found or (lines[-1] if lines else "")


def error_line(output: str, root: str = "") -> str:
    """`complaint` as it is shown: short, and without the paths of this machine."""
    return shortened(homeless(localise(complaint(output), root)), ERROR_CHARS)


_RULE_NAME = re.compile(r"\s[(\[][\w./-]{2,32}[)\]]$")


_LONG_WORD = 15
"""A longer word is left out whole rather than cut: the first half of a token looks like none."""


def shortened(text: str, limit: int) -> str:
    """`text` on one line, cut to `limit` characters; the name of a rule in brackets at its end (`(errcheck)`) stays."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    named = _RULE_NAME.search(line)
    tail = named.group() if named else ""
    end = limit - 1 - len(tail)
    begun = line.rfind(" ", 0, end + 1) + 1
    if begun and len(line[begun:].split(" ", 1)[0]) > _LONG_WORD:
        end = begun
    return line[:end].rstrip() + "\u2026" + tail


def shown(attempted: Attempt, part: tuple[str, ...], *, place: bool = False) -> str:
    """One simple command as it was written, with its assignments, and with a `cd` before it when `place`."""
    written = next((words for words, _ in simple(attempted.command) if bare(words) == part), part)
    first = next(iter(simple(attempted.command)), ((), ""))[0]
    lead = f"cd {first[1]} && " if place and len(first) > 1 and first[0] == "cd" and first != written else ""
    return shortened(homeless(lead + " ".join(written)), SHOWN_CHARS)


READERS: Final = words_of(
    """
    ls cat head tail find grep egrep rg ag sed awk wc stat file tree du df diff which type test [ [[
    cd pwd echo printf true false cmp jq less more sort uniq cut basename dirname realpath readlink
    date env whoami hostname ps lsof pgrep sleep kill pkill read xxd od strings column tr tee
    history
    """
)
"""Programs that only look, or whose failure says nothing (`grep` without a match)."""
_GIT_READERS: Final = words_of(
    """
    status log diff show branch ls-files ls-tree blame rev-parse merge-base describe reflog cat-file
    grep shortlog rev-list config remote check-ignore for-each-ref name-rev whatchanged
    """
)


def reads(words: tuple[str, ...]) -> bool:
    """Whether a simple command runs one of `READERS`, and not a program of the repository with that name."""
    own = "/" in words[0] and not words[0].startswith(("/bin/", "/usr/bin/"))
    return not own and program(words) in READERS


def looks(words: tuple[str, ...]) -> bool:
    """Whether a simple command only looks and changes nothing."""
    name = program(words)
    if name == "git":
        verbs = [word for word in words[1:] if not word.startswith("-")]
        if "-C" in words and len(verbs) > 1:
            verbs = verbs[1:]
        return bool(verbs) and verbs[0] in _GIT_READERS
    if name == "gh":
        return len(words) > 2 and words[2] in {"view", "list", "diff", "status", "checks"}
    return reads(words)
