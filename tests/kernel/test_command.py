"""`python -m gsl.kernel grad`: what it writes, and what it says about mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gsl.kernel.__main__ import main

CASE = {
    "name": "case6",
    "ins": ["B", "C"],
    "outs": ["A"],
    "data_type": "float",
    "kernel": "A<2,8,5,5>[n,k,p,q] = B<2,16,7,7>[n,c,p+r,q+s] * C<8,16,3,3>[k,c,r,s];",
    "grad_to": ["B"],
}

SIGNATURE = (
    "void grad_case6(const real C[8][16][3][3], const real dA[2][8][5][5], real dB[2][16][7][7])"
)


def written(folder: Path, case: Any) -> str:
    path = folder / "case.json"
    path.write_text(case if isinstance(case, str) else json.dumps(case))
    return str(path)


def test_the_kernel_is_what_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grad", written(tmp_path, CASE)]) == 0
    assert capsys.readouterr().out == (
        "grad_case6:\n"
        "dB<2,16,7,7>[n, c, a, b] = dA<2,8,5,5>[n, k, a - r, b - s] * C<8,16,3,3>[k, c, r, s];\n"
        "ins: C dA\n"
        "outs: dB\n"
    )


def test_c_and_numpy_go_to_files(tmp_path: Path) -> None:
    for language, beginning in [("c", SIGNATURE), ("numpy", "def grad_case6(C, dA):")]:
        output = tmp_path / language
        assert main(["grad", written(tmp_path, CASE), "--emit", language, "-o", str(output)]) == 0
        assert beginning in output.read_text()
    scope: dict[str, Any] = {}
    exec((tmp_path / "numpy").read_text(), scope)
    assert scope["grad_case6"](np.ones((8, 16, 3, 3)), np.ones((2, 8, 5, 5))).max() == 72


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("{", "case.json: is no JSON: line 1, column 2: "),
        ("[" * 100000, "case.json: is nested too deep"),
        ('{"name": ' + "9" * 5000 + "}", "case.json: is no JSON: Exceeds the limit (4300"),
        ('{"name": "a", "name": "b"}', "case.json: the key `name` is given twice"),
        ({**CASE, "outs": []}, "case.json: `outs` is empty, so there is nothing to derive"),
        ("[]", "case.json: a case is an object with the keys name, ins, outs"),
        ({**CASE, "out": []}, "case.json: `out` is no key of a case; did you mean `outs`?"),
        ({**CASE, "zzzzz": []}, "`zzzzz` is no key of a case; the keys are name, ins"),
        ({k: v for k, v in CASE.items() if k != "ins"}, "the key `ins` is missing; it is a list"),
        ({**CASE, "ins": "B"}, "`ins` is a list of names, not 'B'"),
        ({**CASE, "grad_to": [1]}, "`grad_to` is a list of names, not [1]"),
        ({**CASE, "kernel": "A<4>[i] = B<4>[i"}, "kernel: line 1, column 17: expected `,` or `]`"),
        ({**CASE, "grad_to": ["D"]}, "case.json: a gradient to `D`, which is no input; inputs"),
        ({**CASE, "data_type": "half"}, "`half` is no data type of kernels"),
    ],
)
def test_mistakes_take_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], case: Any, message: str
) -> None:
    assert main(["grad", written(tmp_path, case)]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.startswith("gsl: ")
    assert said.count("\n") == 1


def test_files_that_cannot_be_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = written(tmp_path, CASE)
    (tmp_path / "bytes").write_bytes(b"\xff")
    for arguments, message in [
        ([str(tmp_path / "none.json")], "none.json: cannot be read: No such file"),
        ([str(tmp_path / "bytes")], "bytes: is no text in UTF-8"),
        ([case, "-o", str(tmp_path / "no" / "file")], "file: cannot be written: No such file"),
    ]:
        assert main(["grad", *arguments]) == 2
        assert message in capsys.readouterr().err


@pytest.mark.parametrize("language", ["c", "numpy"])
@pytest.mark.parametrize("name", ["my case", "grad_\u00e9 x", ""])
def test_a_name_must_be_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], language: str, name: str
) -> None:
    path = written(tmp_path, {**CASE, "name": "grad_" + name + "!"})
    assert main(["grad", path, "--emit", language]) == 2
    said = capsys.readouterr().err
    assert "case.json: " in said
    assert "cannot be the name of a function in" in said


def test_unknown_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["grad"])
    assert caught.value.code == 2
    assert "gsl: the following arguments are required: CASE.json" in capsys.readouterr().err
