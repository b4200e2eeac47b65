"""The root of the command line, and the one place where an error becomes an exit code."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.metadata import version
from typing import Annotated

import typer
from rich.markup import escape

from harness.errors import LabError
from optimiser.cli.show import err, out, say_error

MISUSE = 3

# Command -> the module that has it, in the order of the help. Only what is asked for is imported: the campaign's
# modules bring in the openai SDK and matplotlib, which a look at a table of scores need not wait for.
COMMANDS = {
    "data": "data",
    "split": "campaign",
    "plan": "campaign",
    "run": "campaign",
    "grid": "grid",
    "external": "external",
    "confirm": "evidence",
    "gate": "evidence",
    "report": "evidence",
    "holdout": "holdout",
    "stats": "stats",
    "calibrate": "calibrate",
    "judge": "judge",
    "prompts": "prompts",
    "study": "study",
    "ui": "serve",
    "serve-sim": "serve",
    "serve-local": "serve",
    "mlflow-sync": "serve",
}


def build_app(command: str = "") -> typer.Typer:
    """The command line with the module of one command, or with all of them where the command is not known."""
    app = typer.Typer(
        name="judgelab",
        help="Evolve, measure and confirm LLM judges of clinical notes, honestly.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(root)
    for name in dict.fromkeys([COMMANDS[command]] if command in COMMANDS else COMMANDS.values()):
        module = import_module(f"optimiser.cli.{name}")
        if hasattr(module, "register"):
            module.register(app)
        else:
            app.add_typer(module.app, name=name)
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        out.print(f"judgelab {version('judgelab')}")
        raise typer.Exit


def root(
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Evolve, measure and confirm LLM judges of clinical notes, honestly."""


def main() -> None:
    """Run the command line. A user's mistake prints what was tried, found and to do, and exits with 3."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # libraries must not reach for the network
    try:
        code = build_app(next(iter(sys.argv[1:]), ""))(standalone_mode=False)
    except LabError as error:
        say_error(error)
        code = MISUSE
    except KeyboardInterrupt:
        err.print("interrupted: nothing bought is lost; run the same command again to go on")
        code = 130
    except typer.Abort:
        code = 130
    except typer.TyperException as error:
        err.print(f"[bold red]error[/] {escape(str(error))}; try --help", highlight=False)
        code = MISUSE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code or 0)
