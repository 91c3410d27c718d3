"""A user's ONNX directory as embedder."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from learnt.errors import EmbedderError
from learnt.providers.local import directory
from learnt.testing.embedders import cosine, numbers
from tests.providers import tiny

pytest.importorskip("onnxruntime", reason="needs the extra `local`")
pytest.importorskip("tokenizers", reason="needs the extra `local`")


def _code(folder: Path) -> str:
    with pytest.raises(EmbedderError) as caught:
        directory(folder).embed(["lock"])
    return caught.value.error_code


def test_tokens_are_averaged(tmp_path: Path) -> None:
    """The mean of the tokens, normalised: two words alike in weight, and a text's likeness by shared words."""
    embedder = directory(tiny.encoder(tmp_path / "tiny"))
    both, cache, lock = embedder.embed(["cache lock", "cache", "lock"])
    assert both is not None
    assert cache is not None
    assert lock is not None
    assert embedder.dimension == len(tiny.WORDS)
    assert numbers(both)[:3] == pytest.approx([math.sqrt(0.5), math.sqrt(0.5), 0])
    assert cosine(cache, lock) == 0


def test_the_version_is_the_content(tmp_path: Path) -> None:
    """Directory, hash of model and tokenizer, dimension: other weights in the same place are another version."""
    embedder = directory(tiny.encoder(tmp_path / "tiny"))
    rows = [[2 * number for number in row] for row in tiny.table(len(tiny.WORDS))]
    before = embedder.version
    assert before.startswith("tiny@")
    assert before.endswith(":8")
    assert directory(tiny.encoder(tmp_path / "tiny", rows)).version != before


def test_weights_beside_the_model_count(tmp_path: Path) -> None:
    """Weights in a second file and the configuration change the version, other files do not."""
    folder = tiny.encoder(tmp_path / "tiny")
    before = directory(folder).version
    (folder / "README.md").write_text("other", "utf-8")
    assert directory(folder).version == before
    (folder / "model.onnx_data").write_bytes(b"1")
    after = directory(folder).version
    (folder / "config.json").write_text("{}", "utf-8")
    assert len({before, after, directory(folder).version}) == 3


def test_the_usual_layout_with_a_folder_for_the_model(tmp_path: Path) -> None:
    """`onnx/model.onnx`, as published models have it."""
    folder = tiny.encoder(tmp_path / "tiny")
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    assert directory(folder).embed(["lock"])[0] is not None


def test_a_text_without_direction_has_no_vector(tmp_path: Path) -> None:
    """A text of unknown words only is all zeros here: None, and its neighbours keep theirs."""
    found = directory(tiny.encoder(tmp_path / "tiny")).embed(["cache", "zebra", "lock"])
    assert [each is None for each in found] == [False, True, False]


def test_nan_weights_give_no_vector(tmp_path: Path) -> None:
    """A damaged row of weights spoils the texts that use it, and no other."""
    rows = tiny.table(len(tiny.WORDS))
    rows[len(tiny.SPECIAL)][0] = math.nan
    found = directory(tiny.encoder(tmp_path / "tiny", rows)).embed(["cache", "lock"])
    assert [each is None for each in found] == [True, False]


def test_the_first_token_counts_where_the_directory_says_so(tmp_path: Path) -> None:
    """`1_Pooling/config.json` with the first token: here [CLS], whose row is set to the last word's."""
    rows = tiny.table(len(tiny.WORDS))
    rows[2] = rows[-1]
    folder = tiny.encoder(tmp_path / "tiny", rows)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}', "utf-8")
    found, run = directory(folder).embed(["cache", "run"])
    assert found == run


def test_a_pooling_we_lack_is_refused(tmp_path: Path) -> None:
    """Vectors pooled otherwise than the model was trained would be silently bad."""
    folder = tiny.encoder(tmp_path / "tiny")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_max_tokens": true}', "utf-8")
    assert _code(folder) == "model_broken"


def test_texts_are_cut_where_the_directory_says(tmp_path: Path) -> None:
    """`max_seq_length` counts control tokens."""
    folder = tiny.encoder(tmp_path / "tiny")
    (folder / "config.json").write_text('{"max_position_embeddings": 512}', "utf-8")
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 4}', "utf-8")
    cut, same = directory(folder).embed(["cache lock test", "cache lock"])
    assert cut == same


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_said(missing: str, tmp_path: Path) -> None:
    """No model or no tokenizer: `model_missing`."""
    folder = tiny.encoder(tmp_path / "tiny")
    (folder / missing).unlink()
    assert _code(folder) == "model_missing"


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "config.json", "1_Pooling/config.json"])
@pytest.mark.parametrize("content", [b"", b"\x00\xff", b"[1]", b"[" * 100_000])
def test_a_damaged_file_is_said(name: str, content: bytes, tmp_path: Path) -> None:
    """Empty, binary, another shape, nested without end: `model_broken`, never another exception."""
    folder = tiny.encoder(tmp_path / "tiny")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(content)
    assert _code(folder) == "model_broken"


def test_a_model_that_is_no_text_encoder_is_refused(tmp_path: Path) -> None:
    """Inputs other than a text encoder's: `model_broken`, and the message names them."""
    content = tiny.model(
        [tiny.node("Identity", ["pixels"], "out")],
        [],
        [tiny.value("pixels", tiny.FLOAT, "n", 3)],
        [tiny.value("out", tiny.FLOAT, "n", 3)],
    )
    with pytest.raises(EmbedderError, match="pixels") as caught:
        directory(tiny.directory(tmp_path / "tiny", content)).embed(["lock"])
    assert caught.value.error_code == "model_broken"


def test_a_token_beyond_the_table_stops_the_model_and_nothing_else(tmp_path: Path) -> None:
    """A tokenizer of another model: `model_failed`, with the runtime's words in the details."""
    folder = tiny.encoder(tmp_path / "tiny")
    told = tiny.tokenizer()
    told["model"]["vocab"]["lock"] = 10_000  # type: ignore[index]
    (folder / "tokenizer.json").write_text(json.dumps(told), "utf-8")
    embedder = directory(folder)
    assert embedder.embed(["cache"])[0] is not None
    with pytest.raises(EmbedderError) as caught:
        embedder.embed(["lock"])
    assert caught.value.error_code == "model_failed"
