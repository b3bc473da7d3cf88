"""What is installed: a wheel has all packages, their data, and the rules that presets need."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("gsl", "gslverify", "rule_corpus")
FILES = ("pyproject.toml", "README.md", "LICENSE")
ASKED = """
import gsl
from gsl import presets
from gslverify.report import html
print(gsl.__file__)
print(len(presets.inference.rules))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what the wheel of this project contains."""
    folder = tmp_path_factory.mktemp("wheel")
    # Not even looked for in this process: setuptools cannot be there with it before Python 3.12.
    pip = [sys.executable, "-m", "pip"]
    if subprocess.run([*pip, "--version"], capture_output=True, check=False).returncode:
        pytest.skip("wheels are built by pip")
    # Of a copy: two processes that build in one folder delete each other's files.
    source = folder / "source"
    for package in PACKAGES:
        shutil.copytree(ROOT / package, source / package, ignore=shutil.ignore_patterns("*.pyc"))
    for file in FILES:
        shutil.copy(ROOT / file, source)
    wheel_of = [*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(source)]
    subprocess.run(wheel_of, check=True, timeout=300)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(site: Path, folder: Path, *arguments: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(site)}
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_packages_data_and_presets_are_there(site: Path, tmp_path: Path) -> None:
    where, count = run(site, tmp_path, "-c", ASKED).splitlines()
    assert Path(where).is_relative_to(site)
    assert int(count) > 50
    templates = site / "gslverify" / "report" / "html" / "templates"
    own = ROOT / "gslverify" / "report" / "html" / "templates"
    assert {one.name for one in templates.iterdir()} == {one.name for one in own.iterdir()}


def test_the_commands_start(site: Path, tmp_path: Path) -> None:
    assert "Usage" in run(site, tmp_path, "-m", "gslverify", "--help")
    assert "inference" in run(site, tmp_path, "-m", "gsl", "apply", "--help")
