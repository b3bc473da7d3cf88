"""GSL110-GSL124: single expressions of a rule, and what they may refer to."""

from __future__ import annotations

from gslverify.codes.example import rule_file
from gslverify.finding import Verdict, code

UNKNOWN_OPERATOR = code(
    "GSL110",
    "unknown-operator",
    "there is no such operator",
    Verdict.FAIL,
    meaning="""A rule names an operator that is not declared. `gslverify list --operators` lists
those that are, with their attributes.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(op.Rellu(op.Relu(x)), op.Relu(x))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(x))
        '''
    ),
)

WRONG_OPERANDS = code(
    "GSL111",
    "wrong-operands",
    "an operator is given too many or too few operands",
    Verdict.FAIL,
    meaning="""Operands are positional and their number is part of the declaration of an operator.
An operator that takes any number of tensors, such as Concatenate, takes one tuple of them.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """x + y  =>  y + x"""
            x, y = pat.Wildcard(), pat.Wildcard()
            return Subst(op.Add(x), op.Add(y, x))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """x + y  =>  y + x"""
            x, y = pat.Wildcard(), pat.Wildcard()
            return Subst(op.Add(x, y), op.Add(y, x))
        '''
    ),
)

UNKNOWN_ATTRIBUTE = code(
    "GSL112",
    "unknown-attribute",
    "an operator has no attribute of that name",
    Verdict.FAIL,
    meaning="""A call is given a keyword that is not an attribute of its operator. Names follow
Relax where Relax has the operator.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(conv2d(x, w))  =>  conv2d(x, w)"""
            conv = op.Conv2D(pat.Wildcard(), pat.Variable(), stride=(1, 1))
            return Subst(op.Relu(conv), conv)
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(conv2d(x, w))  =>  conv2d(x, w)"""
            conv = op.Conv2D(pat.Wildcard(), pat.Variable(), strides=(1, 1))
            return Subst(op.Relu(conv), conv)
        '''
    ),
)

MALFORMED_ATTRIBUTE = code(
    "GSL113",
    "malformed-attribute",
    "a value is not one that the attribute can have",
    Verdict.FAIL,
    meaning="""The value written for an attribute lies outside the domain that the operator
declares for it, so no expression could ever have it. Shapes are tuples of natural numbers, and
constants are numbers that their dtype has; nan equals nothing, so no source can ask for it. Nor can
a source ask for the size -1 of a new shape: a call that is matched has the size that fits in its
place. Write None there, which matches every size, and only one can fit.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(conv2d(x, w))  =>  conv2d(x, w)"""
            conv = op.Conv2D(pat.Wildcard(), pat.Variable(), groups="many")
            return Subst(op.Relu(conv), conv)
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(conv2d(x, w))  =>  conv2d(x, w)"""
            conv = op.Conv2D(pat.Wildcard(), pat.Variable(), groups=2)
            return Subst(op.Relu(conv), conv)
        '''
    ),
)

UNKNOWN_ACCESS = code(
    "GSL114",
    "unknown-access",
    "whatever a pattern matches has no attribute of that name",
    Verdict.FAIL,
    meaning="""`p.name` stands for an attribute of the expression that `p` matches. Tensors have
`shape`, `dtype` and `ndim`, calls also the attributes of their operator, tuples only `length`.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.rank == 4])
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim == 4])
        '''
    ),
)

MISSING_ATTRIBUTE = code(
    "GSL115",
    "missing-attribute",
    "the target leaves out an attribute that has no default",
    Verdict.FAIL,
    meaning="""In a source an attribute that is left out may have any value; a target has to say
what to build. Attributes with a default take it, all others must be given.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """reshape(relu(x))  =>  relu(reshape(x))"""
            x = pat.Wildcard()
            reshaped = op.Reshape(op.Relu(x))
            return Subst(reshaped, op.Relu(op.Reshape(x)))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """reshape(relu(x))  =>  relu(reshape(x))"""
            x = pat.Wildcard()
            reshaped = op.Reshape(op.Relu(x))
            return Subst(reshaped, op.Relu(op.Reshape(x, **pat.same_attr(reshaped))))
        '''
    ),
)

NOT_A_PATTERN = code(
    "GSL116",
    "not-a-pattern",
    "something that is not a pattern stands where a pattern belongs",
    Verdict.FAIL,
    meaning="""Operands and outputs are patterns, numbers or tuples of them, and attributes can be
copied only from the call of an operator.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """x + y  =>  y + x"""
            x = pat.Wildcard()
            return Subst(op.Add(x, "y"), op.Add("y", x))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """x + y  =>  y + x"""
            x, y = pat.Wildcard(), pat.Wildcard()
            return Subst(op.Add(x, y), op.Add(y, x))
        '''
    ),
)

NOT_A_VALUE = code(
    "GSL117",
    "not-a-value",
    "something that is not a value stands in an attribute expression",
    Verdict.FAIL,
    meaning="""Attribute expressions are made of numbers, texts, tuples and attributes such as
`x.shape[0]`. A pattern stands for an expression of the network and has no value of its own, and an
array has too many.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim == x])
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim == 2])
        '''
    ),
)

PYTHON_OPERATOR = code(
    "GSL118",
    "python-operator",
    "an operator of Python builds neither a pattern nor a condition",
    Verdict.FAIL,
    meaning="""`+ - * / // % ** @`, a minus sign and `abs` build calls of operators.
Comparisons and logic do not: `==` and `!=` have to tell patterns apart, and Python itself
decides `if`, `and`, `or`, `not` and `0 < x < 1` at once. Write the operator by its name. Conditions
over attributes are connected by `&`, `|` and `~`, as in `(0 < x.ndim) & (x.ndim < 3)`.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """max(x, 0)  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(op.Where(x > 0, x, op.ZerosLike(x)), op.Relu(x))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """max(x, 0)  =>  relu(x)"""
            x = pat.Wildcard()
            larger = op.Greater(x, 0)
            return Subst(op.Where(larger, x, op.ZerosLike(x)), op.Relu(x))
        '''
    ),
)

WRONG_KIND = code(
    "GSL119",
    "wrong-kind",
    "a tuple stands where a tensor belongs, or a tensor where a tuple does",
    Verdict.FAIL,
    meaning="""Most operators take tensors one by one; Concatenate and Stack take one tuple of
tensors. Only what gives a tuple, such as Split, has fields to project: `x[0]` is not a part of
a tensor.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu([x])), op.Relu(x))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(x))
        '''
    ),
)


UNBOUND_SYMBOL = code(
    "GSL120",
    "unbound-symbol",
    "a symbol is used where nothing gives it a value",
    Verdict.FAIL,
    meaning="""A symbol is the number of a field of a variadic pattern. It has a value only inside
the templates of the variadic pattern whose `index` it is.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """split(x, n)[i]  =>  x, a field for each use"""
            i, x = attr.Symbol("i"), pat.Wildcard()
            return Subst(op.Split(x, indices_or_sections=2, axis=0)[i], x)
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """split(x, n)[0]  =>  x"""
            x = pat.Wildcard()
            return Subst(op.Split(x, indices_or_sections=2, axis=0)[0], x)
        '''
    ),
)

USED_BEFORE_MATCHED = code(
    "GSL121",
    "used-before-matched",
    "an attribute is used before the pattern that has it is matched",
    Verdict.FAIL,
    meaning="""Patterns are matched in reverse post-order: operands before their users, from left
to right. A constraint can only refer to what was matched before it; turn it round, or state it
in `where`, which is evaluated last.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """x + y  =>  y + x, for equal shapes"""
            y = pat.Variable()
            x = pat.Variable(shape=y.shape)
            return Subst(op.Add(x, y), op.Add(y, x))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """x + y  =>  y + x, for equal shapes"""
            x, y = pat.Variable(), pat.Variable()
            return Subst(op.Add(x, y), op.Add(y, x), where=[x.shape == y.shape])
        '''
    ),
)

FOREIGN_ATTRIBUTE = code(
    "GSL122",
    "foreign-attribute",
    "an attribute belongs to a pattern that is not part of the source",
    Verdict.FAIL,
    meaning="""Only what the source matches has attribute values when a rule is applied. The pattern
was probably meant to be an operand of the source.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """x + y  =>  y + x, for tensors of rank 2"""
            x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
            return Subst(op.Add(x, y), op.Add(y, x), where=[z.ndim == 2])
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """x + y  =>  y + x, for tensors of rank 2"""
            x, y = pat.Wildcard(), pat.Wildcard()
            return Subst(op.Add(x, y), op.Add(y, x), where=[x.ndim == 2])
        '''
    ),
)

OPEN_IN_TARGET = code(
    "GSL123",
    "open-in-target",
    "an attribute of the target is left open",
    Verdict.FAIL,
    meaning="""None stands for any value. A source may ask for any value; a target has to build
one. Where None is the default of an attribute, as of `axes` of Transpose, leave it out.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """cast(relu(x))  =>  relu(cast(x))"""
            x = pat.Wildcard()
            cast = op.Cast(op.Relu(x))
            return Subst(cast, op.Relu(op.Cast(x, dtype=None)))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """cast(relu(x))  =>  relu(cast(x))"""
            x = pat.Wildcard()
            cast = op.Cast(op.Relu(x))
            return Subst(cast, op.Relu(op.Cast(x, dtype=cast.dtype)))
        '''
    ),
)

NOT_IN_EVERY_ARM = code(
    "GSL124",
    "not-in-every-arm",
    "the target uses what only some alternatives have",
    Verdict.FAIL,
    meaning="""`pat.Alt` matches one of its alternatives, and then nothing of the others has a
match or an attribute value. What the target or a condition uses must be in all alternatives, or
be chosen by `pat.Cond` and the number of the alternative that matched, `alt.arm`.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """tanh(x + y) or tanh(relu(x))  =>  tanh(y)"""
            x, y = pat.Wildcard(), pat.Wildcard()
            either = pat.Alt(x + y, op.Relu(x))
            return Subst(op.Tanh(either), op.Tanh(y))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """tanh(x + y) or tanh(relu(x))  =>  tanh(x)"""
            x, y = pat.Wildcard(), pat.Wildcard()
            either = pat.Alt(x + y, op.Relu(x))
            return Subst(op.Tanh(either), op.Tanh(x))
        '''
    ),
)
