"""The models of one engine: made once for all its repositories, loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.ports.embedder import Absent
from learnt.providers.cache import CachingEmbedder
from learnt.providers.choose import embedder_of, reranker_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.writer import NamedModel
    from learnt.ports.embedder import Embedder, Reranker
    from learnt.ports.ledger import Meter
    from learnt.ports.writer import Fulfilled, Sampler, Unwritten, Writer
    from learnt.settings import EmbeddingSettings, RetrievalSettings, Settings

    Asked = tuple[Embedder | Absent, Embedder | Absent]


class Models:
    """What the settings of a repository ask for; repositories with the same settings share a model.

    Attributes:
        sampler: The client that lends its model, while one is connected.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.sampler: Sampler | None = None
        self._embedders: dict[EmbeddingSettings, Asked] = {}
        self._rerankers: dict[tuple[RetrievalSettings, int], Reranker | Absent] = {}

    def embedders(self, settings: Settings, meter: Meter | None = None) -> Asked:
        """The embedder of stored texts, and the one of queries, which remembers recent ones.

        Args:
            meter: Where one that has a price is charged.
        """
        wanted = settings.embeddings
        if wanted not in self._embedders:
            made = embedder_of(settings, self._environment)
            if meter is not None and not isinstance(made, Absent):
                from learnt.providers.metered import MeteredEmbedder

                made = MeteredEmbedder(made, meter)
            asking = made if isinstance(made, Absent) else CachingEmbedder(made, wanted.cache_size)
            self._embedders[wanted] = (made, asking)
        return self._embedders[wanted]

    def reranker(self, settings: Settings, meter: Meter | None = None) -> Reranker | Absent:
        """What reads query and text together.

        Args:
            meter: Where one that has a price is charged.
        """
        wanted = (settings.retrieval, settings.embeddings.threads)
        if wanted not in self._rerankers:
            made = reranker_of(settings, self._environment)
            if meter is not None and not isinstance(made, Absent):
                from learnt.providers.metered import MeteredReranker

                made = MeteredReranker(made, meter)
            self._rerankers[wanted] = made
        return self._rerankers[wanted]

    def writer(self, named: NamedModel, meter: Meter) -> Writer | Unwritten:
        """The writer of a model that a person named, or why it cannot be asked. Nothing of it is imported before."""
        from learnt.ports.writer import Unwritten
        from learnt.providers.writers.choose import model_of
        from learnt.providers.writers.write import ModelWriter

        model = model_of(named, self._environment, self.sampler)
        if isinstance(model, Unwritten):
            return model
        return ModelWriter(model, meter, named.context_tokens or None, named.max_output_tokens)

    def trial(self, named: NamedModel, meter: Meter) -> Fulfilled:
        """What a model answers to the smallest task there is; that is to be paid.

        Raises:
            ProviderError: It does not answer, or not in the form that is asked for.
        """
        from learnt.errors import ProviderError
        from learnt.ports.writer import Unwritten
        from learnt.providers.writers.trial import task

        writer = self.writer(named, meter)
        if isinstance(writer, Unwritten):
            raise ProviderError(f"It cannot be asked: {writer.reason}.", code="unusable")
        return writer.write(task())

    def look(self, named: NamedModel) -> str:
        """What answers where a model is said to be; the model itself is asked nothing.

        Raises:
            ProviderError: Nobody does.
        """
        from learnt.errors import ProviderError
        from learnt.ports.writer import Unwritten
        from learnt.providers.writers.choose import model_of

        model = model_of(named, self._environment, self.sampler)
        if isinstance(model, Unwritten):
            raise ProviderError(f"It cannot be asked: {model.reason}.", code="unusable")
        return model.check()
