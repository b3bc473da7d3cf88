"""GSL2xx: whether any graph can match."""

from __future__ import annotations

from gslverify.codes.example import rule_file
from gslverify.finding import Verdict, code

VACUOUS = code(
    "GSL201",
    "vacuous",
    "no graph can match: constraints contradict each other",
    Verdict.VACUOUS,
    meaning="""For every assignment of ranks, axes, layouts and lengths that was examined, the
preconditions of the source operators together with the constraints of the rule have no solution.
The rule never does anything. The details name constraints that suffice for the contradiction.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim == 2, x.ndim > 3])
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim >= 2, x.ndim <= 3])
        '''
    ),
)

UNDECIDED_SATISFIABILITY = code(
    "GSL290",
    "undecided-satisfiability",
    "it is not known whether any graph matches",
    Verdict.INCONCLUSIVE,
    meaning="""No solution of the constraints was found within the resource limit, and neither was
their contradiction proved. Simplify the constraints or raise the limit. Graphs with more axes or
fields than are tried are not examined at all; where a condition is about
them, the details say so.""",
)

ONLY_EMPTY = code(
    "GSL291",
    "only-empty",
    "only graphs with an empty tensor can match, if any",
    Verdict.INCONCLUSIVE,
    meaning="""The constraints have no solution while all sizes are at least 1, as they are wherever
rules are examined; with a size of 0 they may have one. Nothing was examined.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Variable(shape=(None, 0))
            return Subst(op.Relu(op.Relu(x)), op.Relu(x))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Variable(shape=(None, None))
            return Subst(op.Relu(op.Relu(x)), op.Relu(x))
        '''
    ),
)
