"""Who imports whom, and how large things are, read from the source files alone."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("harness", "partitions", "optimiser")

# Library -> the modules that may import it.
FENCED: dict[str, set[str]] = {
    "openai": {"harness.llm.openai"},
    "httpx": set(),
    "httpx2": {"harness.llm.openai", "harness.llm.simulated.transport"},
    "sqlite3": {"harness.llm.store", "harness.tracking"},  # tracking prepares the file of MLflow's own store
    "mlflow": {"harness.tracking"},
    "matplotlib": {"harness.report.plots"},
    "xllamacpp": {"harness.llm.local"},
    "gepa": {"optimiser.engines.gepa"},
    "dspy": {"optimiser.engines.dspy"},
    "optuna": {"optimiser.engines.optuna"},
    "requests": set(),
    "litellm": set(),
}
NOISY = {"harness.llm", "harness.judges", "harness.data"}
# Package or module -> prefixes of our modules that it may not import.
FORBIDDEN: dict[str, set[str]] = {
    "harness.types": {"harness", "partitions", "optimiser"},
    "harness.errors": {"harness", "partitions", "optimiser"},
    "harness.metrics": NOISY | {"harness.evaluate", "harness.tracking", "harness.report", "harness.config"},
    "harness.stats": NOISY | {"harness.evaluate", "harness.tracking", "harness.report", "harness.config"},
    "harness.data": {"harness.llm", "harness.judges"},
    "harness.llm": {"harness.judges", "harness.data"},
    "harness.judges": {"harness.llm.openai", "harness.evaluate"},
    "harness": {"partitions", "optimiser"},
    "partitions": {"optimiser", "harness.judges", "harness.llm"},
    "optimiser.engines": {"partitions"},
    "optimiser.campaign": {"partitions.holdout"},
    "optimiser.confirm": {"optimiser.engines", "optimiser.campaign"},
}
# Text in, words and sentences out: they know of no consultation, so the simulated model may read with them.
TEXT_TOOLS = {"harness.data.words", "harness.data.sentences"}
COMMANDS = "optimiser.cli"  # a command's options are its parameters


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def trees() -> dict[str, ast.Module]:
    files = sorted(file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
    return {name_of(file): ast.parse(file.read_text(encoding="utf-8"), str(file)) for file in files}


def path_of(module: str) -> Path:
    folder = ROOT / module.replace(".", "/")
    return folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def import_nodes(tree: ast.AST, inside_functions: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in ast.iter_child_nodes(tree):
        if is_type_checking(node):
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        if inside_functions or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from import_nodes(node, inside_functions)


def targets(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The full names of the modules that a statement loads: ``from a import b`` loads a, and a.b where that is one."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    assert node.level == 0, "relative imports hide the direction"
    assert node.module is not None
    yield node.module
    yield from (f"{node.module}.{alias.name}" for alias in node.names if f"{node.module}.{alias.name}" in trees())


@cache
def imports(module: str, inside_functions: bool = True) -> frozenset[str]:
    found = {t for node in import_nodes(trees()[module], inside_functions) for t in targets(node)}
    return frozenset(found - {module})


def ours(module: str, inside_functions: bool = True) -> set[str]:
    return {t for t in imports(module, inside_functions) if t.split(".")[0] in PACKAGES}


def is_in(module: str, prefix: str) -> bool:
    return module == prefix or module.startswith(f"{prefix}.")


def functions(module: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (n for n in ast.walk(trees()[module]) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))


def test_the_walk_sees_the_packages() -> None:
    assert len(trees()) > 80
    assert "harness.errors" in imports("harness.types")
    assert "gepa" in imports("optimiser.engines.gepa")
    assert "optimiser.engines.gepa" in imports("optimiser.engines.build")
    assert "optimiser.engines.gepa" not in imports("optimiser.engines.build", inside_functions=False)


def test_every_import_of_ours_exists() -> None:
    missing = {(m, t) for m in trees() for t in ours(m) if t not in trees()}
    assert missing == set()


def test_no_modules_import_each_other_in_a_circle() -> None:
    """A package's ``__init__`` runs when anything below it is imported, so it counts as imported too."""
    graph = {m: {p for t in ours(m) for p in with_packages(t) if not is_in(m, p)} for m in trees()}
    circles = [trail for start in graph if (trail := way_back(start, graph))]
    assert circles == []


def with_packages(module: str) -> set[str]:
    parts = module.split(".")
    return {".".join(parts[: n + 1]) for n in range(len(parts))}


def way_back(start: str, graph: dict[str, set[str]]) -> list[str]:
    """A path from ``start`` to itself, or nothing."""
    waiting, seen = [[start]], {start}
    while waiting:
        trail = waiting.pop()
        for target in sorted(graph[trail[-1]] & set(graph)):
            if target == start:
                return [*trail, start]
            if target not in seen:
                seen.add(target)
                waiting.append([*trail, target])
    return []


def test_way_back_finds_a_circle() -> None:
    assert way_back("a", {"a": {"b"}, "b": {"c"}, "c": {"a"}}) == ["a", "b", "c", "a"]
    assert way_back("a", {"a": {"b"}, "b": {"c"}, "c": {"b"}}) == []


@pytest.mark.parametrize(("importer", "imported"), [(a, b) for a in FORBIDDEN for b in sorted(FORBIDDEN[a])])
def test_imports_point_one_way(importer: str, imported: str) -> None:
    found = {
        (module, target)
        for module in trees()
        if is_in(module, importer)
        for target in ours(module)
        if is_in(target, imported) and not is_in(target, importer) and not excepted(module, target)
    }
    assert found == set()


def excepted(module: str, target: str) -> bool:
    if module == "harness.types":
        return target == "harness.errors"  # values check themselves
    return is_in(module, "harness.llm.simulated") and target in TEXT_TOOLS


def test_the_text_tools_know_nothing_but_each_other() -> None:
    assert {t for m in TEXT_TOOLS for t in ours(m)} <= TEXT_TOOLS


def reach(module: str) -> set[str]:
    """Everything that importing a module loads, function-level imports included."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        here = waiting.pop()
        if here not in seen:
            seen.add(here)
            waiting += ours(here)
    return seen


@pytest.mark.parametrize("module", ["optimiser.campaign", "optimiser.desk", "optimiser.engines.gepa"])
def test_nothing_that_the_search_loads_can_open_the_holdout_but_the_seal(module: str) -> None:
    """``partitions.seal`` starts the holdout's ledger; only the campaign's workspace, which seals, loads it."""
    loaders = {m for m in reach(module) if "partitions.holdout" in ours(m)}
    assert loaders <= {"partitions.seal"}
    assert "optimiser.confirm" not in reach(module)
    assert {m for m in reach(module) if "partitions.seal" in ours(m)} <= {"optimiser.workspace"}


def test_the_holdout_is_opened_by_confirmation_alone() -> None:
    importers = {m for m in trees() if "partitions.holdout" in ours(m)}
    assert importers == {"partitions.seal", "optimiser.confirm", "optimiser.cli.holdout"}


@pytest.mark.parametrize(
    ("module", "wanted"),
    [
        ("partitions.seal", {"start_ledger"}),
        ("optimiser.cli.holdout", {"HoldoutStatus", "LedgerRow", "holdout_status"}),
    ],
)
def test_what_others_take_from_the_holdout_module_opens_nothing(module: str, wanted: set[str]) -> None:
    taken = {
        alias.name
        for node in import_nodes(trees()[module], inside_functions=True)
        if isinstance(node, ast.ImportFrom) and node.module == "partitions.holdout"
        for alias in node.names
    }
    assert taken == wanted


def test_nobody_imports_the_command_line() -> None:
    importers = {m for m in trees() if not is_in(m, COMMANDS) and any(is_in(t, COMMANDS) for t in ours(m))}
    assert importers == set()


@pytest.mark.parametrize("library", sorted(FENCED))
def test_a_fenced_library_is_imported_in_its_place_alone(library: str) -> None:
    importers = {m for m in trees() if any(is_in(t, library) for t in imports(m))}
    assert importers <= FENCED[library]


@pytest.mark.parametrize("module", ["harness.types", "harness.errors", "harness.metrics", "harness.stats"])
def test_pure_modules_import_nothing_that_reads_writes_waits_or_draws_by_itself(module: str) -> None:
    impure = {"os", "pathlib", "io", "time", "datetime", "random", "socket", "subprocess", "shutil", "tempfile"}
    found = {(m, t) for m in trees() if is_in(m, module) for t in imports(m) if t.split(".")[0] in impure}
    assert found == set()


def test_no_module_is_longer_than_300_lines_and_the_median_is_at_most_120() -> None:
    lengths = {m: len(path_of(m).read_text(encoding="utf-8").splitlines()) for m in trees()}
    long = {m: n for m, n in lengths.items() if n > 300}
    assert long == {}
    assert statistics.median(lengths.values()) <= 120


def test_no_function_is_longer_than_40_lines() -> None:
    long = {
        f"{m}.{f.name}": lines
        for m in trees()
        if not is_in(m, COMMANDS)
        for f in functions(m)
        if (lines := (f.end_lineno or 0) - f.lineno + 1 - docstring_lines(f)) > 40
    }
    assert long == {}


def docstring_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = function.body[0]
    if ast.get_docstring(function) is None:
        return 0
    return (first.end_lineno or first.lineno) - first.lineno + 1


def test_no_function_has_more_than_six_parameters_or_takes_any_keyword() -> None:
    wide = {
        f"{m}.{f.name}"
        for m in trees()
        if not is_in(m, COMMANDS)
        for f in functions(m)
        if f.args.kwarg is not None or len(parameters(f)) > 6
    }
    assert wide == set()


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    args = function.args
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    return [name for name in names if name not in ("self", "cls")]
