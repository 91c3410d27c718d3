"""An edit that a check refused and the same lines that were then taken; and what of the kind teaches nothing."""

from __future__ import annotations

from learnt.model.session import Call, Header, Result, Span
from tests.harvest import gather

REFUSED = "Your edit has introduced new syntax error(s).\n\nERRORS:\n- E999 IndentationError: unexpected indent\n"


def step(number: int, path: str, text: str, output: str = "") -> list[Call | Result]:
    """An edit and its answer; an output is a refusal."""
    span, name = Span(offset=number * 10, length=10, record=number), f"c{number}"
    call = Call(at="", span=span, message_id=name, call_id=name, tool="edit", action="write", target=path, text=text)
    result = Result(
        at="",
        span=span,
        message_id=f"{name}:result",
        call_id=name,
        failure="error" if output else "",
        exit_code=None,
        text=output or "done",
    )
    return [call, result]


def texts(*steps: list[Call | Result]) -> list[str]:
    """What a session of these edits teaches."""
    header = Header(host="any", session_id="s", cwd="/srv/app")
    return [lesson.text for lesson in gather(header, [event for each in steps for event in each]).lessons]


def test_the_same_lines_with_their_indentation():
    """The lesson names the file and the complaint; it warns before the next edit of that file."""
    events = [*step(1, "/srv/app/a.py", "return 1", REFUSED), *step(2, "/srv/app/a.py", "    return 1")]
    (lesson,) = gather(Header(host="any", session_id="s", cwd="/srv/app"), events).lessons
    assert lesson.text == (
        "An edit of `a.py` whose lines lack their own indentation is refused: "
        "E999 IndentationError: unexpected indent. "
        "The same lines with their indentation are taken."
    )
    assert (lesson.kind, lesson.observation, lesson.trigger) == ("failure_pattern", True, (("file", "a.py"),))
    assert {reference.ref for reference in lesson.evidence} == {"session:s#1", "session:s#2"}


def test_what_teaches_nothing():
    """Other words, another file, an error that no check made, a file outside the repository, no second try."""
    assert texts(step(1, "a.py", "x = (", REFUSED), step(2, "a.py", "x = ()")) == []
    assert texts(step(1, "a.py", "x", REFUSED), step(2, "b.py", "  x")) == []
    assert texts(step(1, "a.py", "x", "String to replace not found."), step(2, "a.py", "  x")) == []
    assert texts(step(1, "/etc/a.py", "x", REFUSED), step(2, "/etc/a.py", "  x")) == []
    assert texts(step(1, "a.py", "x", REFUSED)) == []
    assert texts(step(1, "a.py", "x", REFUSED), step(2, "a.py", "x")) == []
