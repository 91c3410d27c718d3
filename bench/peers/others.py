"""The other stores, each as its documentation shows it. Nothing is imported before it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bench.peers.child import K

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.peers.child import Vectors


class LangGraph:
    """SqliteStore of LangGraph with a vector index (sqlite-vec)."""

    leaves_out = "no gate, no events, no full text; vectors compared exactly"

    def __init__(self, room: Path, vectors: Vectors) -> None:
        def embed(texts: Sequence[str]) -> list[list[float]]:
            return [vectors.numbers(text) for text in texts]

        made = import_module("langgraph.store.sqlite").SqliteStore
        fields = {"fields": ["text"], "text_fields": ["text"]}  # the documented name, and the one this version reads
        index = {"dims": len(embed([""])[0]), "embed": embed, **fields}
        vectors.asked = vectors.missed = 0
        self._open = made.from_conn_string(str(room / "store.db"), index=index)
        self._store = self._open.__enter__()
        self._store.setup()

    def add(self, number: int, text: str) -> None:
        """One item in one namespace."""
        self._store.put(("memories",), str(number), {"text": text})

    def fill(self, texts: Sequence[str]) -> None:
        """Batches of its own operation."""
        put = import_module("langgraph.store.base").PutOp
        for first in range(0, len(texts), 500):
            part = enumerate(texts[first : first + 500], first)
            self._store.batch([put(("memories",), str(number), {"text": text}) for number, text in part])

    def settle(self) -> None:
        """Nothing is asked for."""

    def search(self, query: str) -> Sequence[int]:
        """By vector within the namespace."""
        return [int(item.key) for item in self._store.search(("memories",), query=query, limit=K)]


class Chroma:
    """A persistent collection of Chroma, cosine."""

    leaves_out = "no gate, no events, no ranking by words; vectors compared by an approximate index (HNSW)"

    def __init__(self, room: Path, vectors: Vectors) -> None:
        chroma = import_module("chromadb")

        class Shared(chroma.EmbeddingFunction):  # type: ignore[misc, name-defined]
            """The shared vectors, as Chroma asks for them."""

            def __init__(self) -> None:
                pass

            def __call__(self, input: Sequence[str]) -> Any:  # noqa: A002 - Chroma's name
                return [vectors.row(text) for text in input]

        settings = import_module("chromadb.config").Settings(anonymized_telemetry=False)
        client = chroma.PersistentClient(path=str(room / "chroma"), settings=settings)
        self._held = client.create_collection(
            "memories", embedding_function=Shared(), configuration={"hnsw": {"space": "cosine"}}
        )

    def add(self, number: int, text: str) -> None:
        """One document."""
        self._held.add(ids=[str(number)], documents=[text])

    def fill(self, texts: Sequence[str]) -> None:
        """Many documents at once."""
        for first in range(0, len(texts), 500):
            part = list(texts[first : first + 500])
            self._held.add(ids=[str(first + at) for at in range(len(part))], documents=part)

    def settle(self) -> None:
        """Nothing is asked for."""

    def search(self, query: str) -> Sequence[int]:
        """By vector."""
        return [int(name) for name in self._held.query(query_texts=[query], n_results=K)["ids"][0]]


class Lance:
    """A table of LanceDB without an index, as its documentation advises below 100,000 rows."""

    leaves_out = "no gate, no events, no full text unless an index is made; vectors compared exactly"

    def __init__(self, room: Path, vectors: Vectors) -> None:
        arrow = import_module("pyarrow")
        width = len(vectors.numbers(""))
        vectors.asked = vectors.missed = 0
        vector = arrow.field("vector", arrow.list_(arrow.float32(), width))
        fields = [arrow.field("number", arrow.int64()), arrow.field("text", arrow.string()), vector]
        database = import_module("lancedb").connect(str(room / "lance"))
        self._table = database.create_table("memories", schema=arrow.schema(fields))
        self._vectors = vectors

    def add(self, number: int, text: str) -> None:
        """One row; a new version of the table."""
        self._table.add([self._row(number, text)])

    def fill(self, texts: Sequence[str]) -> None:
        """Many rows at once."""
        if texts:
            self._table.add([self._row(number, text) for number, text in enumerate(texts)])

    def _row(self, number: int, text: str) -> dict[str, Any]:
        return {"number": number, "text": text, "vector": self._vectors.numbers(text)}

    def settle(self) -> None:
        """Small fragments are joined; the documentation asks for it after many writes."""
        self._table.optimize()

    def search(self, query: str) -> Sequence[int]:
        """By vector, cosine."""
        near = self._table.search(self._vectors.numbers(query)).distance_type("cosine").limit(K)
        return [row["number"] for row in near.select(["number"]).to_list()]
