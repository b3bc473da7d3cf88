"""GSL8xx: rules and passes of other libraries."""

from __future__ import annotations

from gslverify.finding import Verdict, code

OTHER_VALUES = code(
    "GSL801",
    "pass-other-values",
    "a pass makes a graph that computes something else",
    Verdict.FAIL,
    meaning="""The library rewrote a graph, and the new graph computes other values on the same
inputs, by more than rounding explains. The finding has the smallest graph that was found, and a
script that shows the same with the library alone.""",
)

OTHER_TYPES = code(
    "GSL802",
    "pass-other-types",
    "a pass makes a graph with outputs of other types",
    Verdict.FAIL,
    meaning="""The library rewrote a graph, and an output of the new graph has another shape or
dtype, or there are more or fewer outputs.""",
)

ILL_FORMED = code(
    "GSL803",
    "pass-ill-formed",
    "a pass makes something that is no graph any more",
    Verdict.FAIL,
    meaning="""What the library made of a graph is refused by the checker of its format, or cannot
be run although the graph before it could.""",
)

RAISES = code(
    "GSL804",
    "pass-raises",
    "a pass raises an exception",
    Verdict.FAIL,
    meaning="""The library raised an exception over a well-formed graph, in place of leaving it as
it is. Whoever compiles such a graph sees the exception.""",
)

ENDS_PROCESS = code(
    "GSL805",
    "pass-ends-process",
    "a pass ends its process",
    Verdict.FAIL,
    meaning="""The process in which the library rewrote a graph was ended by a signal, such as that
of a wrong access to memory, or ended itself.""",
)

HANGS = code(
    "GSL806",
    "pass-hangs",
    "a pass does not come to an end",
    Verdict.FAIL,
    meaning="""The library had not rewritten a small graph when the time for it was over.""",
)

MUTATES = code(
    "GSL807",
    "pass-mutates",
    "a pass changes the graph that it was given",
    Verdict.FAIL,
    meaning="""The graph that the pass was given is another one afterwards, so whoever keeps it has
lost it.""",
)

RANDOM = code(
    "GSL808",
    "pass-random",
    "a pass makes another graph each time",
    Verdict.FAIL,
    meaning="""The same graph was rewritten twice, in two ways. Builds with such a pass cannot be
repeated.""",
)

NOT_TRIED = code(
    "GSL810",
    "pass-not-tried",
    "a pass could not be tried",
    Verdict.ERROR,
    meaning="""The pass or its sources raised an exception before a graph was tried, the library
could not be read to its end, or somebody has interrupted it.""",
)

NOTHING_REWRITTEN = code(
    "GSL811",
    "pass-rewrites-nothing",
    "none of the graphs that were tried was rewritten",
    Verdict.INCONCLUSIVE,
    meaning="""Nothing speaks against a pass that has left all graphs as they were, and nothing for
it. Name sources that exercise it: `--sources FILE`.""",
)

NOTHING_COMPARED = code(
    "GSL814",
    "pass-not-compared",
    "none of the graphs that were rewritten could be compared",
    Verdict.INCONCLUSIVE,
    meaning="""The pass has rewritten graphs, but neither side of any could be told from the other:
graphs could not be run, references disagree, or outputs were not finite. `-v` says which.""",
)

NOT_LIFTED = code(
    "GSL812",
    "rule-not-lifted",
    "a rule of another library cannot be written as a rule of gsl",
    Verdict.INCONCLUSIVE,
    meaning="""The library did not show what the rule does at two choices of sizes, what it showed
is not one rule that can be written down, or it uses an operator that gsl does not have; the message
says which. Nothing is proved about the rule then.""",
)

DOES_NOT_REPLAY = code(
    "GSL813",
    "does-not-replay",
    "the library does not do what the lifted rule was refuted by",
    Verdict.INCONCLUSIVE,
    meaning="""The rule that was lifted from a rule of another library is wrong on a graph, but the
library leaves that graph as it is, or makes something of it that computes the same. So the lifted
rule says more than the library does, and nothing is known of the rule of the library.""",
)
