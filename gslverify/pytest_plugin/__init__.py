"""Collect rules as pytest items, one for each stage: ``pytest --gsl rule_corpus/``.

Only options, markers and the fixture are declared here, since pytest loads this module in every
run; the rest comes in with the first rule file or the first use of the fixture.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from gslverify.pytest_plugin.options import SETTINGS, SWITCHES, destination
from gslverify.stage_names import STAGES

ITEMS = "gslverify.pytest_plugin.items"

WRITES_RULES = re.compile(rb"^\s*(from|import)\s+gsl\b(?=.*\brule\b)", re.MULTILINE | re.DOTALL)
"""What every file has that declares rules, whatever it calls the decorator."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options and ini keys; each setting of the options has an ini key, too."""
    group = parser.getgroup("gslverify", "verification of rewrite rules")
    group.addoption("--gsl", action="store_true", help="collect the rules in Python files")
    for name, (metavar, text) in SETTINGS.items():
        group.addoption(f"--gsl-{name}", default=None, metavar=metavar, help=text)
        parser.addini(destination(name), text, default=None)
    for name, (flag, value, text) in SWITCHES.items():
        group.addoption(flag, dest=destination(name), action="store_true", help=text)
        parser.addini(destination(name), f"{str(value).lower()}: {text}", default=None)
    group.addoption("--gsl-strict", action="store_true", help="inconclusive stages fail")
    parser.addini("gsl_strict", "inconclusive stages fail", type="bool", default=False)
    group.addoption(
        "--gsl-report",
        action="append",
        default=[],
        metavar="FMT=PATH",
        help="write a report of all rules, such as sarif=gslverify.sarif",
    )
    group.addoption(
        "--gsl-adapt",
        action="store_true",
        help="verify what [tool.gslverify.adapt] lists of other libraries, too",
    )
    group.addoption(
        "--gsl-update-baseline",
        action="store_true",
        help="let the baseline ask for what rules reach now; new failures are never accepted",
    )
    parser.addini("gsl_rules", "files and folders whose rules are always collected", "paths", [])


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers; profiles of rules are known before hypothesis loads the one named."""
    if config.getoption("hypothesis_profile", default=None):
        _load("gslverify.pytest_plugin.statistics").register_profile_of(config)
    config.addinivalue_line("markers", "gsl: a stage of the verification of a rule")
    for stage in ("pinned", *STAGES):
        config.addinivalue_line("markers", f"gsl_{stage}: the {stage} stage of a rule")
    if config.getoption("gsl_report") or config.getoption("gsl_update_baseline"):
        _load("gslverify.pytest_plugin.summary").requested(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a file that holds rules, if rules are wanted."""
    if not _holds_wanted_rules(file_path, parent.config):
        return None
    collector: pytest.Collector = _load(ITEMS).RuleFile.from_parent(parent, path=file_path)
    return collector


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Keep pytest from importing a rule file named on the command line as a test module."""
    patterns = parent.config.getini("python_files")
    is_test = any(module_path.match(pattern) for pattern in patterns)
    if is_test or not _holds_wanted_rules(module_path, parent.config):
        return None
    collector: pytest.Collector = _load(ITEMS).NoTests.from_parent(parent, path=module_path)
    return collector


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Add what is listed of other libraries."""
    if session.config.getoption("gsl_adapt"):
        items += _load("gslverify.pytest_plugin.adapted").items(session)


@pytest.fixture(name="gsl")
def gsl_fixture(request: pytest.FixtureRequest) -> Any:
    """Verify, match and apply rules in a test: `check`, `assert_matches`, `rewrite` and others."""
    return _load("gslverify.pytest_plugin.fixture").Rules(request.config)


def _holds_wanted_rules(path: Path, config: pytest.Config) -> bool:
    if path.suffix != ".py" or path.name.startswith((".", "__")):
        return False
    places: list[Path] = config.getini("gsl_rules")
    wanted = config.getoption("gsl") or any(path.is_relative_to(place) for place in places)
    return wanted and WRITES_RULES.search(path.read_bytes()) is not None


def _load(module: str) -> Any:
    return importlib.import_module(module)
