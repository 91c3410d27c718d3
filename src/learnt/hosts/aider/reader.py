"""aider's chat history: one Markdown file in the repository, a session after the other.

`#### ` are the person's lines, `> ` aider's own, all other text is the agent's. Nothing has an id, only a session has
a time (this machine's, without a zone), and no output of a command is kept. aider applies the edits that it finds in
the agent's words, so these are no tool calls: they are told as parts of a reply. The person's lines and every message
of aider end with two blanks; by that headings and quotations of the agent are told from them, and the lines without a
mark with which a message goes on. The complaint about blocks that did not match is known by its words.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from learnt.errors import NotFoundError
from learnt.hosts.aider.history import MARKS, Section, lines_of, section_of
from learnt.hosts.reading.fence import Fence
from learnt.hosts.reading.moment import End, Moment, Use, made_id
from learnt.hosts.reading.textlines import span_of
from learnt.hosts.reading.whole import written_at
from learnt.model.session import Header

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.hosts.reading.textlines import TextLine
    from learnt.model.session import SessionEvent

_MAX_CHARS: Final = 1 << 20
"""Of one message."""
_MOST_LINES: Final = 200
"""Of a message of aider."""
_END: Final = "  "
"""How every message ends that aider did not hear from the agent."""
_VERSION: Final = re.compile(r"Aider v(\S{1,40})")
_MODEL: Final = re.compile(r"(?:Main model|Model): (\S{1,200})(?: with .*)?")
_SCRIPTED: Final = re.compile(r"(?:\S*[\\/])?aider\S{0,20} (?:.* )?(?:--message(?:-file)?|--msg|-m|-f)(?:[ =].*|$)")
"""The command line of a run whose prompt a program, or a person in a shell, gave with it."""
_APPLIED: Final = "Applied edit to "
_NOT_CONFORMING: Final = "The LLM did not conform to the edit format."
_UNMATCHED: Final = re.compile(r"# \d+ SEARCH/REPLACE blocks? failed to match!")
_BLOCK: Final = re.compile(r"## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in (.+)")
_GOES_ON: Final = (
    "## SearchReplace",
    "Did you mean to match some of these actual lines from ",
    "Are you sure you need this SEARCH/REPLACE block?",
    "The REPLACE lines are already in ",
    "The SEARCH section must exactly match ",
    "# The other ",
    "Don't re-send them.",
    "Just reply with fixed versions of the block",
)
"""How lines begin with which the complaint about an edit goes on."""
_FAILED: Final = re.compile(r"(?:Failed to apply edit to (.+)|Unable to create (.+), skipping edits\.)")
_PAID: Final = re.compile(r"> Tokens: [\d.,]{1,12}[kKmM]? sent\b")
_STOPPED: Final = "^C"
_ASKED: Final = re.compile(r".{1,400}\? \(Y\)es/\(N\)o.{0,100}\[\w{1,20}\]: \w{0,20}", re.DOTALL)
"""A question of aider with the answer that counts for the rest of its kind, written down like a prompt."""


class AiderReader:
    """One session of a history file. `header()` and `next_offset` are complete when `events()` is exhausted."""

    def __init__(self, path: Path, session: str = "") -> None:
        self._path = path
        found = section_of(path, session)
        if found is None:
            raise NotFoundError(f"There is no session {session} in {path}.", hint="Sessions are numbered from 1.")
        self._section: Section = found
        folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120 - never raises
        self._cwd = folder
        self._id = f"aider-{found.name}-{made_id(found.started, found.number, os.path.basename(folder))[-8:]}"  # noqa: PTH119
        self._version = self._model = ""
        self._records = 0
        self._owed = False
        self._fence = Fence()
        self._block: list[TextLine] = []
        self._kind = ""
        self._chars = 0
        self._quoting = False
        self._misfit: list[TextLine] = []
        self._said = ""
        self._scripted = False
        self.next_offset = found.begin
        self.next_number = found.line

    def header(self) -> Header:
        """What is known of the session so far."""
        return Header(
            host="aider",
            session_id=self._id,
            unnamed=True,
            unfinished=self._owed,
            version=self._version,
            cwd=self._cwd,
            model=self._model,
            started_at=self._section.started,
            ended_at=self._ended(),
            interactive=not self._scripted,
            records=self._records,
        )

    def events(self) -> Iterator[SessionEvent]:
        """Every event, in order."""
        for line in lines_of(self._path, self._section):
            self.next_offset, self.next_number = line.offset + line.length, line.number + 1
            if self._kind != "tool" or not self._continues(line.text):
                kind = self._kind_of(line.text)
                if kind != self._kind or kind == "tool":
                    yield from self._close()
                    self._kind = kind
            if self._chars < _MAX_CHARS:
                self._block.append(line)
                self._chars += len(line.text)
        yield from self._close()
        if self._misfit:
            yield from self._misfitted()

    def _ended(self) -> str:
        """When the file was written last, for its last session; aider tells no other end."""
        written = written_at(self._path) if self._section.last else ""
        return max(written, self._section.started)

    def _kind_of(self, line: str) -> str:
        """Whose line it is: `user`, `tool`, `agent`, or that of what is open for a blank one."""
        if not line.startswith(MARKS):  # nearly every line, so looking has to be cheap
            return "agent" if self._fence.is_open or line.strip() or self._kind in ("", "agent") else "blank"
        if self._fence.is_open and (_PAID.match(line) or line.startswith(f"> {_STOPPED}")):
            self._fence.drop()  # the reply was cut off inside its code
        if self._fence.feed(line):
            return "agent"
        marked = line.endswith(_END) or not self._section.blanks
        if marked and line.startswith("#### "):
            return "user"
        if line.startswith("> ") and (marked or self._kind != "agent" or _UNMATCHED.match(line[2:])):
            return "tool"
        return "agent" if line.strip() or self._kind in ("", "agent") else "blank"

    def _continues(self, line: str) -> bool:
        """Whether a line goes on with the message of aider that is open."""
        if not self._block:
            return False
        inside = self._quoting or self._fence.is_open
        if self._section.blanks and not inside and self._block[-1].text.endswith(_END):
            return False
        if not _UNMATCHED.match(_bare(self._block[0].text)):
            return self._section.blanks and len(self._block) < _MOST_LINES and not line.startswith(("> ", "#### "))
        if inside:
            self._fence.feed(line)
            self._quoting = self._quoting and not line.startswith(">>>>>>> REPLACE")
            return True
        if line.startswith("<<<<<<< SEARCH"):
            self._quoting = True
            return True
        after_question = any(each.text.startswith("Did you mean ") for each in self._block[-3:])
        if after_question and line.startswith(("```", "~~~")):
            return self._fence.feed(line)
        return not line.strip() or line.startswith(_GOES_ON)

    def _close(self) -> Iterator[SessionEvent]:
        """The event of the lines that belong together."""
        lines, self._block, self._chars, self._quoting = self._block, [], 0, False
        if self._misfit and self._kind in ("user", "agent", ""):
            yield from self._misfitted()
        if self._kind == "user":
            yield from self._prompt(lines)
        elif self._kind == "tool":
            yield from self._told(lines)
        elif self._kind == "agent":
            yield from self._reply(lines)

    def _moment(self, lines: list[TextLine], words: str) -> Moment:
        self._records += 1
        key = made_id(self._id, lines[0].offset - self._section.begin, words)
        return Moment(at=self._section.started, span=span_of(lines), message_id=key, cwd=self._cwd)

    def _prompt(self, lines: list[TextLine]) -> Iterator[SessionEvent]:
        """A prompt; a plan that the first model made and aider passes on to the second is nobody's words."""
        words = "\n".join(line.text[4:].strip() for line in lines).strip()
        if not words or words == "<blank>":
            return
        if _ASKED.fullmatch(words):
            self._records += 1
            return
        self._owed = self._owed or not words.startswith("/")
        moment = self._moment(lines, words)
        passed_on = _plain(words) == self._said
        yield moment.injected(words, "host") if passed_on else moment.prompt(words, typed=not self._scripted)

    def _reply(self, lines: list[TextLine]) -> Iterator[SessionEvent]:
        words = "\n".join(line.text.rstrip() for line in lines).strip()
        if words:
            self._owed = True
            self._said = _plain(words)
            yield self._moment(lines, words).reply(words)

    def _told(self, lines: list[TextLine]) -> Iterator[SessionEvent]:
        """What aider says: how an edit went, what a response cost, that it was stopped, how it is set."""
        words = "\n".join([_bare(lines[0].text), *(line.text.rstrip() for line in lines[1:])]).strip()
        if words.startswith(_APPLIED):
            yield from self._edit(lines, words, [words.removeprefix(_APPLIED)], End(text=words))
        elif _UNMATCHED.match(words):
            self._misfit = []
            paths = _BLOCK.findall(words)
            yield from self._edit(lines, words, [path.strip() for path in paths], End(text=words, failure="error"))
        elif failed := _FAILED.match(words):
            path = (failed.group(1) or failed.group(2)).strip()
            yield from self._edit(lines, words, [path], End(text=words, failure="error"))
        elif words.startswith(_STOPPED) and self._owed:  # at the prompt it only leaves the program
            self._owed = False
            yield self._moment(lines, words).interruption()
        elif words == _NOT_CONFORMING or (self._misfit and not _PAID.match(lines[0].text)):
            self._misfit += lines
        else:
            self._records += 1
            self._owed = self._owed and not _PAID.match(lines[0].text)
            self._set(words)

    def _edit(self, lines: list[TextLine], words: str, paths: list[str], end: End) -> Iterator[SessionEvent]:
        moment = self._moment(lines, words)
        for number, path in enumerate(paths or [""]):
            call_id = f"{moment.message_id}/{number}"
            yield moment.call(Use(call_id=call_id, tool="edit", action="write", target=path or None, part=True))
            yield moment.result(call_id, end, "write")

    def _misfitted(self) -> Iterator[SessionEvent]:
        """An edit that aider could not read, of whatever file."""
        lines, self._misfit = self._misfit, []
        words = "\n".join(_bare(line.text) for line in lines)
        yield from self._edit(lines, words, [], End(text=words, failure="error"))

    def _set(self, words: str) -> None:
        if found := _VERSION.fullmatch(words):
            self._version = found.group(1)
        elif found := _MODEL.fullmatch(words):
            self._model = found.group(1)
        elif _SCRIPTED.fullmatch(words):
            self._scripted = True


def _bare(line: str) -> str:
    return line.removeprefix(">").strip()


def _plain(words: str) -> str:
    return " ".join(words.split())
