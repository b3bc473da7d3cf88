"""GSL501-GSL503: graphs that the author of a rule has named."""

from __future__ import annotations

from inspect import cleandoc

from gslverify.finding import Verdict, code


def _file(options: str) -> str:
    text = f'''
        from gsl import Call, Subst, Var, op, pat, rule
        from gsl.operators import lookup

        x = Var("x", (2, 3))
        once = Call(lookup("Relu"), [x])
        twice = Call(lookup("Relu"), [once])


        @rule({options})
        def example() -> Subst:
            """relu(relu(x))  =>  relu(x)"""
            x = pat.Wildcard()
            return Subst(op.Relu(op.Relu(x)), op.Relu(x))
    '''
    return f"{cleandoc(text)}\n"


GOOD = _file("must_match=[twice], must_not_match=[once]")

MUST_MATCH = code(
    "GSL501",
    "must-match",
    "the rule does not match a graph that it must match",
    Verdict.FAIL,
    meaning="""The author names graphs with `must_match=[...]`, and the source matches nowhere in
one of them. The details show the partial match that comes furthest and what stops it there. A graph
in which the source matches, but the target cannot be built, counts as missed, too.""",
    bad=_file("must_match=[once]"),
    good=GOOD,
)

MUST_NOT_MATCH = code(
    "GSL502",
    "must-not-match",
    "the rule matches a graph that it must not match",
    Verdict.FAIL,
    meaning="""The author names graphs with `must_not_match=[...]`, and the source matches somewhere
in one of them. The details show where. Add the condition that tells the graph from those that are
meant.""",
    bad=_file("must_not_match=[twice]"),
    good=GOOD,
)

NOT_A_GRAPH = code(
    "GSL503",
    "not-a-graph",
    "an example of the author is not a graph",
    Verdict.ERROR,
    meaning="""The lists `must_match` and `must_not_match` of a rule hold workloads, expressions,
lists of expressions, or functions without arguments that return one of these. Something else was
found, or the function raised an exception.""",
    bad=_file("must_match=[3]"),
    good=GOOD,
)
