"""Choices between two tensors: known conditions, negated ones, and choices that meet."""

from gsl import Subst, op, pat, rule

CHOICE = {"select", "bit-exact"}


def truth(value: bool) -> pat.Pattern:
    """Return the pattern of a constant truth value of rank 0."""
    return pat.Const(value, dtype="bool")


@rule(
    tags=CHOICE | {"identity", "const-fold"},
    origin="TensorRight: xla/select, rule 02",
    flags=(),
    twin="where_true_any_shape",
)
def where_true() -> Subst:
    """where(true, x, y)  =>  x unless y broadcasts x

    What is never chosen still takes part in broadcasting.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    chosen = op.Where(truth(True), x, y)
    return Subst(chosen, x, where=[chosen.shape == x.shape])


@rule(
    tags=CHOICE | {"identity", "const-fold"},
    origin="TensorRight: xla/select, rule 03",
    flags=(),
)
def where_false() -> Subst:
    """where(false, x, y)  =>  y unless x broadcasts y

    As for true, with the second choice.
    """
    x, y = pat.Wildcard(), pat.Wildcard()
    chosen = op.Where(truth(False), x, y)
    return Subst(chosen, y, where=[chosen.shape == y.shape])


@rule(
    tags=CHOICE | {"identity", "logic", "identity-elim"},
    origin="XLA: HandleSelect, select of true and false",
    flags=(),
)
def where_true_or_false() -> Subst:
    """where(p, true, false)  =>  p

    For the constants of rank 0, which do not broadcast p.
    """
    condition = pat.Wildcard()
    return Subst(op.Where(condition, truth(True), truth(False)), condition)


@rule(
    tags=CHOICE | {"logic", "canonicalise"},
    origin="XLA: HandleSelect, select of false and true",
    nan="same",
)
def where_false_or_true() -> Subst:
    """where(p, false, true)  =>  not p

    For the constants of rank 0, which do not broadcast p.
    """
    condition = pat.Wildcard()
    return Subst(op.Where(condition, truth(False), truth(True)), op.LogicalNot(condition))


@rule(
    tags=CHOICE | {"logic", "canonicalise"},
    origin="MLIR TOSA: SelectLogicalNotOp; TensorRight: xla/select, rule 04",
    flags=(),
    twin="where_not_same_order",
)
def where_not() -> Subst:
    """where(not p, x, y)  =>  where(p, y, x)

    What is chosen where p does not hold is not chosen where it does.
    """
    condition, x, y = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    return Subst(op.Where(op.LogicalNot(condition), x, y), op.Where(condition, y, x))


@rule(
    tags=CHOICE | {"algebra", "algebraic-distrib"},
    origin="Enzyme-JAX: AddSelects",
    flags=(),
    twin="sum_of_choices_two_conditions",
)
def sum_of_choices() -> Subst:
    """where(p, a, b) + where(p, c, d)  =>  where(p, a + c, b + d) for a, b, c, d of one shape

    Both choices fall on the same side. The shapes are compared to keep the choices small, although
    any that broadcast would do.
    """
    condition, a, b = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    c, d = pat.Wildcard(), pat.Wildcard()
    both = op.Where(condition, a, b) + op.Where(condition, c, d)
    alike = [a.shape == b.shape, b.shape == c.shape, c.shape == d.shape]
    return Subst(both, op.Where(condition, a + c, b + d), where=alike)


@rule(
    tags=CHOICE | {"canonicalise"},
    origin="Enzyme-JAX: SelectSelectSameCond, second arm",
    flags=(),
)
def where_same_condition_other_arm() -> Subst:
    """where(p, x, where(p, y, z))  =>  where(p, x, z) if the shape of the result stays

    Where p does not hold the inner choice is z. What is never chosen still takes part in
    broadcasting, so y must not be what gives the result its shape.
    """
    condition, x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
    inner = op.Where(condition, y, z)
    target = op.Where(condition, x, z)
    return Subst(op.Where(condition, x, inner), target, where=[inner.shape == z.shape])
