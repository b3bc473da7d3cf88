from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.codes.satisfiable import VACUOUS
from gslverify.corpus.collect import collect
from gslverify.finding import Finding, RuleResult, StageResult, Verdict
from gslverify.report.html.model import Page, RuleView, page_model
from gslverify.report.html.sketch import sketches_of
from tests.gslverify.report.html.pages import report_of, results_in
from tests.gslverify.results import EXAMPLE, failing, passing


def model(folder: Path, everything: bool = False) -> Page:
    results = results_in(folder)
    sketches = sketches_of(collect(["conv.py"]))
    return page_model(report_of(results), sketches, everything=everything)


def views(page: Page) -> dict[str, RuleView]:
    return {rule.name: rule for group in page.groups for rule in group.rules}


def test_groups_run_from_worst_to_best(folder: Path) -> None:
    page = model(folder)

    assert [(group.kind, len(group.rules)) for group in page.groups] == [
        ("fail", 1),
        ("error", 1),
        ("inconclusive", 1),
        ("xfail", 1),
        ("tested", 1),
    ]
    assert page.total == 5


def test_bars_fill_the_width(folder: Path) -> None:
    bars = model(folder).bars

    assert next(name for name, _, _ in bars) == "fail"
    assert [start for _, start, _ in bars] == [0.0, 20.0, 40.0, 60.0, 80.0]
    assert sum(share for _, _, share in bars) == 100


def test_facts_of_the_run(folder: Path) -> None:
    page = model(folder)
    facts = dict(page.facts)

    assert page.command == "gslverify check conv.py --seed 3"
    assert (facts["seed"], facts["time"], facts["exit code"]) == ("3", "12.3 s", "1")
    assert "numpy " in facts["versions"]
    assert "budget" not in facts


def test_reason_of_an_early_end_is_told() -> None:
    stopped = page_model(report_of([], stop_reason="interrupted"), {}, everything=False)

    assert stopped.stop_reason == "interrupted"
    assert stopped.total == 0
    assert stopped.bars == []


def test_rules_with_problems_are_drawn_and_others_on_request(folder: Path) -> None:
    few, all_of_them = views(model(folder)), views(model(folder, everything=True))

    assert [len(few[name].sides) for name in ("two_conv_add", "diamond")] == [2, 0]
    assert [len(all_of_them[name].sides) for name in ("two_conv_add", "diamond")] == [2, 2]
    assert few["diamond"].lines == all_of_them["diamond"].lines


def test_errors_come_before_warnings(folder: Path) -> None:
    problems = views(model(folder))["two_conv_add"].problems

    assert [(problem.code, problem.level) for problem in problems] == [
        ("GSL401", "fail"),
        ("GSL140", "warning"),
    ]
    assert problems[0].title == "source and target compute different values"
    assert problems[0].place == "conv.py:6:9"
    assert problems[0].repro == "gslverify check conv.py::two_conv_add --seed 3"


def test_a_condition_that_cures_both_is_said_once() -> None:
    cure = "add the condition `x.ndim == 2`"
    first = Finding(OUTPUTS_DIFFER, "values", cure=cure, condition="x.ndim == 2")
    others = (replace(first, message="shapes"), Finding(VACUOUS, "a", cure="b"))
    result = RuleResult("a.py::b", None, (StageResult("shape", Verdict.FAIL, (first, *others)),))

    problems = views(page_model(report_of([result]), {}, everything=False))

    assert [one.cure for one in problems["b"].problems] == [cure, "", "b"]


def test_counterexample_has_networks_values_and_elements(folder: Path) -> None:
    example = views(model(folder))["two_conv_add"].problems[0].example

    assert example is not None
    assert example.statements[1] == ("return %0", "", "%1 = Conv2D(%0, w, groups=2)", "")
    assert example.statements[2] == ("", "", "return %1", "")
    assert ("note", "TVM computes different outputs, too") in example.remarks
    assert example.attributes == [["conv1.groups", "2"], ["conv1.strides", "(1, 3)"]]
    assert example.inputs == ["x float32[1,2] = [[0 1.5]]", "w float32[4,8]"]
    assert example.outputs[0]["rows"] == [("[0, 1]", "4", "1"), ("[0, 0]", "nan", "2")]
    assert example.model_title == "attributes and sizes"


def test_what_was_found_out_about_a_counterexample_is_told(folder: Path) -> None:
    known = replace(
        EXAMPLE,
        source_values=([[1.0, 2.5]],),
        target_values=(None, [0.0]),
        divergence="output 0[0]: %0 of the source",
        matters=("groups: holds for 1",),
        same_for_any=("strides", "padding"),
    )
    finding = failing(folder).findings[1]
    finding = replace(finding, counterexample=known, stored=".gslverify/failures/a b.json")
    result = RuleResult("a.py::b", None, (StageResult("numeric", Verdict.FAIL, (finding,)),))
    page = page_model(report_of([result]), {}, everything=False)

    (problem,) = views(page)["b"].problems
    assert problem.stored == "gslverify repro '.gslverify/failures/a b.json'"
    assert problem.example is not None
    assert [(row[1], row[3]) for row in problem.example.statements] == [
        ("[[1 2.5]]", ""),
        ("", "[0]"),
        ("", ""),
    ]
    assert list(problem.example.remarks)[:3] == [
        ("diverges", "output 0[0]: %0 of the source"),
        ("matters", "groups: holds for 1"),
        ("same for any", "strides, padding"),
    ]


def test_model_of_the_solver_is_called_so(folder: Path) -> None:
    code = replace(failing(folder).findings[1].code, id="GSL301")
    finding = Finding(code, "output y changes its shape", counterexample=EXAMPLE)
    result = RuleResult("a.py::b", None, (StageResult("shape", Verdict.FAIL, (finding,)),))
    page = page_model(report_of([result]), {}, everything=False)

    example = views(page)["b"].problems[0].example
    assert example is not None
    assert example.model_title == "model found by z3"


def test_clashing_constraints_are_details(folder: Path) -> None:
    core = ("a.py:3: groups == 1", "a.py:4: groups >= 2")
    finding = Finding(VACUOUS, "these cannot hold together", details=core)
    result = RuleResult("a.py::b", None, (StageResult("satisfiable", Verdict.VACUOUS, (finding,)),))
    (group,) = page_model(report_of([result]), {}, everything=False).groups

    assert group.kind == "vacuous"
    assert tuple(group.rules[0].problems[0].details) == core


def test_lines_with_findings_are_told(folder: Path) -> None:
    sketches = sketches_of(collect(["conv.py"])) if results_in(folder) else {}
    failed = failing(folder)
    (folder / "conv.py").write_text("unused", encoding="utf-8")
    lines = page_model(report_of([failed]), sketches, everything=False).groups[0].rules[0].lines

    assert [(line.number, line.codes) for line in lines if line.codes] == [(6, "GSL140 GSL401")]


def test_stages_have_results_counts_and_a_timeline(folder: Path) -> None:
    stages = views(model(folder))["diamond"].stages

    assert [(s.name, s.status, s.said) for s in stages] == [
        ("static", "pass", ""),
        ("shape", "pass", "3 structures"),
        ("numeric", "pass", "41 graphs"),
    ]
    assert [(s.seconds, s.start, s.share) for s in stages] == [
        (0.0, 0.0, 0.0),
        (0.25, 0.0, 20.0),
        (1.0, 20.0, 80.0),
    ]


def test_stages_are_lines_of_text_below_each_other(folder: Path) -> None:
    assert views(model(folder))["diamond"].stage_lines == [
        "stage    result  time    counts",
        "static   pass    0.00 s",
        "shape    pass    0.25 s  3 structures",
        "numeric  pass    1.00 s  41 graphs",
    ]


def test_skipped_stage_says_why(folder: Path) -> None:
    stages = views(model(folder))["undecided"].stages

    assert (stages[1].status, stages[1].said) == ("skipped", "nothing to differentiate")


def test_filter_looks_at_names_codes_tags_and_equations(folder: Path) -> None:
    words = views(model(folder))["two_conv_add"].words

    for word in ("conv.py", "two_conv_add", "gsl401", "conv(x, w1)"):
        assert word in words


def test_a_path_without_rules_goes_by_its_path() -> None:
    result = replace(passing(Path()), rule_id="nowhere.py")
    (group,) = page_model(report_of([result]), {}, everything=False).groups

    assert group.rules[0].name == "nowhere.py"
