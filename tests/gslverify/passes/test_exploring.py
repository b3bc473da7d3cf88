"""Cases drawn and examined: those that are seldom changed, and several causes of one failure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from gslverify.networks.choices import Choices, Tape
from gslverify.passes.exploring import Exploration, explore, explored
from gslverify.passes.verdicts import Ending, Verdict

Case = tuple[int, ...]


@dataclass
class Numbers:
    """Four numbers up to 9, about which a function has a verdict."""

    judge: Callable[[Case], Verdict]
    name: str = "numbers"
    drawn: list[Case] = field(default_factory=list)

    def draw(self, choices: Choices) -> Case:
        self.drawn.append(tuple(choices.number(9) for _ in range(4)))
        return self.drawn[-1]

    def examine(self, case: Case) -> Verdict:
        return self.judge(case)


def found(judge: Callable[[Case], Verdict], count: int, rounds: int = 1) -> Exploration:
    return explore([Numbers(judge)], count, 0, 5.0, rounds)


def test_choices_that_are_none_are_made_anew() -> None:
    tape = Tape((3, None, 5), Random(0))
    taken = [tape.number(9) for _ in range(3)]

    assert (taken[0], taken[2]) == (3, 5)
    assert Tape((None,)).number(9) == 0
    assert {Tape((None,), Random(n)).number(9) for n in range(99)} == set(range(10))


def test_more_cases_are_like_those_that_were_changed() -> None:
    """One of a hundred cases is changed; those like it are changed far more often."""

    def changed_if_two_are_nine(case: Case) -> Verdict:
        is_changed = case[0] == case[1] == 9
        return Verdict(Ending.AGREES if is_changed else Ending.UNCHANGED)

    result = found(changed_if_two_are_nine, 100, rounds=8)

    assert sum(result.endings.values()) > 800  # the rounds, and what comes on top
    assert result.endings[Ending.AGREES] > 40


def test_each_cause_of_a_failure_is_told_with_a_case_of_its_own() -> None:
    def fails_for_two_reasons(case: Case) -> Verdict:
        names = [
            name
            for name, number in zip(("ceil_mode", "auto_pad"), case, strict=False)
            if number > 4
        ]
        ending = Ending.DIFFERS if names else Ending.AGREES
        return Verdict(ending, "other values", before=("Pad", *names))

    result = found(fails_for_two_reasons, 40)

    told = {one.verdict.before: one.count for one in result.findings}
    assert set(told) == {("Pad", "auto_pad"), ("Pad", "ceil_mode")}
    assert sum(told.values()) == result.endings[Ending.DIFFERS]


def test_one_cause_is_told_once() -> None:
    def always_fails(case: Case) -> Verdict:
        return Verdict(Ending.DIFFERS, "other values", before=("Relu", *("Identity",) * case[0]))

    (finding,) = found(always_fails, 30).findings

    assert finding.verdict.before == ("Relu",)
    assert finding.count == 30


def test_what_fails_with_every_graph_is_one_finding_and_soon_over() -> None:
    def raises(case: Case) -> Verdict:
        return Verdict(Ending.RAISES, f"no licence for {case}", before=("Relu",), kind="OSError")

    kinds = [Numbers(raises, f"kind {number}") for number in range(60)]
    result = explore(kinds, 600, 0, 5.0)

    (finding,) = result.findings
    assert finding.count == sum(result.endings.values()) == 20
    assert finding.verdict.message.endswith("so do all other graphs")


def test_findings_are_there_as_soon_as_a_kind_of_graphs_is_through() -> None:
    def differs(case: Case) -> Verdict:
        return Verdict(Ending.DIFFERS if case[0] > 5 else Ending.AGREES, before=("Relu",))

    kinds = [Numbers(differs, f"kind {number}") for number in range(3)]
    seen = [(one.left, len(one.findings)) for one in explored(kinds, 60, 0, 5.0)]

    assert seen == [(2, 1), (1, 2), (0, 3)]


def test_what_fails_with_some_graphs_only_is_told_for_each_kind() -> None:
    def raises(case: Case) -> Verdict:
        ending = Ending.RAISES if case[0] else Ending.UNCHANGED
        return Verdict(ending, "no licence", before=("Relu",), kind="OSError")

    result = explore([Numbers(raises, f"kind {number}") for number in range(3)], 60, 0, 5.0)

    assert [one.experiment for one in result.findings] == ["kind 0", "kind 1", "kind 2"]


def test_a_search_without_hope_is_given_up() -> None:
    never = found(lambda case: Verdict(Ending.UNCHANGED), 100, rounds=10)
    seldom = found(
        lambda case: Verdict(Ending.AGREES if case[:2] == (9, 9) else Ending.UNCHANGED),
        100,
        rounds=10,
    )

    assert sum(never.endings.values()) == 500
    assert sum(seldom.endings.values()) > 1000
