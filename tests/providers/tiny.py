"""Tiny ONNX models, written byte by byte: an encoder and a cross-encoder over a vocabulary of a few words.

ONNX is a protocol buffer (onnx.proto3 of the ONNX project, operator set 11); a writer for the fields used here is
shorter than the library is large.
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FLOAT, INT64 = 1, 7
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
WORDS = ("cache", "lock", "test", "deploy", "key", "uses", "the", "run")


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(found) + bytes([number])


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value & (1 << 64) - 1)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def node(kind: str, inputs: Sequence[str], output: str, **attributes: int | Sequence[int]) -> bytes:
    """NodeProto: one operation."""
    parts = [_field(1, each) for each in inputs] + [_field(2, output), _field(4, kind)]
    for name, value in attributes.items():
        if isinstance(value, int):
            content = _field(3, value) + _field(20, 2)
        else:
            content = b"".join(_field(8, each) for each in value) + _field(20, 7)
        parts.append(_field(5, _field(1, name) + content))
    return b"".join(parts)


def tensor(name: str, rows: Sequence[Sequence[float]]) -> bytes:
    """TensorProto: a matrix of float32."""
    numbers = [number for row in rows for number in row]
    shape = _field(1, len(rows)) + _field(1, len(rows[0]))
    return shape + _field(2, FLOAT) + _field(8, name) + _field(9, struct.pack(f"<{len(numbers)}f", *numbers))


def value(name: str, kind: int, *shape: int | str) -> bytes:
    """ValueInfoProto: an input or output."""
    sizes = b"".join(_field(1, _field(1, each) if isinstance(each, int) else _field(2, each)) for each in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, sizes)))


def model(nodes: Sequence[bytes], weights: Sequence[bytes], inputs: Sequence[bytes], outputs: Sequence[bytes]) -> bytes:
    """ModelProto."""
    graph = b"".join(_field(1, each) for each in nodes) + _field(2, "tiny")
    graph += b"".join(_field(5, each) for each in weights)
    graph += b"".join(_field(11, each) for each in inputs) + b"".join(_field(12, each) for each in outputs)
    return _field(1, 6) + _field(8, _field(1, "") + _field(2, 11)) + _field(7, graph)


def table(size: int) -> list[list[float]]:
    """One row a token: words are the axes, control tokens are zero."""
    rows = [[0.0] * size for _ in SPECIAL]
    return rows + [[1.0 if place == axis else 0.0 for axis in range(size)] for place in range(len(WORDS))]


def encoder(folder: Path, rows: Sequence[Sequence[float]] | None = None, output: str = "last_hidden_state") -> Path:
    """A directory with an encoder that looks each token up in a table."""
    rows = rows or table(len(WORDS))
    content = model(
        [node("Gather", ["table", "input_ids"], output)],
        [tensor("table", rows)],
        [value("input_ids", INT64, "n", "s")],
        [value(output, FLOAT, "n", "s", len(rows[0]))],
    )
    return directory(folder, content)


def cross_encoder(folder: Path) -> Path:
    """A directory with a cross-encoder whose logit counts the words a query and a text share."""
    size = len(WORDS)
    nodes = [
        node("Gather", ["table", "input_ids"], "tokens"),
        node("Cast", ["token_type_ids"], "types", to=FLOAT),
        node("Unsqueeze", ["types"], "mask", axes=[2]),
        node("Mul", ["tokens", "mask"], "second"),
        node("ReduceSum", ["tokens"], "all", axes=[1], keepdims=0),
        node("ReduceSum", ["second"], "text", axes=[1], keepdims=0),
        node("Sub", ["all", "text"], "query"),
        node("Mul", ["query", "text"], "shared"),
        node("ReduceSum", ["shared"], "logits", axes=[1], keepdims=1),
    ]
    inputs = [value(name, INT64, "n", "s") for name in ("input_ids", "token_type_ids")]
    content = model(nodes, [tensor("table", table(size))], inputs, [value("logits", FLOAT, "n", 1)])
    return directory(folder, content)


def directory(folder: Path, content: bytes) -> Path:
    """model.onnx and tokenizer.json."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(content)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer()), "utf-8")
    return folder


def tokenizer() -> dict[str, object]:
    """Whole words between [CLS] and [SEP]; the second text of a pair has type 1."""
    vocabulary = {word: number for number, word in enumerate((*SPECIAL, *WORDS))}
    begin, end = ({"SpecialToken": {"id": name, "type_id": kind}} for name, kind in (("[CLS]", 0), ("[SEP]", 0)))
    first, second = ({"Sequence": {"id": name, "type_id": kind}} for name, kind in (("A", 0), ("B", 1)))
    control = {name: {"id": name, "ids": [vocabulary[name]], "tokens": [name]} for name in ("[CLS]", "[SEP]")}
    template = {"single": [begin, first, end], "pair": [begin, first, end, second, end], "special_tokens": control}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {"type": "TemplateProcessing", **template},
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    }
