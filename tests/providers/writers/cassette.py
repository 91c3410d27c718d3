"""Real answers of providers, recorded once and replayed: what a model really says, without the model.

A cassette is a JSON file: provider and model, what was asked (`name` of the task), each exchange with its server, and
what came of it (`value`, or `code` of the error). No header of a request is kept, of a response only those that say
something of limits; the key is struck out wherever it stands. Recorded like this, with the key in a variable:

    python -m tests.providers.writers.cassette openai https://api.openai.com/v1 MODEL KEY_VARIABLE FILE

and replayed by `LEARNT_CASSETTES=FOLDER pytest tests/providers/writers`.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from learnt.errors import ProviderError
from learnt.model.writer import NamedModel, Provider
from learnt.ports.writer import Unwritten
from learnt.providers.writers.choose import model_of
from learnt.providers.writers.write import ModelWriter
from tests.providers.server import Asked, Reply, serving
from tests.providers.writers.scene import TASK, Counting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.ports.writer import Task

STRUCK = "[key]"
TIMEOUT_S = 120
_HOP = {"connection", "content-length", "transfer-encoding", "content-encoding", "date", "server"}


@dataclass
class Cassette:
    """What was asked of one model, what its server said, and what came of it."""

    provider: Provider
    model: str
    name: str = ""
    exchanges: list[dict[str, Any]] = field(default_factory=list)
    value: Any = None
    code: str = ""

    @classmethod
    def load(cls, path: Path) -> Cassette:
        """From its file."""
        return cls(**json.loads(path.read_text("utf-8")))

    def save(self, path: Path, key: str) -> None:
        """Into its file, without the key."""
        text = json.dumps(vars(self), ensure_ascii=False, indent=1)
        path.write_text(text.replace(key, STRUCK) if key else text, encoding="utf-8")


def run(cassette: Cassette, url: str, key: str, task: Task = TASK) -> Cassette:
    """Let a model at `url` write; the cassette tells what came of it."""
    named = NamedModel(
        name="it",
        provider=cassette.provider,
        model=cassette.model,
        url=url,
        key_variable="KEY" if key else "",
        timeout_ms=TIMEOUT_S * 1000,
    )
    model = model_of(named, {"KEY": key})
    assert not isinstance(model, Unwritten)
    cassette.name = task.name
    try:
        cassette.value, cassette.code = ModelWriter(model, Counting()).write(task).value, ""
    except ProviderError as error:
        cassette.value, cassette.code = None, error.error_code
    return cassette


def record(cassette: Cassette, url: str, key: str, task: Task = TASK) -> Cassette:
    """The same through a server of ours on loopback, which hands everything on and writes it down."""

    def forward(asked: Asked) -> Reply:
        reply = _forwarded(asked, url)
        told = {name: text for name, text in reply.headers.items() if "ratelimit" in name or name == "retry-after"}
        answer = {"status": reply.status, "headers": told, "body": reply.bytes.decode("utf-8", "replace")}
        cassette.exchanges.append({"path": asked.path, "body": asked.body, "answer": answer})
        return reply

    with serving(forward) as server:
        return run(cassette, server.url, key, task)


def _forwarded(asked: Asked, url: str) -> Reply:
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=TIMEOUT_S)
    try:
        kept = {name: text for name, text in asked.headers.items() if name.lower() not in {*_HOP, "host"}}
        kept["Accept-Encoding"] = "identity"
        content = None if asked.body is None else json.dumps(asked.body)
        connection.request(asked.method, parts.path.rstrip("/") + asked.path, content, kept)
        answer = connection.getresponse()
        headers = {name.lower(): text for name, text in answer.getheaders() if name.lower() not in _HOP}
        return Reply(answer.read(), answer.status, headers)
    finally:
        connection.close()


@contextmanager
def playing(cassette: Cassette) -> Iterator[str]:
    """A server that says again what was recorded; its URL."""
    answers = [each["answer"] for each in cassette.exchanges]
    replies = [Reply(each["body"].encode(), each["status"], {**each["headers"]}) for each in answers]
    with serving(replies) as server:
        yield server.url


def replayed(cassette: Cassette) -> Cassette:
    """What comes of the recorded answers now."""
    with playing(cassette) as url:
        return run(Cassette(cassette.provider, cassette.model), url, "")


if __name__ == "__main__":
    provider, address, wanted, variable, target = sys.argv[1:]
    held = os.environ.get(variable, "")
    made = record(Cassette(provider, wanted), address, held)  # type: ignore[arg-type]
    made.save(Path(target), held)
    sys.stdout.write(f"{len(made.exchanges)} exchanges, {made.code or 'a value'}: {target}\n")
