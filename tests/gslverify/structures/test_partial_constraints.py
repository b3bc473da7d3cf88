"""Which attributes of a source have to be tried in every order and with all signs."""

from __future__ import annotations

from gsl import attr, op, pat
from gsl.attr.term import Term
from gsl.subst import Subst
from gslverify.structures.sources.partial_constraints import looked_into


def rule_with(target: pat.Pattern, total: pat.Pattern, where: list[Term] | None = None) -> Subst:
    return Subst(total, target, where=where or [])


def test_an_attribute_of_which_the_length_is_asked_is_not_looked_into() -> None:
    x = pat.Wildcard()
    total = op.Sum(x)
    target = op.Sum(x, **pat.same_attr(total))
    asked = looked_into(rule_with(target, total, [attr.Length(total.axis) == x.ndim]))
    assert (total, "axis") not in asked


def test_an_attribute_of_which_an_element_is_asked_is_looked_into() -> None:
    x = pat.Wildcard()
    total = op.Sum(x)
    target = op.Sum(x, **pat.same_attr(total))
    assert (total, "axis") in looked_into(rule_with(target, total, [total.axis[0] == 0]))


def test_an_attribute_that_is_handed_on_to_one_of_its_kind_is_not_looked_into() -> None:
    x = pat.Wildcard()
    total = op.Sum(x)
    assert not looked_into(rule_with(op.Mean(x, axis=total.axis), total))


def test_axes_that_are_handed_on_as_an_order_are_looked_into() -> None:
    x = pat.Wildcard()
    total = op.Sum(x)
    target = op.Sum(op.Transpose(x, axes=total.axis), axis=total.axis)
    assert looked_into(rule_with(target, total)) == {(total, "axis")}
