"""GSL3xx: shapes, dtypes and the legality of the target, for all sizes."""

from __future__ import annotations

from gslverify.codes.example import rule_file
from gslverify.finding import Verdict, code

OUTPUT_SHAPE = code(
    "GSL301",
    "output-shape",
    "an output changes its shape",
    Verdict.FAIL,
    meaning="""There is a graph that the source matches for which the target is legal but computes
an output of another shape. The counterexample is a small instance, executed before it was
reported.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """x + zeros_like(y)  =>  x"""
            x, y = pat.Wildcard(), pat.Wildcard()
            return Subst(op.Add(x, op.ZerosLike(y)), x)
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """x + zeros_like(x)  =>  x"""
            x = pat.Wildcard()
            return Subst(op.Add(x, op.ZerosLike(x)), x)
        '''
    ),
)

OUTPUT_DTYPE = code(
    "GSL302",
    "output-dtype",
    "an output changes its element type",
    Verdict.FAIL,
    meaning="""There is a graph that the source matches for which the target computes an output of
another dtype, often because an `out_dtype` of the source is not copied.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """cast(x, float32)  =>  x"""
            x = pat.Wildcard()
            return Subst(op.Cast(x, dtype="float32"), x)
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """cast(x, float32)  =>  x, if x is float32"""
            x = pat.Wildcard()
            return Subst(op.Cast(x, dtype="float32"), x, where=[x.dtype == "float32"])
        '''
    ),
)

ILLEGAL_TARGET = code(
    "GSL303",
    "illegal-target",
    "the target cannot be built for some match",
    Verdict.FAIL,
    meaning="""There is a graph that the source matches for which an operator of the target does
not accept its inputs or attributes, or an attribute expression has no value.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """abs(abs(x))  =>  sqrt(x * x), also for integers"""
            x = pat.Wildcard()
            return Subst(op.Abs(op.Abs(x)), op.Sqrt(x * x))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """abs(abs(x))  =>  abs(x)"""
            x = pat.Wildcard()
            return Subst(op.Abs(op.Abs(x)), op.Abs(x))
        '''
    ),
)

UNDECIDED_SHAPE = code(
    "GSL390",
    "undecided-shape",
    "the solver could not tell whether shapes always agree",
    Verdict.INCONCLUSIVE,
    meaning="""A query about shapes, dtypes or the legality of the target exceeded the resource
limit, or a structural choice of the target depends on an unknown size. The message says which.""",
)
