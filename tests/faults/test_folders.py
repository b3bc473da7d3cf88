"""Files and folders that are not what they should be, on the disk and among modules."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gslverify.corpus.collect import collect
from gslverify.corpus.declaration import CollectedRule, Unusable
from gslverify.engine.writing import write_down
from tests.gslverify.rule_files import HEAD, rule_text, write_rules

CONTENTS = {
    "empty": (b"", None),
    "nul": (b"x = 1\0", "GSL101"),
    "binary": (bytes(range(256)), "GSL101"),
    "latin": ("x = '\xe9'".encode("latin-1"), "GSL101"),
    "utf_16": ("x = 1".encode("utf-16"), "GSL101"),
    "unknown_encoding": (b"# -*- coding: klingon -*-\n", "GSL101"),
    "syntax": (b"def (:\n", "GSL101"),
    "indentation": (b"if 1:\nx\n", "GSL101"),
    "tabs": (b"if 1:\n\tx = 1\n        y = 2\n", "GSL101"),
    "nested": (b"(" * 300, "GSL101"),
    "deep": (b"x = " + b"-" * 100_000 + b"1", "GSL101"),
    "missing_module": (b"import no_such_module_anywhere\n", "GSL101"),
    "long_line": (b"x = '" + b"a" * 1_000_000 + b"'\n", None),
    "bom": (b"\xef\xbb\xbfx = 1\n", None),
    "carriage_returns": (b"x = 1\r\ry = 2\r", None),
    "form_feed": (b"\x0cx = 1\n", None),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_contents(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    content, code = CONTENTS[name]
    (tmp_path / "odd.py").write_bytes(content)
    write_rules(tmp_path, ["sound"], "z.py")

    *odd, sound = collect(["."], 10.0, write=write_down)

    assert isinstance(sound, CollectedRule)
    assert [item.finding.code.id for item in odd if isinstance(item, Unusable)] == (
        [code] if code else []
    )


NAMES = [
    "a b.py",
    "a'b.py",
    'a"b.py',
    "a\nb.py",
    "a\x1b[31mb.py",
    "-rf.py",
    "a::b.py",
    "%0A.py",
    "$(id).py",
    "*.py",
    "\u202egnp.py",
    "\u00e9.py",
    "x" * 200 + ".py",
    "class.py",
    "numpy.py",
    "queue.py",
    "string.py",
]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_of_files(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_rules(tmp_path, ["sound"], name)

    (in_folder,) = collect(["."], write=write_down)
    (by_path,) = collect([f"./{name}"], write=write_down)
    (by_name,) = collect([f"./{name}::sound"], write=write_down)

    assert isinstance(in_folder, CollectedRule)
    assert in_folder.rule_id == by_path.rule_id == by_name.rule_id


@pytest.mark.parametrize("folder", ["a::b", "a b", "a\nb", "deep/" * 30, "__a", "..a", "sub.py"])
def test_names_of_folders(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_rules(tmp_path / folder, ["sound"])

    (item,) = collect([f"{folder}/rules.py::sound"], write=write_down)

    assert isinstance(item, CollectedRule)
    assert item.written is not None
    assert item.written.result.rule_hash


@pytest.mark.parametrize("kind", ["dangling", "loop", "folder", "pipe"])
def test_what_is_no_file(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    odd = tmp_path / "odd.py"
    if kind == "dangling":
        odd.symlink_to(tmp_path / "nowhere.py")
    elif kind == "loop":
        odd.symlink_to(odd)
    elif kind == "folder":
        odd.mkdir()
    else:
        os.mkfifo(odd)
    write_rules(tmp_path, ["sound"], "z.py")

    items = collect(["."], 1.0, write=write_down)

    assert isinstance(items[-1], CollectedRule)
    assert all(isinstance(item, Unusable) for item in items[:-1])


@pytest.mark.parametrize("module", ["queue", "types_", "random", "click", "rich", "numpy", "json"])
def test_modules_in_the_folder_are_not_those_of_python(module: str, tmp_path: Path) -> None:
    (tmp_path / f"{module}.py").write_text("raise SystemExit('taken for Python')\n", "utf-8")
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "sound.py").write_text(HEAD + rule_text("sound"), "utf-8")
    command = [sys.executable, "-m", "gslverify", "rules", "--stages", "static", "--no-cache"]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "1 pass" in done.stdout


@pytest.mark.parametrize("module", ["queue", "numpy", "json"])
def test_nor_are_they_for_the_command_that_rewrites_models(module: str, tmp_path: Path) -> None:
    (tmp_path / f"{module}.py").write_text("raise SystemExit('taken for Python')\n", "utf-8")
    command = [sys.executable, "-m", "gsl", "apply", "nowhere.onnx", "--rules", "inference"]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 2, done.stderr
    assert "taken for Python" not in done.stderr


SWAPPED = {
    "pipe": "os.mkfifo(__file__)",
    "device": "os.symlink('/dev/zero', __file__)",
    "loop": "os.symlink(__file__, __file__)",
    "nothing": "pass",
    "large": "os.truncate(os.open(__file__, os.O_CREAT | os.O_RDWR), 1 << 40)",
}


@pytest.mark.parametrize("name", SWAPPED)
def test_a_file_that_puts_something_else_in_its_place_holds_nothing_up(
    name: str, tmp_path: Path
) -> None:
    text = f"{HEAD}import os\nos.unlink(__file__)\n{SWAPPED[name]}\n{rule_text('swapped')}"
    (tmp_path / "swapped.py").write_text(text + "raise ValueError\n", "utf-8")
    write_rules(tmp_path, ["neighbour"], "z.py")

    run = checked(tmp_path)

    assert (run.returncode, run.stderr) == (1, "")
    assert "GSL101" in run.stdout
    assert "1 pass" in run.stdout


def test_links_that_lead_nowhere_are_in_every_report(tmp_path: Path) -> None:
    (tmp_path / "loop.py").symlink_to("loop.py")
    write_rules(tmp_path, ["neighbour"], "z.py")

    run = checked(tmp_path)

    assert (run.returncode, run.stderr) == (2, "")
    assert "`loop.py` is a link that leads to no file" in run.stdout


def test_a_folder_that_is_called_like_a_file_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "folder.py").mkdir()
    write_rules(tmp_path / "folder.py", ["inner"], "rules.py")

    run = checked(tmp_path)

    assert run.returncode == 0
    assert "1 rule: 1 pass" in run.stdout


def checked(folder: Path) -> subprocess.CompletedProcess[str]:
    """Return how the cheapest stage ends, with a report of every format."""
    command = [sys.executable, "-m", "gslverify", "check", ".", "--stages", "static"]
    command += ["--load-timeout", "3"]
    for name in ("html", "junit", "sarif", "markdown", "json", "gitlab"):
        command += ["--report", f"{name}={folder / name}"]
    run = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=60.0, check=False
    )
    assert all((folder / name).stat().st_size for name in ("html", "junit", "sarif", "markdown"))
    return run
