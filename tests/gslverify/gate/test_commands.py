"""`gslverify baseline` and `gslverify compare`, and `check` with a baseline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gslverify.cli import main
from gslverify.gate.baseline import read
from gslverify.gate.lines import counts_text
from tests.gslverify.gate.reports import plain_report, rule, write
from tests.gslverify.repro.cases import OTHERWISE, WRONG, write_rule
from tests.gslverify.rule_files import rule_text

FAST = ("--no-tvm", "-j", "0", "-n", "4", "-q")
FILE = Path("gslverify-baseline.json")


def call(*arguments: str) -> Result:
    done = CliRunner().invoke(main, list(arguments))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return done


@pytest.mark.smt
def test_the_way_of_a_known_failure(folder: Path) -> None:
    write_rule(folder, WRONG + rule_text("sound"))
    check = ("check", "rules.py", *FAST, "--baseline", str(FILE))

    missing = call(*check)
    assert missing.exit_code == 2
    assert "write it: gslverify baseline write" in missing.output

    written = call("baseline", "write", "rules.py", *FAST)
    assert (written.exit_code, "2 rules, 1 of them known" in written.output) == (0, True)
    known = call(*check)
    assert known.exit_code == 0
    assert "1 known, 1 unchanged" in known.output

    write_rule(folder, OTHERWISE + rule_text("sound"))
    worse = call(*check)
    assert worse.exit_code == 1
    assert "REGRESSION   rules.py::swapped  fail -> fail  another failure: GSL30" in worse.output

    before = FILE.read_bytes()
    update = call("baseline", "update", "rules.py", *FAST)
    assert update.exit_code == 1
    assert FILE.read_bytes() == before
    accept = ("baseline", "accept", "rules.py::swapped", *FAST, "--reason", "issue 12")
    assert call(*accept, "--expires", "2099-01-01").exit_code == 0
    assert call(*check).exit_code == 0
    assert "issue 12  until 2099-01-01" in call("baseline", "show").output

    write_rule(folder, rule_text("swapped").join(("from gsl import Subst, op, pat, rule\n", "")))
    fixed = call(*check)
    assert (fixed.exit_code, call(*check, "--strict-baseline").exit_code) == (0, 1)
    assert call("baseline", "update", "rules.py", *FAST).exit_code == 0
    assert read(FILE).rules["rules.py::swapped"].verdict == "pass"
    assert set(read(FILE).rules) == {"rules.py::swapped"}


def test_reports_serve_as_well(folder: Path) -> None:
    source = write(folder / "r.json", rule("a"), rule("b", "fail", "GSL401"))

    assert "2 rules, 1 of them" in call("baseline", "write", "--from", source).output
    worse = write(folder / "w.json", rule("a", "fail", "GSL401"), rule("b", "fail", "GSL401"))
    update = call("baseline", "update", "--from", worse)
    assert (update.exit_code, "REGRESSION" in update.output) == (1, True)
    accept = ("baseline", "accept", "rules.py::a", "--from", worse, "--reason", "so")
    assert call(*accept).exit_code == 0
    assert read(FILE).rules["rules.py::a"].reason == "so"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("write", "--from", "part.json"), "shard 1/2 only"),
        (("update", "--from", "part.json"), "shard 1/2 only"),
        (("write", "--from", "no.json"), "no.json: the report cannot be read"),
        (("write", "--from", "odd.json"), "odd.json: this is no report"),
        (("write", "--from", "cut.json"), "cut.json:2: this is not a report"),
        (("update", "--from", "ci.json"), "this run of `ci`"),
        (("accept", "rules.py::a", "--from", "ci.json", "--reason", " "), "--reason is empty"),
        (("accept", "rules.py::a", "--reason", "x", "--expires", "2020-01-01"), "is over already"),
        (("accept", "rules.py::a", "--reason", "x", "--expires", "soon"), "does not match"),
        (("accept", "rules.py::a"), "Missing option '--reason'"),
        (("write",), "name files or folders"),
        (("update", "rules.py", "--baseline", "no.json"), "there is no such baseline"),
        (("show", "--baseline", "odd.json"), "odd.json:1: it is not a baseline"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: tuple[str, ...], words: str, folder: Path) -> None:
    write(folder / "part.json", rule("a"), shard="1/2")
    write(folder / "ci.json", rule("a"), profile="ci")
    (folder / "odd.json").write_text("{}", "utf-8")
    (folder / "cut.json").write_text("{\n", "utf-8")
    call("baseline", "write", "--from", write(folder / "r.json", rule("a")))
    before = FILE.read_bytes()

    done = call("baseline", *arguments)

    assert done.exit_code == 2
    assert words in done.output
    assert FILE.read_bytes() == before


def test_two_reports_are_compared(folder: Path) -> None:
    old = write(folder / "old.json", rule("a"), rule("b", "fail", "GSL401"), rule("c"))
    new = write(folder / "new.json", rule("a", "fail", "GSL401"), rule("b"), rule("c"))

    done = call("compare", old, new)

    assert done.exit_code == 1
    assert done.output.startswith("old.json -> new.json: 1 REGRESSION, 1 fixed, 1 unchanged\n")
    assert "  REGRESSION   rules.py::a  pass -> fail  GSL401  (GSL620)\n" in done.output
    assert call("compare", new, new).exit_code == 0
    assert call("compare", old, old, "--strict-baseline").exit_code == 0
    assert call("compare", old, "no.json").exit_code == 2
    (folder / "bad.json").write_text(json.dumps(plain_report({"id": 3})), "utf-8")
    damage = "bad.json: the report is damaged: rules[0]: `span` is missing"
    assert damage in call("compare", old, "bad.json").output


@pytest.mark.parametrize(
    "command", [("compare", "old.json", "new.json"), ("merge", "new.json", "-o", "whole.json")]
)
def test_findings_do_not_count_where_that_is_asked_for(
    command: tuple[str, ...], folder: Path
) -> None:
    write(folder / "old.json", rule("a"))
    write(folder / "new.json", rule("a", "fail", "GSL401"), exit_code=1)

    assert call(*command).exit_code == 1
    assert call(*command, "--exit-zero").exit_code == 0


@pytest.mark.parametrize(
    ("command", "options"),
    [
        (("compare",), ("--cache", "--baseline", "--failures-folder", "--no-baseline")),
        (("merge",), ("--cache", "--failures-folder")),
        (("baseline", "show"), ("--cache", "--fail-on", "--no-baseline", "--strict-baseline")),
        (("baseline", "update"), ("--watch", "--show-settings", "--fail-on", "--no-baseline")),
    ],
)
def test_no_option_is_offered_that_changes_nothing(
    command: tuple[str, ...], options: tuple[str, ...]
) -> None:
    words = call(*command, "--help").output.split()

    assert not set(options) & set(words)


def test_reports_of_two_profiles_are_not_compared(folder: Path) -> None:
    old = write(folder / "old.json", rule("a"), profile="ci")
    new = write(folder / "new.json", rule("a"))

    done = call("compare", old, new)

    assert done.exit_code == 2
    assert (
        "old.json is of profile `ci`, new.json is of profile `dev`; compare runs of" in done.output
    )


def test_slower_rules_are_told_and_never_fail(folder: Path) -> None:
    old, new = (plain_report(rule("a"), rule("b"), rule("c")) for _ in "12")
    new["timing"]["rules"] = {"rules.py::a": 9.0, "rules.py::b": 1.9, "rules.py::c": 9.0}
    old["timing"]["cached"] = {"rules.py::c": ["numeric"]}
    for name, one in (("old.json", old), ("new.json", new)):
        (folder / name).write_text(json.dumps(one), "utf-8")

    done = call("compare", "old.json", "new.json")

    assert done.exit_code == 0
    assert "  slower       rules.py::a 1s -> 9s" in done.output
    assert "rules.py::b" not in done.output
    assert "rules.py::c" not in done.output


def test_a_comment_for_a_pull_request(folder: Path) -> None:
    hostile = rule("rules.py::<script>|`x`", "fail", "GSL401")
    many = [rule(f"r{number}", "fail", "GSL401") for number in range(25)]
    old = write(folder / "old.json")
    new = write(folder / "new.json", hostile, *many)

    text = call("compare", old, new, "--output-format", "markdown").output

    assert text.splitlines()[0] == "<!-- gslverify compare -->"
    assert "### gslverify: 26 NEW FAILURE  (profile dev, seed 0)" in text
    assert text.count("| NEW FAILURE |") == 20
    assert "and 6 more" in text
    assert "<details><summary>&lt;script&gt;" in text
    assert "%0 = <b>" in text
    assert "gslverify check r1" in text
    assert "mermaid" not in text
    assert "attributes    conv.padding = (0, 1)" in text


def test_a_comment_has_both_sides_the_finding_and_how_to_run_it(folder: Path) -> None:
    worse = rule("a", "fail", "GSL401")
    worse["drawing"] = {"source": ["flowchart TD", "  s0"], "target": ["flowchart TD", "  t0"]}
    worse["findings"][0]["stored"] = ".gslverify/failures/a-GSL401-1.json"
    old, new = write(folder / "old.json", rule("a")), write(folder / "new.json", worse)

    text = call("compare", old, new, "--output-format", "markdown").output

    row = "| REGRESSION | `rules.py::a` | pass | fail | GSL401 outputs \\| differ |"
    assert row in text.splitlines()
    assert "<details><summary>a: source and target</summary>" in text
    assert "Source:\n\n```mermaid\nflowchart TD\n  s0\n```" in text
    assert "Target:\n\n```mermaid\nflowchart TD\n  t0\n```" in text
    assert "FAIL rules.py::a " in text
    assert "GSL401 source and target compute different values" in text
    repro = "gslverify repro .gslverify/failures/a-GSL401-1.json"
    assert f"```sh\n{repro}\ngslverify check a\n```" in text


def test_the_comment_on_a_run(folder: Path) -> None:
    write_rule(folder, WRONG)
    call("check", "rules.py", *FAST, "--output-format", "json", "-o", "new.json")
    old = write(folder / "old.json", rule("rules.py::swapped"))

    text = call("compare", old, "new.json", "--output-format", "markdown").output

    assert text.count("```mermaid\nflowchart TD\n") == 2
    assert "```sh\ngslverify repro .gslverify/failures/swapped-GSL" in text


def test_damage_below_what_is_compared_is_no_crash(folder: Path) -> None:
    worse = rule("a", "fail", "GSL401")
    worse["findings"][0]["counterexample"] = {"attrs": 1}
    old, new = write(folder / "old.json", rule("a")), write(folder / "new.json", worse)

    done = call("compare", old, new, "--output-format", "markdown")

    assert (done.exit_code, "is damaged" in done.output) == (2, True)


def test_counts_of_nothing() -> None:
    assert counts_text([]) == "no rules"
