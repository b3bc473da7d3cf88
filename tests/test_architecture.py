"""The budgets and contracts of the house."""

from __future__ import annotations

import ast
import configparser
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gslverify.commands import COMMANDS

ROOT = Path(__file__).parent.parent
PACKAGES = ("gsl", "gslverify")
SOURCES = sorted(file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
Function = ast.FunctionDef | ast.AsyncFunctionDef

MOST_FILE_LINES = 400
MOST_FUNCTION_LINES = 45
MOST_COLUMNS = 100
MOST_LOCAL_IMPORTS = 3
LEAST_TEST_SHARE = 0.5
HEAVY = {"tvm", "z3", "hypothesis", "pytest", "rich", "numpy"}
"""What nobody waits for who asks for help: it takes longer to load than all else."""


def name_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def functions() -> Iterator[tuple[Path, Function]]:
    for file in SOURCES:
        for node in ast.walk(tree_of(file)):
            if isinstance(node, Function):
                yield file, node


def length(function: Function) -> int:
    """Lines from `def` to the end, as a reader counts them."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def test_packages_are_found() -> None:
    assert len(SOURCES) > 50


def test_lines_are_narrow() -> None:
    wide = [
        f"{name_of(file)}:{number}"
        for file in (*SOURCES, *TESTS)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > MOST_COLUMNS
    ]
    assert wide == []


def test_files_are_short() -> None:
    lengths = {name_of(f): len(f.read_text(encoding="utf-8").splitlines()) for f in SOURCES}
    assert {name: count for name, count in lengths.items() if count > MOST_FILE_LINES} == {}


def test_functions_are_short() -> None:
    lengths = {f"{name_of(file)}:{node.name}": length(node) for file, node in functions()}
    assert {name: count for name, count in lengths.items() if count > MOST_FUNCTION_LINES} == {}


def test_imports_stand_at_the_top() -> None:
    """Heavy modules are loaded by name, through the registry of stages."""
    local = [
        f"{name_of(file)}:{part.lineno}"
        for file, node in functions()
        for part in ast.walk(node)
        if isinstance(part, ast.Import | ast.ImportFrom)
    ]
    assert len(local) <= MOST_LOCAL_IMPORTS, local


def public_without_docstring(file: Path) -> Iterator[str]:
    tree = tree_of(file)
    if ast.get_docstring(tree) is None:
        yield "the module"
    for node in tree.body:
        if isinstance(node, Function) and is_overload(node):
            continue
        if isinstance(node, ast.ClassDef | Function) and not node.name.startswith("_"):
            if ast.get_docstring(node) is None:
                yield node.name
            if isinstance(node, ast.ClassDef):
                yield from _methods_without_docstring(node)


def is_overload(function: Function) -> bool:
    """Tell whether this only says one of the types of a function that follows."""
    return any(isinstance(d, ast.Name) and d.id == "overload" for d in function.decorator_list)


def _methods_without_docstring(node: ast.ClassDef) -> Iterator[str]:
    for part in node.body:
        is_public = isinstance(part, Function) and not part.name.startswith("_")
        if is_public and ast.get_docstring(part) is None:
            yield f"{node.name}.{part.name}"


def test_public_names_have_docstrings() -> None:
    missing = {name_of(file): list(public_without_docstring(file)) for file in SOURCES}
    assert {file: names for file, names in missing.items() if names} == {}


def bound_names(file: Path) -> Iterator[str]:
    for node in ast.walk(tree_of(file)):
        if isinstance(node, Function | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg


def test_names_do_not_end_in_an_underscore() -> None:
    odd = [
        f"{name_of(file)}: {name}"
        for file in SOURCES
        for name in bound_names(file)
        if name.endswith("_") and not name.startswith("_")  # `_repr_pretty_` is a protocol
    ]
    assert odd == []


@pytest.mark.parametrize("word", ["TODO", "FIXME", "XXX", "NotImplementedError"])
def test_nothing_is_left_unfinished(word: str) -> None:
    assert [name_of(f) for f in SOURCES if word in f.read_text(encoding="utf-8")] == []


def test_no_module_is_a_drawer_for_odds_and_ends() -> None:
    names = {part for file in SOURCES for part in (file.stem, *file.relative_to(ROOT).parts)}
    assert names.isdisjoint({"utils", "util", "common", "helpers", "misc"})


def test_code_has_its_share_of_tests() -> None:
    def lines(files: list[Path]) -> int:
        return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)

    print(f"\n{lines(TESTS) / lines(SOURCES):.2f} lines of tests for each line of code")
    assert lines(TESTS) >= LEAST_TEST_SHARE * lines(SOURCES)


def test_contracts_between_modules_hold() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_every_module_has_a_layer() -> None:
    """A module that the contracts do not know about would be free to import anything."""
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter")
    for package in PACKAGES:
        layers = contracts[f"importlinter:contract:{package}-layers"]["layers"]
        known = set(layers.replace(":", " ").replace("(", " ").replace(")", " ").split())
        modules = {
            entry.stem
            for entry in (ROOT / package).iterdir()
            if not entry.name.startswith("__") and (entry.is_dir() or entry.suffix == ".py")
        }
        assert modules <= known


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("gsl", {"tvm", "z3", "hypothesis", "pytest", "gslverify", "click", "rich"}),
        ("gsl.tvm", {"tvm"}),
        ("gslverify.cli", {"tvm", "z3", "hypothesis", "pytest", "rich", "numpy"}),
        *((module, HEAVY) for module, _ in (place.split(":") for place, _ in COMMANDS.values())),
        ("gslverify.engine.worker", {"tvm", "z3", "hypothesis", "pytest", "rich", "click"}),
        ("gslverify.stages.static", {"tvm", "z3", "hypothesis"}),
        ("gslverify.stages.satisfiable", {"tvm", "hypothesis"}),
        ("gslverify.stages.shape", {"tvm", "hypothesis"}),
        ("gslverify.stages.numeric", {"tvm"}),
        ("gslverify.pytest_plugin", {"tvm", "z3", "hypothesis", "numpy", "gsl"}),
    ],
)
def test_imports_bring_nothing_heavy_along(module: str, absent: set[str]) -> None:
    script = f"import sys, {module}; print(*({absent!r} & sys.modules.keys()))"

    printed = subprocess.check_output([sys.executable, "-c", script], text=True, cwd=ROOT)

    assert printed.strip() == ""


def test_no_machine_path_is_written_into_a_file() -> None:
    tracked = subprocess.check_output(["git", "ls-files"], text=True, cwd=ROOT).split("\n")
    for name in filter(None, tracked):
        file = ROOT / name
        if file.suffix in {".py", ".md", ".toml", ".ini", ".yaml"} and file.exists():
            text = file.read_text(encoding="utf-8")
            assert "/root" + "/" not in text, name
            assert "/work" + "/" not in text, name


def test_tox_environments_are_described() -> None:
    tox = configparser.ConfigParser()
    tox.read(ROOT / "tox.ini")
    environments = [name for name in tox.sections() if name.startswith("testenv")]
    named = {name.partition(":")[2] for name in environments}

    assert named >= {"", "smt", "tvm", "lint", "types", "corpus", "docs"}
    assert all(tox[name].get("description") for name in environments)


def test_ci_is_a_script_that_can_be_run() -> None:
    script = ROOT / ".ci" / "run"

    assert script.stat().st_mode & 0o100
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0


@pytest.mark.parametrize("package", PACKAGES)
def test_every_room_is_described(package: str) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
    table = page.split(f"| room of `{package}/` |")[1].split("\n\n")[0]
    described = {line.split("`")[1].rstrip("/") for line in table.splitlines()[2:]}

    assert described == rooms
