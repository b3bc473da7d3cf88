from __future__ import annotations

from pathlib import Path

import pytest

from gslverify.corpus.collect import collect
from gslverify.corpus.suppression import is_wanted, owner_of
from gslverify.engine.conclusion import OWNERS
from gslverify.engine.loop import verify
from gslverify.events import RunDone
from gslverify.finding import RuleResult
from gslverify.settings import Settings
from tests.gslverify.rule_files import HEAD

RULE = '''

@rule(){head}
def example() -> Subst:{under}
    """pool(x)  =>  pool(x)"""
    x = pat.Wildcard()
    source = op.MaxPool2D(x)
    return Subst(
        op.Relu(source),{inside}
        op.Relu(op.MaxPool2D(x)),{line}
    )
'''
"""GSL140 is given in the line of the second MaxPool2D."""


def result_of(folder: Path, settings: Settings | None = None, **comments: str) -> RuleResult:
    places = dict.fromkeys(("head", "under", "inside", "line"), "")
    text = HEAD + RULE.format(**{**places, **comments})
    (folder / "rules.py").write_text(text, "utf-8")
    *_, done = verify(collect(["rules.py"]), settings or Settings(stages=("static",)))
    assert isinstance(done, RunDone)
    return done.results[0]


def codes_of(result: RuleResult) -> list[str]:
    return [finding.code.id for finding in result.findings]


IGNORE = "  # gsl: ignore[GSL140] the default is meant"


def test_the_warning_is_given(folder: Path) -> None:
    assert set(codes_of(result_of(folder))) == {"GSL140"}


@pytest.mark.parametrize("place", ["line", "head"])
def test_comment_on_the_line_or_at_the_head_ignores_it(place: str, folder: Path) -> None:
    assert codes_of(result_of(folder, **{place: IGNORE})) == []


def test_comment_without_spaces_and_with_several_codes(folder: Path) -> None:
    found = result_of(folder, line="  #gsl:ignore[GSL140,GSL145] meant")

    assert codes_of(found) == ["GSL610"]
    assert "GSL145" in found.findings[0].message


@pytest.mark.parametrize(
    ("comment", "found"),
    [
        ("  # gsl: ignore[GSL145] wrong code", ["GSL610"]),
        ("  # gsl: ignore[GSL401] wishful", ["GSL611"]),
        ("  # gsl: ignore[GSL14] short", ["GSL611"]),
        ("  # gsl: ignore[] nothing", ["GSL611"]),
        ("  # gsl: ignore[GSL471] numeric was not run", []),
        ("  # gsl ignore[GSL140] no colon", []),
    ],
)
def test_odd_comments_are_told_and_ignore_nothing(
    comment: str, found: list[str], folder: Path
) -> None:
    result = result_of(folder, line=comment)

    assert codes_of(result)[: -len(found) or None].count("GSL140") > 0
    assert codes_of(result)[len(codes_of(result)) - len(found) :] == found
    assert result.verdict == "PASS"


def test_reason_is_asked_for(folder: Path) -> None:
    result = result_of(folder, line="  # gsl: ignore[GSL140]")

    assert codes_of(result) == ["GSL611"]
    assert "without a reason" in result.findings[0].message


def test_comment_elsewhere_in_the_rule_counts_for_its_line_only(folder: Path) -> None:
    assert codes_of(result_of(folder, inside=IGNORE))[-1] == "GSL610"


def test_comment_in_a_text_is_none(folder: Path) -> None:
    assert "GSL610" not in codes_of(result_of(folder, inside="  # about '# gsl: ignore[GSL141]'"))


def test_refuted_rule_stays_refuted(folder: Path) -> None:
    comment = "  # gsl: ignore[GSL131] wishful"
    text = f"{HEAD}\n\n@rule(){comment}\ndef example() -> Subst:\n"
    text += "    return Subst(op.Relu(pat.Wildcard()), op.Relu(pat.Wildcard()))\n"
    (folder / "rules.py").write_text(text, "utf-8")

    *_, done = verify(collect(["rules.py"]), Settings(stages=("static",)))

    assert isinstance(done, RunDone)
    assert done.results[0].verdict == "FAIL"
    assert codes_of(done.results[0]) == ["GSL131", "GSL611"]


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({}, True),
        ({"ignore": ("GSL140",)}, False),
        ({"ignore": ("GSL14",)}, False),
        ({"ignore": ("GSL141",)}, True),
        ({"select": ("GSL1",)}, True),
        ({"select": ("GSL4",)}, False),
        ({"select": ("GSL1",), "ignore": ("GSL140",)}, False),
        ({"per_rule_ignores": (("rules.py::*", ("GSL140",)),)}, False),
        ({"per_rule_ignores": (("*/old.py::*", ("GSL140",)),)}, True),
        ({"per_rule_ignores": (("*::exam*", ("GSL1",)),)}, False),
    ],
)
def test_settings_leave_out_warnings(
    settings: dict[str, tuple[str, ...]], wanted: bool, folder: Path
) -> None:
    chosen = Settings(stages=("static",), **settings)  # type: ignore[arg-type]

    assert is_wanted("rules.py::example", "GSL140", chosen) is wanted
    assert ("GSL140" in codes_of(result_of(folder, chosen))) is wanted


def test_comment_that_is_of_use_is_used_whatever_settings_say(folder: Path) -> None:
    settings = Settings(stages=("static",), ignore=("GSL140",))

    assert codes_of(result_of(folder, settings, line=IGNORE)) == []


@pytest.mark.parametrize(
    ("code", "stage"),
    [
        ("GSL401", "numeric"),
        ("GSL450", "gradient"),
        ("GSL480", "numeric"),
        ("GSL481", "preconditions"),
        ("GSL603", ""),
    ],
)
def test_the_longest_beginning_tells_the_stage_of_a_code(code: str, stage: str) -> None:
    assert owner_of(code, OWNERS) == stage
