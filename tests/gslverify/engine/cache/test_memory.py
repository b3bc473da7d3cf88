"""What is kept, what is believed, and what is found out anew."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from gslverify.cli import main
from gslverify.codes.numeric import NO_FIXPOINT, OUTPUTS_DIFFER, TOO_FEW_EXAMPLES
from gslverify.codes.satisfiable import VACUOUS
from gslverify.corpus.collect import collect
from gslverify.corpus.declaration import CollectedRule, LoadedRule, Written
from gslverify.corpus.loading import load
from gslverify.engine.cache.folder import CacheFolder
from gslverify.engine.cache.holding import holds
from gslverify.engine.cache.memory import Remembering, _file_digest
from gslverify.finding import Counterexample, Finding, StageResult, Verdict
from gslverify.settings import Settings
from tests.gslverify.repro.cases import ELSEWHERE, MENDED, WRONG, swapped_case, write_rule
from tests.gslverify.rule_files import rule_text

WRITTEN = StageResult("static", Verdict.PASS, rule_hash="sha256:1", operators=("Subtract",))
PASSED = StageResult("numeric", Verdict.PASS, counts={"examples": 3}, witness=swapped_case())
SHAPE = StageResult("shape", Verdict.PASS)
REFUTED = StageResult(
    "numeric",
    Verdict.FAIL,
    (Finding(OUTPUTS_DIFFER, "differs", counterexample=Counterexample({}, (), ())),),
)
SHOWN = replace(
    REFUTED,
    findings=(
        replace(
            REFUTED.findings[0], counterexample=Counterexample({}, (), (), case=swapped_case())
        ),
    ),
)
IMPOSSIBLE = StageResult("satisfiable", Verdict.VACUOUS, (Finding(VACUOUS, "never"),))
UNDECIDED = StageResult("numeric", Verdict.INCONCLUSIVE, (Finding(TOO_FEW_EXAMPLES, "few"),))
CRASHED = StageResult("numeric", Verdict.ERROR)


def memory(folder: Path, keep_going: bool = False) -> Remembering:
    return Remembering(CacheFolder(folder / "cache"), Settings(keep_going=keep_going))


def rule(folder: Path, text: str) -> CollectedRule:
    _file_digest.cache_clear()
    (item,) = collect([write_rule(folder, text).name])
    assert isinstance(item, CollectedRule)
    return replace(item, written=Written(WRITTEN))


def seen_to_hold(item: CollectedRule, found: tuple[StageResult, ...] | None) -> bool:
    """Tell whether what is recalled would be believed where the rule is."""
    (loaded,) = load(item.path)
    assert isinstance(loaded, LoadedRule)
    return found is not None and holds(loaded.rule, found)


@pytest.mark.parametrize(
    ("result", "text", "recalled"),
    [
        (PASSED, MENDED, True),
        (PASSED, WRONG, False),
        (PASSED, ELSEWHERE, False),
        (replace(PASSED, witness=None), MENDED, False),
        (SHAPE, MENDED, True),
        (IMPOSSIBLE, MENDED, True),
        (SHOWN, WRONG, True),
        (SHOWN, MENDED, False),
        (REFUTED, WRONG, False),
        (UNDECIDED, MENDED, False),
        (CRASHED, MENDED, False),
        (replace(PASSED, skipped="why"), MENDED, False),
    ],
)
def test_what_is_recalled(result: StageResult, text: str, recalled: bool, folder: Path) -> None:
    item = rule(folder, text)
    memory(folder).remember(item, result)

    found = memory(folder).recall(item, [result.stage])

    assert seen_to_hold(item, found) == recalled
    if found:
        assert found[0].cached
        assert found[0] == replace(result, seconds=0.0)


def test_all_stages_have_to_be_known(folder: Path) -> None:
    item = rule(folder, MENDED)
    first = memory(folder)
    first.remember(item, SHAPE)

    assert first.recall(item, ["shape", "numeric"]) is None
    first.remember(item, PASSED)
    assert first.recall(item, ["shape", "numeric"]) is not None


def test_stages_behind_a_refutation_are_skipped_as_in_a_run(folder: Path) -> None:
    item = rule(folder, MENDED)
    memory(folder).remember(item, IMPOSSIBLE)

    found = memory(folder).recall(item, ["satisfiable", "shape"])

    assert found is not None
    assert [result.skipped for result in found] == ["", "satisfiable refuted the rule"]
    assert memory(folder, keep_going=True).recall(item, ["satisfiable", "shape"]) is None


def test_a_refutation_is_enough_however_many_stages_come_after(folder: Path) -> None:
    item = rule(folder, MENDED)
    memory(folder).remember(item, IMPOSSIBLE)

    found = memory(folder).recall(item, ["satisfiable", "shape", "prove", "numeric"])

    assert found is not None
    told = [(result.stage, result.cached, result.skipped) for result in found]
    why = "satisfiable refuted the rule"
    later = [(name, False, why) for name in ("shape", "prove", "numeric")]
    assert told == [("satisfiable", True, ""), *later]


def test_findings_have_places_so_the_file_must_be_the_same(folder: Path) -> None:
    warned = replace(PASSED, findings=(Finding(NO_FIXPOINT, "endless"),))
    memory(folder).remember(rule(folder, MENDED), warned)
    memory(folder).remember(rule(folder, MENDED), SHAPE)

    moved = rule(folder, "\n" + MENDED)

    assert memory(folder).recall(moved, ["numeric"]) is None
    assert memory(folder).recall(moved, ["shape"]) is not None
    assert memory(folder).recall(rule(folder, MENDED), ["numeric"]) is not None


def test_findings_belong_to_one_of_two_equal_rules(folder: Path) -> None:
    """Equal rules have one key, but each has a place of its own."""
    text = MENDED + "\n\n" + MENDED[MENDED.index("@rule") :].replace("swapped", "again")
    write_rule(folder, text)
    (folder / "copy.py").write_text(text, "utf-8")
    items = [
        replace(item, written=Written(WRITTEN))
        for item in collect(["."])
        if isinstance(item, CollectedRule)
    ]
    warned = replace(PASSED, findings=(Finding(NO_FIXPOINT, "endless"),))

    memory(folder).remember(items[0], warned)

    recalled = [memory(folder).recall(item, ["numeric"]) is not None for item in items]
    assert recalled == [True, False, False, False]


def test_a_rule_without_a_hash_is_not_kept(folder: Path) -> None:
    item = rule(folder, MENDED)
    memory(folder).remember(replace(item, written=Written(replace(WRITTEN, rule_hash=""))), SHAPE)

    assert CacheFolder(folder / "cache").sizes() == {}


def test_an_entry_of_another_form_is_found_out_anew(folder: Path) -> None:
    item = rule(folder, MENDED)
    one = memory(folder)
    one.remember(item, SHAPE)
    (path,) = one.folder.sizes()
    for text in ('"text"', '{"tuple": [1, 2]}', '{"tuple": [{"odd": 1}, ""]}'):
        one.folder.write(path.stem, text)
        assert one.recall(item, ["shape"]) is None


def test_a_folder_that_takes_nothing_costs_one_message(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "cache").write_text("a file", "utf-8")
    item, one = rule(folder, MENDED), memory(folder)

    one.remember(item, SHAPE)
    one.remember(item, PASSED)
    one.close()

    assert capsys.readouterr().err.count("results cannot be kept") == 1


def call(*arguments: str) -> str:
    done = CliRunner().invoke(main, list(arguments))
    assert not isinstance(done.exception, Exception), done.output
    return done.output


@pytest.mark.smt
def test_a_second_run_takes_all_from_the_first(folder: Path) -> None:
    rules = WRONG + rule_text("sound")
    write_rule(folder, rules)
    arguments = ("check", "rules.py", "--no-tvm", "-j", "0", "-n", "6")

    first, second = call(*arguments), call(*arguments)
    without = call(*arguments, "--no-cache")

    assert "cached" not in first
    assert second.count("  cached\n") >= 2
    assert "2 rules: 1 pass (1 cached), 1 fail" in second
    assert "cached" not in without
    renamed = rules.replace("def sound", "def renamed")
    write_rule(folder, renamed)
    assert "renamed" in (third := call(*arguments))
    assert "1 pass (1 cached)" in third


GRAPHS = """
from gsl import Call, Var
from gsl.operators import lookup

X = Var("x", (2,), "float32")
RELU = Call(lookup("Relu"), [X])
"""


@pytest.mark.smt
def test_a_rule_with_a_pin_and_examples_is_cached_and_still_asked_both(folder: Path) -> None:
    write_rule(folder, WRONG)
    arguments = ("check", "rules.py", "--no-tvm", "-j", "0", "-n", "6")
    call(*arguments)
    (failure,) = Path(".gslverify/failures").glob("*.json")
    call("repro", str(failure), "--pin")
    must_not = "@rule(must_not_match=[RELU])"
    where = "op.Negative(op.Subtract(y, x)), where=[x.dtype == 'float32'])"
    mended = MENDED.replace("op.Negative(op.Subtract(y, x)))", where)
    write_rule(folder, GRAPHS + mended.replace("@rule", must_not, 1))

    first, second = call(*arguments), call(*arguments, "--report", "json=again.json")

    assert "1 rule: 1 pass, 0 fail" in first
    assert "1 pass (1 cached)" in second
    (record,) = json.loads(Path("again.json").read_text("utf-8"))["rules"]
    counts = {stage["name"]: stage["counts"] for stage in record["stages"]}
    assert [*counts][:3] == ["static", "pinned", "examples"]
    assert counts["pinned"] == {"replayed": 1}
    assert counts["examples"] == {"must_match": 0, "must_not_match": 1}
    (pinned,) = Path("__counterexamples__/swapped").glob("*.json")
    pinned.write_text("{}", "utf-8")
    assert "GSL630" in call(*arguments)


def test_the_folder_can_be_looked_at_and_cleared(folder: Path) -> None:
    item = rule(folder, MENDED)
    kept = Path(".gslverify/cache")
    Remembering(CacheFolder(kept), Settings()).remember(item, SHAPE)

    assert ".gslverify/cache: 1 result, 0.0 MB" in call("cache", "info")
    assert "1 result removed" in call("cache", "clear")
    assert "0 results" in call("cache", "info")
