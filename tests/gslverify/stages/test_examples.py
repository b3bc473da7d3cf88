from __future__ import annotations

from pathlib import Path

import pytest

from gslverify.corpus.collect import collect
from gslverify.corpus.declaration import CollectedRule
from gslverify.engine.loop import verify
from gslverify.events import RunDone
from gslverify.finding import RuleResult
from gslverify.settings import Settings

HEAD = """\
from gsl import Call, Subst, Var, Workload, op, pat, rule
from gsl.operators import lookup

x = Var("x", (2, 3))
once = Call(lookup("Relu"), [x])
twice = Call(lookup("Relu"), [once])


def raises():
    raise ValueError("no graph today")
"""

RULE = '''

@rule({options})
def example() -> Subst:
    """relu(relu(x))  =>  relu(x)"""
    x = pat.Wildcard()
    return Subst({source}, op.Relu(x))
'''

RELUS = "op.Relu(op.Relu(x))"


def result_of(
    folder: Path, options: str, source: str = RELUS, stages: tuple[str, ...] = ("examples",)
) -> RuleResult:
    (folder / "rules.py").write_text(HEAD + RULE.format(options=options, source=source), "utf-8")
    *_, done = verify(collect(["rules.py"]), Settings(stages=stages))
    assert isinstance(done, RunDone)
    return done.results[0]


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        ("must_match=[twice]", {"must_match": 1, "must_not_match": 0}),
        ("must_match=[Workload(twice), [twice, x], lambda: twice]", {"must_match": 3}),
        ("must_not_match=[once, lambda: [once, x]]", {"must_not_match": 2}),
        ("must_match=(twice,), must_not_match=(once,)", {"must_match": 1, "must_not_match": 1}),
    ],
)
def test_examples_that_hold_are_counted(options: str, counts: dict[str, int], folder: Path) -> None:
    result = result_of(folder, options)

    assert (result.verdict, result.findings) == ("PASS", ())
    assert result.stages[-1].stage == "examples"
    assert counts.items() <= dict(result.stages[-1].counts).items()


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("must_match=[once]", ["GSL501 the source matches nowhere in must_match[0]"]),
        ("must_match=[[once, twice]]", ["GSL501 the source matches nowhere in must_match[0]"]),
        ("must_not_match=[once, twice]", ["GSL502 the source matches in must_not_match[1]"]),
        ("must_match=[once, once]", ["GSL501 the source", "GSL501 the source"]),
        ("must_match=[3]", ["GSL503 must_match[0]: 3 is no graph"]),
        ("must_match=[[]]", ["GSL503 must_match[0]: [] is no graph"]),
        (
            "must_not_match=[raises]",
            ["GSL503 must_not_match[0]: the function raises ValueError: no graph today"],
        ),
        ("must_match=[twice, raises]", ["GSL503 must_match[1]: the function raises ValueError"]),
    ],
)
def test_examples_that_do_not_hold_say_why(options: str, found: list[str], folder: Path) -> None:
    result = result_of(folder, options)

    said = [f"{finding.code} {finding.message}" for finding in result.findings]
    assert len(said) == len(found)
    assert all(one.startswith(start) for one, start in zip(said, found, strict=True))


def test_missed_example_shows_how_far_the_rule_came(folder: Path) -> None:
    (finding,) = result_of(folder, "must_match=[once]").findings

    details = "\n".join(finding.details)
    assert "is Var('x'" not in details.splitlines()[-1]
    assert "but " in details
    assert details.endswith("%0 = Relu(x)\nreturn %0")


def test_findings_have_prints_of_their_own(folder: Path) -> None:
    result = result_of(folder, "must_match=[once, once]")

    assert len({finding.fingerprint(result.rule_id) for finding in result.findings}) == 2


def test_target_that_cannot_be_built_is_a_miss(folder: Path) -> None:
    source = "op.Add(x, pat.Wildcard())"
    pair = "pair = Call(lookup('Add'), [x, Var('y', (2, 3))])"
    text = HEAD.replace("\n\n\ndef raises", f"\n{pair}\n\n\ndef raises")
    body = RULE.format(options="must_match=[pair]", source=source)
    body = body.replace("op.Relu(x))", "op.Concatenate([x, x], axis=7))")
    (folder / "rules.py").write_text(text + body, "utf-8")

    *_, done = verify(collect(["rules.py"]), Settings(stages=("examples",)))

    assert isinstance(done, RunDone)
    (finding,) = done.results[0].findings
    assert finding.code.id == "GSL501"
    assert "the target cannot be built" in finding.message


def test_rules_without_examples_have_no_such_stage(folder: Path) -> None:
    assert [stage.stage for stage in result_of(folder, "").stages] == ["static"]


def test_stage_is_left_out_on_demand(folder: Path) -> None:
    result = result_of(folder, "must_match=[once]", stages=("static",))

    assert [stage.stage for stage in result.stages] == ["static"]


def test_expected_code_is_met(folder: Path) -> None:
    assert result_of(folder, "must_match=[once], expect='GSL501'").verdict == "XFAIL"
    assert result_of(folder, "must_match=[twice], expect='GSL501'").verdict == "FAIL"


@pytest.mark.parametrize("options", ["must_match=once", "must_not_match=None", "must_match='x'"])
def test_lists_are_asked_for(options: str, folder: Path) -> None:
    (finding,) = result_of(folder, options).findings

    assert finding.code.id == "GSL108"
    assert "is not a list of graphs" in finding.message


def test_examples_do_not_change_what_a_rule_means(folder: Path) -> None:
    hashes = {result_of(folder, options).rule_hash for options in ("", "must_match=[twice]")}

    assert len(hashes) == 1
    (item,) = collect(["rules.py"])
    assert isinstance(item, CollectedRule)
    assert item.rule.has_examples
