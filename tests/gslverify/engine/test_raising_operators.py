"""Declarations of operators that raise are findings about them, not defects of the verifier."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gsl.operators import REGISTRY
from gsl.operators.declaration import Need, Tensor, operator
from gsl.types import TensorType
from gslverify.corpus.declaration import LoadedRule
from gslverify.corpus.loading import load
from gslverify.engine.examination import Examination
from gslverify.engine.raising_operators import by_operator
from gslverify.finding import StageResult, Verdict
from gslverify.settings import Settings
from gslverify.stages import WAVES

TEXT = """from gsl import Subst, op, pat, rule
from gsl.operators.declaration import Need, Tensor, operator
from gsl.types import TensorType

@operator(dtypes=("float32",))
def Branching(need: Need, data: Tensor, other: Tensor) -> TensorType:
    need(data == other, "types agree")
    return data

@rule
def branches() -> Subst:
    x, y = pat.Wildcard(), pat.Wildcard()
    return Subst(op.Branching(x, y), op.Branching(y, x))
"""


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    for name in ("Branching", "Raising"):
        REGISTRY.pop(name, None)


def result_of(folder: Path) -> StageResult:
    file = folder / "branching.py"
    file.write_text(TEXT, encoding="utf-8")
    (item,) = load(file)
    assert isinstance(item, LoadedRule)
    location = next(wave["satisfiable"] for wave in WAVES if "satisfiable" in wave)
    return Examination(item, Settings(), lambda event: None).run("satisfiable", location)


def test_a_shape_rule_that_branches_on_symbols_is_named(tmp_path: Path) -> None:
    result = result_of(tmp_path)
    (finding,) = result.findings
    assert (finding.code.id, result.verdict) == ("GSL125", Verdict.ERROR)
    assert finding.message.startswith("the shape rule of Branching raises TypeError")
    assert finding.span is not None
    assert finding.span.line == 1 + TEXT.splitlines().index(
        '    need(data == other, "types agree")'
    )


def raised(run: Callable[[], Any]) -> Exception:
    with pytest.raises(ZeroDivisionError) as caught:
        run()
    return caught.value


def test_other_exceptions_are_not_blamed_on_operators() -> None:
    @operator(dtypes=("float32",))
    def Raising(need: Need, data: Tensor) -> TensorType:
        raise ZeroDivisionError

    assert by_operator("shape", raised(lambda: 1 // 0)) is None
    assert by_operator("shape", raised(lambda: Raising.rule(None, None))) is not None
