"""GSL405 to GSL409: what becomes of rounding errors, special values and empty tensors."""

from __future__ import annotations

from gslverify.codes.example import rule_file
from gslverify.finding import Verdict, code

TARGET_LESS_PRECISE = code(
    "GSL405",
    "target-less-precise",
    "the target loses digits that the source keeps",
    Verdict.PASS,
    meaning="""Measured against float64, the error of the target is more than four times that of
the source on the same inputs, and more than rounding in another order explains; or the target
overflows where the source does not. Over the real numbers the rule may be right: a warning.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """variance(x)  =>  mean(x^2) - mean(x)^2"""
            x = pat.Wildcard()
            spread = op.Variance(x, keepdims=True)
            mean = op.Mean(x, axis=spread.axis, keepdims=True)
            squares = op.Mean(op.Square(x), axis=spread.axis, keepdims=True)
            return Subst(spread, squares - op.Square(mean), where=[x.dtype == "float32"])
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """variance(x)  =>  mean((x - mean(x))^2)"""
            x = pat.Wildcard()
            spread = op.Variance(x, keepdims=True)
            mean = op.Mean(x, axis=spread.axis, keepdims=True)
            squares = op.Mean(op.Square(x - mean), axis=spread.axis, keepdims=True)
            return Subst(spread, squares, where=[x.dtype == "float32"])
        '''
    ),
)

SPECIAL_VALUES_CHANGE = code(
    "GSL406",
    "special-values-change",
    "NaN, an infinity or the sign of a zero changes although the rule promises otherwise",
    Verdict.FAIL,
    meaning="""The rule is declared with flags=... without nnan, ninf or nsz, or with nan="same",
which is short for none of the three. On a generated graph with NaN, infinities,
zeros of both signs or numbers at the ends of the range among its inputs, an output of the target
has NaN, an infinity or another zero where the output of the source has not, or the other way round;
or a truth value or integer differs because of such inputs, as with NaN == NaN. The message names
the kind. Without a declaration the line of the rule says which flags it needs, as in
"needs nnan nsz", and -v shows a witness of each.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """x * z + y * z  =>  (x + y) * z"""
            x, y, z = pat.Wildcard(), pat.Wildcard(), pat.Wildcard()
            return Subst(x * z + y * z, (x + y) * z)
        '''
    ).replace("@rule()", '@rule(nan="same")'),
    good=rule_file(
        '''
        def example() -> Subst:
            """x + (-y)  =>  x - y"""
            x, y = pat.Wildcard(), pat.Wildcard()
            return Subst(x + (-y), x - y)
        '''
    ).replace("@rule()", '@rule(nan="same")'),
)

EMPTY_REFUSED = code(
    "GSL407",
    "empty-refused",
    "the target cannot be built when an axis is empty",
    Verdict.FAIL,
    meaning="""The rule matches a graph in which an axis has no elements, but an operator of the
target does not accept it: as for any other graph that matches (GSL403). A condition such as
x.shape[0] >= 1 says that no such graph is meant; with the setting `declining` the engine may leave
it alone.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """sum(abs(x))  =>  mean(abs(x)) * n for vectors of n elements"""
            x = pat.Wildcard()
            total = op.Sum(op.Abs(x), axis=(0,), keepdims=True)
            where = [x.ndim == 1, x.shape[0] <= 4, x.dtype == "float32"]
            lengths = op.Sum(op.OnesLike(x), axis=(0,), keepdims=True)
            average = op.Mean(op.Abs(x), axis=(0,), keepdims=True)
            return Subst(total, average * lengths, where=where)
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """sum(abs(x))  =>  mean(abs(x)) * n for vectors of n elements"""
            x = pat.Wildcard()
            total = op.Sum(op.Abs(x), axis=(0,), keepdims=True)
            where = [x.ndim == 1, x.shape[0] >= 1, x.dtype == "float32"]
            lengths = op.Sum(op.OnesLike(x), axis=(0,), keepdims=True)
            average = op.Mean(op.Abs(x), axis=(0,), keepdims=True)
            return Subst(total, average * lengths, where=where)
        '''
    ),
)

EMPTY_DIFFERS = code(
    "GSL408",
    "empty-differs",
    "source and target part where an input has no elements",
    Verdict.FAIL,
    meaning="""On a generated graph one size of an input is 0, and there the target computes another
value than the source, or is not defined. Where every input has elements no difference was seen.
Proofs for all sizes start at size 1, so such a rule may be proved for them. If it is not meant for
empty tensors, a condition such as x.shape[0] >= 1 says so.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """sum(ones_like(x))  =>  max(sum(zeros_like(x) + 1), 1) for vectors"""
            x = pat.Wildcard()
            ones = op.OnesLike(x, dtype="int32")
            count = op.Sum(ones, axis=(0,), keepdims=False)
            again = op.Sum(op.ZerosLike(x, dtype="int32") + 1, axis=(0,), keepdims=False)
            return Subst(count, op.Maximum(again, 1), where=[x.ndim == 1])
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """sum(ones_like(x))  =>  max(sum(zeros_like(x) + 1), 1) for n >= 1 elements"""
            x = pat.Wildcard()
            ones = op.OnesLike(x, dtype="int32")
            count = op.Sum(ones, axis=(0,), keepdims=False)
            again = op.Sum(op.ZerosLike(x, dtype="int32") + 1, axis=(0,), keepdims=False)
            return Subst(count, op.Maximum(again, 1), where=[x.ndim == 1, x.shape[0] >= 1])
        '''
    ),
)

FLAG_MISSING = code(
    "GSL409",
    "flag-missing",
    "the rule needs a flag of floating point that it does not declare",
    Verdict.FAIL,
    meaning="""The rule declares flags=..., or the settings of its library do, and these do not let
a compiler do what the rule does. Both sides were computed with every step rounded once, but for
what the declared flags leave out, and a result differs: a sum in another order needs reassoc, a
reciprocal in the place of a division arcp, a product that is added without having been rounded
contract, a function in the place of another one afn, a conversion to a narrower dtype and back
lossy. The message names the flags that are missing and an element that shows it. NaN, infinities
and signed zeros have a code of their own, GSL406.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """x / 10  =>  x * 0.1"""
            x = pat.Wildcard()
            return Subst(x / 10, x * 0.1, where=[x.dtype == "float32"])
        '''
    ).replace("@rule()", '@rule(flags={"nsz"})'),
    good=rule_file(
        '''
        def example() -> Subst:
            """x / 10  =>  x * 0.1"""
            x = pat.Wildcard()
            return Subst(x / 10, x * 0.1, where=[x.dtype == "float32"])
        '''
    ).replace("@rule()", '@rule(flags={"arcp"})'),
)

DIFFERS_ELSEWHERE = code(
    "GSL410",
    "differs-elsewhere",
    "source and target part on values on which another system defines the operators",
    Verdict.FAIL,
    meaning="""The rule is declared with semantics=..., and the system that this names defines an
operator on more values than GSL: in ONNX negative indices count from the end, and OneHot takes any.
`gslverify list --operators` says for each operator what systems make of other values. On such
values the target computes something else than the source, or is not defined. Where GSL defines all
operators no difference was seen, and the rule may be right for other systems.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """take(x, i)  =>  take(x, max(i, 0)) for vectors"""
            x, i = pat.Wildcard(), pat.Variable(dtype="int64")
            where = [x.ndim == 1, i.ndim == 1, x.dtype == "float32"]
            inside = op.Maximum(i, pat.Const(0, dtype="int64"))
            return Subst(op.Take(x, i, axis=0), op.Take(x, inside, axis=0), where=where)
        '''
    ).replace("@rule()", '@rule(semantics="onnx")'),
    good=rule_file(
        '''
        def example() -> Subst:
            """take(x, i)  =>  take(x, max(i, -n)) for vectors of n elements"""
            x, i = pat.Wildcard(), pat.Variable(dtype="int64")
            where = [x.ndim == 1, i.ndim == 1, x.dtype == "float32"]
            inside = op.Maximum(i, pat.Const(-x.shape[0], dtype="int64"))
            return Subst(op.Take(x, i, axis=0), op.Take(x, inside, axis=0), where=where)
        '''
    ).replace("@rule()", '@rule(semantics="onnx")'),
)
