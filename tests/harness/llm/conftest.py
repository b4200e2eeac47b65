"""A loopback endpoint whose every answer a test decides."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from harness.config import ModelConfig


@dataclass(frozen=True)
class Scripted:
    """One HTTP answer: ``cut`` bytes of the body are sent before the connection drops; ``hold`` seconds pass first."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    hold: float = 0.0
    drip: float = 0.0


def completion(text: Any = "fine", finish: str = "stop", **extra: Any) -> dict[str, Any]:
    usage = {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13}
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion", "model": "served", "choices": [choice], "usage": usage} | extra


class Endpoint:
    """A server on a free port; ``bodies`` and ``headers`` are what reached it, ``answer`` decides what it says."""

    def __init__(self, answer: Callable[[dict[str, Any], int], Scripted]) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.connections: set[int] = set()
        self.released = threading.Event()
        self._lock = threading.Lock()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                with endpoint._lock:
                    endpoint.bodies.append(json.loads(raw))
                    endpoint.headers.append({k.lower(): v for k, v in self.headers.items()})
                    endpoint.connections.add(self.client_address[1])
                    number = len(endpoint.bodies)
                endpoint._reply(self, answer(json.loads(raw), number))

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def _reply(self, handler: BaseHTTPRequestHandler, scripted: Scripted) -> None:
        self.released.wait(scripted.hold)
        data = scripted.body if isinstance(scripted.body, bytes) else json.dumps(scripted.body).encode()
        try:
            handler.send_response(scripted.status)
            for name, value in scripted.headers.items():
                handler.send_header(name, value)
            handler.send_header("content-length", str(len(data)))
            handler.end_headers()
            if scripted.drip:
                for byte in data:
                    handler.wfile.write(bytes([byte]))
                    if self.released.wait(scripted.drip):
                        break
            else:
                handler.wfile.write(data[: scripted.cut])
        except (BrokenPipeError, ConnectionResetError):
            pass
        handler.close_connection = scripted.cut is not None or bool(scripted.hold or scripted.drip)

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def serve() -> Iterator[Callable[[Callable[[dict[str, Any], int], Scripted]], Endpoint]]:
    endpoints: list[Endpoint] = []

    def start(answer: Callable[[dict[str, Any], int], Scripted]) -> Endpoint:
        endpoints.append(Endpoint(answer))
        return endpoints[-1]

    yield start
    for endpoint in endpoints:
        endpoint.close()


@pytest.fixture
def scripted() -> type[Scripted]:
    return Scripted


@pytest.fixture
def completed() -> Callable[..., dict[str, Any]]:
    return completion


@pytest.fixture
def model() -> Callable[..., ModelConfig]:
    """A configuration without retries' waits in the way; keyword arguments replace fields."""

    def make(base_url: str = "http://127.0.0.1:9/v1", **fields: Any) -> ModelConfig:
        return ModelConfig.model_validate({"model": "tiny", "base_url": base_url} | fields)

    return make
