"""Every code has a rule file that triggers it and one that does not, or a reason why not."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import gsl
import gslverify
from gslverify.corpus.collect import collect
from gslverify.engine.loop import verify
from gslverify.events import RunDone
from gslverify.finding import CODES, Code
from gslverify.settings import STAGES, Settings
from gslverify.stages import WAVES

WITHOUT_EXAMPLE = {
    "GSL105": "is about the command line: tests/gslverify/test_bad_input.py",
    "GSL106": "is about the command line: tests/gslverify/test_bad_input.py",
    "GSL107": "is about the command line: tests/gslverify/test_bad_input.py",
    "GSL290": "needs a query that is too hard for the solver",
    "GSL293": "depends on the settings: tests/gslverify/stages/test_prove.py",
    "GSL390": "needs a query that is too hard for the solver",
    "GSL402": "would be a defect of the engine, which checks this all the same",
    "GSL403": "is found by the shape stage first, as GSL303",
    "GSL451": "needs joints everywhere: tests/gslverify/stages/test_gradient.py",
    "GSL453": "would be a defect of TVM or of a kernel",
    "GSL470": "would be a defect of TVM or of a reference",
    "GSL472": "needs graphs on which TVM fails: tests/gslverify/stages/test_numeric.py",
    "GSL480": "needs TVM, and a rule about NaN: tests/gslverify/trials/test_second_opinion.py",
    "GSL490": "depends on the settings, and on luck",
    "GSL491": "needs a graph on which TVM crashes",
    "GSL492": "needs a machine without TVM, or with another version",
    "GSL603": "depends on other rules: tests/gslverify/corpus/test_corpus.py",
    "GSL612": "depends on the time: tests/gslverify/engine/test_budget.py",
    "GSL613": "depends on the time: tests/gslverify/engine/test_budget.py",
    "GSL620": "depends on an earlier run: tests/gslverify/gate/test_judge.py",
    "GSL621": "depends on an earlier run: tests/gslverify/gate/test_judge.py",
    "GSL622": "depends on an earlier run: tests/gslverify/gate/test_judge.py",
    "GSL623": "depends on an earlier run: tests/gslverify/gate/test_judge.py",
    "GSL624": "depends on an earlier run: tests/gslverify/gate/test_judge.py",
    "GSL625": "depends on an earlier run: tests/gslverify/gate/test_judge.py",
    "GSL626": "depends on an earlier run: tests/gslverify/gate/test_judge.py",
    "GSL630": "needs a stored counterexample: tests/gslverify/commands/test_repro_command.py",
    "GSL631": "needs a stored counterexample: tests/gslverify/commands/test_repro_command.py",
    "GSL690": "depends on the settings: tests/gslverify/test_expectations.py",
    "GSL701": "is about several rules: tests/gslverify/library/test_loops.py",
    "GSL702": "is about several rules: tests/gslverify/library/test_relations.py",
    "GSL703": "is about several rules: tests/gslverify/library/test_relations.py",
    "GSL704": "is about several rules: tests/gslverify/library/test_relations.py",
    "GSL706": "needs a rule that matches no small graph: tests/gslverify/library",
    "GSL707": "is about several rules: tests/gslverify/library/test_relations.py",
    "GSL705": "is about several rules: tests/gslverify/library/test_termination.py",
    "GSL801": "is about other libraries: tests/gslverify/adapters/test_results.py",
    "GSL802": "is about other libraries: tests/gslverify/adapters/test_results.py",
    "GSL803": "is about other libraries: tests/gslverify/adapters/test_results.py",
    "GSL804": "is about other libraries: tests/gslverify/adapters/test_results.py",
    "GSL805": "is about other libraries: tests/gslverify/adapters/test_results.py",
    "GSL806": "is about other libraries: tests/gslverify/adapters/test_results.py",
    "GSL807": "is about other libraries: tests/gslverify/adapters/test_results.py",
    "GSL808": "is about other libraries: tests/gslverify/adapters/test_results.py",
    "GSL810": "is about other libraries: tests/gslverify/adapters/test_results.py",
    "GSL811": "is about other libraries: tests/gslverify/adapters/test_results.py",
    "GSL812": "is about other libraries: tests/gslverify/adapters/test_results.py",
    "GSL814": "is about other libraries: tests/gslverify/adapters/test_results.py",
    "GSL813": "is about other libraries: tests/gslverify/adapters/test_results.py",
    "GSL125": "needs an operator: tests/gslverify/engine/test_raising_operators.py",
    "GSL901": "needs a defect of the verifier: tests/gslverify/engine/test_engine.py",
    "GSL902": "needs a process that dies: tests/gslverify/engine/test_pool.py",
    "GSL904": "needs a stage without end: tests/gslverify/engine/test_findings_kept.py",
    "GSL905": "needs a defect of the verifier: tests/gslverify/engine/test_conclusion.py",
    "GSL903": "needs hundreds of operators: tests/gslverify/engine/test_nested.py",
}


def stages_for(code: Code) -> tuple[str, ...]:
    """Return the stages up to the one that reports the codes of this family."""
    if code.id.startswith("GSL45"):
        return ("static", "gradient")
    if code.id.startswith("GSL48"):
        return ("static", "preconditions")
    last = {"GSL2": "satisfiable", "GSL3": "shape", "GSL4": "numeric", "GSL5": "examples"}
    return STAGES[: STAGES.index(last.get(code.id[:4], STAGES[0])) + 1]


def codes_found(text: str, stages: tuple[str, ...], folder: Path) -> list[str]:
    file = folder / "example.py"
    file.write_text(text, encoding="utf-8")
    settings = Settings(stages=stages, max_examples=8, min_examples=1, use_tvm=False, hints=False)
    *_, done = verify(collect([str(file)]), settings, WAVES)
    assert isinstance(done, RunDone)
    return [finding.code.id for result in done.results for finding in result.findings]


def with_example() -> list[Code]:
    return [code for code in CODES.values() if code.bad]


@pytest.mark.parametrize("code", with_example(), ids=str)
def test_bad_example_has_the_code_and_no_other(code: Code, tmp_path: Path) -> None:
    assert set(codes_found(code.bad, stages_for(code), tmp_path)) == {code.id}


@pytest.mark.parametrize("code", with_example(), ids=str)
def test_good_example_has_no_finding(code: Code, tmp_path: Path) -> None:
    found = codes_found(code.good, stages_for(code), tmp_path)
    if "@rule" not in code.good:
        assert found == ["GSL107"]
    else:
        assert found == []


def test_codes_without_example_say_why() -> None:
    assert {code.id for code in CODES.values() if not code.bad} == WITHOUT_EXAMPLE.keys()


@pytest.mark.parametrize("reason", WITHOUT_EXAMPLE.values())
def test_tests_named_in_a_reason_exist(reason: str) -> None:
    for path in re.findall(r"tests/\S+\.py", reason):
        assert (Path(__file__).parents[2] / path).exists()


@pytest.mark.parametrize("code", with_example(), ids=str)
def test_examples_are_whole_files(code: Code) -> None:
    for text in (code.bad, code.good):
        ast.parse(text)
        assert text.endswith("\n")
        assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("code", CODES.values(), ids=str)
def test_pages_are_complete(code: Code) -> None:
    assert re.fullmatch(r"GSL[1-9]\d\d", code.id)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code.name)
    assert not code.title.endswith(".")
    assert code.meaning.strip().endswith(".")


def test_names_are_unique() -> None:
    names = [code.name for code in CODES.values()]
    assert len(set(names)) == len(names)


def test_every_code_in_the_language_has_a_page() -> None:
    mentioned = {
        code
        for package in (gsl, gslverify)
        for file in Path(package.__path__[0]).rglob("*.py")
        for code in re.findall(r"GSL\d{3}", file.read_text(encoding="utf-8"))
    }
    assert mentioned - CODES.keys() <= {"GSL999"}
