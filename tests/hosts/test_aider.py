"""aider's chat history: several sessions in one Markdown file, edits that are no calls, code that looks like marks."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from learnt.errors import NotFoundError, UsageError
from learnt.hosts import transcript
from learnt.hosts.aider import host as aider
from learnt.hosts.aider.reader import AiderReader
from learnt.hosts.host import Asked
from learnt.model.session import Call, Interruption, Prompt, Reply, Result
from tests.hosts.ground import MISSING, compare, expected, samples, told

NOT_IN_THE_FILE = "cwd"
"""The file lies in the repository, and its own folder is what the reader gives; the samples were moved from theirs."""
START = "# aider chat started at 2026-11-20 09:12:03\n\n"
PAID = "> Tokens: 2.4k sent, 30 received.  \n"
UNMATCHED = """> The LLM did not conform to the edit format.  \n> https://aider.chat/docs/edit-errors.html  \n
> # 1 SEARCH/REPLACE block failed to match!

## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in src/a.py
<<<<<<< SEARCH
#### old
=======
> new
>>>>>>> REPLACE

Did you mean to match some of these actual lines from src/a.py?

```
#### older
```

The SEARCH section must exactly match an existing block of lines including all white space, etc  \n
"""


def history(folder: Path, *parts: str) -> Path:
    """A history file."""
    path = folder / ".aider.chat.history.md"
    path.write_text("\n" + "".join(parts))
    return path


def events(path: Path, *kinds: type[Any], session: str = "1") -> list[Any]:
    """What the reader tells."""
    return [event for event in AiderReader(path, session).events() if not kinds or isinstance(event, kinds)]


@pytest.mark.skipif(not expected("aider"), reason=MISSING)
@pytest.mark.parametrize(("name", "truth"), expected("aider"), ids=[name[-2:] for name, _ in expected("aider")])
def test_every_value_of_the_ground_truth(monkeypatch, name, truth):
    """Counts, texts, failures, status of each of the sessions."""
    monkeypatch.chdir(samples("aider"))
    found = told(transcript.reader(name))
    compare(found, truth, NOT_IN_THE_FILE)
    assert found["cwd"] == str(Path.cwd())


def test_who_says_a_line(tmp_path):
    """The person's lines, however many, aider's, the agent's; a command of the client is a prompt, too."""
    path = history(
        tmp_path,
        START,
        "> Aider v0.86.2  \n> Main model: m/x with diff edit format  \n",
        "\n#### Fix  \n#### it.  \n\nI look.\n\n# A heading\n\n" + PAID,
        "\n#### /run ls  \n> Added 2 lines of output to the chat.  \n\n#### <blank>  \n",
    )
    reader = AiderReader(path)
    assert [(type(event), event.text) for event in reader.events() if isinstance(event, (Prompt, Reply))] == [
        (Prompt, "Fix\nit."),
        (Reply, "I look.\n\n# A heading"),
        (Prompt, "/run ls"),
    ]
    header = reader.header()
    assert (header.version, header.model, header.unnamed, header.unfinished) == ("0.86.2", "m/x", True, False)
    assert header.cwd == str(tmp_path)


def test_marks_inside_code_are_code(tmp_path):
    """Also the heading of a session; a longer fence holds shorter ones."""
    code = "````md\n```\n#### no\n> no\n# aider chat started at 2020-01-01 00:00:00\n```\n> no\n````\nbehind\n"
    path = history(tmp_path, START, "#### go  \n\nSee:\n", code, PAID)
    assert transcript.HOSTS["aider"].sessions(path) == ("1",)
    (reply,) = events(path, Reply)
    assert reply.text.endswith("````\nbehind")


def test_a_reply_cut_off_inside_its_code(tmp_path):
    """The cost of the response, or the interruption, ends the code that nobody closed."""
    path = history(
        tmp_path,
        START,
        "#### go  \n\n```py\nx = 1\n",
        PAID,
        "\n#### more  \n\n```\ny\n",
        "> ^C KeyboardInterrupt  \n",
        START,
    )
    assert transcript.HOSTS["aider"].sessions(path) == ("2", "1")
    assert [type(event) for event in events(path)] == [Prompt, Reply, Prompt, Reply, Interruption]
    assert told(AiderReader(path, "1"))["status"] == "interrupted"


def test_edits_are_parts_of_a_reply(tmp_path):
    """Applied or not, no tool was called; what aider complains about reaches over its unmarked lines."""
    path = history(
        tmp_path,
        START,
        "#### go  \n\nFirst.\n\n",
        PAID,
        "> Applied edit to src/a.py  \n> Commit abc1234 x  \n\nSecond.\n\n",
        PAID,
        UNMATCHED,
        "Third.\n\n",
        PAID,
    )
    found = told(AiderReader(path))
    assert (found["assistant_texts"], found["tool_calls"], found["status"]) == (3, 0, "complete")
    assert (found["writes_ok"], found["write_attempts"]) == ({"src/a.py": 1}, {"src/a.py": 2})
    (failed,) = found["failed_tools"]
    assert (failed["tool"], failed["target"]) == ("edit", "src/a.py")
    assert failed["error"].endswith("white space, etc")
    assert all(call.part for call in events(path, Call))


def test_an_edit_aider_could_not_read(tmp_path):
    """Of no file it knows; what aider says next belongs to the complaint."""
    path = history(
        tmp_path,
        START,
        "#### go  \n\nx\n\n> The LLM did not conform to the edit format.  \n",
        "> UnifiedDiffNoMatch: hunk failed  \n\nagain\n\n",
        PAID,
    )
    (end,) = events(path, Result)
    assert end.failure == "error"
    assert "hunk failed" in end.text
    assert [call.target for call in events(path, Call)] == [None]


def test_sessions_of_one_file(tmp_path):
    """Each by its number, the latest first; a place has to name one of several, and an unknown one is said."""
    path = history(tmp_path, START, "#### one  \n", "# aider chat started at 2026-11-21 10:00:00\n\n#### two  \n")
    assert transcript.HOSTS["aider"].sessions(path) == ("2", "1")
    assert [prompt.text for prompt in events(path, Prompt, session="2")] == ["two"]
    with pytest.raises(UsageError):
        transcript.reader(path)
    with pytest.raises(NotFoundError):
        transcript.reader(f"{path}#3")
    first, second = (transcript.reader(f"{path}#{number}").header() for number in (1, 2))
    assert first.session_id != second.session_id


def test_times_are_this_machines(tmp_path, monkeypatch):
    """A heading carries no zone."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        path = history(tmp_path, START, "#### one  \n")
        assert AiderReader(path).header().started_at == "2026-11-20T00:12:03.000Z"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_names_and_extents_of_earlier_sessions_stay(tmp_path):
    """When the file grows by a session the first ends where it ended."""
    path = history(tmp_path, START, "#### one  \n\nanswer\n\n", PAID)
    before = [event.message_id for event in events(path)]
    asked = Asked(path=path, session="1")
    extent = aider.HOST.extent(asked)
    with path.open("a") as file:
        file.write("\n# aider chat started at 2026-11-21 10:00:00\n\n#### two  \n")
    assert [event.message_id for event in events(path)] == before
    assert aider.HOST.extent(asked) == extent + 1
    reader = AiderReader(path, "1")
    list(reader.events())
    assert reader.next_offset == aider.HOST.extent(asked)


def test_whose_a_file_is(tmp_path):
    """By its first heading, or its name; it lies where the caller stands or where the client was told to write."""
    path = history(tmp_path, START)
    assert aider.recognises(path) == "sure"
    path.write_text("words\n")
    assert aider.recognises(path) == "shaped"
    inner = tmp_path / "src"
    inner.mkdir()
    assert aider.HOST.folders({"PWD": str(inner)}, Path("/home/x"))[0] == tmp_path
    told = {"AIDER_CHAT_HISTORY_FILE": "h/x.md", "PWD": str(tmp_path)}
    place = tmp_path / "h" / "x.md"
    assert aider.HOST.folders(told, Path("/home/x"))[0] == place
    place.parent.mkdir()
    place.write_text("# aider chat started at 2026-11-20 09:12:03\n", "utf-8")
    assert aider.HOST.files(place) == (place,)
    assert list(aider.HOST.files(tmp_path)) == [path]


def test_a_plan_that_is_passed_on_is_no_prompt(tmp_path):
    """The first model's answer comes again in the person's place, for the model that edits."""
    path = history(
        tmp_path,
        START,
        "#### Plan it.  \n\nChange this:\n\n1) a\n   - b\n\n",
        PAID,
        "\n#### Change this:  \n####   \n#### 1) a  \n####    - b  \n\nDone.\n\n",
        PAID,
    )
    found = told(AiderReader(path))
    assert (found["human_prompts"], found["assistant_texts"], found["final_note"]) == (["Plan it."], 2, "Done.")


def test_headings_and_quotations_of_the_agent_are_its_own(tmp_path):
    """They lack the two blanks with which aider ends what it writes down."""
    words = "#### A heading\n\n> a quotation\n> of two lines\n\nand more"
    path = history(tmp_path, START, "#### go  \n\nLook:\n\n" + words + "\n\n", PAID)
    assert [reply.text for reply in events(path, Reply)] == ["Look:\n\n" + words]


def test_a_message_of_aider_may_have_lines_without_a_mark(tmp_path):
    """It ends with two blanks; none of it is the agent's."""
    path = history(
        tmp_path, START, "#### go  \n> litellm.APIError: no\nsecond line\n\nthird line  \n\nHello.\n\n", PAID
    )
    assert [reply.text for reply in events(path, Reply)] == ["Hello."]


def test_a_file_that_lost_its_blanks(tmp_path):
    """An editor took the blanks at the ends of lines off: marks count as they stand."""
    path = history(tmp_path, START, "#### go\n\nHello.\n\n> Tokens: 1k sent, 2 received.\n> Applied edit to a.py\n")
    found = told(AiderReader(path))
    assert (found["human_prompts"], found["final_note"], found["writes_ok"]) == (["go"], "Hello.", {"a.py": 1})


def test_other_fences_of_aider(tmp_path):
    """A tag on a line of its own, where the code holds back quotes."""
    code = "<source>\n```\n#### no  \n> no  \n</code>\n</source>\nbehind\n\n"
    path = history(tmp_path, START, "#### go  \n\na.py\n", code, PAID, "> Failed to apply edit to a.py  \n")
    (reply,) = events(path, Reply)
    assert reply.text.endswith("</source>\nbehind")
    assert [(call.target, call.part) for call in events(path, Call)] == [("a.py", True)]
    assert [end.failure for end in events(path, Result)] == ["error"]


def test_questions_of_aider_and_leaving_it(tmp_path):
    """An answer that counts for the rest is written like a prompt; a stop where nothing runs stops nothing."""
    path = history(
        tmp_path,
        START,
        "#### go  \n\nHello.\n\n",
        PAID,
        "> a.py  \n\n#### Add file to the chat? (Y)es/(N)o/(A)ll/(S)kip all/(D)on't ask again [Yes]: all  \n",
        ">  \n>  \n> ^C again to exit  \n",
    )
    found = told(AiderReader(path))
    assert (found["human_prompts"], found["status"]) == (["go"], "complete")


def test_a_run_with_its_prompt_on_the_command_line(tmp_path):
    """Nobody sat in front of it; a flag inside another one's value is none."""
    scripted = history(tmp_path, START, "> /usr/bin/aider --yes --message say hi  \n#### say hi  \n")
    reader = AiderReader(scripted)
    assert [event.typed for event in reader.events() if isinstance(event, Prompt)] == [False]
    assert not reader.header().interactive
    usual = history(tmp_path, START, "> /usr/bin/aider --model x/y-message --no-git  \n#### say hi  \n")
    assert [event.typed for event in events(usual, Prompt)] == [True]
