"""Settings of a pytest session: options, environment, profile, ini keys, settings file."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest

from gslverify.configuration.file import (
    SettingsError,
    Value,
    built_in_profiles,
    find_file,
    read_file,
)
from gslverify.configuration.resolve import resolve
from gslverify.configuration.table import TABLE
from gslverify.kinds import Kind
from gslverify.pytest_plugin.options import SETTINGS, SWITCHES, destination
from gslverify.settings import Settings

RESOLVED = pytest.StashKey[Settings]()
STARTED = pytest.StashKey[float]()


def session_settings(config: pytest.Config) -> Settings:
    """Return the settings of a session; raise UsageError for a mistake in any place of them."""
    if RESOLVED not in config.stash:
        try:
            found = resolve(
                dict(_options(config)),
                os.environ,
                Path(config.invocation_params.dir),
                dict(_ini(config)),
            )
        except SettingsError as error:
            raise pytest.UsageError(f"gslverify: {error}") from None
        settings = replace(found.settings, jobs=0)
        config.stash[RESOLVED] = replace(settings, budget=settings.budget / _workers(config))
        config.stash[STARTED] = time.monotonic()
    return config.stash[RESOLVED]


def is_budget_spent(config: pytest.Config) -> bool:
    """Tell whether this process has used up its part of the time for the session."""
    budget = session_settings(config).budget
    return 0 < budget < time.monotonic() - config.stash[STARTED]


def end_of_session(config: pytest.Config) -> float:
    """Return when this process has used up its part, on the clock of time.monotonic."""
    budget = session_settings(config).budget
    return config.stash[STARTED] + budget if budget else inf


def is_strict(config: pytest.Config) -> bool:
    """Tell whether an inconclusive stage is a failure."""
    return bool(config.getoption("gsl_strict") or config.getini("gsl_strict"))


def _workers(config: pytest.Config) -> int:
    """Return the number of processes that share the session: those of pytest-xdist, else one."""
    return int(getattr(config, "workerinput", {}).get("workercount", 1))


def hypothesis_profile(config: pytest.Config) -> str:
    """Return the profile that hypothesis is asked to load, if rules have one of that name."""
    name = config.getoption("hypothesis_profile", default=None) or ""
    path = find_file(Path(config.invocation_params.dir))
    own = {} if path is None else read_file(path, Path(config.invocation_params.dir)).profiles
    return str(name) if name in built_in_profiles() or name in own else ""


def _options(config: pytest.Config) -> Iterator[tuple[str, Any]]:
    for name in SETTINGS:
        text = config.getoption(destination(name))
        if text is None and name == "seed":
            text = config.getoption("hypothesis_seed", default=None)
        if text is None and name == "profile":
            text = hypothesis_profile(config) or None
        if text is not None:
            yield name, _read(TABLE[name].kind, str(text), f"--gsl-{name}")
    for name, (_, value, _) in SWITCHES.items():
        if config.getoption(destination(name)):
            yield name, value


def _ini(config: pytest.Config) -> Iterator[tuple[str, Value]]:
    for name in (*SETTINGS, *SWITCHES):
        key = destination(name)
        text = config.getini(key)
        if text is not None:
            yield name, Value(_read(TABLE[name].kind, str(text), key), f"{key} of pytest")


def _read(kind: Kind, text: str, place: str) -> Any:
    try:
        return kind.of_text(text)
    except ValueError as error:
        raise SettingsError(f"{place}: {error}") from None
