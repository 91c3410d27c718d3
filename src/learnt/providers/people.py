"""Names of people, places and organisations, by the named-entity model of an optional package.

Nothing of it is imported before the first question, and then once: whoever asks meanwhile waits for the same load.
"""

from __future__ import annotations

from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MODEL: Final = "en_core_web_sm"
SCORE: Final = 0.85
"""The model tells no score of its own. A choice of ours: between a mail address and a phone number."""
_TYPES: Final = {"PERSON": "person", "GPE": "location", "LOC": "location", "FAC": "location", "ORG": "organization"}


def _load() -> Any:
    return import_module("spacy").load(MODEL, disable=["tagger", "parser", "lemmatizer", "attribute_ruler"])


class Names:
    """A detector of names. See `learnt.ports.people.People`."""

    def __init__(self, load: Callable[[], Any] = _load) -> None:
        """Makes a detector.

        Args:
            load: Gives the model: a callable from a text to something with `ents`, each with a `label_`.
        """
        self._load = load
        self._lock = Lock()
        self._model: Any = None

    def counts(self, texts: Sequence[str]) -> Mapping[str, tuple[int, float]]:
        """See `People`."""
        model = self._ready()
        found: dict[str, int] = {}
        for text in texts:
            for each in model(text).ents:
                if kind := _TYPES.get(each.label_):
                    found[kind] = found.get(kind, 0) + 1
        return {kind: (number, SCORE) for kind, number in found.items()}

    def _ready(self) -> Any:
        with self._lock:
            if self._model is None:
                try:
                    self._model = self._load()
                except (ImportError, OSError, ValueError) as error:
                    raise missing() from error
            return self._model


def missing() -> ConfigError:
    """The error about a detector that is not there: nothing is written while it is asked for."""
    return ConfigError(
        '`pii_detector` is "ner", and its model is not installed; nothing was stored.',
        code="ner_missing",
        hint=f'pip install "learnt[ner]" && python -m spacy download {MODEL}, or `[gate] pii_detector = "regex"`.',
    )
