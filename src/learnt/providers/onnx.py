"""An ONNX transformer with its tokenizer, run by onnxruntime on the CPU."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from learnt.errors import ProviderError
from learnt.providers.faults import broken, stopped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

BATCH = 8
BATCH_TOKENS = 512
"""Texts, and tokens with padding, in one run. Source: measured on the local model: 25 tokens cost 8 ms alone, 6 ms in
eights; 256 tokens cost the same alone and in eights, which take 50 MB more."""

CONFIGURATION = ("config.json", "sentence_bert_config.json", "1_Pooling/config.json")
"""Files of a model's directory that say how it is to be used, as sentence-transformers writes them."""

_MOST_CONFIG_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Network:
    """A loaded model: session, tokenizer, the names of its inputs and of the output to read."""

    session: Any
    tokenizer: Any
    inputs: frozenset[str]
    output: str

    def run(self, encodings: Sequence[Any]) -> tuple[Any, Any]:
        """The output (first axis: the texts) and the attention mask (n, tokens), both numpy.

        Raises:
            ProviderError: `model_failed`.
        """
        import numpy as np

        shape = (len(encodings), max(len(each.ids) for each in encodings))
        ids, mask, types = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        for place, each in enumerate(encodings):
            length = len(each.ids)
            ids[place, :length] = each.ids
            mask[place, :length] = 1
            types[place, :length] = each.type_ids
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        try:
            found = self.session.run([self.output], {name: feed[name] for name in feed if name in self.inputs})
        except Exception as error:  # onnxruntime's own exceptions have no base but this
            raise stopped(error) from error
        return found[0], mask


def batches(encodings: Mapping[int, Any]) -> Iterator[tuple[int, ...]]:
    """The keys of encodings, those of like length together, at most `BATCH` and `BATCH_TOKENS` (or one text) a time."""
    batch: list[int] = []
    for place in sorted(encodings, key=lambda each: len(encodings[each].ids)):
        if len(batch) == BATCH or (len(batch) + 1) * len(encodings[place].ids) > BATCH_TOKENS:
            if batch:
                yield tuple(batch)
            batch = []
        batch.append(place)
    if batch:
        yield tuple(batch)


def network(model: Path, tokenizer: Any, threads: int, outputs: Sequence[str]) -> Network:
    """A session over a model's file; from its bytes a session would keep those too, 23 MB.

    Args:
        outputs: Names of the output to read, best first; the model's first one when it has none of them.

    Raises:
        ProviderError: onnxruntime does not start here, or cannot read the model.
    """
    runtime = _runtime()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.log_severity_level = 4
    try:
        session = runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own exceptions have no base but this
        raise broken("The model file cannot be loaded.", error) from error
    _give_back()
    inputs = frozenset(each.name for each in session.get_inputs())
    if "input_ids" not in inputs or not inputs <= {"input_ids", "attention_mask", "token_type_ids"}:
        raise broken(f"The model wants other inputs than a text encoder: {', '.join(sorted(inputs))[:200]}.")
    names = [each.name for each in session.get_outputs()]
    return Network(session, tokenizer, inputs, next((each for each in outputs if each in names), names[0]))


def _runtime() -> Any:
    """onnxruntime, kept from reporting.

    Its published builds send usage events to their maker, and write a device id into the user's cache folder, unless
    this variable is set before it starts (its Privacy.md). The second call is for programs that had imported it before.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime

        onnxruntime.disable_telemetry_events()
    except (ImportError, OSError) as error:
        raise ProviderError(
            "onnxruntime does not start here.",
            code="no_runtime",
            hint='Install the extra: pip install "learnt[local]".',
        ) from error
    return onnxruntime


def _give_back() -> None:
    """Return to the system what loading used and glibc keeps. Source: measured, 65 of 205 MB for the local model."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def tokenizer_in(folder: Path, most_tokens: int) -> Any:
    """The tokenizer of `tokenizer.json`, cutting at `most_tokens`.

    Raises:
        ProviderError: No such file, or it cannot be read.
    """
    path = existing(folder, "tokenizer.json")
    try:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(path.read_text("utf-8"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(most_tokens)
    except Exception as error:  # tokenizers raises plain Exception
        raise broken("The tokenizer cannot be loaded.", error) from error
    return tokenizer


def existing(folder: Path, *names: str) -> Path:
    """The first of some files that is in a folder.

    Raises:
        ProviderError: None is.
    """
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise ProviderError(
        f"There is no {names[0]} in {folder}.", code="model_missing", hint="Correct the path of the model's directory."
    )


def facts_of(folder: Path, name: str) -> dict[str, Any]:
    """What a JSON file of the model's directory says; empty when there is none.

    Raises:
        ProviderError: It is no JSON object, or larger than 1 MB.
    """
    path = folder / name
    try:
        if path.stat().st_size > _MOST_CONFIG_BYTES:
            raise broken(f"{name} is too large.")
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise broken(f"{name} cannot be read.", error) from error
    if not isinstance(found, dict):
        raise broken(f"{name} is no JSON object.")
    return found


def whole(facts: dict[str, Any], key: str, default: int, most: int) -> int:
    """A positive whole number of `facts`, at most `most`; `default` when it is missing or no such number."""
    value = facts.get(key)
    return min(value, most) if isinstance(value, int) and not isinstance(value, bool) and value > 0 else default


def named(folder: Path, model: Path) -> str:
    """`directory@mark`: the mark is of everything that decides what the model gives.

    That is the model, its weights beside it (`model.onnx_data`), the tokenizer, and the configuration read here.
    """
    weights = sorted(each for each in model.parent.iterdir() if each.name.startswith(model.name) and each.is_file())
    others = (folder / name for name in ("tokenizer.json", *CONFIGURATION))
    digests = "".join(digest(each) if each.is_file() else "-" for each in (*weights, *others))
    return f"{folder.name}@{hashlib.sha256(digests.encode()).hexdigest()[:12]}"


def digest(path: Path) -> str:
    """The sha256 of a file, in hex.

    Raises:
        ProviderError: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise broken(f"{path.name} cannot be read.", error) from error
