"""What a session keeps: results of stages for later runs, and counterexamples as files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from gslverify.engine.cache import Forgetful, Memory, Remembering
from gslverify.engine.cache.folder import CacheFolder
from gslverify.engine.conclusion import Keep
from gslverify.failures import FailureFiles
from gslverify.pytest_plugin.configure import session_settings


@dataclass(frozen=True, slots=True)
class Stores:
    """Where results and counterexamples of a session go, the same places as on a command line."""

    memory: Memory
    keep: Keep


STORES = pytest.StashKey[Stores]()


def of_session(config: pytest.Config) -> Stores:
    """Return the stores of a session, made at the first call."""
    if STORES not in config.stash:
        settings = session_settings(config)
        memory: Memory = Forgetful()
        if settings.cache:
            memory = Remembering(CacheFolder(Path(settings.cache_folder)), settings)
        keep = FailureFiles(Path(settings.failures_folder), settings.seed).keep
        config.stash[STORES] = Stores(memory, keep)
    return config.stash[STORES]
