from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from gsl.span import Span
from gslverify.codes.corpus import PATH_MISSING
from gslverify.events import RunDone
from gslverify.finding import Finding, RuleResult, StageResult, Verdict
from gslverify.report.details import repro_command, source_line_of, span_lines
from gslverify.report.style import Style
from gslverify.report.text import TextReport, stage_cell, summary_lines
from gslverify.settings import Settings
from tests.gslverify.results import (
    crashed,
    events_for,
    expected,
    failing,
    passing,
    undecided,
    unmet,
)


def report(results: list[RuleResult], style: Style | None = None, stop_reason: str = "") -> str:
    lines: list[str] = []
    text = TextReport(lines.append, style or Style())
    for event in events_for(results, stop_reason):
        text.consume(event)
    return "\n".join(line.rstrip() for line in lines)


GOLDEN = """\
conv.py
  PASS          diamond       tested  shape: proved, rank 4                                     1.2s
                              numeric: exact, 31 graphs; bounded, 10 graphs
  FAIL          two_conv_add  static  numeric: GSL401                                           2.0s
other.py
  INCONCLUSIVE  undecided         numeric: GSL490                                               0.0s
  ERROR         crashed           shape: GSL901                                                 0.0s
  XFAIL         wrong_on_purpose  numeric: GSL401                                               0.0s
  FAIL          mended            numeric                                                       0.0s

FAIL conv.py::two_conv_add                         GSL401 source and target compute different values
  --> conv.py:6:9
    |
  6 |     y = op.Conv2D(x, w, **pat.same_attr(conv1))
    |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              output y: 2 of 4 elements differ
  attributes  conv1.groups = 2   conv1.strides = (1, 3)
    source                      │ target
    ────────────────────────────┼─────────────────────────────────
    %0 = Conv2D(x, w, groups=2) │ %0 = Concatenate((x, x), axis=1)
    return %0                   │ %1 = Conv2D(%0, w, groups=2)
                                │ return %1
  inputs      x float32[1,2] = [[0 1.5]]
              w float32[4,8]
  outputs     y: 2 of 4 elements differ; one of them is NaN
                [0,1]   source 4   target 1   apart 3
                [0,0]   source nan   target 2
  note        TVM computes different outputs, too
  found after 6 graphs that agreed, seed 0
  hint        add groups=1 to conv1

  warning     GSL140 the target fixes an attribute that the source leaves free
  --> conv.py:6:9
    |
  6 |     y = op.Conv2D(x, w, **pat.same_attr(conv1))
    |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              `groups` takes the default
  repro       gslverify check conv.py::two_conv_add --seed 3
  explain     gslverify explain GSL401
              gslverify explain GSL140

INCONCLUSIVE other.py::undecided                           GSL490 too few graphs could be generated
              only 3 of 20 graphs
  rejected by x: 17
  repro       gslverify check other.py::undecided --seed 3
  explain     gslverify explain GSL490

ERROR other.py::crashed                                     GSL901 a stage of the verifier failed
              stage shape raised
  repro       gslverify check other.py::crashed --seed 3
  explain     gslverify explain GSL901

FAIL other.py::mended                     GSL601 the rule is not refuted by the code that it expects
              the rule expects GSL401, which was not found
  repro       gslverify check other.py::mended --seed 3
  explain     gslverify explain GSL601

6 rules: 1 pass, 2 fail, 1 inconclusive, 1 error, 1 expected to fail    58.2s, seed 3
codes: GSL401 x1  GSL490 x1  GSL601 x1  GSL901 x1    (gslverify explain GSL401)"""


def squeezed(text: str) -> list[str]:
    """Return the lines with runs of spaces as one, since padding follows from the width."""
    return [" ".join(line.split()) for line in text.splitlines()]


def everything(folder: Path) -> list[RuleResult]:
    return [passing(folder), failing(folder), undecided(), crashed(), expected(), unmet()]


def test_summary_tells_profile_and_budget(folder: Path) -> None:
    settings = Settings(profile="ci", budget=600.0)
    done = RunDone((passing(folder),), 58.23, "budget")

    assert list(summary_lines(done, settings, Style())) == [
        "1 rule: 1 pass, 0 fail    58.2s of 10m budget, seed 0, profile ci",
        "the budget is used up; rules that were not finished are inconclusive",
    ]


def test_the_whole_report(folder: Path) -> None:
    printed = report(everything(folder))

    assert squeezed(printed) == squeezed(GOLDEN)
    assert max(map(len, printed.splitlines())) <= 100


def test_problems_only_leave_out_rules_without_any(folder: Path) -> None:
    silent = passing(folder)
    warned = replace(silent, rule_id="conv.py::warned", remarks=failing(folder).findings[:1])
    results = [silent, warned, failing(folder)]
    told = report(results, Style(problems_only=True)).splitlines()

    assert not any("diamond" in line for line in told)
    assert any(line.startswith("  PASS          warned") for line in told)
    assert any(line.startswith("warning conv.py::warned") for line in told)
    assert any(line.startswith("FAIL conv.py::two_conv_add") for line in told)
    assert "3 rules: 2 pass, 1 fail    58.2s, seed 3" in told


def test_quiet_names_problems_only(folder: Path) -> None:
    printed = report(everything(folder), Style(verbosity=-1))

    assert squeezed(printed) == [
        "conv.py",
        "FAIL two_conv_add static numeric: GSL401 2.0s",
        "other.py",
        "INCONCLUSIVE undecided numeric: GSL490 0.0s",
        "ERROR crashed shape: GSL901 0.0s",
        "FAIL mended numeric 0.0s",
        "",
        *squeezed(GOLDEN)[-2:],
    ]


def test_verbose_tells_times_counts_tracebacks_and_what_was_expected(folder: Path) -> None:
    printed = report(everything(folder), Style(verbosity=1))

    assert "numeric fail 2.00s 7 graphs" in "\n".join(squeezed(printed))
    assert "gradient skipped 0.00s nothing to differentiate" in "\n".join(squeezed(printed))
    assert "ZeroDivisionError: by zero" in printed
    assert "as everybody knows" in printed


def test_clean_run_ends_with_the_counts(folder: Path) -> None:
    printed = report([passing(folder)])

    assert printed.splitlines()[-1] == "1 rule: 1 pass, 0 fail    58.2s, seed 3"


def test_early_end_is_said_last(folder: Path) -> None:
    printed = report([failing(folder)], stop_reason="stopped after 1 failure")

    assert printed.splitlines()[-1].startswith("stopped after 1 failure; ")


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_lines_fit_the_width(width: int, folder: Path) -> None:
    printed = report(everything(folder), Style(width=width))
    texts = [line for line in printed.splitlines() if "gslverify " not in line]

    assert max(map(len, texts)) <= width


def test_commands_are_never_broken(folder: Path) -> None:
    result = failing(folder)
    last = result.findings[-1]
    long = replace(last, stored=f".gslverify/failures/{'a' * 120}.json")
    stages = (replace(result.stages[-1], findings=(long,)),)
    printed = report([replace(result, stages=stages)], Style(width=60)).splitlines()

    assert f"  repro         gslverify repro {long.stored}" in printed


def test_narrow_listings_are_folded(folder: Path) -> None:
    printed = report([failing(folder)], Style(width=60))

    assert "%0 = Concatenate((x, x)," in printed
    assert "axis=1)" in printed


def test_colour_only_repeats_what_words_say(folder: Path) -> None:
    plain = report(everything(folder))
    coloured = report(everything(folder), Style(colour=True))

    assert "\x1b[31;1mFAIL\x1b[0m" in coloured
    without = coloured
    for code in ("31;1", "35;1", "32", "33", "2", "1", "0"):
        without = without.replace(f"\x1b[{code}m", "")
    assert without == plain


def test_ascii_has_no_other_characters(folder: Path) -> None:
    file = folder / "conv.py"
    results = everything(folder)
    file.write_text(file.read_text("utf-8").replace("y = ", "ü = "), "utf-8")

    assert report(results, Style(ascii_only=True)).isascii()


def test_missing_source_line_is_left_out(folder: Path) -> None:
    result = failing(folder)
    (folder / "conv.py").unlink()

    printed = report([result])

    assert "--> conv.py:6:9" in printed
    assert "^" not in printed


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        (Settings(), ""),
        (Settings(jobs=7, stage_timeout=3.0), ""),
        (Settings(max_examples=9, min_examples=4), " -n 9 --min-examples 4"),
        (Settings(draws=2), " --draws 2"),
        (Settings(stages=("static", "shape")), " --stages static,shape"),
        (Settings(keep_going=True, use_tvm=False), " --keep-going --no-tvm"),
    ],
)
def test_repro_repeats_what_matters(settings: Settings, options: str) -> None:
    assert repro_command("a.py::b", settings) == f"gslverify check a.py::b{options}"


def test_repro_quotes_odd_names() -> None:
    assert repro_command("my rules.py::b", Settings()) == "gslverify check 'my rules.py::b'"


def test_nothing_verified_is_said() -> None:
    assert report([]) == "0 rules: 0 pass, 0 fail    58.2s, seed 3"


def test_every_verdict_has_a_word_and_a_colour() -> None:
    done = RunDone((), 0.0)
    assert not done.interrupted
    for verdict in Verdict:
        assert Style(colour=True).verdict(verdict) != verdict.value


@pytest.mark.parametrize(
    ("line", "start", "end", "carets"),
    [
        ("y = op.Relu(x)", 5, 15, "    ^^^^^^^^^^"),
        ("\ty = op.Relu(x)", 6, 16, "\t    ^^^^^^^^^^"),
        ("ü = op.Relu(x)", 5, 15, "    ^^^^^^^^^^"),
        ("y = op.Relu(", 5, 0, "    ^^^^^^^^"),
        ("y", 1, 1, "^"),
    ],
)
def test_carets_stand_below_what_is_meant(
    line: str, start: int, end: int, carets: str, folder: Path
) -> None:
    """An end of 0 stands for an end on a later line."""
    file = folder / "carets.py"
    file.write_text(f"{line}\n    x)\n", "utf-8")
    span = Span(str(file), 1, start, 1 if end else 2, end or 7)

    assert span_lines(span)[-1] == f"    | {carets}"


@pytest.mark.parametrize("column", [1, 30, 100, 2500, 4970, 4996])
def test_very_long_lines_are_cut_around_what_is_meant(column: int, folder: Path) -> None:
    file = folder / "long.py"
    text = "x" * (column - 1) + "WRONG" + "x" * (5000 - column - 4)
    file.write_text(f"{text}\n", encoding="utf-8")
    _, _, line, carets = span_lines(Span(str(file), 1, column, 1, column + 5))

    assert len(text) == 5000
    assert len(line) < 180
    start = line.index("WRONG")
    assert carets.rstrip() == f"    |{' ' * (start - 5)}^^^^^"
    assert line.endswith("...") == (column < 4970)
    assert ("| ..." in line) == (column > 41)


def test_carets_below_a_whole_long_line_end_with_it(folder: Path) -> None:
    file = folder / "long.py"
    file.write_text("y" * 5000 + "\n", encoding="utf-8")
    _, _, line, carets = span_lines(Span(str(file), 1, 1, 1, 5001))

    assert len(carets) == len(line) - len("...")


def test_long_names_do_not_push_the_table_apart() -> None:
    name = "a" * 200
    static = (StageResult("static", Verdict.PASS),)
    results = [RuleResult(f"conv.py::{one}", None, static) for one in (name, "short")]

    lines = report(results).splitlines()

    assert lines[1] == f"  PASS          {name}"
    assert lines[2].index("values") == lines[3].index("values")
    assert lines[3].startswith("  PASS          short ")
    assert max(map(len, lines[2:])) <= 100


def test_paths_without_a_rule_are_counted_apart() -> None:
    finding = Finding(PATH_MISSING, "there is no file or folder `a.py`")
    missing = RuleResult("a.py", None, (StageResult("collection", Verdict.ERROR, (finding,)),))

    summary = report([missing, expected()]).splitlines()[-2]

    assert summary.startswith("1 rule: 0 pass, 0 fail, 1 expected to fail; 1 path without a rule ")


def test_a_stage_that_could_not_prove_says_so() -> None:
    reason = "not proved for all sizes: output 0: the elements differ in form"
    assert stage_cell(StageResult("prove", Verdict.PASS, open=reason)) == "prove: open"
    assert stage_cell(StageResult("static", Verdict.PASS)) == "static"


def test_what_is_only_told_on_demand_fits_the_width(folder: Path) -> None:
    counts = {f"graphs of kind {number}": number for number in range(12)}
    numeric = StageResult("numeric", Verdict.PASS, counts=counts)
    result = replace(passing(folder), stages=(StageResult("static", Verdict.PASS), numeric))

    printed = report([result], Style(verbosity=1))

    assert "graphs of kind 11" in printed
    assert max(map(len, printed.splitlines())) <= Style().width


@pytest.mark.parametrize("colour", [False, True])
def test_a_terminal_obeys_no_name(colour: bool) -> None:
    """The colours are ours; a name can ask for one, and for nothing else."""
    style = Style(colour=colour)

    line = style.plain(f"{style.paint('FAIL', '31;1')} \x1b]0;title\x07 \x1b[2J")

    assert line.endswith(r"FAIL \x1b]0;title\x07 \x1b[2J" if not colour else r"\x07 \x1b[2J")
    assert line.startswith("\x1b[31;1mFAIL\x1b[0m " if colour else "FAIL ")


def test_no_line_is_read_from_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "rules.py"
    os.mkfifo(pipe)

    assert source_line_of(Span(str(pipe), 1)) == ""
