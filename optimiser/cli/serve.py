"""`judgelab ui`, `serve-sim`, `serve-local` and `mlflow-sync`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.errors import ConfigError
from harness.tracking import Store
from optimiser.cli.show import emit, err, rows
from optimiser.confirmation import read_confirmation
from optimiser.ledger import read_ledger
from optimiser.projection import sync
from optimiser.workspace import Workspace, paused_reason

Port = Annotated[int, typer.Option(min=1, max=65535, help="TCP port.")]
Host = Annotated[str, typer.Option(help="Address to listen on.")]


def register(app: typer.Typer) -> None:
    """Add this file's commands."""
    app.command(epilog="Example: judgelab ui --port 5000")(ui)
    app.command("serve-sim", epilog="Example: judgelab serve-sim --port 8401")(serve_sim)
    app.command("serve-local", epilog="Example: judgelab serve-local --gguf model.gguf --port 8402")(serve_local_)
    app.command("mlflow-sync", epilog="Example: judgelab mlflow-sync campaigns/demo")(mlflow_sync)


def ui(
    store: Annotated[Path, typer.Option(help="MLflow store.")] = Path("mlruns"),
    port: Port = 5000,
    host: Host = "127.0.0.1",
) -> None:
    """Open the MLflow server on this project's store."""
    opened = Store(store)
    err.print(f"campaigns and their candidates: http://{host}:{port}{opened.page()} (Ctrl-C ends it)", soft_wrap=True)
    command = [sys.executable, "-m", "mlflow", "ui", "--backend-store-uri", opened.uri, "--host", host]
    raise typer.Exit(subprocess.call([*command, "--port", str(port)]))


def serve_sim(
    port: Port = 8401,
    host: Host = "127.0.0.1",
    fault: Annotated[
        list[str] | None, typer.Option(help="kind=share, e.g. rate_limit=0.05; repeat for more. 'help' lists them.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the faults.")] = 0,
) -> None:
    """Serve the simulated model over HTTP, for any client of the chat-completions protocol. Not a real model."""
    from harness.llm.simulated.faults import KINDS, Faults
    from harness.llm.simulated.server import serve

    if fault == ["help"]:
        rows("Faults", ("kind", "what happens"), list(KINDS.items()))
        return
    faults = Faults(dict(_share(text) for text in fault), seed) if fault else None
    err.print(f"simulated models on http://{host}:{port}/v1 (Ctrl-C ends it)")
    serve(host, port, faults)


def _share(text: str) -> tuple[str, float]:
    kind, _, share = text.partition("=")
    try:
        return kind, float(share)
    except ValueError:
        raise ConfigError("reading --fault", repr(text), "Write kind=share, e.g. server_error=0.1.") from None


def serve_local_(
    gguf: Annotated[Path | None, typer.Option(help="Weights; default the small model of `make local`.")] = None,
    port: Port = 8402,
    host: Host = "127.0.0.1",
) -> None:
    """Serve a GGUF file with llama.cpp in this process (needs `make local`)."""
    from harness.llm.local import run_local

    run_local(port, host, gguf)


def mlflow_sync(
    folder: Annotated[Path, typer.Argument(help="Campaign folder.")],
    store: Annotated[Path, typer.Option(help="MLflow store.")] = Path("mlruns"),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Write a campaign's ledger and confirmation into the MLflow store; doing it twice adds nothing."""
    workspace = Workspace(folder)
    ledger = read_ledger(workspace.ledger)
    confirmation = read_confirmation(workspace.confirmation) if workspace.confirmation.exists() else None
    sync(ledger, confirmation, Store(store), paused=paused_reason(workspace))
    emit({"folder": str(folder), "rows": len(ledger), "store": str(store)}, as_json)
