"""A shell command taken apart: simple commands as words, without what does not matter. Hook-safe.

No shell is emulated. The splitter knows quotes, `$(...)`, redirections and here-documents, reads at most 2,000
characters and never fails: whatever it cannot make sense of stays one word. `re` and `shlex` would cost a hook 5 ms.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LIMIT = 2_000
"""Characters of a command that are looked at."""

_PREFIXES = frozenset(
    ["sudo", "time", "nohup", "exec", "command", "env", "builtin", "do", "then", "else", "!", "{", "nice"]
)
_LOOPS = frozenset(["for", "while", "until", "if", "case", "done", "fi", "esac", "}", "elif"])
_FILTERS = frozenset(["head", "tail", "grep", "egrep", "rg", "less", "more", "cat", "tee", "wc", "sort", "uniq", "cut"])
_PLACES = frozenset(["cd", "pushd", "popd", "export", "source", ".", "set", "unset", "umask"])
_TRAILERS = frozenset(["echo", "true", ":", "printf"])
_SHELLS = frozenset(["bash", "sh", "zsh"])
_BREAKS = ";&|\n()"
BLANKS = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
BLANKS += "\u2028\u2029\u202f\u205f\u3000"
_MARKED = str.maketrans(dict.fromkeys("\\'\"`$<>#" + _BREAKS + BLANKS, " "))
"""Every character that may end a run of ordinary ones becomes a blank: the run's end is found without a loop."""

Token = tuple[str, bool]
"""Text, and whether it is an operator."""


class _Lexer:
    """One pass over a command. `at` is the next character."""

    __slots__ = ("at", "heredoc", "marked", "skip", "text", "tokens", "word")

    def __init__(self, text: str) -> None:
        self.text = text
        self.marked = text.translate(_MARKED)
        self.at = 0
        self.word: list[str] = []
        self.tokens: list[Token] = []
        self.skip = False
        self.heredoc = ""

    def run(self) -> list[Token]:
        """All tokens."""
        size = len(self.text)
        while self.at < size:
            if self.marked[self.at] != " ":
                self._ordinary()
                continue
            char = self.text[self.at]
            if char == "\\" and self.at + 1 < size:
                self._escape()
            elif char in "'\"`":
                self._quoted(char)
            elif char == "$" and self.text[self.at + 1 : self.at + 2] == "(":
                self._nested()
            elif char in "<>" or (char == "&" and self.text[self.at + 1 : self.at + 2] == ">"):
                self._redirection()
            elif char == "#" and not self.word and self._at_word_start():
                self._comment()
            elif char in _BREAKS:
                self._operator(char)
            elif char.isspace():
                self._flush()
                self.at += 1
            else:
                self._ordinary()
        self._flush()
        return self.tokens

    def _ordinary(self) -> None:
        end = self.marked.find(" ", self.at + 1)
        end = len(self.text) if end < 0 else end
        self.word.append(self.text[self.at : end])
        self.at = end

    def _flush(self) -> None:
        if not self.word:
            return
        if not self.skip:
            self.tokens.append(("".join(self.word), False))
        self.skip = False
        self.word = []

    def _escape(self) -> None:
        if self.text[self.at + 1] == "\n":  # a continued line
            self._flush()
        else:
            self.word.append(self.text[self.at : self.at + 2])
        self.at += 2

    def _quoted(self, quote: str) -> None:
        end = self.at + 1
        while end < len(self.text) and self.text[end] != quote:
            end += 2 if self.text[end] == "\\" and quote != "'" else 1
        self.word.append(self.text[self.at : end + 1])
        self.at = end + 1

    def _nested(self) -> None:
        depth, end = 0, self.at + 1
        while end < len(self.text):
            depth += {"(": 1, ")": -1}.get(self.text[end], 0)
            end += 1
            if depth == 0:
                break
        self.word.append(self.text[self.at : end])
        self.at = end

    def _redirection(self) -> None:
        if self.word and all(piece.isdigit() for piece in self.word):
            self.word = []
        self._flush()
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in "<>&|-":
            self.at += 1
        marks = self.text[start : self.at]
        while self.text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1
        self.skip = not marks.endswith("&-")
        if marks.startswith("<<") and not marks.startswith("<<<"):
            self.heredoc = self._delimiter()

    def _delimiter(self) -> str:
        end = self.at
        while end < len(self.text) and not self.text[end].isspace() and self.text[end] not in ";|&)":
            end += 1
        return self.text[self.at : end].strip("'\"\\")

    def _at_word_start(self) -> bool:
        return self.at == 0 or self.text[self.at - 1].isspace() or self.text[self.at - 1] in ";&|"

    def _comment(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    def _operator(self, char: str) -> None:
        self._flush()
        self.skip = False
        mark = char
        if char in "&|" and self.text[self.at + 1 : self.at + 2] in ("&", "|"):
            mark = self.text[self.at : self.at + 2]
        self.at += len(mark)
        self.tokens.append((mark, True))
        if char == "\n" and self.heredoc:
            end = self.text.find("\n" + self.heredoc, self.at - 1)
            self.at = len(self.text) if end < 0 else end + 1 + len(self.heredoc)
            self.heredoc = ""


_lexed: dict[str, tuple[Token, ...]] = {}
_essentials: dict[str, tuple[tuple[tuple[str, ...], ...], ...]] = {}
_MOST_LEXED = 32
"""Commands remembered: one is taken apart half a dozen times while it is looked at, and hardly ever afterwards."""


def _tokens(command: str) -> tuple[Token, ...]:
    text = command[:LIMIT]
    found = _lexed.get(text)
    if found is None:
        if len(_lexed) >= _MOST_LEXED:
            _lexed.clear()
        found = _lexed[text] = tuple(_Lexer(text).run())
    return found


def bare(words: Sequence[str]) -> tuple[str, ...]:
    """A simple command without leading assignments, `sudo`, `time`, `env`, `timeout N` and loop words."""
    at = 0
    while at < len(words):
        word = words[at]
        if word in _PREFIXES or _assignment(word):
            at += 1
            while at < len(words) and words[at].startswith("-") and word in ("sudo", "env", "time", "nice"):
                at += 1
        elif word == "timeout":
            at += 1
            while at < len(words) and (words[at].startswith("-") or words[at][:1].isdigit()):
                at += 1
        else:
            break
    return tuple(words[at:])


def _assignment(word: str) -> bool:
    name, mark, _ = word.partition("=")
    return bool(mark) and name.replace("_", "a").isalnum() and not name[:1].isdigit() and name.isascii()


def pipelines(command: str, depth: int = 0) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """The pipelines of a command, each a tuple of simple commands, each a tuple of raw words.

    Dropped: redirections, comments, here-document bodies, loop heads, trailing stages that only filter what is shown
    (`| head`), and what `bare` drops. `bash -c "..."` is replaced by what it runs.
    """
    stages: list[list[str]] = [[]]
    found: list[tuple[tuple[str, ...], ...]] = []
    for text, operator in (*_tokens(command), ("\n", True)):
        if not operator:
            stages[-1].append(text)
        elif text in ("|", "|&"):
            stages.append([])
        else:
            found.extend(_finished(stages, depth))
            stages = [[]]
    return tuple(found)


def _finished(stages: list[list[str]], depth: int) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """One pipeline cleaned: none when nothing is left, several when a shell was unwrapped."""
    plain = [words for words in map(bare, stages) if words and words[0] not in _LOOPS]
    while len(plain) > 1 and plain[-1][0] in _FILTERS:
        plain.pop()
    if not plain:
        return ()
    first = plain[0]
    if depth == 0 and len(first) > 2 and program(first) in _SHELLS and first[1].startswith("-") and "c" in first[1]:
        return pipelines(first[2].strip("'\""), 1)
    return (tuple(plain),)


def essential(command: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """`pipelines` without leading changes of place (`cd X`, `export`, `source`) and trailing `echo`, `true`."""
    known = _essentials.get(command)
    if known is not None:
        return known
    found = list(pipelines(command))
    while len(found) > 1 and found[0][0][0] in _PLACES:
        found.pop(0)
    while len(found) > 1 and found[-1][0][0] in _TRAILERS:
        found.pop()
    if len(_essentials) >= _MOST_LEXED:
        _essentials.clear()
    _essentials[command] = tuple(found)
    return _essentials[command]


def simple(command: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    """Every simple command with all its words, and the operator behind it ("" at the end)."""
    words: list[str] = []
    found: list[tuple[tuple[str, ...], str]] = []
    for text, operator in (*_tokens(command), ("", True)):
        if not operator:
            words.append(text)
        elif words:
            found.append((tuple(words), text))
            words = []
        elif text in ("(", ")") and found:
            found.append(((), text))
    return tuple(found)


def proven(command: str) -> tuple[tuple[str, ...], ...]:
    """The simple commands of which the exit code 0 of the whole says that they ended with 0 too.

    These are the members of the last `&&` chain that no pipe swallows; none where `||`, `&` or a subshell blurs it.
    """
    found = simple(command)
    start = max((at + 1 for at, (_, mark) in enumerate(found[:-1]) if mark in (";", "\n")), default=0)
    chain = found[start:]
    if any(mark in ("||", "&", "(", ")") for _, mark in chain) or not chain:
        return ()
    piped = [False] * len(chain)
    for at, (_, mark) in enumerate(chain):
        if mark in ("|", "|&"):
            piped[at] = True
            if at + 1 < len(chain):
                piped[at + 1] = True
    cleaned = (bare(words) for (words, _), inside in zip(chain, piped, strict=True) if not inside)
    return tuple(words for words in cleaned if words and words[0] not in _LOOPS)


def program(words: Sequence[str]) -> str:
    """The program a simple command runs, without its folder; quotes and `.exe` dropped."""
    if not words or words[0].isalnum():
        return words[0] if words else ""
    name = words[0].strip("'\"")
    name = name.replace("\\", "/").rsplit("/", 1)[-1]
    return name.removesuffix(".exe")
