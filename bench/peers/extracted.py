"""mem0 without a language model (`infer=False`), on the local Qdrant it has by default."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import md5
from importlib import import_module
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from bench.peers.child import K

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.peers.child import Vectors

_WHOSE = "bench"


class Shared:
    """The shared vectors, under the methods mem0 asks an embedder for; made by its factory."""

    vectors: Vectors

    def __init__(self, config: Any) -> None:
        self.config = config

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Looked up, whatever it is for."""
        del memory_action
        return self.vectors.numbers(text)

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[list[float]]:
        """The same for several."""
        return [self.embed(text, memory_action) for text in texts]


class NoModel:
    """Stands where mem0 wants a language model; nothing here may ask one."""

    def __init__(self, config: Any) -> None:
        self.config = config

    def generate_response(self, *given: Any, **named: Any) -> str:
        """Never called with `infer=False`."""
        raise RuntimeError(f"a language model was asked: {given!r} {named!r}"[:200])


class Mem0:
    """`Memory.add` and `Memory.search` of one user."""

    leaves_out = "no gate, no full text (it wants a downloaded model for that); a history row each; exact vectors"

    def __init__(self, room: Path, vectors: Vectors) -> None:
        factory = import_module("mem0.utils.factory")
        Shared.vectors = vectors
        factory.EmbedderFactory.provider_to_class["ollama"] = f"{__name__}.Shared"
        base = import_module("mem0.configs.llms.base").BaseLlmConfig
        factory.LlmFactory.provider_to_class["langchain"] = (f"{__name__}.NoModel", base)
        width = len(vectors.numbers(""))
        vectors.asked = vectors.missed = 0
        store = {"path": str(room / "qdrant"), "on_disk": True, "embedding_model_dims": width}
        configuration = {
            "vector_store": {"provider": "qdrant", "config": store},
            "embedder": {"provider": "ollama", "config": {}},
            "llm": {"provider": "langchain", "config": {}},
            "history_db_path": str(room / "history.db"),
        }
        self._memory = import_module("mem0").Memory.from_config(configuration)

    def add(self, number: int, text: str) -> None:
        """As it is, with its number beside it."""
        self._memory.add(text, user_id=_WHOSE, metadata={"number": number}, infer=False)

    def fill(self, texts: Sequence[str]) -> None:
        """Into its vector store, with what `add` would have written there; `add` itself takes one at a time."""
        now = datetime.now(UTC).isoformat()
        rows = [
            {"data": text, "hash": md5(text.encode()).hexdigest(), "user_id": _WHOSE, "number": number}  # noqa: S324
            for number, text in enumerate(texts)
        ]
        self._memory.vector_store.insert(
            vectors=[Shared.vectors.numbers(text) for text in texts],
            payloads=[row | {"created_at": now, "updated_at": now} for row in rows],
            ids=[str(uuid4()) for _ in texts],
        )

    def settle(self) -> None:
        """Nothing is asked for."""

    def search(self, query: str) -> Sequence[int]:
        """Of this user, above mem0's own threshold."""
        found = self._memory.search(query, filters={"user_id": _WHOSE}, top_k=K)
        return [row["metadata"]["number"] for row in found["results"]]
