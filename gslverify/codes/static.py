"""GSL130-GSL147: source, target and conditions of a rule as a whole."""

from __future__ import annotations

from gslverify.codes.example import rule_file
from gslverify.finding import Verdict, code

DISCONNECTED_SOURCE = code(
    "GSL130",
    "disconnected-source",
    "nothing binds the outputs of the source to each other",
    Verdict.FAIL,
    meaning="""A match starts at the first output and reaches the others through patterns that they
share (equation 1 of the definition of a graph substitution rule), or finds them by an equation: an
attribute of the output or of one of its operands, such as its shape, equals one of what stands
before it. Without either any two places of the network would match. Fields of a variadic source
that share nothing have attributes of the one that `first` stands for. Outputs found by an equation
are independent: none is computed from another.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(x), relu(y)  =>  abs(x), abs(y)"""
            x, y = pat.Wildcard(), pat.Wildcard()
            return Subst([op.Relu(x), op.Relu(y)], [op.Abs(x), op.Abs(y)])
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(x), relu(y)  =>  abs(x), abs(y), x and y of one shape"""
            x, y = pat.Wildcard(), pat.Wildcard()
            targets = [op.Abs(x), op.Abs(y)]
            return Subst([op.Relu(x), op.Relu(y)], targets, where=[x.shape == y.shape])
        '''
    ),
)

FOREIGN_INPUT = code(
    "GSL131",
    "foreign-input",
    "the target uses an input that the source lacks",
    Verdict.FAIL,
    meaning="""A target is built from what the source has matched. A wildcard, a variable or a
constant without a value that occurs only in the target stands for nothing, also where it only
lends its dtype to a constant by `like=`.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(x)  =>  max(x, y)"""
            x, y = pat.Wildcard(), pat.Wildcard()
            return Subst(op.Relu(x), op.Maximum(x, y))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(x)  =>  max(x, 0)"""
            x = pat.Wildcard()
            return Subst(op.Relu(x), op.Maximum(x, pat.Const(0, dtype=x.dtype)))
        '''
    ),
)

OUTPUTS_MISMATCHED = code(
    "GSL132",
    "outputs-mismatched",
    "source and target do not have the same number of outputs",
    Verdict.FAIL,
    meaning="""Output i of the target replaces output i of the source, so there must be as many; a
source with any number of outputs needs a target that is variadic, too. No output of the source
may be listed twice, nor be an arm of another one.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(x), abs(x)  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst([op.Relu(x), op.Abs(x)], [op.Relu(x)])
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(x), abs(x)  =>  relu(x), relu(x)"""
            x = pat.Wildcard()
            return Subst([op.Relu(x), op.Abs(x)], [op.Relu(x), op.Relu(x)])
        '''
    ),
)

MALFORMED_VARIADIC = code(
    "GSL133",
    "malformed-variadic",
    "a variadic pattern cannot be instantiated",
    Verdict.FAIL,
    meaning="""Every field of a variadic pattern is an instance of its templates. Each template must
be reached from the field through other templates, `first` names one pattern for each template,
there is at least one field, and a tuple in a target needs a length. A number that takes its dtype
from a template has to be a template itself: it is written `k = pat.Const(1, like=template)`.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """concat(relu(x), ...)  =>  relu(concat(x, ...))"""
            x = pat.Wildcard()
            parts = pat.Variadic(op.Relu(x), templates=[x])
            inputs = pat.Variadic(x, templates=[x], length=parts.length)
            return Subst(op.Concatenate(parts, axis=0), op.Relu(op.Concatenate(inputs, axis=0)))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """concat(relu(x), ...)  =>  relu(concat(x, ...))"""
            x, i = pat.Wildcard(), attr.Symbol("i")
            relu = op.Relu(x)
            parts = pat.Variadic(relu, templates=[relu, x])
            part = parts(x, i)
            inputs = pat.Variadic(part, templates=[part], index=i, length=parts.length)
            return Subst(op.Concatenate(parts, axis=0), op.Relu(op.Concatenate(inputs, axis=0)))
        '''
    ),
)

MATCHES_EVERYTHING = code(
    "GSL135",
    "matches-everything",
    "an output of the source computes nothing",
    Verdict.FAIL,
    meaning="""An output of the source that is an input would match every expression of every
network, or every variable or constant of it. A rule starts from what an operator computes.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """x  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(x, op.Relu(x))
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

WRONG_SIDE = code(
    "GSL136",
    "wrong-side",
    "a form is used on the side of the rule where it says nothing",
    Verdict.FAIL,
    meaning="""`pat.Alt` and operators known only by a trait leave open what is meant: a source can
match them, a target cannot build them. `pat.Cond` chooses what to build, so it belongs in a
target.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(x) or abs(x)  =>  either of them"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Abs(x)), pat.Alt(op.Relu(x), op.Abs(x)))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(abs(x))  =>  abs(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Abs(x)), op.Abs(x))
        '''
    ),
)

SILENT_DEFAULT = code(
    "GSL140",
    "silent-default",
    "the target fixes an attribute that the source leaves free",
    Verdict.PASS,
    meaning="""An attribute that is left out is free in a source and takes its default in a target.
Leaving it out on both sides changes every expression whose attribute has another value, a layout
for instance. Copy it, or pin it in the source. This is a warning: the later stages tell whether
it does harm.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """-softmax(x)  =>  -softmax(x)"""
            x = pat.Wildcard()
            return Subst(-op.Softmax(x), op.Negative(op.Softmax(x)))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """-softmax(x)  =>  -softmax(x)"""
            x = pat.Wildcard()
            softmax = op.Softmax(x)
            return Subst(-softmax, op.Negative(op.Softmax(x, **pat.same_attr(softmax))))
        '''
    ),
)

PROJECTION_OUT_OF_RANGE = code(
    "GSL141",
    "projection-out-of-range",
    "a projection names a field that its tuple does not have",
    Verdict.FAIL,
    meaning="""Fields count from 0, so the last of n fields is n - 1; negative numbers do not count
from the end.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """split(x, 2)[2]  =>  x"""
            x = pat.Wildcard()
            return Subst(op.Split(x, indices_or_sections=2, axis=0)[2], x)
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """split(x, 2)[1]  =>  x"""
            x = pat.Wildcard()
            return Subst(op.Split(x, indices_or_sections=2, axis=0)[1], x)
        '''
    ),
)

CONSTANT_CONDITION = code(
    "GSL142",
    "constant-condition",
    "a condition does not depend on the match",
    Verdict.FAIL,
    meaning="""The condition is the same for every match. Often Python has compared at once what
should have been compared after matching.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x is None])
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

NOT_A_CONDITION = code(
    "GSL143",
    "not-a-condition",
    "a condition is a number and not a comparison",
    Verdict.FAIL,
    meaning="""A condition has to be true or false. A number is neither, and treating it like one
would hide that half of the comparison is missing.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x), for an even number of rows"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.shape[0] % 2])
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x), for an even number of rows"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.shape[0] % 2 == 0])
        '''
    ),
)

MEANINGLESS_EXPRESSION = code(
    "GSL144",
    "meaningless-expression",
    "an attribute expression combines values that do not go together",
    Verdict.FAIL,
    meaning="""Arithmetic and order are for numbers; a dtype is a text, which can be compared
by `==` or `attr.In`. None means "any" in a constraint of a pattern and has no value that could
be compared. Values of two kinds are never equal.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x), for small dtypes"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.dtype < 32])
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x), for small dtypes"""
            x = pat.Wildcard()
            small = attr.In(x.dtype, ("int8", "float16"))
            return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[small])
        '''
    ),
)

NOTHING_CHANGES = code(
    "GSL145",
    "nothing-changes",
    "source and target are the same",
    Verdict.PASS,
    meaning="""The rule replaces every match by itself. That is not wrong, but cannot be meant,
and applying the rule never comes to an end. This is a warning.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(x)  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(x), op.Relu(x))
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

OVERSIZE_EXPRESSION = code(
    "GSL146",
    "oversize-expression",
    "an attribute expression is too large",
    Verdict.FAIL,
    meaning="""An attribute expression may be 150 levels deep: a sum of n terms has n levels, since
Python adds one term after the other. What occurs twice counts twice in the 100000 parts it may
have. `attr.Reduce` and `attr.Variadic` say the same in a few levels. A whole number in it may have
1024 bits, which is what a float reaches.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Wildcard()
            rows = sum(x.shape[0] for _ in range(300))
            return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[rows > 600])
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.shape[0] * 300 > 600])
        '''
    ),
)

EXPLICIT_ANY = code(
    "GSL147",
    "explicit-any",
    "None in a source is any value, and not a default",
    Verdict.PASS,
    meaning="""In a source `None` means "any", and so does an attribute that is left out. Who writes
`groups=None` often means the default, which is a value like others and has to be written. Fields of
tuples may well be `None`, such as those of `shape=(None, 3)`.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """softmax(relu(x))  =>  softmax(relu(relu(x)))"""
            relu = op.Relu(pat.Wildcard())
            soft = op.Softmax(relu, axis=None)
            return Subst(soft, op.Softmax(op.Relu(relu), axis=soft.axis))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """softmax(relu(x))  =>  softmax(relu(relu(x)))"""
            relu = op.Relu(pat.Wildcard())
            soft = op.Softmax(relu)
            return Subst(soft, op.Softmax(op.Relu(relu), axis=soft.axis))
        '''
    ),
)
