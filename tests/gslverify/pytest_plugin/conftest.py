from __future__ import annotations

import pytest

# Runs of pytester in this process forget what they have imported, so that classes would be made
# twice; what is known before stays.
import gslverify.pytest_plugin.fixture  # noqa: F401
from tests.gslverify.pytest_plugin.projects import INI


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project in whose runs pytest has no other plugins."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setattr("hypothesis.core.global_force_seed", None)  # a run leaves its seed behind
    pytester.makeini(INI)
    return pytester
