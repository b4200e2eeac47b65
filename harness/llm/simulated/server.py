"""The simulated model over HTTP, for whoever speaks to an endpoint by its address."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from harness.llm.simulated.faults import Faults
from harness.llm.simulated.model import SimReply
from harness.llm.simulated.transport import respond
from harness.llm.simulated.wire import MODELS


def build_app(faults: Faults | None = None) -> Starlette:
    """The application: ``POST /v1/chat/completions`` and ``GET /v1/models``."""

    async def complete(request: Request) -> Response:
        reply = respond(await request.body(), request.headers, faults)
        if reply.delivery.kind == "hang":
            while (await request.receive())["type"] != "http.disconnect":
                continue
        if reply.delivery.kind == "slow":
            await asyncio.sleep(reply.delivery.seconds)
        return _Cut(reply) if reply.delivery.kind == "cut" else _whole(reply)

    async def models(_: Request) -> Response:
        listed = [{"id": name, "object": "model", "created": 0, "owned_by": "judgelab"} for name in MODELS]
        return JSONResponse({"object": "list", "data": listed})

    return Starlette(
        routes=[
            Route("/v1/chat/completions", complete, methods=["POST"]),
            Route("/v1/models", models, methods=["GET"]),
        ]
    )


def serve(host: str, port: int, faults: Faults | None = None) -> None:
    """Serve until interrupted."""
    build_server(host, port, faults).run()


def build_server(host: str, port: int, faults: Faults | None = None) -> uvicorn.Server:
    """A server that is not running yet; ``should_exit`` stops it."""
    config = uvicorn.Config(build_app(faults), host=host, port=port, log_level="critical", access_log=False)
    return uvicorn.Server(config)


def _whole(reply: SimReply) -> Response:
    return JSONResponse(dict(reply.payload), reply.status, dict(reply.headers))


class _Cut(Response):
    """Announces a whole body, sends half of it and lets the server close the connection."""

    def __init__(self, reply: SimReply) -> None:
        data = json.dumps(reply.payload).encode()
        headers: Mapping[str, Any] = {"content-length": str(len(data)), "content-type": "application/json"}
        super().__init__(data[: len(data) // 2], reply.status, headers)
