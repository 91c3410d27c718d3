"""Embeddings that have a price: in the ledger, under the caps, and no recall depends on them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from learnt.bootstrap import Home
from learnt.engine import Engine
from tests.providers.server import Asked, Reply, Server, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def _vectors(asked: Asked) -> Reply:
    texts = asked.body["input"]
    return Reply({"data": [{"index": at, "embedding": [1.0, float(len(text)), 0.5]} for at, text in enumerate(texts)]})


@pytest.fixture
def server() -> Iterator[Server]:
    """Vectors of three numbers."""
    with serving(_vectors) as found:
        yield found


def _home(tmp_path: Path, server: Server, caps: str, price: float = 0.02) -> Home:
    (tmp_path / "repo").mkdir(exist_ok=True)
    config = tmp_path / "config.toml"
    embeddings = f'[embeddings]\nprovider = "openai"\nurl = "{server.url}"\nmodel = "e"\nprice_usd = {price}\n'
    config.write_text(f"{embeddings}\n[models.caps]\n{caps}\n", encoding="utf-8")
    data = str(tmp_path / "data")
    return Home({"HOME": str(tmp_path), "LEARNT_HOME": data, "LEARNT_CONFIG": str(config)})


def _used(engine: Engine) -> tuple[Any, ...]:
    engine.remember("This repository uses bun for its tests.", kind="repo_convention")
    ranking = engine.recall("how are tests run here")
    account = engine.account(50)
    return ranking, account, [each for each in account.latest if each.purpose == "embedding"]


def test_what_is_embedded_is_paid_for(tmp_path: Path, server: Server) -> None:
    """Stored texts and questions, each request once, settled; the vector is searched."""
    with Engine.open(tmp_path / "repo", home=_home(tmp_path, server, "day_usd = 1")) as engine:
        ranking, account, charges = _used(engine)
        assert ranking.diagnostics["arms"]["dense"] == "ran"
        assert len(charges) == len(server.asked) > 1
        assert {(each.status, each.provider, each.model, each.fault) for each in charges} == {
            ("settled", "openai", "e", "")
        }
        assert account.spent["day"].cost_nano_usd == sum(each.cost_nano_usd for each in charges) > 0
        asked = len(server.asked)
        engine.recall("how are tests run here")
        assert len(server.asked) == asked
        engine.reembed()
        engine.search("bun")
        assert len(engine.account(50).latest) == len(server.asked)


@pytest.mark.parametrize("caps", ["", "day_usd = 0", "day_tokens = 100000", "day_usd = 0.0000001"])
def test_without_room_nothing_is_sent(tmp_path: Path, server: Server, caps: str) -> None:
    """Nothing is lost: the memory is written and found by its words; the answer says which arm did not run."""
    with Engine.open(tmp_path / "repo", home=_home(tmp_path, server, caps)) as engine:
        ranking, account, charges = _used(engine)
        assert (server.asked, charges) == ([], [])
        assert [hit.memory.text for hit in ranking.hits] == ["This repository uses bun for its tests."]
        assert "cap" in json.dumps(ranking.diagnostics["arms"])
        assert account.spent["month"].charges == 0


def test_what_has_no_price_is_not_counted(tmp_path: Path, server: Server) -> None:
    """A server of one's own costs nothing and needs no cap."""
    with Engine.open(tmp_path / "repo", home=_home(tmp_path, server, "", price=0)) as engine:
        ranking, _, charges = _used(engine)
        assert ranking.diagnostics["arms"]["dense"] == "ran"
        assert charges == []
        assert server.asked


def _reranked(asked: Asked) -> Reply:
    if "documents" not in asked.body:
        return _vectors(asked)
    many = len(asked.body["documents"])
    return Reply({"results": [{"index": at, "relevance_score": 0.5} for at in range(many)]})


@pytest.mark.parametrize(
    ("caps", "word"), [("day_usd = 1", "ran"), ("", "failed: cap"), ("day_usd = 0", "failed: cap")]
)
def test_reranking_is_paid_for_too(tmp_path: Path, caps: str, word: str) -> None:
    """In the ledger like vectors; without room nothing is sent, and the order stays."""
    with serving(_reranked) as server:
        home = _home(tmp_path, server, caps, price=0)
        rerank = f'rerank = true\nrerank_provider = "cohere"\nrerank_url = "{server.url}"\nrerank_model = "r"\n'
        with home.config_file.open("a", encoding="utf-8") as file:
            file.write(f"[retrieval]\n{rerank}rerank_price_usd = 2.0\nlatency_budget_ms = 10000\n")
        with Engine.open(tmp_path / "repo", home=home) as engine:
            engine.remember("This repository uses bun for its tests.", kind="repo_convention")
            ranking = engine.recall("how are tests run here", profile="hybrid+rerank")
            charges = engine.account(50).latest
        assert f'"rerank": "{word}"' in json.dumps(ranking.diagnostics["arms"])
        assert len(ranking.hits) == 1
        sent = [each for each in server.asked if "documents" in each.body]
        assert len(sent) == len(charges) == (1 if word == "ran" else 0)
        assert all(
            (each.purpose, each.provider, each.model) == ("reranking", "cohere", "r") and each.cost_nano_usd > 0
            for each in charges
        )
