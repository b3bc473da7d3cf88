"""Places for tests of the verifier to write to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gslverify.fake_stages import DIARY


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the working directory meanwhile."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def diary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file to which fake stages write what they did."""
    path = tmp_path_factory.mktemp("diary") / "diary"
    path.touch()
    monkeypatch.setenv(DIARY, str(path))
    return path
