"""Leaves this directory alone when its tests are deselected: importing TVM takes a second."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.selection import may_select


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if may_select("tvm", config.getoption("markexpr")) else True
