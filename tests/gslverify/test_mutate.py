from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gslverify.cli import main
from gslverify.corpus.collect import CollectedRule, collect
from gslverify.mutate import Campaign
from gslverify.mutation.score import Fate
from gslverify.settings import Settings
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
    assert lines[2].strip() == "try: gslverify check rules.py::example~M13.1 -n 200"
    assert lines[-1].endswith("1 killed, 1 survived    score 50.0%")


@pytest.mark.smt
@pytest.mark.parametrize(("least", "code"), [("100", 0), ("0", 0)])
def test_exit_code_tells_whether_the_score_is_enough(least: str, code: int, folder: Path) -> None:
    write_rules(folder, ["one"])
    arguments = ("--operators", "M41", "--no-tvm", "-j", "0", "--fail-under", least)

    assert mutate("rules.py", *arguments).exit_code == code


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

    assert mutate("rules.py", *arguments).exit_code == 1


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


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["nowhere.py"], 2, "there is no file or folder `nowhere.py`"),
        (["rules.py::thre"], 2, "did you mean `three`?"),
        (["rules.py", "--operators", "M99"], 2, "there is no mutation operator `M99`"),
        (["rules.py", "--sample", "0"], 2, "0 is not in the range"),
        (["rules.py", "-k", "(one"], 2, "-k"),
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

    assert "1 mutants of 1 rule" in done.stdout
