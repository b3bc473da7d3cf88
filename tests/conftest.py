"""The tests are about what a person sees; what CI changes is asked for by tests of its own."""

from __future__ import annotations

import os


def pytest_configure() -> None:
    os.environ.pop("CI", None)
