"""What an action is recognised by: normalised commands, repository-relative files, symbols. Hook-safe.

A memory is tied to anchors when it is stored; a tool call about to run is looked up by its own. Both sides come from
here, so they meet. A command key says how exact it is by its first character: `=` the same command, `~` the same shape
(program, sub-command and flags; arguments left open), `^` the same program.
"""

from __future__ import annotations

from learnt.model.shell import essential, program
from learnt.model.symbol import code_symbols

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Anchor = tuple[str, str]

MAX_KEYS = 12
MAX_ANCHORS = 40
_KEY_CHARS = 400

WARNING_KINDS = frozenset(["failure_pattern", "lesson", "test_pattern", "security_note"])
"""Kinds that are shown before an action on the files, symbols and commands they name."""


def _words(text: str) -> list[str]:
    return text.split()


_SUBCOMMANDS = frozenset(
    _words(
        """
        git go npm pnpm yarn bun cargo docker podman kubectl helm uv pip pip3 pipx poetry pdm hatch
        make just mise task gh terraform dotnet gradle gradlew mvn mvnw bundle rake rails mix
        composer apt apt-get brew conda flutter dart swift deno nx turbo lerna rustup asdf
        pre-commit alembic django-admin aws gcloud az systemctl docker-compose tox nox golangci-lint
        ruff black npx bunx pnpx uvx rye zig sbt lein stack cabal ansible vagrant fly vercel netlify
        """
    )
)
_RUNNERS = frozenset(
    _words(
        """
        npm:run pnpm:run yarn:run bun:run uv:run poetry:run mise:run mise:exec pdm:run hatch:run
        bundle:exec docker:compose go:tool go:mod uv:pip gh:pr gh:issue gh:run gh:api git:worktree
        git:stash git:remote cargo:nextest rails:db pnpm:exec uv:tool
        """
    )
)
"""Sub-commands whose own first word still belongs to what is done (`npm run build`)."""
_BROAD = frozenset(
    _words(
        """
        python python3 node ruby perl php java bash sh zsh ls cat grep egrep rg find sed awk head
        tail echo cd pwd rm cp mv mkdir touch chmod chown curl wget which test [ true sleep kill ps
        xargs jq sort wc diff export source ln du df tree stat file date printf
        """
    )
)
"""Programs whose name alone says nothing about what is done; they have a shape only with a flag or sub-command."""

_FORBIDS = ("never", "don't", "do not", "dont", "instead of", "rather than", "avoid", "not", "stop using", "no")


def command_keys(command: str, root: str = "") -> tuple[str, ...]:
    """The keys of a shell command, most specific first: the whole, its parts, their shapes, their programs.

    Args:
        command: As the agent wrote it; 2,000 characters are looked at.
        root: The checkout's root; absolute paths below it become relative.
    """
    parts = [tuple(_here(words, root) for words in stages) for stages in essential(command)]
    exact = [" ".join(" | ".join(" ".join(words) for words in stages).split()) for stages in parts]
    simple = [words for stages in parts for words in stages]
    telling = [words for words in simple if program(words) not in _BROAD]
    keys = ["=" + " && ".join(exact)[:_KEY_CHARS]] if exact else []
    if len(parts) > 1:
        keys += ["=" + text[:_KEY_CHARS] for text, stages in zip(exact, parts, strict=True) if _tells(stages)]
    keys += ["~" + shape for shape in map(_shape, simple) if shape]
    keys += ["^" + program(words) for words in (telling or simple) if program(words)]
    return tuple(dict.fromkeys(keys))[:MAX_KEYS]


def _tells(stages: Sequence[Sequence[str]]) -> bool:
    return any(program(words) not in _BROAD for words in stages)


def _here(words: Sequence[str], root: str) -> tuple[str, ...]:
    """The words of a simple command as seen from the root, where `-C .` says nothing."""
    if not root and "-C" not in words:
        return tuple(words)
    local = [_local(word, root) for word in words]
    if "-C" in local[1:-1] and local[local.index("-C", 1) + 1] == ".":
        at = local.index("-C", 1)
        del local[at : at + 2]
    return tuple(local)


def _local(word: str, root: str) -> str:
    """A word with the checkout's root cut off, wherever it stands in it."""
    if not root or root not in word:
        return word
    return word.replace(root.rstrip("/") + "/", "").replace(root.rstrip("/"), ".") or "."


def _shape(words: Sequence[str]) -> str:
    """Program, sub-commands and flags, every other argument `_` (a run of them one); "" when that says too little."""
    name = program(words)
    fixed, at = _verbs(name, words)
    out, flags = list(fixed), 0
    for word in words[at:]:
        if len(word) > 1 and word[0] == "-" and not word[1:].isdigit():
            out.append(word.split("=", 1)[0])
            flags += 1
        elif out[-1] != "_":
            out.append("_")
    if name in _BROAD and (flags == 0 or name not in ("python", "python3", "node", "sed", "find", "curl")):
        return "" if len(fixed) == 1 else " ".join(out)[:_KEY_CHARS]
    return " ".join(out)[:_KEY_CHARS]


def job(words: Sequence[str]) -> tuple[str, ...]:
    """What a simple command does, whatever it is done to: `go test`, `npm run build`, `python3 -m pytest`."""
    return tuple(_verbs(program(words), words)[0])


def _verbs(name: str, words: Sequence[str]) -> tuple[list[str], int]:
    """The fixed words at the start of a command (`git worktree add`, `python -m pytest`), and where the rest begins."""
    if name.startswith("python") and len(words) > 2 and words[1] == "-m":
        return [name, "-m", words[2]], 3
    fixed, at = [name], 1
    wanted = 1 if name in _SUBCOMMANDS else 0
    while wanted and at < len(words) and _bareword(words[at]):
        fixed.append(words[at])
        at += 1
        wanted -= 1
        if len(fixed) == 2 and f"{name}:{fixed[1]}" in _RUNNERS:
            wanted = 1
    return fixed, at


def _bareword(word: str) -> bool:
    return word[:1].isalpha() and all(char.isalnum() or char in "-_:." for char in word) and "." not in word[1:-1]


def anchors_of(
    kind: str, text: str, files: Iterable[str], symbols: Iterable[str], trigger: Iterable[tuple[str, str]]
) -> tuple[Anchor, ...]:
    """What a memory or observation is tied to, its explicit triggers first; each once, at most 40.

    Kinds that warn are tied to their files, symbols and, where they have no trigger, to the commands they quote in
    backticks without recommending them; a `repo_convention` to the commands it forbids; any other kind to its triggers
    only.
    """
    found: list[Anchor] = [(name, key) for name, key in trigger if key]
    explicit = bool(found)
    if kind in WARNING_KINDS:
        found += [("file", relative(path, "")) for path in files if path]
        found += [("symbol", symbol) for symbol in symbols if symbol]
        found += _quoted(text, forbidden_only=False) if not explicit else []
    elif kind == "repo_convention":
        found += _quoted(text, forbidden_only=True)
    return tuple(dict.fromkeys(found))[:MAX_ANCHORS]


_ADVISES = ("instead:", "works after", "; use", ", use", ". use", ": use", "fixed by", "solved by", "prefer")
_LOOKS = frozenset(["git status", "git log", "git diff", "git show", "git branch"])


def _quoted(text: str, *, forbidden_only: bool) -> list[Anchor]:
    """Keys of the commands in backticks. A program alone (`npm`) is a key only where it is forbidden."""
    found: list[Anchor] = []
    pieces = text[:4_000].split("`")
    for at in range(1, len(pieces) - 1, 2):
        command, forbidden = pieces[at].strip(), _forbids(pieces[at - 1])
        words = command.split()
        if not words or (forbidden_only and not forbidden) or pieces[at - 1].rstrip().lower().endswith(_ADVISES):
            continue
        if " ".join(words[:2]) in _LOOKS:
            continue
        keys = command_keys(command)
        if len(words) > 1 and _runs(words[0]):
            found += [("command", key) for key in keys if key[0] != "^"]
        elif len(words) == 1 and forbidden and _runs(words[0]):
            found += [("command", key) for key in keys if key[0] == "^"]
    return found


def _runs(word: str) -> bool:
    """Whether a word can be a program: `go`, `./x.sh`, `python3`; not `Foo()`, `a,b`, `KEY=1`."""
    plain = word.lower() == word and not set(word) & set("(){}<>=,;:'\"$*[]")
    return plain and (word[:1].isalnum() or (word.startswith("./") and len(word) > 2))


def _forbids(before: str) -> bool:
    """Whether the words just before a quotation forbid what is quoted."""
    clause = before.replace("\u2019", "'").lower()
    for mark in (". ", "; ", "\n", " but ", ", use ", ", run ", ", prefer "):
        clause = clause.rsplit(mark, 1)[-1]
    words = " " + " ".join(clause.replace(",", " ").replace("(", " ").split()[-6:]) + " "
    return any(f" {cue} " in words for cue in _FORBIDS)


INSTEAD = "What worked instead: `"
"""Stands before the form that worked in the text of a corrected command."""


def heeds(text: str, command: str, root: str = "") -> bool:
    """Whether `command` already is the form a lesson's `text` recommends, so that there is nothing to warn of.

    Keys leave assignments and folders out, and so meet the right form too where the difference lies there. The form
    that failed may hold the one that worked (`npm test -- --watch`, `npm test`): it heeds nothing.
    """
    before, found, rest = text.partition(INSTEAD)
    wanted, failed = _first_quoted(rest), _first_quoted(before.partition("`")[2])
    given = f" {' '.join(_local(command[:4_000], root).split())} "
    if not found or not wanted.strip() or wanted not in given:
        return False
    return wanted not in failed or failed not in given


def _first_quoted(text: str) -> str:
    """What stands before the next backtick, as words between blanks."""
    return f" {' '.join(text.partition('`')[0].split())} "


def action_anchors(action: str, target: str | None, text: str, root: str = "") -> tuple[Anchor, ...]:
    """What a tool call about to run is looked up by, most specific first.

    Args:
        action: `shell`, `write`, `read` or `other` (see `learnt.model.session.Call`); the last two are never looked up.
        target: The command, or the path.
        text: For a write, the new text; its first 6,000 characters are looked at.
        root: The checkout's root.
    """
    if not target:
        return ()
    if action == "shell":
        found = [("command", key) for key in command_keys(target, root)]
        found += [("file", path) for path in command_files(target, root)]
    elif action == "write":
        found = [("file", relative(target, root))]
        found += [("symbol", name) for name in code_symbols(text)]
    else:
        return ()
    return tuple(dict.fromkeys(found))[:MAX_ANCHORS]


def command_files(command: str, root: str = "") -> tuple[str, ...]:
    """Repository-relative paths of files a command names, in order, at most 12."""
    words = [_target(word) for stages in essential(command) for line in stages for word in line[1:]]
    return tuple(dict.fromkeys(relative(word, root) for word in words if _path(word)))[:12]


def _target(word: str) -> str:
    """A word without its quotes, and without a test name or line behind a path (`a.py::test_x`, `a.py:12`)."""
    plain, mark, rest = word.strip("'\"").partition(":")
    return plain if mark and (rest.startswith(":") or rest[:1].isdigit()) else word.strip("'\"")


def _path(word: str) -> bool:
    """Whether a word names a file: a name with an extension; no option, URL or pattern."""
    if not 2 < len(word) <= 300 or word[0] in "-$@#" or "://" in word or set(word) & set("*?{}|;<>()`\n ="):
        return False
    name = word.replace("\\", "/").rsplit("/", 1)[-1]
    stem, dot, extension = name.rpartition(".")
    return bool(dot and stem) and 0 < len(extension) <= 6 and extension.isalnum() and not extension.isdigit()


def relative(path: str, root: str) -> str:
    """`path` below `root`, forward slashes, `.` and `..` resolved in the text; a path outside stays absolute."""
    clean = path.strip().replace("\\", "/")
    base = root.replace("\\", "/").rstrip("/")
    if base and (clean + "/").lower().startswith(base.lower() + "/") and (clean + "/").startswith(base[3:], 3):
        clean = clean[len(base) + 1 :] or "."
    lead = "/" if clean.startswith("/") else ""
    out: list[str] = []
    for step in clean.split("/"):
        if step == ".." and out and out[-1] != "..":
            out.pop()
        elif step not in ("", ".") and not (step == ".." and lead):
            out.append(step)
    return lead + "/".join(out) or "."
