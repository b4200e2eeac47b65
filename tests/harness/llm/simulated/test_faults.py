"""Every fault, as it looks to a caller in process and to the openai client."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import openai
import pytest

from harness.errors import ConfigError
from harness.judges.contracts import SCORE
from harness.judges.envelope import wrap
from harness.llm.simulated.faults import HEADER, KINDS, Faults
from harness.llm.simulated.model import SimReply, answer
from harness.llm.simulated.transport import SimulatedTransport

CONTENT = wrap("patient: I have a cough.", "Cough.", "Judge how faithful the note is.", SCORE.form.text)[0].content
BODY: dict[str, Any] = {"model": "sim-judge", "messages": [{"role": "user", "content": CONTENT}]}


def faulty(spec: str) -> SimReply:
    return answer(BODY, {HEADER: spec})


def content(spec: str) -> Any:
    return faulty(spec).payload["choices"][0]["message"]["content"]


def client(faults: Faults | None = None, header: str = "", slept: list[float] | None = None) -> openai.OpenAI:
    transport = SimulatedTransport(faults, sleep=(slept if slept is not None else []).append)
    return openai.OpenAI(
        base_url="http://simulated.invalid/v1",
        api_key="none",
        max_retries=0,
        default_headers={HEADER: header} if header else {},
        http_client=httpx2.Client(transport=transport),
    )


def ask(sdk: openai.OpenAI) -> Any:
    return sdk.chat.completions.create(model="sim-judge", messages=[{"role": "user", "content": CONTENT}])


def test_without_a_fault_the_client_reads_a_completion() -> None:
    reply = ask(client())
    assert reply.choices[0].message.content == content("")
    assert reply.usage.total_tokens > 0


def test_a_rate_limit_says_when_to_come_back() -> None:
    with pytest.raises(openai.RateLimitError) as caught:
        ask(client(header="rate_limit:1.5"))
    assert caught.value.response.headers["retry-after"] == "1.5"


def test_server_errors_and_gateway_timeouts_are_server_errors() -> None:
    assert faulty("server_error").status == 500
    assert faulty("timeout").status == 504
    with pytest.raises(openai.InternalServerError):
        ask(client(header="server_error"))


def test_a_rejected_parameter_is_named() -> None:
    reply = faulty("reject:seed")
    assert (reply.status, reply.payload["error"]["param"]) == (400, "seed")


def test_an_endpoint_that_never_answers_is_a_timeout() -> None:
    with pytest.raises(openai.APITimeoutError):
        ask(client(header="hang"))


def test_a_body_cut_in_the_middle_is_a_connection_error() -> None:
    with pytest.raises(openai.APIConnectionError):
        ask(client(header="cut"))


def test_a_slow_answer_is_late_and_whole() -> None:
    slept: list[float] = []
    assert ask(client(header="slow:2.5", slept=slept)).choices[0].message.content == content("")
    assert slept == [2.5]


def test_a_truncated_text_is_a_beginning_and_says_so() -> None:
    choice = faulty("truncate").payload["choices"][0]
    assert choice["finish_reason"] == "length"
    assert content("").startswith(choice["message"]["content"])


def test_prose_stands_around_the_same_object() -> None:
    assert content("") in content("prose")
    assert content("prose") != content("")


def test_invalid_json_cannot_be_parsed() -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(content("invalid_json"))


def test_wrong_types_keep_the_keys_and_change_every_type() -> None:
    right, wrong = json.loads(content("")), json.loads(content("wrong_types"))
    assert right.keys() == wrong.keys()
    assert all(type(right[key]) is not type(wrong[key]) for key in right)


def test_duplicate_keys_disagree() -> None:
    pairs: list[tuple[str, Any]] = json.loads(content("duplicate_keys"), object_pairs_hook=list)
    assert pairs[0][0] == pairs[1][0]
    assert pairs[0][1] != pairs[1][1]


def test_empty_refused_and_partitioned_contents() -> None:
    assert content("empty") == ""
    message = faulty("refusal").payload["choices"][0]["message"]
    assert message["content"] is None
    assert message["refusal"]
    assert "".join(part["text"] for part in content("parts")) == content("")


@pytest.mark.parametrize("spec", ["nonsense", "slow:soon"])
def test_an_unknown_fault_is_refused(spec: str) -> None:
    assert faulty(spec).status == 400
    with pytest.raises(ConfigError):
        Faults({spec: 0.5})


def test_rates_must_be_shares() -> None:
    with pytest.raises(ConfigError):
        Faults({"empty": 0.8, "prose": 0.4})


def test_every_kind_is_answered_by_something_else_than_a_good_answer() -> None:
    assert all(faulty(kind) != faulty("") for kind in KINDS)


def test_drawn_faults_depend_on_seed_request_and_arrival_alone() -> None:
    requests = [f"request-{number}" for number in range(60)]
    first, second = Faults({"empty": 0.3}, seed=5), Faults({"empty": 0.3}, seed=5)
    forward = {name: first.draw(name) for name in requests}
    assert forward == {name: second.draw(name) for name in reversed(requests)}
    assert 5 < sum(map(bool, forward.values())) < 35
    assert forward != {name: Faults({"empty": 0.3}, seed=6).draw(name) for name in requests}


def test_a_burst_lasts_as_many_arrivals_as_asked() -> None:
    drawn = Faults({"rate_limit": 0.5}, seed=1, burst=3)
    arrivals = [drawn.draw("one request") for _ in range(30)]
    assert all(len(set(arrivals[start : start + 3])) == 1 for start in range(0, 30, 3))
    assert set(arrivals) == {"", "rate_limit"}


def test_the_transport_draws_faults_from_its_configuration() -> None:
    with pytest.raises(openai.RateLimitError):
        ask(client(Faults({"rate_limit": 1.0})))


def test_the_transport_has_one_route_and_wants_an_object() -> None:
    http = httpx2.Client(transport=SimulatedTransport(), base_url="http://simulated.invalid/v1")
    assert http.post("/embeddings", json={}).status_code == 404
    assert http.post("/chat/completions", content=b"[1]").status_code == 400
    assert http.post("/chat/completions", content=b"{").status_code == 400
