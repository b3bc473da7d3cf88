"""`python -m gsl`: help and the mistakes of users, none of which wait for TVM."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gsl.command import main

RULES = '''
from gsl import Subst, op, pat, rule

@rule()
def relu_relu() -> Subst:
    """relu(relu(x)) => relu(x)"""
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))
'''


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.py").write_text(RULES, encoding="utf-8")
    Path("empty.py").write_text("", encoding="utf-8")
    Path("model.txt").write_text("", encoding="utf-8")
    Path("folder.svg").mkdir()


def run(*arguments: str) -> int:
    try:
        return main(arguments)
    except SystemExit as end:
        return int(end.code or 0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--help"], ["apply", "apply rules to a model"]),
        (["apply", "--help"], ["RULES", "MODEL", ".onnx", "--time", "OUT.npz"]),
    ],
)
def test_help_is_given(capsys: pytest.CaptureFixture[str], arguments: list[str], words: list[str]):
    assert run(*arguments) == 0
    output = capsys.readouterr().out
    assert [word for word in words if word not in output] == []


MISTAKES: dict[str, tuple[list[str], str]] = {
    "no command": ([], "the following arguments are required: COMMAND"),
    "an unknown command": (["aply"], "invalid choice: 'aply'"),
    "no model": (["apply", "rules.py"], "required: MODEL"),
    "no such rules": (["apply", "rulez.py", "m.onnx"], "no file or folder `rulez.py`"),
    "a very long name": (["apply", "x" * 300, "m.onnx"], "no file or folder `xxx"),
    "no rule in the file": (["apply", "empty.py", "m.onnx"], "no rules to apply in `empty.py`"),
    "no such rule": (["apply", "rules.py::relu", "m.onnx"], "no rule `relu`"),
    "no such flag": (
        ["apply", "rules.py", "m.onnx", "--flags", "nsz,nans"],
        "--flags: there is no flag 'nans'; did you mean `nnan`?",
    ),
    "no such model": (["apply", "rules.py", "m.onnx"], "there is no model `m.onnx`"),
    "not a model": (
        ["apply", "rules.py", "model.txt"],
        "should be .onnx, .py, .json or .gsl",
    ),
    "an unknown output": (
        ["apply", "rules.py", "m.onnx", "-o", "out.pt"],
        "cannot write `out.pt`; its suffix should be .onnx, .py, .json, ",
    ),
    "no folder for the output": (
        ["apply", "rules.py", "m.onnx", "-o", "nowhere/out.svg"],
        "cannot write `nowhere/out.svg`; there is no folder `nowhere`",
    ),
    "a folder as output": (["apply", "rules.py", "m.onnx", "-o", "folder.svg"], "it is a folder"),
    "a bad size": (["apply", "rules.py", "m.onnx", "--shape", "x=1,a"], "`x=1,a` is not like x="),
    "a bad limit": (["apply", "rules.py", "m.onnx", "--max-rewrites", "0"], "positive number"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_line_and_exit_code_2(capsys: pytest.CaptureFixture[str], name: str):
    arguments, message = MISTAKES[name]
    assert run(*arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("gsl: ")
    assert message in captured.err


def test_neither_help_nor_mistakes_load_tvm():
    code = (
        "import sys; from gsl.command import main\n"
        "assert main(['apply', 'rules.py', 'm.onnx']) == 2\n"
        "assert not any(name.partition('.')[0] == 'tvm' for name in sys.modules)\n"
        "try: main(['apply', '--help'])\n"
        "finally: assert 'tvm' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "gsl: there is no model `m.onnx`\n"


def test_the_package_can_be_run():
    done = subprocess.run([sys.executable, "-m", "gsl"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("gsl: ")


@pytest.mark.parametrize(
    ("place", "error", "code", "message"),
    [
        ("load_rules", MemoryError(), 2, "gsl: out of memory; the model is too large"),
        ("load_rules", KeyboardInterrupt(), 2, "gsl: the rules were not applied: applying them"),
        ("complaint", KeyboardInterrupt(), 130, ""),
    ],
)
def test_other_ends(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    error: BaseException,
    code: int,
    message: str,
):
    """An interrupt in the process that applies rules was raised by one of them."""

    def fail(selector: str) -> str:
        raise error

    monkeypatch.setattr("gsl.command.complaint", lambda selector: "")
    monkeypatch.setattr(f"gsl.command.{place}", fail)
    assert run("apply", "rules.py", "m.onnx") == code
    assert capsys.readouterr().err.startswith(message)
