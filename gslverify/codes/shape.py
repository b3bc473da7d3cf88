"""GSL3xx: shapes, dtypes and the legality of the target, for all sizes."""

from __future__ import annotations

from gslverify.finding import Verdict, code

OUTPUT_SHAPE = code(
    "GSL301",
    "output-shape",
    "an output changes its shape",
    Verdict.FAIL,
    meaning="""There is a graph that the source matches for which the target is legal but computes
an output of another shape. The counterexample is a small instance, executed before it was
reported.""",
)

OUTPUT_DTYPE = code(
    "GSL302",
    "output-dtype",
    "an output changes its element type",
    Verdict.FAIL,
    meaning="""There is a graph that the source matches for which the target computes an output of
another dtype, often because an `out_dtype` of the source is not copied.""",
)

ILLEGAL_TARGET = code(
    "GSL303",
    "illegal-target",
    "the target cannot be built for some match",
    Verdict.FAIL,
    meaning="""There is a graph that the source matches for which an operator of the target does
not accept its inputs or attributes, or an attribute expression has no value.""",
)

UNDECIDED_SHAPE = code(
    "GSL390",
    "undecided-shape",
    "the solver could not tell whether shapes always agree",
    Verdict.INCONCLUSIVE,
    meaning="""A query about shapes, dtypes or the legality of the target exceeded the resource
limit, or a structural choice of the target depends on an unknown size. The message says which.""",
)
