"""The simulated model under the openai client: a synchronous transport without a socket."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx2

from harness.llm.simulated.faults import HEADER, Faults
from harness.llm.simulated.model import SimReply, answer
from harness.llm.simulated.replies import failed
from harness.types import digest

PATH = "/chat/completions"


class SimulatedTransport(httpx2.BaseTransport):
    """Answers requests from ``answer``; thread-safe.

    A hanging endpoint raises the read timeout at once, since waiting for it would tell nothing
    more. ``sleep`` delays slow answers.
    """

    def __init__(self, faults: Faults | None = None, sleep: Callable[[float], None] = time.sleep) -> None:
        self._faults = faults
        self._sleep = sleep

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the answer, or raise what the network would."""
        if not request.url.path.endswith(PATH):
            return httpx2.Response(404, json=failed(f"No route {request.url.path}.", "invalid_request_error"))
        reply = respond(request.read(), request.headers, self._faults)
        if reply.delivery.kind == "hang":
            raise httpx2.ReadTimeout("the simulated endpoint never answers", request=request)
        if reply.delivery.kind == "slow":
            self._sleep(reply.delivery.seconds)
        data = json.dumps(reply.payload, ensure_ascii=False).encode()
        headers = {"content-type": "application/json", "content-length": str(len(data)), **reply.headers}
        if reply.delivery.kind == "cut":
            return httpx2.Response(reply.status, headers=headers, stream=_Cut(data))
        return httpx2.Response(reply.status, headers=headers, content=data)


def respond(data: bytes, headers: Mapping[str, str], faults: Faults | None) -> SimReply:
    """Answer the bytes of a request; a fault is drawn where the caller names none."""
    try:
        body: Any = json.loads(data)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        return SimReply(400, {}, failed("The body is not a JSON object.", "invalid_request_error"))
    spec = headers.get(HEADER, "") or (faults.draw(digest(body)) if faults else "")
    return answer(body, {HEADER: spec})


class _Cut(httpx2.SyncByteStream):
    """Half of a body, then the end of the connection."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __iter__(self) -> Iterator[bytes]:
        yield self._data[: len(self._data) // 2]
        raise httpx2.RemoteProtocolError("peer closed connection without sending complete message body")
