"""A refuted rule is told the weakest condition that mends it, or nothing."""

from __future__ import annotations

import inspect
import textwrap
from types import SimpleNamespace
from typing import Any

import pytest

from gsl import Subst, attr, op, pat, rule
from gsl.text.naming import pattern_names
from gsl.text.terms import term_text
from gsl.types import FLOATING, INTEGER
from gslverify.codes.gradient import GRADIENTS_DIFFER
from gslverify.codes.levels import EMPTY_DIFFERS, SPECIAL_VALUES_CHANGE
from gslverify.finding import Finding, StageResult, Verdict
from gslverify.preconditions import propose
from gslverify.preconditions.grammar import SIGNED
from gslverify.preconditions.hints import with_hints
from gslverify.preconditions.propose import Proposal, proposal
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.shape import SHAPE
from gslverify.trials.search import Search
from tests.gslverify.preconditions import rules
from tests.gslverify.prove.proving import corpus
from tests.gslverify.stages.asking import Write, question

pytestmark = pytest.mark.smt


def refuted(write: Write) -> tuple[Question, Finding]:
    asked = question(write, max_examples=30)
    for stage in (SHAPE, NUMERIC):
        for finding in stage.run(asked).findings:
            if finding.code.verdict is Verdict.FAIL:
                return asked, finding
    raise AssertionError("the rule is not refuted")


@pytest.mark.parametrize(
    ("write", "condition"),
    [
        (rules.merged_convolutions, "conv.groups == 1"),
        (rules.clipped_relu, "clip.max >= 0"),
        (rules.sum_of_flip, "(flip.axis % x.ndim) == (total.axis[0] % flip.ndim)"),
        (rules.chosen_by_truth, "x.shape == chosen.shape"),
        (rules.square_without_sign, f"attr.In(x.dtype, {FLOATING})"),
        (rules.negative_summand, f"attr.In(x.dtype, {(*FLOATING, *SIGNED)})"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_a_rule_lacks_is_found(write: Write, condition: str) -> None:
    found = proposal(*refuted(write))
    assert found is not None
    assert (found.condition, found.proved) == (condition, True)
    assert 2 <= found.kept <= found.right


@pytest.mark.parametrize(
    ("name", "conditions"),
    [
        ("parallel_dense_as_batch_any_shape", {"v.shape == w.shape"}),
        (
            "bias_add_bias_add_any_axis",
            {"(inner.axis % x.ndim) == (outer.axis % inner.ndim)", "inner.axis == outer.axis"},
        ),
        ("leaky_relu_from_maximum_any_slope", {"a.value <= 1"}),
    ],
)
def test_broken_rules_of_the_corpus_lack_what_their_sound_twins_have(
    name: str, conditions: set[str]
) -> None:
    (rule,) = (rule for rule in corpus("broken") if rule.name == name)
    found = proposal(*refuted(rule.write))
    assert found is not None
    assert found.condition in conditions


def test_what_has_no_name_is_to_be_named_first() -> None:
    asked, finding = refuted(rules.chosen_without_name)
    found = proposal(asked, finding)
    assert found is not None
    assert found.condition in ("x.shape == where.shape", "where.shape == x.shape")
    line = rules.chosen_without_name.__code__.co_firstlineno + 2
    naming = f"name the call of Where in line {line} `where`"
    assert str(found).startswith(f"{naming} and add the condition `{found.condition}`: with it")


def test_what_is_proved_is_told_before_it_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Proposal] = []

    def run(question: Question) -> object:
        assert [one.condition for one in told] == ["x.shape == chosen.shape"]
        raise KeyboardInterrupt

    asked, finding = refuted(rules.chosen_by_truth)
    monkeypatch.setattr(propose, "NUMERIC", SimpleNamespace(run=run))
    with pytest.raises(KeyboardInterrupt):
        proposal(asked, finding, told.append)


def test_what_is_proved_is_run_on_few_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, finding = refuted(rules.chosen_by_truth)
    attempt, attempted = Search.attempt, []

    def counted(search: Search, *given: Any) -> Any:
        attempted.append(given)
        return attempt(search, *given)

    monkeypatch.setattr(Search, "attempt", counted)
    found = proposal(asked, finding)
    assert found is not None
    assert found.proved
    assert len(attempted) == propose.GRAPHS_BESIDE_A_PROOF


@pytest.mark.parametrize(
    "write",
    [rules.clipped_relu, rules.chosen_by_truth, rules.merged_convolutions, rules.sum_of_flip],
)
def test_conditions_can_be_pasted(write: Write) -> None:
    """The text is Python about the variables of the rule's function."""
    asked, finding = refuted(write)
    found = proposal(asked, finding)
    assert found is not None
    lines, _ = inspect.getsourcelines(write)
    body = textwrap.dedent("".join(lines)).rstrip()
    head, _, last = body.rpartition("\n")
    call = last.strip().removeprefix("return ").removesuffix(")")
    assert "where=" not in call or write is rules.merged_convolutions
    more = f"*where, {found.condition}" if "where=" in call else found.condition
    call = call.replace(", where=where", "")
    made: dict[str, Any] = {}
    source = f"{head}\n    return {call}, where=[{more}])"
    exec(source, {"op": op, "pat": pat, "attr": attr, "Subst": Subst}, made)
    pasted = made[write.__name__]()
    assert term_text(pasted.where[-1], pattern_names(pasted))


def test_what_breaks_a_promise_is_excluded() -> None:
    """Numbers that are equal may still be NaN, infinite or -0 on one side only."""

    @rule(nan="same")
    def itself() -> Subst:
        x = pat.Wildcard("x")
        return Subst(x - x, x * 0)

    asked = Question("itself", itself, Settings(use_tvm=False, max_examples=30))
    (finding,) = NUMERIC.run(asked).findings
    assert finding.code is SPECIAL_VALUES_CHANGE

    (hinted,) = with_hints(asked, StageResult("numeric", Verdict.FAIL, (finding,))).findings

    assert hinted.condition == f"attr.In(x.dtype, {INTEGER})"
    assert hinted.cure.startswith('write @rule(nan="may-change") if a change of ')
    assert f"; otherwise add the condition `{hinted.condition}`: with it the rule" in hinted.cure


def test_a_rule_that_is_always_wrong_gets_no_condition() -> None:
    assert proposal(*refuted(rules.always_wrong)) is None


def test_the_same_is_found_again() -> None:
    assert len({str(proposal(*refuted(rules.chosen_by_truth))) for _ in range(2)}) == 1


@pytest.mark.parametrize("code", [GRADIENTS_DIFFER, EMPTY_DIFFERS], ids=str)
def test_what_is_not_shown_by_a_match_is_not_asked(code: object) -> None:
    asked, _ = refuted(rules.chosen_by_truth)
    assert proposal(asked, Finding(code, "")) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("proved", "said"), [(True, "is proved for all sizes"), (False, "passes all stages")]
)
def test_a_proposal_says_how_it_is_known(proved: bool, said: str) -> None:
    text = str(Proposal("c.groups == 1", proved, 3, 9))
    assert text == f"add the condition `c.groups == 1`: with it the rule {said}"
