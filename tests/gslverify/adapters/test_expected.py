"""Libraries in versions that the adapters were not written for are named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gslverify.adapters import LIBRARIES, expected

METADATA = "Metadata-Version: 2.1\nName: onnxscript\nVersion: {version}\n"


def test_every_library_has_distributions() -> None:
    assert set(expected.DISTRIBUTIONS) == set(LIBRARIES)


@pytest.mark.parametrize(
    ("found", "wanted", "fits"),
    [
        ("0.7.2", "<0.8,>=0.7.2", True),
        ("0.7.10.dev1", "<0.8,>=0.7.2", True),
        ("0.6.9", "<0.8,>=0.7.2", False),
        ("0.8", "<0.8,>=0.7.2", False),
        ("2.13.0+cpu", "<2.14,>=2.13", True),
        ("0.27.0.post1", "<0.28,>=0.27.0.post1", True),
        ("1.0", "", True),
    ],
)
def test_versions_fit_ranges(
    found: str, wanted: str, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expected, "requires", lambda name: [f'torch{wanted}; extra == "models"'])
    monkeypatch.setattr(expected, "version", lambda name: found)

    lines = list(expected.other_versions("torch"))

    assert bool(lines) is not fits
    assert all(f"torch {found} is installed" in one and wanted in one for one in lines)


def test_a_library_of_another_version_is_refused_with_its_version(tmp_path: Path) -> None:
    pytest.importorskip("onnxscript")
    package, info = tmp_path / "onnxscript", tmp_path / "onnxscript-0.1.0.dist-info"
    for folder in (package, info):
        folder.mkdir()
    (package / "__init__.py").write_text("")
    (info / "METADATA").write_text(METADATA.format(version="0.1.0"))
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import os; os.environ['PYTHONPATH']"
    code += f" = {str(tmp_path)!r} + os.pathsep + {str(Path(__file__).parents[3])!r}; from"
    code += " gslverify.__main__ import run; sys.argv[1:] = ['adapt', 'onnxscript', 'a.b']; run()"

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )

    assert done.returncode == 2
    assert "No module named 'onnxscript.rewriter'" in done.stderr
    assert "onnxscript 0.1.0 is installed, and gslverify is for onnxscript<0.8" in done.stderr
