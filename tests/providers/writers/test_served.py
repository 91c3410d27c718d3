"""Models behind a URL: what is sent, and every way in which an answer is none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from learnt.errors import ProviderError
from learnt.model.writer import Provider
from tests.providers.server import Asked, Reply, serving
from tests.providers.writers.scene import GOOD, KEY, SCHEMA, SERVED, TASK, Counting, said, writer

TEXT = json.dumps(GOOD)
served = pytest.mark.parametrize("provider", SERVED)


def _failing(provider: Provider, url: str, meter: Counting | None = None, **given: Any) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        writer(provider, url, meter, **given).write(TASK)
    told = f"{caught.value!r} {caught.value.details} {caught.value.advice}"
    assert KEY not in told
    assert "session" not in told
    assert "Uses bun" not in told
    return caught.value


@served
def test_an_answer_that_meets_the_schema(provider: Provider) -> None:
    """One request; value, name, tokens and cost come out, and the ledger has them."""
    meter = Counting()
    with serving([said(provider, TEXT)]) as server:
        found = writer(provider, server.url, meter).write(TASK)
    assert found.value == GOOD
    assert found.writer == f"{provider}:m"
    assert (found.input_tokens, found.output_tokens, found.cost_usd) == (100, 20, 0.00014)
    assert [(each.input_tokens, each.output_tokens, each.cost_nano_usd) for each in meter.settled] == [
        (100, 20, 140_000)
    ]
    assert len(server.asked) == len(meter.reserved) == 1


@served
def test_the_system_prompt_goes_as_one(provider: Provider) -> None:
    """Never inside the person's turn; the material stands there alone."""
    with serving([said(provider, TEXT)]) as server:
        writer(provider, server.url).write(TASK)
    body = server.asked[0].body
    turns = body.get("messages") or body["input"]
    assert {"role": "user", "content": TASK.material} in turns
    system = body.get("system") or body.get("instructions") or turns[0]["content"]
    assert system == TASK.system
    assert not [each for each in turns if each["role"] == "user" and TASK.system in each["content"]]


@served
def test_the_schema_is_sent_without_what_strict_modes_refuse(provider: Provider) -> None:
    """Bounds are checked here; names, types and `additionalProperties` are the provider's to keep too."""
    with serving([said(provider, TEXT)]) as server:
        writer(provider, server.url).write(TASK)
    sent = json.dumps(server.asked[0].body)
    assert "additionalProperties" in sent
    assert "maxItems" not in sent
    assert "maxLength" not in sent
    assert "effort" not in sent


def test_keys_go_where_each_provider_looks_for_them() -> None:
    """A bearer token, or Anthropic's header with a version."""
    for provider in SERVED:
        with serving([said(provider, TEXT)]) as server:
            writer(provider, server.url).write(TASK)
        headers = {name.lower(): text for name, text in server.asked[0].headers.items()}
        if provider == "anthropic":
            assert (headers["x-api-key"], headers["anthropic-version"]) == (KEY, "2023-06-01")
            assert "authorization" not in headers
        else:
            assert headers["authorization"] == f"Bearer {KEY}"


@served
@pytest.mark.parametrize(
    "around",
    ["Sure, here it is:\n{}\nAnything else?", "```json\n{}\n```", "<think>{{maybe}}</think>{}", "  {}\n\n{{}}"],
)
def test_prose_around_the_object_is_taken_off(provider: Provider, around: str) -> None:
    """One request all the same."""
    with serving([said(provider, around.format(TEXT))]) as server:
        assert writer(provider, server.url).write(TASK).value == GOOD
    assert len(server.asked) == 1


BAD: list[Any] = [
    "",
    "I have nothing to say.",
    "[1, 2]",
    '{"title": "Uses bun", "slug": nul',
    json.dumps({**GOOD, "extra": 1}),
    json.dumps({"title": "Uses bun"}),
    json.dumps({**GOOD, "facts": [{"text": "bun", "speaker": "god"}]}),
    json.dumps({**GOOD, "facts": GOOD["facts"] * 4}),
    json.dumps({**GOOD, "title": 7}),
    json.dumps({**GOOD, "title": "x" * 41}),
    json.dumps({**GOOD, "title": float("nan")}),
    "[" * 100_000,
]


@served
@pytest.mark.parametrize("bad", BAD, ids=range(len(BAD)))
def test_a_bad_answer_is_repaired_once(provider: Provider, bad: str) -> None:
    """It goes back with what is wrong with it; a good second answer counts, a bad second one is an error."""
    meter = Counting()
    with serving([said(provider, bad), said(provider, TEXT)]) as server:
        found = writer(provider, server.url, meter).write(TASK)
    assert found.value == GOOD
    assert (found.input_tokens, [each.fault for each in meter.settled]) == (200, ["bad_response", ""])
    turns = server.asked[1].body.get("messages") or server.asked[1].body["input"]
    assert [each["role"] for each in turns if each["role"] != "system"] == ["user", "assistant", "user"]
    assert "cannot be used" in turns[-1]["content"]
    assert len(turns[-2]["content"]) <= 8_000
    with serving([said(provider, bad)]) as server:
        assert _failing(provider, server.url).error_code == "bad_response"
    assert len(server.asked) == 2


@served
def test_a_call_of_a_tool_is_no_answer(provider: Provider) -> None:
    """Nobody gave it one; it is asked once more."""
    with serving([said(provider, "", "tool"), said(provider, TEXT)]) as server:
        assert writer(provider, server.url).write(TASK).value == GOOD
    with serving([said(provider, "", "tool")]) as server:
        assert _failing(provider, server.url).error_code == "bad_response"


@served
def test_a_cut_answer_is_not_asked_for_again(provider: Provider) -> None:
    """The same input would be cut at the same place: `truncated`, paid for, not retryable."""
    meter = Counting()
    with serving([said(provider, TEXT[:20], "truncated")]) as server:
        error = _failing(provider, server.url, meter)
    assert (error.error_code, error.may_retry, len(server.asked)) == ("truncated", False, 1)
    assert [(each.fault, each.output_tokens) for each in meter.settled] == [("truncated", 20)]


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "anthropic"])
def test_a_refusal_is_an_answer(provider: Provider) -> None:
    """`refused`, paid for, not retryable; its words are told nobody."""
    meter = Counting()
    with serving([said(provider, "I cannot help with that.", "refused")]) as server:
        error = _failing(provider, server.url, meter)
    assert (error.error_code, error.may_retry, len(server.asked)) == ("refused", False, 1)
    assert "cannot help" not in f"{error!r} {error.details}"
    assert meter.settled[0].fault == "refused"


@served
@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_a_busy_server_is_asked_again(provider: Provider, status: int) -> None:
    """After the time it names; then the answer."""
    headers = {"Retry-After": "0"}
    with serving([Reply({"error": {}}, status, headers), said(provider, TEXT)]) as server:
        assert writer(provider, server.url).write(TASK).value == GOOD
    assert len(server.asked) == 2


@served
@pytest.mark.parametrize(
    ("status", "code", "retryable"),
    [(401, "unauthorized", False), (404, "no_model", False), (500, "server_error", True), (307, "redirected", False)],
)
def test_a_server_that_refuses(provider: Provider, status: int, code: str, retryable: bool) -> None:
    """One error with a code; a redirect is not followed, so neither key nor session goes elsewhere. Nothing is paid."""
    meter = Counting()
    with serving([Reply({}, status, {"Retry-After": "0", "Location": "/elsewhere"})]) as server:
        error = _failing(provider, server.url, meter)
    assert (error.error_code, error.may_retry) == (code, retryable)
    assert (meter.settled[0].tokens, meter.settled[0].fault) == (0, code)
    assert {each.path for each in server.asked} == {server.asked[0].path}


@served
def test_a_rate_limit_is_noted_until_it_ends(provider: Provider) -> None:
    """Nothing is left of it, for as long as the server says; and nothing was paid."""
    meter = Counting()
    with serving([Reply({}, 429, {"Retry-After": "3600"})]) as server:
        error = _failing(provider, server.url, meter)
    assert (error.error_code, error.may_retry) == ("rate_limited", True)
    end = meter.settled[0]
    assert (end.tokens, end.cost_nano_usd, end.fault) == (0, 0, "rate_limited")
    assert (end.remaining_percent, end.resets_at) == (0.0, "3600.0")


@served
def test_a_server_that_would_rest_for_years(provider: Provider) -> None:
    """Its clock is broken: the model is asked again after a day."""
    meter = Counting()
    with serving([Reply({}, 429, {"Retry-After": "999999999"})]) as server:
        assert _failing(provider, server.url, meter).error_code == "rate_limited"
    assert meter.settled[0].resets_at == "86400.0"


@served
def test_a_line_that_is_cut_may_have_cost_something(provider: Provider) -> None:
    """Once a request was sent somebody may have read it: `cut_off`, retryable, and what was reserved counts."""
    meter = Counting()
    with serving([Reply(hangs_up=True)]) as server:
        error = _failing(provider, server.url, meter)
    assert (error.error_code, error.may_retry) == ("cut_off", True)
    assert meter.settled[0].tokens == meter.reserved[0].tokens > 0


@served
@pytest.mark.parametrize(
    ("told", "code"),
    [
        ({"code": 429, "message": "slow down"}, "rate_limited"),
        ({"code": "rate_limit_exceeded"}, "rate_limited"),
        ({"code": 502}, "server_error"),
        ({"code": "server_error"}, "server_error"),
        ("the model went away", "server_error"),
        ({"code": 200}, "server_error"),
    ],
)
def test_an_error_that_calls_itself_a_success(provider: Provider, told: Any, code: str) -> None:
    """OpenRouter's and OpenAI's way: what it says counts, and nothing is paid."""
    meter = Counting()
    with serving([Reply({"status": "failed", "output": [], "error": told})]) as server:
        assert _failing(provider, server.url, meter).error_code == code
    assert (meter.settled[0].tokens, len(server.asked)) == (0, 1)


def test_a_filter_is_no_length() -> None:
    """An answer that a filter ended is refused: more room would not help."""
    reply = said("openai-responses", TEXT[:20], "truncated")
    reply.content["incomplete_details"] = {"reason": "content_filter"}
    with serving([reply]) as server:
        assert _failing("openai-responses", server.url).error_code == "refused"


@served
def test_what_is_too_long_is_not_sent_in_simpler_words(provider: Provider) -> None:
    """413 says nothing of schema or temperature: one request."""
    with serving([Reply({}, 413)]) as server:
        assert _failing(provider, server.url).error_code == "too_long"
    assert len(server.asked) == 1


@served
def test_a_dripping_server_is_cut(provider: Provider) -> None:
    """`timeout`; it may have worked, so what was reserved counts."""
    meter = Counting()
    reply = said(provider, TEXT)
    reply.drip = True
    with serving([reply]) as server:
        error = _failing(provider, server.url, meter, timeout_ms=150)
    assert (error.error_code, error.may_retry) == ("timeout", True)
    assert meter.settled[0].tokens == meter.reserved[0].tokens


@served
@pytest.mark.parametrize(
    "content", [b"", b"<html>busy</html>", b"\xff\xfe", b"[]", b"{}", b'{"choices": [], "content": 1}', b"null"]
)
def test_an_answer_of_another_sort(provider: Provider, content: bytes) -> None:
    """No JSON, or JSON of no known shape: `bad_response`, no repair of what was never said."""
    with serving([Reply(content, headers={"Content-Type": "text/html"})]) as server:
        assert _failing(provider, server.url).error_code == "bad_response"
    assert len(server.asked) == 1


@served
def test_an_answer_without_end(provider: Provider) -> None:
    """More than four million bytes: `bad_response`."""
    with serving([said(provider, "x" * 4_100_000)]) as server:
        assert _failing(provider, server.url).error_code == "bad_response"


@served
def test_a_person_may_give_a_model_more_room(provider: Provider) -> None:
    """Some think aloud before they answer: what is reserved and what is allowed follow."""
    meter = Counting()
    with serving([said(provider, TEXT)]) as server:
        writer(provider, server.url, meter, max_output_tokens=12_345).write(TASK)
    assert meter.reserved[0].output_tokens == 12_345
    assert "12345" in json.dumps(server.asked[0].body)


def test_nobody_there() -> None:
    """`unreachable`, retryable, nothing paid."""
    meter = Counting()
    error = _failing("openai", "http://127.0.0.1:9/v1", meter)
    assert (error.error_code, error.may_retry, meter.settled[0].tokens) == ("unreachable", True, 0)


@served
def test_no_room_in_the_ledger(provider: Provider) -> None:
    """Nothing is sent."""
    with serving([said(provider, TEXT)]) as server:
        assert _failing(provider, server.url, Counting(room=0)).error_code == "cap"
    assert server.asked == []


@served
def test_the_repair_needs_room_too(provider: Provider) -> None:
    """The second request is not sent where there is none."""
    with serving([said(provider, "no")]) as server:
        assert _failing(provider, server.url, Counting(room=1)).error_code == "cap"
    assert len(server.asked) == 1


@served
def test_a_task_that_does_not_fit_is_not_sent(provider: Provider) -> None:
    """Known before: `too_long`, nothing reserved. A model that reads more gets it."""
    meter = Counting()
    with serving([said(provider, TEXT)]) as server:
        assert _failing(provider, server.url, meter, context_tokens=5).error_code == "too_long"
        assert (server.asked, meter.reserved) == ([], [])
        assert writer(provider, server.url, context_tokens=7).write(TASK).value == GOOD


@served
def test_a_server_that_says_it_does_not_fit(provider: Provider) -> None:
    """In OpenAI's, Anthropic's, llama.cpp's and vLLM's words: `too_long`, one request, nothing given up."""
    for words in ("context_length_exceeded", "prompt is too long: 9 tokens", "exceed_context_size_error"):
        with serving([Reply({"error": {"message": words}}, 400)]) as server:
            assert _failing(provider, server.url).error_code == "too_long"
        assert len(server.asked) == 1


def _asks_for(name: str, asked: Asked) -> bool:
    return name in json.dumps({key: value for key, value in asked.body.items() if key not in {"messages", "input"}})


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "anthropic"])
def test_a_server_that_takes_no_temperature(provider: Provider) -> None:
    """The same without, and so from then on; the schema stays strict."""

    def answer(asked: Asked) -> Reply:
        refused = Reply({"error": {"param": "temperature", "message": "Unsupported value"}}, 400)
        return refused if "temperature" in asked.body else said(provider, TEXT)

    with serving(answer) as server:
        it = writer(provider, server.url)
        assert [it.write(TASK).value for _ in range(2)] == [GOOD, GOOD]
    assert ["temperature" in each.body for each in server.asked] == [True, False, False]
    assert all(_asks_for("additionalProperties", each) for each in server.asked)


@served
def test_a_server_that_takes_no_schema(provider: Provider) -> None:
    """It is asked for any JSON object with the schema in words, or made to call a tool that has the schema."""
    strict = {"openai": "json_schema", "openai-responses": "json_schema", "anthropic": "output_config"}

    def answer(asked: Asked) -> Reply:
        body = json.dumps(asked.body)
        refused = strict[provider] in body if provider in strict else isinstance(asked.body["format"], dict)
        if refused:
            return Reply({"error": {"message": f"unknown field {strict.get(provider, 'format')}"}}, 400)
        if provider == "anthropic":
            block = {"type": "tool_use", "name": TASK.name, "input": GOOD}
            return Reply({"content": [block], "stop_reason": "tool_use", "usage": {}})
        return said(provider, TEXT)

    with serving(answer) as server:
        found = writer(provider, server.url).write(TASK)
    assert found.value == GOOD
    assert found.input_tokens > 0
    last = server.asked[-1].body
    if provider == "anthropic":
        assert last["tool_choice"] == {"type": "tool", "name": TASK.name}
    else:
        assert json.dumps(SCHEMA) in json.dumps(last).replace('\\"', '"')


def test_an_answer_in_parts() -> None:
    """Some servers give content as a list; what is no text in it is passed over."""
    reply = said("openai", TEXT)
    parts = [
        {"type": "thinking", "thinking": []},
        {"type": "text", "text": TEXT[:9]},
        {"type": "text", "text": TEXT[9:]},
    ]
    reply.content["choices"][0]["message"]["content"] = parts
    with serving([reply]) as server:
        assert writer("openai", server.url).write(TASK).value == GOOD


def test_a_server_that_only_says_no() -> None:
    """What can be given up is, one after the other; then the refusal counts."""
    with serving([Reply({}, 400)]) as server:
        assert _failing("openai", server.url).error_code == "bad_request"
    assert len(server.asked) == 4
    assert "response_format" not in server.asked[-1].body


def test_effort_is_sent_where_a_person_set_it_and_dropped_where_it_is_refused() -> None:
    """Unclamped it stopped every request to models without reasoning."""

    def answer(asked: Asked) -> Reply:
        told = {"error": {"message": "Unrecognized request argument supplied: reasoning_effort"}}
        return Reply(told, 400) if "reasoning_effort" in asked.body else said("openai", TEXT)

    with serving(answer) as server:
        assert writer("openai", server.url, effort="low").write(TASK).value == GOOD
    assert [each.body.get("reasoning_effort") for each in server.asked] == ["low", None]
    assert all("temperature" in each.body for each in server.asked)


def test_headers_of_rate_limits_are_read() -> None:
    """The narrowest window counts, with the time until it begins anew."""
    told = {
        "x-ratelimit-limit-requests": "100",
        "x-ratelimit-remaining-requests": "90",
        "x-ratelimit-limit-tokens": "1000",
        "x-ratelimit-remaining-tokens": "101",
        "x-ratelimit-reset-tokens": "6m0.5s",
    }
    meter = Counting()
    with serving([said("openai", TEXT, headers=told)]) as server:
        writer("openai", server.url, meter).write(TASK)
    assert (meter.settled[0].remaining_percent, meter.settled[0].resets_at) == (10.1, "360.5")


def test_a_provider_may_tell_its_own_price() -> None:
    """OpenRouter's `usage.cost` counts, not what the person's prices would give."""
    meter = Counting()
    reply = said("openai", TEXT)
    reply.content["usage"]["cost"] = 0.5
    with serving([reply]) as server:
        assert writer("openai", server.url, meter).write(TASK).cost_usd == 0.5


def test_tokens_nobody_counted_are_estimated() -> None:
    """A server without `usage` costs what was reserved for reading, and a third of the bytes it wrote."""
    meter = Counting()
    reply = said("openai", TEXT, tokens=(0, 0))
    with serving([reply]) as server:
        writer("openai", server.url, meter).write(TASK)
    end = meter.settled[0]
    assert (end.input_tokens, end.output_tokens) == (meter.reserved[0].input_tokens, -(-len(TEXT) // 3))


def test_openai_itself_is_asked_in_its_newer_words() -> None:
    """Its newer models know `max_completion_tokens` only; other servers mostly the older name."""
    from learnt.providers.writers.openai import Chat, Own
    from learnt.providers.writers.turn import Turn

    turn = Turn(system="s", said=(("user", "u"),), name="n", schema=SCHEMA, max_output_tokens=9)
    newer, older = Own(), Chat()
    assert newer.body("m", turn, frozenset(newer.frills), "")["max_completion_tokens"] == 9
    assert older.body("m", turn, frozenset(older.frills), "")["max_tokens"] == 9


@served
def test_a_check_asks_the_model_nothing(provider: Provider) -> None:
    """The list of models, by GET, costs nothing and says whether this one is there."""
    listed = {"data": [{"id": "m"}, {"id": "n"}], "models": [{"name": "m"}, {"name": "n"}]}
    with serving([Reply(listed)]) as server:
        assert writer(provider, server.url)._model.check() == "2 models, m among them"
    assert [each.method for each in server.asked] == ["GET"]
