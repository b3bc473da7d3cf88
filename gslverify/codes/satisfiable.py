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
The rule never does anything. The details name constraints that suffice for the contradiction, and
none that could be left out of it.""",
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

OPEN_STRUCTURES = code(
    "GSL292",
    "open-structures",
    "of some structures it is not known what the rule does on them",
    Verdict.INCONCLUSIVE,
    meaning="""Ranks, axes, layouts, alternatives and numbers of fields make up the structure of a
match. Every structure within the bound is shown to be impossible, proved or run; of those named in
the details it is not known whether some graph has them, or what they are: an attribute has as many
fields as an unknown size says, the solver gave up, or there are too many decisions that depend on
each other. What was examined agrees. With `--require tested` such a rule passes.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x)) + y  =>  relu(x) + y, where y may have as many axes as x is long"""
            x, y = pat.Wildcard(), pat.Wildcard()
            order = attr.Variadic(lambda i: i, length=x.shape[0])
            moved = op.Transpose(y, axes=order)
            either = pat.Alt(op.Relu(y), moved)
            return Subst(op.Relu(op.Relu(x)) + either, op.Relu(x) + either)
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(relu(x)) + y  =>  relu(x) + y"""
            x, y = pat.Wildcard(), pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)) + y, op.Relu(x) + y)
        '''
    ),
)

NOT_PROVED = code(
    "GSL293",
    "not-proved",
    "a proof is required, and there is none for all structures",
    Verdict.INCONCLUSIVE,
    meaning="""With `--require proved` a rule passes only if it is proved for all sizes in every
structure within the bound. The details say what stayed open. The rule may be right all the same:
without the setting it is judged by what was run.""",
)
