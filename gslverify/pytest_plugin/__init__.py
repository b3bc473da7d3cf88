"""Collect rules as pytest items, one for each stage: ``pytest --gsl rule_corpus/``.

Only options and markers are declared here, since pytest loads this module in every run; the rest
comes in with the first rule file.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from gslverify.settings import STAGES, Settings

ITEMS = "gslverify.pytest_plugin.items"

WRITES_RULES = re.compile(rb"^\s*(from|import)\s+gsl\b(?=.*\brule\b)", re.MULTILINE | re.DOTALL)
"""What every file has that declares rules, whatever it calls the decorator."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options and the ini key that make rules items."""
    default = Settings()
    group = parser.getgroup("gslverify", "verification of rewrite rules")
    group.addoption("--gsl", action="store_true", help="collect the rules in Python files")
    group.addoption(
        "--gsl-max-examples",
        type=int,
        default=default.max_examples,
        metavar="N",
        help=f"graphs per rule in the numeric stage (default: {default.max_examples})",
    )
    group.addoption(
        "--gsl-seed",
        type=int,
        default=default.seed,
        metavar="N",
        help=f"start of all random choices (default: {default.seed})",
    )
    group.addoption("--gsl-no-tvm", action="store_true", help="run rules on NumPy only")
    parser.addini("gsl_rules", "files and folders whose rules are always collected", "paths", [])


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers."""
    config.addinivalue_line("markers", "gsl: a stage of the verification of a rule")
    for stage in STAGES:
        config.addinivalue_line("markers", f"gsl_{stage}: the {stage} stage of a rule")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a file that holds rules, if rules are wanted."""
    if not _holds_wanted_rules(file_path, parent.config):
        return None
    collector: pytest.Collector = _items().RuleFile.from_parent(parent, path=file_path)
    return collector


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Keep pytest from importing a rule file named on the command line as a test module."""
    patterns = parent.config.getini("python_files")
    is_test = any(module_path.match(pattern) for pattern in patterns)
    if is_test or not _holds_wanted_rules(module_path, parent.config):
        return None
    collector: pytest.Collector = _items().NoTests.from_parent(parent, path=module_path)
    return collector


def _holds_wanted_rules(path: Path, config: pytest.Config) -> bool:
    if path.suffix != ".py" or path.name.startswith((".", "__")):
        return False
    places: list[Path] = config.getini("gsl_rules")
    wanted = config.getoption("gsl") or any(path.is_relative_to(place) for place in places)
    return wanted and WRITES_RULES.search(path.read_bytes()) is not None


def _items() -> Any:
    return importlib.import_module(ITEMS)
