"""Ground truth from outside the project, where it is at hand (`LEARNT_SHARED`, else `shared` beside the checkout)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt.capture.digest import digest
from learnt.wire.digest import digest as as_json

if TYPE_CHECKING:
    from learnt.hosts.host import Reader

SHARED = Path(os.environ.get("LEARNT_SHARED") or Path(__file__).resolve().parents[3] / "shared")
MISSING = "the transcript samples are not at hand (LEARNT_SHARED)"


def samples(host: str) -> Path:
    """The folder of a host's samples."""
    return SHARED / "reference" / "samples" / host


def expected(host: str) -> list[tuple[str, dict[str, Any]]]:
    """The ground truth, one entry a session; none where the samples are not at hand."""
    path = samples(host) / "expected.json"
    return sorted(json.loads(path.read_text("utf-8")).items()) if path.is_file() else []


def told(reader: Reader) -> dict[str, Any]:
    """The full digest of a session in the shape of the ground truth."""
    shape = as_json(digest(reader, lambda text: text, full=True))
    return {**shape["session"], "failed_commands": shape["failed_commands"], "failed_tools": shape["failed_tools"]}


def compare(found: dict[str, Any], truth: dict[str, Any], *exempt: str) -> None:
    """Every value of the ground truth but remarks (`notes`) and the keys that the file does not hold."""
    for kind in ("failed_commands", "failed_tools"):
        assert len(found[kind]) == len(truth[kind]), (kind, found[kind])
        for entry, wanted in zip(found[kind], truth[kind], strict=True):
            for key, value in wanted.items():
                field = key.removesuffix("_contains")
                assert value in entry[field] if field != key else entry[field] == value, (kind, entry)
    for key in truth.keys() - {"notes", "failed_commands", "failed_tools", *exempt}:
        assert found[key] == truth[key], key
