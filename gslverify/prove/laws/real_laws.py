"""Laws of functions of real numbers that certificates name; each holds where its left side does."""

from __future__ import annotations

from gsl.kernel.expression import Apply, Expression, Number
from gsl.kernel.meaning import apply
from gslverify.prove.laws.law import A, B, C, Law, Numbers


def _of(function: str, *arguments: object) -> Apply:
    found = apply(function, *arguments)
    assert isinstance(found, Apply)
    return found


def _law(name: str, left: Expression, right: object, *where: Expression) -> Law:
    assert isinstance(left, Apply)
    made = right if isinstance(right, Expression) else Number(right)
    return Law(name, left, made, where, of=Numbers.REALS)


def _is_positive(value: Expression) -> Expression:
    return _of(">", value, 0)


def _is_natural(value: Expression) -> Expression:
    return _of(">=", value, 0)


EXPONENTIALS = (
    _law("exp of 0", _of("exp", 0), 1),
    _law("exp of a sum", _of("exp", A + B), _of("exp", A) * _of("exp", B)),
    _law("exp of the opposite", _of("exp", -A), 1 / _of("exp", A)),
    _law("exp of a multiple", _of("exp", A * B), _of("pow", _of("exp", A), B)),
    _law("exp of a logarithm", _of("exp", _of("log", A)), A),
    _law("log of 1", _of("log", 1), 0),
    _law("log of exp", _of("log", _of("exp", A)), A),
    _law(
        "log of a product",
        _of("log", A * B),
        _of("log", A) + _of("log", B),
        _is_positive(A),
        _is_positive(B),
    ),
    _law(
        "log of a quotient",
        _of("log", A / B),
        _of("log", A) - _of("log", B),
        _is_positive(A),
        _is_positive(B),
    ),
    _law("log of a root", _of("log", _of("sqrt", A)), _of("log", A) / 2),
    _law("log of a power", _of("log", _of("pow", A, B)), B * _of("log", A), _is_positive(A)),
)

ROOTS = (
    _law("root of 1", _of("sqrt", 1), 1),
    _law("root of a square", _of("sqrt", A * A), _of("abs", A)),
    _law(
        "root of a product",
        _of("sqrt", A * B),
        _of("sqrt", A) * _of("sqrt", B),
        _is_natural(A),
        _is_natural(B),
    ),
    _law(
        "root of a quotient",
        _of("sqrt", A / B),
        _of("sqrt", A) / _of("sqrt", B),
        _is_natural(A),
        _is_positive(B),
    ),
    _law("power of a half", _of("pow", A, Number(0.5)), _of("sqrt", A)),
    _law("power of minus a half", _of("pow", A, Number(-0.5)), 1 / _of("sqrt", A)),
    _law("power of the opposite", _of("pow", A, -B), 1 / _of("pow", A, B)),
)

SIZES = (
    _law("size of a natural number", _of("abs", A), A, _is_natural(A)),
    _law("size of a product", _of("abs", A * B), _of("abs", A) * _of("abs", B)),
    _law("size of a quotient", _of("abs", A / B), _of("abs", A) / _of("abs", B)),
    _law("sign times size", _of("*", _of("sign", A), _of("abs", A)), A),
    _law("sign of a positive number", _of("sign", A), 1, _is_positive(A)),
    _law("sign of a product", _of("sign", A * B), _of("sign", A) * _of("sign", B)),
    _law("sign of a quotient", _of("sign", A / B), _of("sign", A) * _of("sign", B)),
)

INCREASING = ("exp", "log", "sqrt", "tanh", "erf", "floor", "ceil", "round", "trunc", "sign")
"""Functions of one argument that never decrease."""

EXTREMA = (
    _law("the greater one", _of("max", A, B), A, _of(">=", A, B)),
    _law("the greater one is the second", _of("max", A, B), B, _of(">=", B, A)),
    _law("the less one", _of("min", A, B), A, _of("<=", A, B)),
    _law("the less one is the second", _of("min", A, B), B, _of("<=", B, A)),
    _law("maximum of sums", _of("max", A + C, B + C), _of("max", A, B) + C),
    _law("minimum of sums", _of("min", A + C, B + C), _of("min", A, B) + C),
    _law("maximum of products", _of("max", A * C, B * C), _of("max", A, B) * C, _is_natural(C)),
    _law("minimum of products", _of("min", A * C, B * C), _of("min", A, B) * C, _is_natural(C)),
    *(
        _law(
            f"{kind} of {name}",
            _of(head, _of(name, A), _of(name, B)),
            _of(name, _of(head, A, B)),
        )
        for name in INCREASING
        for head, kind in (("max", "maximum"), ("min", "minimum"))
    ),
)

ROUNDINGS = tuple(
    _law(f"{name} of {other}", _of(name, _of(other, A)), _of(other, A))
    for name in ("floor", "ceil", "round", "trunc")
    for other in ("floor", "ceil", "round", "trunc", "sign")
)

REAL_LAWS = (*EXPONENTIALS, *ROOTS, *SIZES, *EXTREMA, *ROUNDINGS)
"""All of them."""
