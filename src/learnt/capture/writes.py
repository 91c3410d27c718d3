"""Which files a shell command writes: redirections, `tee`, `sed -i`, `perl -i`, `mv`, `cp`, `install`, `dd of=`.

Only names that stand there literally count: a variable, a substitution or a pattern is not guessed at, nor is what
`git apply`, `patch` or a program writes. A here-document's body is data.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MAX_CHARS: Final = 200_000
_TOKEN = re.compile(
    r"""(?P<gap>[ \t\r]+|\\\r?\n)
    |(?P<comment>(?<![^\s;&|()])\#[^\n]*)
    |(?P<here>\d*<<-?(?!<)[ \t]*(?P<delimiter>'[^'\n]*'|"[^"\n]*"|[^\s;&|<>()]+))
    |(?P<out>(?:\d*|&)>(?:>|\||&)?)
    |(?P<in>\d*<(?:<<|&|>)?)
    |(?P<end>\|\||&&|\|&|;;|[;|&\n()])
    |(?P<word>(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s\\'"<>;&|()])+)""",
    re.VERBOSE | re.DOTALL,
)
_PIECE = re.compile(r"""\\(.)|'([^']*)'|"((?:\\.|[^"\\])*)"|([^\\'"]+)""", re.DOTALL)
_MAY_WRITE = re.compile(r">(?!&\d|\s*/dev/null)|\b(?:tee|mv|cp|install|dd)\b|\s-[a-zA-Z0]*i|--in-place")
"""A command without any of these writes nothing; most commands are told apart by it alone."""
_PLAIN = re.compile(r"[\w./=:,+@%~^-]+")
_UNKNOWN = re.compile(r"[$`*?\[{]")
_PREFIXES: Final = frozenset(
    ["sudo", "env", "time", "nohup", "command", "exec", "then", "else", "do", "{", "!", "nice"]
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_NOT_FILES: Final = ("/dev/", "/proc/")
_SHELLS: Final = frozenset(["bash", "sh", "zsh", "dash"])


@dataclass(slots=True)
class _Walk:
    """A command being read: where the shell stands, and what was written so far (in order, each once)."""

    cwd: str
    files: dict[str, None] = field(default_factory=dict)
    outer: list[str] = field(default_factory=list)

    def wrote(self, name: str | None) -> None:
        if not name or name in ("-", ".", ".."):
            return
        path = name if name.startswith("~") else posixpath.normpath(posixpath.join(self.cwd, name))
        if not path.startswith(_NOT_FILES):
            self.files[path] = None


def written_files(command: str, cwd: str = "") -> tuple[str, ...]:
    """The files a command writes when it succeeds, each once, joined to `cwd` where they are relative."""
    if _MAY_WRITE.search(command) is None:
        return ()
    walk = _Walk(cwd)
    _run(command[:_MAX_CHARS], walk, nested=False)
    return tuple(walk.files)


def _run(command: str, walk: _Walk, *, nested: bool) -> None:
    """Reads simple commands one after another; a redirection counts wherever it stands."""
    words: list[str | None] = []
    bodies: list[str] = []
    pending = ""
    at = 0
    while at < len(command):
        token = _TOKEN.match(command, at)
        if token is None:  # an unclosed quote: what follows cannot be told apart
            break
        at, kind = token.end(), token.lastgroup
        if kind == "here":
            bodies.append(token["delimiter"].strip("'\""))
        elif kind in ("out", "in"):
            pending = token.group() if kind == "out" else "<"
        elif kind == "word":
            _word(_literal(token.group()), pending, words, walk)
            pending = ""
        elif kind == "end":
            _simple(words, walk, nested=nested)
            words, pending = [], ""
            _grouped(token.group(), walk)
            if token.group() == "\n" and bodies:
                at = _behind_bodies(command, at, bodies)
    _simple(words, walk, nested=nested)


def _word(text: str | None, pending: str, words: list[str | None], walk: _Walk) -> None:
    """A word is the target of the redirection before it, or belongs to the command."""
    if not pending:
        words.append(text)
    elif pending != "<" and not (pending.endswith("&") and text is not None and (text.isdigit() or text == "-")):
        walk.wrote(text)


def _grouped(mark: str, walk: _Walk) -> None:
    """A sub-shell's change of folder ends with it."""
    if mark == "(":
        walk.outer.append(walk.cwd)
    elif mark == ")" and walk.outer:
        walk.cwd = walk.outer.pop()


def _behind_bodies(command: str, at: int, bodies: list[str]) -> int:
    """Where the here-documents that begin at `at` end."""
    while bodies:
        closing = re.compile(rf"^\t*{re.escape(bodies.pop(0))}[ \t\r]*$", re.MULTILINE).search(command, at)
        at = min(len(command), closing.end() + 1) if closing else len(command)
    return at


def _literal(word: str) -> str | None:
    """What a word means; None when the shell would put something else in its place."""
    if _PLAIN.fullmatch(word):
        return word
    parts = []
    for escaped, single, double, bare in _PIECE.findall(word):
        if _UNKNOWN.search(bare) or "$" in double or "`" in double:
            return None
        parts.append(escaped or single or re.sub(r'\\(["\\$`])', r"\1", double) or bare)
    return "".join(parts)


def _simple(words: Sequence[str | None], walk: _Walk, *, nested: bool) -> None:
    """One simple command without its redirections."""
    given = list(words)
    while given and (given[0] is None or given[0] in _PREFIXES or _ASSIGNMENT.match(given[0])):
        if given.pop(0) is None:
            return
    if not given:
        return
    name, rest = posixpath.basename(given[0] or ""), given[1:]
    if name == "git" and rest[:1] == ["mv"]:
        name, rest = "mv", rest[1:]
    if name in ("cd", "pushd"):
        _move(rest, walk)
    elif name in _SHELLS and not nested:
        if len(rest) > 1 and rest[0] is not None and rest[0].startswith("-") and "c" in rest[0] and rest[1]:
            _run(rest[1], walk, nested=True)
    else:
        for path in _written(name, rest):
            walk.wrote(path)


def _move(rest: Sequence[str | None], walk: _Walk) -> None:
    place = next((word for word in rest if word is None or not word.startswith("-")), "~")
    walk.cwd = "$unknown" if place is None else posixpath.join(walk.cwd, place)


def _written(name: str, rest: Sequence[str | None]) -> Iterator[str | None]:
    if name == "tee":
        yield from _operands(rest)
    elif name == "sed" and any(_in_place(word) for word in rest):
        yield from _edited(rest, ("-e", "-f", "--expression", "--file"))
    elif name == "perl" and any(word and re.match(r"-[a-zA-Z0]*i", word) for word in rest):
        yield from _edited(rest, ("-e", "-E"))
    elif name in ("mv", "cp", "install"):
        yield from _placed(rest)
    elif name == "dd":
        yield from (word[3:] for word in rest if word and word.startswith("of="))


def _operands(words: Sequence[str | None]) -> list[str | None]:
    return [word for word in words if word is None or not word.startswith("-")]


def _in_place(word: str | None) -> bool:
    return bool(word) and re.match(r"-[nErsuz]*i|--in-place", word or "") is not None


def _edited(rest: Sequence[str | None], script_options: tuple[str, ...]) -> list[str | None]:
    """The files of an editor called with its script: all operands but the script itself."""
    operands, scripted, at = [], False, 0
    while at < len(rest):
        word = rest[at]
        if word and word.startswith("-") and (word in script_options or re.fullmatch(r"-[a-zA-Z0]+e", word)):
            scripted, at = True, at + 1
        elif word and word.startswith("-"):
            scripted = scripted or word.startswith(tuple(f"{option}=" for option in script_options))
        elif word != "":  # an empty one is the backup suffix of a BSD `sed -i ''`
            operands.append(word)
        at += 1
    return operands if scripted else operands[1:]


def _placed(rest: Sequence[str | None]) -> Iterator[str | None]:
    """Where `mv` and `cp` put their sources; a copied folder is no file."""
    if any(word and re.match(r"-[a-zA-Z]*[rRadt]|--(recursive|archive|target)", word) for word in rest):
        return
    *sources, target = _operands(rest) or [None]
    if target is None or not sources:
        return
    if len(sources) > 1 or target.endswith("/") or target in (".", ".."):
        yield from (posixpath.join(target, posixpath.basename(source)) for source in sources if source)
    else:
        yield target
