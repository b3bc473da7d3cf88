"""What a rule demands is taken apart, and turned round."""

from __future__ import annotations

import pytest

from gsl import Subst, op, pat
from gslverify.preconditions.changed import written
from gslverify.preconditions.restrictions import restrictions
from tests.gslverify.preconditions import rules
from tests.gslverify.stages.asking import Write


def windows() -> Subst:
    x, w = pat.Wildcard(), pat.Variable(shape=(None, None, 1, 1))
    conv = op.Conv2D(x, w, groups=1)
    where = [(conv.strides == (1, 1)) & (x.shape[0] > 2), x.shape[1] % w.shape[1] == 0]
    return Subst(op.Relu(op.Relu(conv)), op.Relu(conv), where=where)


def several() -> Subst:
    x = pat.Wildcard()
    field = op.Relu(x)
    joined = op.Concatenate(pat.Variadic(field, templates=[field, x]), axis=0)
    return Subst(op.Relu(joined), joined)


@pytest.mark.parametrize(
    ("write", "texts"),
    [
        (rules.right, []),
        (several, ["joined.axis == 0"]),
        (
            windows,
            [
                "conv.strides == (1, 1)",
                "x.shape[0] > 2",
                "(x.shape[1] % w.shape[1]) == 0",
                "w.shape[2] == 1",
                "w.shape[3] == 1",
                "conv.groups == 1",
            ],
        ),
    ],
)
def test_conditions_are_taken_apart_and_equations_follow(write: Write, texts: list[str]) -> None:
    found = [one.text for one in restrictions(write())]
    assert found == texts


def test_what_is_turned_round_keeps_the_rest() -> None:
    first, *_, last = restrictions(windows())
    turned, dropped = first.refused.build(), first.dropped.build()
    assert len(dropped.where) == 2
    assert [written(one, turned) for one in turned.where] == [
        "x.shape[0] > 2",
        "(x.shape[1] % w.shape[1]) == 0",
        "~(conv.strides == (1, 1))",
    ]
    assert "groups" not in last.dropped.build().source_patterns[2].constraints


def test_comparisons_have_weaker_ones_where_there_is_an_order() -> None:
    weaker = {one.text: [w.text for w in one.weaker] for one in restrictions(windows())}
    assert weaker["x.shape[0] > 2"] == ["x.shape[0] >= 2"]
    assert weaker["conv.strides == (1, 1)"] == []


def test_it_is_known_which_conditions_may_lack_a_value() -> None:
    total = {one.text: one.is_total for one in restrictions(windows())}
    assert not total["(x.shape[1] % w.shape[1]) == 0"]
    assert total["x.shape[0] > 2"]
    assert restrictions(rules.right_for_matrices())[0].is_total
