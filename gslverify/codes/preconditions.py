"""GSL481 and GSL482: what a rule demands of a match without need."""

from __future__ import annotations

from gslverify.codes.example import rule_file
from gslverify.finding import Verdict, code

STRONGER_THAN_NEEDED = code(
    "GSL481",
    "stronger-than-needed",
    "the rule refuses graphs on which it would be right",
    Verdict.PASS,
    meaning="""A condition or an equation of attributes was turned round, so that the rule matches
only what it refuses now; and for all sizes of at least 1 both sides were proved to be equal there,
too. The details show a graph that is refused. Without the demand, or with the weaker one that the
message names, the rule holds as well and matches more: a warning. The stage `preconditions` asks
for it, which only the profile "deep" runs unless it is named.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x) for matrices"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim == 2])
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

REDUNDANT_CONDITION = code(
    "GSL482",
    "redundant-condition",
    "a condition never refuses anything",
    Verdict.PASS,
    meaning="""No graph was found that all else in the rule accepts and this condition, or this
equation of attributes, refuses: it follows from the others, or from what the operators demand of
their operands. The solver was asked for every structure that was examined, and tensors without
elements were tried. The condition may be left out, unless it is there to be read: a warning. The
stage `preconditions` asks for it, which only the profile "deep" runs unless it is named.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(x) - (-y)  =>  relu(x) + y, said to be of one dtype"""
            x, y = pat.Wildcard(), pat.Wildcard()
            return Subst(op.Relu(x) - op.Negative(y), op.Relu(x) + y, where=[x.dtype == y.dtype])
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(x) - (-y)  =>  relu(x) + y"""
            x, y = pat.Wildcard(), pat.Wildcard()
            return Subst(op.Relu(x) - op.Negative(y), op.Relu(x) + y)
        '''
    ),
)
