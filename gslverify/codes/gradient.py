"""GSL450 to GSL453: gradients of source and target."""

from __future__ import annotations

from gslverify.codes.example import rule_file
from gslverify.finding import Verdict, code

GRADIENTS_DIFFER = code(
    "GSL450",
    "gradients-differ",
    "source and target have different gradients",
    Verdict.FAIL,
    meaning="""On a generated graph the gradients of the outputs to some input differ between the
original and the rewritten network, so that a model trains differently with the rule. Both are
derived from the kernels of the operators in reverse and computed in float64, at inputs where no
operator has a joint (relu at 0, two equal elements of max), and the slopes of both networks, by
central differences, confirm them. Runs with `--stages static,gradient`.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """relu(x)  =>  abs(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(x), op.Abs(x))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """relu(x)  =>  max(x, 0)"""
            x = pat.Wildcard()
            return Subst(op.Relu(x), op.Maximum(x, 0))
        '''
    ),
)

TOO_FEW_GRADIENTS = code(
    "GSL451",
    "too-few-gradients",
    "too few graphs have gradients that can be compared",
    Verdict.INCONCLUSIVE,
    meaning="""The stage compares gradients on generated graphs at points where all operators are
smooth, and found too few such points, or too few graphs. The reasons are listed, most frequent
first.""",
)

GRADIENTS_DOUBTED = code(
    "GSL453",
    "gradients-doubted",
    "TVM derives another gradient than the kernels",
    Verdict.PASS,
    meaning="""On a generated graph `relax.transform.Gradient` computes another gradient than the
kernels of the operators in reverse, on the same side of the rule. That is a defect of one of the
two and says nothing about the rule: a warning.""",
)

NOTHING_TO_DIFFERENTIATE = code(
    "GSL452",
    "nothing-to-differentiate",
    "the rule has no gradients",
    Verdict.PASS,
    meaning="""On no generated graph does an output of floats depend on an input of floats, so there
is nothing to compare: the rule is about integers or truth values.""",
    bad=rule_file(
        '''
        def example() -> Subst:
            """x < y  =>  y > x"""
            x, y = pat.Wildcard(), pat.Wildcard()
            return Subst(op.Less(x, y), op.Greater(y, x))
        '''
    ),
    good=rule_file(
        '''
        def example() -> Subst:
            """max(x, y)  =>  max(y, x)"""
            x, y = pat.Wildcard(), pat.Wildcard()
            return Subst(op.Maximum(x, y), op.Maximum(y, x))
        '''
    ),
)
