from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gslverify.cli import main
from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.corpus.collect import collect
from gslverify.corpus.declaration import CollectedRule
from gslverify.events import Event, RuleDone
from gslverify.finding import Finding
from gslverify.mutate import Campaign, Means
from gslverify.mutation.score import Fate
from gslverify.settings import Settings
from gslverify.trials.refutation import NOT_SIMPLE
from tests.gslverify.rule_files import HEAD, rule_text, write_rule, write_rules

DENSE = """
x, w1 = pat.Wildcard(), pat.Variable(shape=(None, None))
w2 = pat.Variable(shape=w1.shape)
one = op.Dense(x, w1, out_dtype=w1.dtype)
two = op.Dense(x, w2, **pat.same_attr(one))
return Subst(one + two, op.Dense(x, w1 + w2, **pat.same_attr(one)))
"""


TESTED = ("--stages", "static,satisfiable,shape,numeric")
"""Without the proofs that tell what is only more general."""


def mutate(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["mutate", *arguments], prog_name="gslverify")


def rules(*selectors: str) -> list[CollectedRule]:
    return [item for item in collect(selectors) if isinstance(item, CollectedRule)]


@pytest.mark.smt
def test_mutants_of_a_rule_are_noticed(folder: Path) -> None:
    write_rule(folder, DENSE)
    campaign = Campaign.of(rules("rules.py"), ["M27", "M28", "M42"])
    judged = list(campaign.run(Settings(use_tvm=False, max_examples=12, min_examples=4)))
    fates = Counter((one.mutant.operator.id, one.fate) for one in (*campaign.judged, *judged))

    assert fates == {
        ("M27", Fate.KILLED): 1,
        ("M28", Fate.KILLED): 4,
        ("M42", Fate.KILLED): 1,
    }


@pytest.mark.smt
def test_what_refutes_a_mutant_is_not_explained(folder: Path) -> None:
    write_rule(folder, DENSE)
    settings = Settings(use_tvm=False, max_examples=12, min_examples=4)
    found: list[Finding] = []

    def watch(event: Event) -> None:
        if isinstance(event, RuleDone):
            found.extend(event.result.findings)

    campaign = Campaign.of(rules("rules.py"), ["M28"])
    list(campaign.run(settings, Means(watch=watch)))
    refuted = [one for one in found if one.code == OUTPUTS_DIFFER]

    assert len(refuted) == 2
    for one in refuted:
        assert one.counterexample is not None
        assert one.counterexample.notes == (NOT_SIMPLE,)
        assert not one.counterexample.matters


@pytest.mark.smt
def test_workers_find_mutants_and_give_the_same_fates(folder: Path) -> None:
    write_rule(folder, DENSE)
    settings = Settings(use_tvm=False, max_examples=6, min_examples=2)
    campaign = Campaign.of(rules("rules.py"), ["M27", "M41"])
    alone = [(j.mutant.name, j.fate) for j in campaign.run(settings)]
    crew = replace(settings, jobs=2)
    workers = [(j.mutant.name, j.fate) for j in campaign.run(crew)]

    assert alone == workers
    assert len(alone) == 2


def test_sample_is_drawn_by_the_seed(folder: Path) -> None:
    write_rule(folder, DENSE)
    found = rules("rules.py")

    def names(seed: int) -> list[str]:
        campaign = Campaign.of(found, sample=5, seed=seed)
        assert campaign.size == Campaign.of(found).size
        return [mutant.name for mutant, _ in campaign.waiting]

    assert names(1) == names(1)
    assert len(names(1)) == 5
    assert names(1) != names(2)


@pytest.mark.smt
def test_survivors_come_first_with_a_command_to_look_at_them(folder: Path) -> None:
    body = "x = pat.Wildcard()\nreturn Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim == 2])"
    write_rule(folder, body)
    done = mutate("rules.py", "--operators", "M13,M41", *TESTED, "--no-tvm", "-n", "6", "-j", "0")

    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0].startswith("SURVIVED rules.py::example M13.1: drop condition 1")
    assert lines[2].strip() == "try: gslverify check rules.py::example --mutant M13.1 -n 200"
    assert lines[-1].endswith("1 killed, 1 survived    score 50.0%")


@pytest.mark.smt
@pytest.mark.parametrize(("least", "code"), [("100", 0), ("0", 0)])
def test_exit_code_tells_whether_the_score_is_enough(least: str, code: int, folder: Path) -> None:
    write_rules(folder, ["one"])
    arguments = ("--operators", "M41", "--no-tvm", "-j", "0", "--fail-under", least)

    done = mutate("rules.py", *arguments)

    assert done.exit_code == code
    assert done.stdout.endswith("(fail-under 100: ok)\n") == (least == "100")


@pytest.mark.smt
def test_low_score_fails(folder: Path) -> None:
    body = "x = pat.Wildcard()\nreturn Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim == 2])"
    write_rule(folder, body)
    arguments = (
        "--operators",
        "M13",
        *TESTED,
        "--no-tvm",
        "-n",
        "6",
        "-j",
        "0",
        "--fail-under",
        "90",
    )

    done = mutate("rules.py", *arguments)

    assert done.exit_code == 1
    assert done.stdout.endswith("(fail-under 90: too low)\n")


@pytest.mark.smt
def test_one_mutant_is_asked_for(folder: Path) -> None:
    write_rules(folder, ["one"])
    arguments = ("rules.py", "--mutant", "m41.1", "--no-tvm", "-j", "0")

    text = mutate(*arguments).stdout
    document = json.loads(mutate(*arguments, "--output-format", "json").stdout)

    assert text.startswith("KILLED rules.py::one M41.1: ")
    assert "1 mutant of 1 rule: 1 killed" in text
    assert [m["mutant"] for m in document["mutants"]] == ["M41.1"]


@pytest.mark.smt
def test_check_takes_the_number_of_a_mutant(folder: Path) -> None:
    write_rules(folder, ["one"])

    def check(*arguments: str) -> Result:
        given = ["check", *arguments, "--no-tvm", "-j", "0", "-q"]
        return CliRunner().invoke(main, given, prog_name="gslverify")

    short = check("rules.py::one", "--mutant", "M41.1")
    assert (short.exit_code, "one~M41.1" in short.stdout) == (1, True)
    assert check("rules.py::one~M41.1").exit_code == 1
    assert "has no mutant M99.1" in check("rules.py::one", "--mutant", "M99.1", "-v").stdout
    whole = check("rules.py", "--mutant", "M41.1")
    assert (whole.exit_code, "write FILE::RULE" in whole.stderr) == (2, True)


@pytest.mark.smt
def test_json_is_reproducible(folder: Path) -> None:
    write_rules(folder, ["one"])
    arguments = ("rules.py", "--operators", "M41,M42", "--no-tvm", "-j", "0")
    first = mutate(*arguments, "--output-format", "json")
    second = mutate(*arguments, "--output-format", "json", "-o", "out.json")

    assert first.stdout == (folder / "out.json").read_text("utf-8")
    assert second.stdout == ""
    document = json.loads(first.stdout)
    assert document["summary"] == {"killed": 2}
    assert [m["mutant"] for m in document["mutants"]] == ["M41.1", "M42.1"]


TABLED = """
from typing import Annotated

from gsl import Subst, op, pat, rule
from gsl.operators.declaration import operator
from gsl.operators.domain import Integer
from gsl.types import NUMERIC


class Table(Integer):
    def normalise(self, value, operands):
        return {1: 1, 3: 3}[value] if isinstance(value, int) else value


@operator(dtypes=NUMERIC)
def Tabled(need, data, *, number: Annotated[int, Table()] = 1):
    return data


@Tabled.numpy
def tabled(data, *, number):
    return data


@rule
def twice():
    \"\"\"relu(relu(x))  =>  tabled{3}(relu(x))\"\"\"
    x = pat.Wildcard()
    once = op.Relu(x)
    return Subst(op.Relu(once), op.Tabled(once, number=3))
"""


@pytest.mark.smt
def test_mutant_that_crashes_a_declaration_survives_and_the_others_are_verified(
    folder: Path,
) -> None:
    text = TABLED.replace("need, data,", "need: Need, data: Tensor,")
    text = text.replace("import operator", "import Need, Tensor, operator")
    (folder / "rules.py").write_text(text, "utf-8")
    done = mutate("rules.py", "--operators", "M17,M41", "--no-tvm", "-n", "6", "-j", "0")

    assert done.exit_code == 0
    assert "SURVIVED rules.py::twice M17.1" in done.stdout
    assert "GSL901 stage shape raised KeyError: 4" in done.stdout
    assert "1 killed, 4 survived" in done.stdout
    assert "Traceback" not in done.output


@pytest.mark.smt
def test_second_campaign_knows_what_the_first_has_seen(folder: Path) -> None:
    write_rule(folder, DENSE)
    arguments = ("rules.py", "--operators", "M28", "--no-tvm", "-n", "6", "-j", "0")
    first = mutate(*arguments)
    kept = sorted(path.name for path in Path(".gslverify/cache").rglob("*.result"))
    second = mutate(*arguments)
    forgetful = mutate(*arguments, "--no-cache", "--cache-folder", "elsewhere")

    assert "4 killed" in first.stdout
    assert first.stdout == second.stdout == forgetful.stdout
    assert kept
    assert all(name.endswith("-mutant.result") for name in kept)
    assert kept == sorted(path.name for path in Path(".gslverify/cache").rglob("*.result"))
    assert not Path("elsewhere").exists()


@pytest.mark.smt
def test_refutations_do_not_end_a_campaign(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.gslverify]\nmax-failures = 1\n", "utf-8")
    write_rule(folder, DENSE)
    done = mutate("rules.py", "--operators", "M28", "--no-tvm", "-n", "6", "-j", "0")

    assert "4 killed" in done.stdout
    assert "killed: 2 by shape, 2 by numeric" in done.stdout
    assert mutate("rules.py", "-x").exit_code == 2


@pytest.mark.smt
def test_rules_with_survivors_have_a_line_and_all_have_on_demand(folder: Path) -> None:
    body = "x = pat.Wildcard()\nreturn Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim == 2])"
    write_rule(folder, body)
    write_rules(folder, ["one"], "others.py")
    options = ("--operators", "M13,M41", *TESTED, "--no-tvm", "-n", "6", "-j", "0")
    found = mutate("rules.py", "others.py", *options).stdout
    told = mutate("rules.py", "others.py", *options, "-v").stdout

    assert "\nrules.py::example  " in found
    assert "\nothers.py::one  " not in found
    assert "\nothers.py::one  " in told


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["nowhere.py"], 2, "there is no file or folder `nowhere.py`"),
        (["rules.py::thre"], 2, "did you mean `three`?"),
        (["rules.py", "--operators", "M99"], 2, "there is no mutation operator `M99`"),
        (["rules.py", "--sample", "0"], 2, "0 is not in the range"),
        (["rules.py", "-k", "(one"], 2, "-k"),
        (["rules.py", "--mutant", "M99.1"], 2, "no rule has a mutant M99.1"),
        (["rules.py::wrong"], 5, "there is no rule to break"),
        (["raises.py"], 2, "GSL102"),
    ],
)
def test_bad_input(arguments: list[str], code: int, text: str, folder: Path) -> None:
    wrong = rule_text("wrong", options='expect="GSL401"')
    (folder / "rules.py").write_text(HEAD + rule_text("three") + wrong, "utf-8")
    write_rule(folder, "return 1 / 0", "raises.py")
    done = mutate(*arguments)

    assert done.exit_code == code
    assert text in done.stderr
    assert "Traceback" not in done.stderr


def test_no_rule_is_mutated_that_is_expected_to_fail(folder: Path) -> None:
    text = HEAD + rule_text("good") + rule_text("wrong", options='expect="GSL401"')
    (folder / "rules.py").write_text(text, "utf-8")
    done = mutate("rules.py", "--operators", "M42", "--no-tvm", "-j", "0", "-n", "6")

    assert "1 mutant of 1 rule" in done.stdout


@pytest.mark.smt
def test_mutants_without_time_are_not_judged_and_do_not_meet_a_limit(folder: Path) -> None:
    write_rule(folder, DENSE)
    run = mutate("rules.py", *TESTED, "--budget", "0.01", "--fail-under", "50")

    assert run.exit_code == 1
    assert "unjudged" in run.stdout
    assert "too low" in run.stdout
    assert "`--budget 0` takes as long as it needs" in run.stdout


@pytest.mark.smt
def test_one_rule_alone_gets_half_a_minute(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_rule(folder, DENSE)
    monkeypatch.setattr("gslverify.actions.mutate.FOR_ONE_RULE", 0.01)

    assert "unjudged" in mutate("rules.py", *TESTED, "--operators", "M27").stdout
    for said in (("--budget", "0"), ("--sample", "1")):
        assert "unjudged" not in mutate("rules.py", *TESTED, "--operators", "M27", *said).stdout
