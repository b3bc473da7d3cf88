"""What a session keeps: a process for rule files, results for later runs, counterexamples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from gslverify.engine.cache import Forgetful, Memory, Remembering
from gslverify.engine.cache.folder import CacheFolder
from gslverify.engine.conclusion import Keep
from gslverify.engine.loop import ignore
from gslverify.engine.pool import Pool
from gslverify.failures import FailureFiles
from gslverify.pytest_plugin.configure import session_settings


@dataclass(frozen=True, slots=True)
class Stores:
    """Where results and counterexamples of a session go, the same places as on a command line."""

    memory: Memory
    keep: Keep
    pool: Pool

    def close(self) -> None:
        """End the process, and take note that the session is over."""
        self.pool.__exit__(None, None, None)
        self.memory.close()


STORES = pytest.StashKey[Stores]()


def of_session(config: pytest.Config) -> Stores:
    """Return the stores of a session, made at the first call."""
    if STORES not in config.stash:
        settings = session_settings(config)
        memory: Memory = Forgetful()
        if settings.cache:
            memory = Remembering(CacheFolder(Path(settings.cache_folder)), settings)
        keep = FailureFiles(Path(settings.failures_folder), settings.seed).keep
        # A fresh process has none of what fixtures and plugins have done to this one.
        pool = Pool(1, replace(settings, jobs=0), ignore, start="spawn")
        config.stash[STORES] = Stores(memory, keep, pool)
    return config.stash[STORES]
