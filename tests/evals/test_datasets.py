"""Readers of third-party formats on invented data, measured through the engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from learnt.errors import UsageError
from learnt.evals import run, subject
from learnt.evals.datasets import agentlife, beam, cosqa, files, locomo, sessions, supersede
from learnt.evals.datasets.table import NAMES, SEARCHED
from learnt.evals.regress import canonical
from learnt.evals.task import Ask, Collection, Observe
from tests.evals.worlds import WORLDS, taught

SHARED = Path(__file__).parents[3] / "shared" / "data"
FOLDERS = {"supersede": "supersede-pep"}


def asked(collection: Collection) -> dict[str, Any]:
    """The questions of a collection by their text."""
    return {step.question.text: step.question for step in collection.steps if isinstance(step, Ask)}


def told(collection: Collection) -> list[Any]:
    """The turns of a collection."""
    return [turn for step in collection.steps if isinstance(step, Observe) for turn in step.turns]


def test_locomo_is_read(tmp_path: Path) -> None:
    """Captions join the text, dates become instants, odd forms of evidence are understood, unknown ids dropped."""
    (chat,) = locomo.read(WORLDS["locomo"](tmp_path)).collections
    turns = told(chat)
    assert [(turn.session, turn.key) for turn in turns] == [("1", "1"), ("1", "2"), ("2", "1"), ("2", "2")]
    assert turns[2].text == "Look at my new piano! [image: a photo of a black instrument]"
    assert turns[0].at == "2023-05-08T13:56:00.000Z"
    questions = asked(chat)
    photo = questions["Which instrument is in the photo?"]
    assert photo.relevant == {"turn": {"session:2#1", "session:2#2"}, "session": {"2"}}
    assert photo.category == "multi_hop"
    assert questions["When did Bo sell the piano?"].probe == "unanswerable"
    assert not questions["Who is nobody?"].relevant["turn"]


def test_beam_is_read(tmp_path: Path) -> None:
    """A round is a prompt and its reply; an update knows its old and new statement; the name tells the split."""
    (chat,) = beam.read(WORLDS["beam"](tmp_path)).collections
    assert chat.split == "100K"
    assert [chat.round_of[f"session:1#{number}"] for number in range(4)] == ["round 1"] * 2 + ["round 2"] * 2
    update = asked(chat)["When is the heron deadline?"]
    assert (update.old, update.new) == ({"session:1#0"}, {"session:1#2"})
    assert update.relevant["round"] == {"round 1", "round 2"}
    assert asked(chat)["Who owns the heron?"].probe == "unanswerable"


def test_agentlife_is_read(tmp_path: Path) -> None:
    """Sessions come in time order, and the evidence of a present-state question too."""
    (life,) = agentlife.read(WORLDS["agentlife"](tmp_path)).collections
    assert [turn.session for turn in told(life)] == ["1", "1", "F1", "F1", "2", "2"]
    questions = asked(life)
    assert questions["Where do I live?"].latest == ("1", "2")
    assert (questions["My salary?"].probe, questions["Ok, thanks"].probe) == ("unanswerable", "small_talk")


def test_cosqa_is_read(tmp_path: Path) -> None:
    """A function is alone in its session; a question whose answer is not here has no evidence."""
    (functions,) = cosqa.read(WORLDS["cosqa"](tmp_path)).collections
    assert [turn.session for turn in told(functions)] == ["0", "1"]
    assert [each.relevant["turn"] for each in asked(functions).values()] == [{"session:0#1"}, frozenset()]


def test_sessions_are_asked_before_they_are_told(tmp_path: Path) -> None:
    """The first prompt that says something asks for earlier sessions on the same files; later ones never count."""
    (work,) = sessions.read(WORLDS["entire-sessions"](tmp_path)).collections
    order = [step.question.id if isinstance(step, Ask) else step.turns[0].session for step in work.steps]
    assert order[:5] == ["s1", "s2", "s3", "s3", "s4"]
    (question,) = asked(work).values()
    assert question.text == "the exporter writes csv without a header"
    assert question.relevant == {"session": {"s1"}}


@pytest.mark.parametrize(
    ("one", "other", "related"),
    [
        ({"a", "b"}, {"a", "b", "c", "d", "e", "f", "g", "h"}, True),
        ({"a"}, {"a", "b", "c"}, True),
        ({"a"}, {"a", "b", "c", "d"}, False),
        ({"hub"}, {"hub"}, False),
        ({"hub", "a"}, {"hub", "b"}, False),
        (set(), set(), False),
    ],
)
def test_related_sessions(one: set[str], other: set[str], related: bool) -> None:
    """Two files that are no hubs, or one and a third of all; a file that everyone touches says nothing."""
    assert sessions.alike(frozenset(one), frozenset(other), {"hub"}) is related


def test_learnings_are_read_and_measured(tmp_path: Path) -> None:
    """Sessions with transcripts beside their reference: coverage by words and names, junk, last words beside them."""
    folder = WORLDS["entire-sessions"](taught(tmp_path))
    made = run.report("entire-sessions", folder, ["lexical"], environment(tmp_path))
    figures = made["extraction"]
    assert (figures["sessions"], figures["facts"], figures["learnings"]) == (1, 1, 3)
    assert figures["token_recall"] > figures["last_words"]["token_recall"]
    assert figures["identifier_recall"] == 0.5
    assert figures["junk"] == 0.0
    assert "entire-sessions.extraction.junk" in {each["id"] for each in made["bars"]}


def test_supersede_is_read(tmp_path: Path) -> None:
    """Without a file of pairs the documents' own relations count; with one, each pair once."""
    folder = WORLDS["supersede"](tmp_path)
    assert supersede.read(folder).pairs == (("D-1", "D-2"),)
    (folder / "pairs.json").write_text('[["D-1", "D-2"], ["D-9", "D-1"]]')
    assert supersede.read(folder).pairs == (("D-1", "D-2"),)


@pytest.mark.parametrize("name", NAMES)
def test_every_set_is_measured_through_the_engine(name: str, tmp_path: Path) -> None:
    """The report has the contract's shape, the answer that words find comes first, and nothing leaves the folder."""
    (tmp_path / "data").mkdir()
    folder = WORLDS[name](tmp_path / "data")
    made = run.report(name, folder, ["lexical"], environment(tmp_path))
    assert set(made) >= {"dataset", "profiles", "bars"}
    assert made["dataset"] == name
    assert {"id", "value", "must", "beat", "met"} <= set().union(*made["bars"], {"id", "value", "must", "beat", "met"})
    figures = next(iter(made["profiles"].values()))
    assert figures["status"] == "ran"
    if name == "entire-anchors":
        assert (figures["stale_recall"], figures["false_alarms"]) == (1.0, 0.0)
    elif name == "mempalace-extraction":
        assert (figures["precision"], figures["recall"], figures["f1"]) == (1.0, 0.5, 0.6667)
        assert figures["by_category"]["commitment"]["recall"] == 0.0
    elif name == "security":
        assert (figures["by_category"]["memory_poison"]["recall"], figures["orders"]["twins"]) == (1.0, 0.0)
    else:
        assert figures["by_category"]
        assert set(figures["latency_ms"]) == {"p50", "p95"}
        assert figures["recall@20"] > 0
    json.dumps(made, allow_nan=False)


def environment(tmp_path: Path) -> dict[str, str]:
    """A user without an embedder."""
    config = tmp_path / "user" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("[embeddings]\nenabled = false\n")
    return {"LEARNT_CONFIG": str(config), "LEARNT_AGENT": "someone", "CLAUDECODE": "1", "HOME": str(tmp_path)}


def test_only_the_choice_of_models_is_taken_from_the_user(tmp_path: Path) -> None:
    """A user who switched learnt off, and runs as an agent, measures the same; their folders stay as they are."""
    user = environment(tmp_path)
    config = Path(user["LEARNT_CONFIG"])
    config.write_text("embeddings.enabled = false\n[memory]\nenabled = false\n[retrieval]\nrrf_k = 7\n")
    (tmp_path / "data").mkdir()
    made = run.report("cosqa", WORLDS["cosqa"](tmp_path / "data"), ["lexical"], user)
    assert made["profiles"]["lexical"]["recall@20"] == 1.0
    assert made["profiles"]["lexical"]["arms"]["dense"] == "off"
    assert [each.name for each in config.parent.iterdir()] == ["config.toml"]
    with subject.engine(user) as engine:
        assert engine.assembly.means.settings.retrieval.rrf_k == 7
        assert engine.assembly.means.context.person


def test_what_a_set_is_about_is_reported(tmp_path: Path) -> None:
    """Updates tell whether the new stands above the old; silence, present state and splits have their figures."""
    user = environment(tmp_path)
    for name in ("beam", "agentlife"):
        (tmp_path / name).mkdir()
    chats = run.report("beam", WORLDS["beam"](tmp_path / "beam"), ["lexical", "default"], user, calibration=True)
    found = chats["profiles"]["lexical"]
    assert found["pairs"] == 1
    assert found["by_split"]["100K"]["round"]["questions"] == 1
    assert found["abstention"]["unanswerable"]["questions"] == 1
    assert chats["profiles"]["default"]["status"] == "degraded"
    assert chats["profiles"]["default"]["reason"] == "dense: off"
    assert sum(each["hits"] for each in chats["calibration"]["lexical"]["bins"]) > 0
    life = run.report("agentlife", WORLDS["agentlife"](tmp_path / "agentlife"), ["lexical"], user)
    assert life["profiles"]["lexical"]["present_questions"] == 1
    assert set(life["profiles"]["lexical"]["abstention"]) == {"unanswerable", "small_talk"}


def test_a_profile_without_its_part_is_skipped(tmp_path: Path) -> None:
    """Without vectors `dense` is skipped with the reason, and no bar is held against it."""
    (tmp_path / "data").mkdir()
    folder = WORLDS["cosqa"](tmp_path / "data")
    made = run.report("cosqa", folder, ["dense", "default"], environment(tmp_path))
    assert made["profiles"]["dense"]["status"] == "skipped"
    assert "off" in made["profiles"]["dense"]["reason"]
    assert "mrr" not in made["profiles"]["dense"]
    assert [each["id"] for each in made["bars"]] == ["cosqa.mrr"]


def test_two_measurements_are_the_same(tmp_path: Path) -> None:
    """Everything but times comes out again."""
    (tmp_path / "data").mkdir()
    folder = WORLDS["locomo"](tmp_path / "data")
    first, second = (run.report("locomo", folder, ["lexical"], environment(tmp_path)) for _ in range(2))
    assert canonical(first) == canonical(second)


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_of_other_data_is_an_error(name: str, tmp_path: Path) -> None:
    """No folder, an empty one, and files that hold something else: an error of the caller's, never a crash."""
    with pytest.raises(UsageError):
        run.report(name, tmp_path / "missing", ["lexical"], {})
    with pytest.raises(UsageError):
        run.report(name, tmp_path, ["lexical"], {})
    rows = ("sessions", "queries", "codes", "docs", "anchors", "dataset", "labels")
    for content in ('{"id": 1}', "[1]", "nothing", "\xff"):
        for stem in rows:
            (tmp_path / f"{stem}.jsonl").write_text(content, encoding="latin-1")
        (tmp_path / "chat.json").write_text(content, encoding="latin-1")
        with pytest.raises(UsageError):
            run.report(name, tmp_path, ["lexical"], {})


def test_data_larger_than_memory_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is read, files that cannot fit are refused."""
    (tmp_path / "data").mkdir()
    folder = WORLDS["locomo"](tmp_path / "data")
    monkeypatch.setattr(files, "free_bytes", lambda: 1_000)
    with pytest.raises(UsageError) as caught:
        run.report("locomo", folder, ["lexical"], {})
    assert caught.value.error_code == "too_large"


def test_memory_that_runs_out_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When memory ends on the way, that is said, not crashed."""

    def exhausted(folder: Path) -> Any:
        raise MemoryError

    monkeypatch.setitem(SEARCHED, "locomo", exhausted)
    with pytest.raises(UsageError) as caught:
        run.report("locomo", tmp_path, ["lexical"], {})
    assert caught.value.error_code == "too_large"


def test_a_bug_is_not_called_bad_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error from anywhere but a reader is raised as it is."""

    def broken(*_: object, **__: object) -> Any:
        raise KeyError("ours")

    monkeypatch.setattr(run, "_searched", broken)
    (tmp_path / "data").mkdir()
    with pytest.raises(KeyError):
        run.report("locomo", WORLDS["locomo"](tmp_path / "data"), ["lexical"], {})


@pytest.mark.parametrize(("text", "profiles"), [("", ("default",)), ("lexical, dense,lexical", ("lexical", "dense"))])
def test_profiles_are_named_once(text: str, profiles: tuple[str, ...]) -> None:
    """A list of names; the default for none; an unknown one is an error."""
    assert run.profiles_of(text, ["default"]) == profiles
    with pytest.raises(UsageError):
        run.profiles_of("lexical,best", ["default"])


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(not SHARED.exists(), reason="the data sets are not beside this checkout")
@pytest.mark.parametrize("name", ["entire-anchors", "entire-sessions", "mempalace-extraction"])
def test_real_data_are_read_and_measured(name: str, tmp_path: Path) -> None:
    """The real files of two sets are understood, and every must by words alone is met."""
    made = run.report(name, SHARED / FOLDERS.get(name, name), ["lexical"], environment(tmp_path))
    assert all(each["met"] for each in made["bars"])
