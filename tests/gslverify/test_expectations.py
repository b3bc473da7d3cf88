from __future__ import annotations

from pathlib import Path

import pytest

from gslverify.corpus.collect import collect
from gslverify.engine.loop import verify
from gslverify.events import RunDone
from gslverify.exits import Exit, exit_code
from gslverify.settings import Settings
from tests.gslverify.fake_stages import WAVES
from tests.gslverify.rule_files import HEAD, rule_text
from tests.gslverify.runs import codes, verdicts


def run(folder: Path, name: str, expect: str, stages: tuple[str, ...] = ("numeric",)) -> RunDone:
    text = HEAD + rule_text(name, options=f'expect="{expect}"')
    (folder / "rules.py").write_text(text, "utf-8")
    *_, done = verify(collect(["rules.py"]), Settings(stages=stages), WAVES)
    assert isinstance(done, RunDone)
    return done


@pytest.mark.parametrize(
    ("name", "expect", "verdict", "found", "code"),
    [
        ("wrong", "GSL401", "XFAIL", ["GSL401"], Exit.CLEAN),
        ("sound", "GSL401", "FAIL", ["GSL601"], Exit.FINDINGS),
        ("wrong", "GSL402", "FAIL", ["GSL401", "GSL601"], Exit.FINDINGS),
        ("unclear", "GSL401", "INCONCLUSIVE", ["GSL490"], Exit.CLEAN),
        ("raises", "GSL401", "ERROR", ["GSL901"], Exit.INTERNAL),
        ("sound", "GSL999", "FAIL", ["GSL602"], Exit.FINDINGS),
    ],
)
def test_expected_code(
    name: str, expect: str, verdict: str, found: list[str], code: Exit, folder: Path
) -> None:
    done = run(folder, name, expect)

    assert verdicts(done) == {name: verdict}
    assert codes(done) == {name: found}
    assert exit_code(done) is code


def test_expectation_of_a_stage_that_is_left_out(folder: Path) -> None:
    done = run(folder, "wrong", "GSL401", stages=("satisfiable",))

    assert verdicts(done) == {"wrong": "INCONCLUSIVE"}
    (finding,) = done.results[0].findings
    assert finding.code.id == "GSL690"
    assert finding.cure == "add numeric to --stages"


def test_expectation_of_a_skipped_stage_is_unmet(folder: Path) -> None:
    done = run(folder, "early", "GSL403", stages=("satisfiable", "numeric"))

    assert codes(done) == {"early": ["GSL401", "GSL601"]}
    assert "refuted by GSL401 instead" in done.results[0].findings[1].message


def test_wrong_rule_that_passes_is_told_with_its_twin(folder: Path) -> None:
    text = HEAD + rule_text("right")
    text += rule_text("sound", options='expect="GSL401", twin="right"')
    (folder / "rules.py").write_text(text, "utf-8")
    *_, done = verify(collect(["rules.py"]), Settings(stages=("numeric",)), WAVES)

    assert isinstance(done, RunDone)
    (finding,) = done.results[1].findings
    assert finding.code.id == "GSL601"
    assert finding.message.endswith("which was not found (its sound twin is `right`)")


def test_misspelt_expectation_has_a_suggestion(folder: Path) -> None:
    done = run(folder, "sound", "GSL4O1")

    (finding,) = done.results[0].findings
    assert finding.code.id == "GSL602"
    assert finding.cure.startswith("did you mean `GSL4")
