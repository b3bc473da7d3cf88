"""GSL9xx: verification itself failed."""

from __future__ import annotations

from gslverify.finding import Verdict, code

INTERNAL_ERROR = code(
    "GSL901",
    "internal-error",
    "a stage of the verifier failed",
    Verdict.ERROR,
    meaning="""A stage raised an exception that it should not have raised. Nothing is said about
the rule; please report the rule and the message.""",
)

WORKER_LOST = code(
    "GSL902",
    "worker-lost",
    "the process that verified the rule ended or hung",
    Verdict.ERROR,
    meaning="""A native library aborted the worker process or did not come back in time. The other
rules were verified by fresh processes; this one by one of its own, with the same result. The last
graphs that were run, if it came to that, are stored like any counterexample; `gslverify repro` runs
them again, in a process of their own.""",
)

CONTRADICTION = code(
    "GSL905",
    "contradiction",
    "a rule is both proved and refuted",
    Verdict.ERROR,
    meaning="""The elements of source and target were proved to be equal in every structure of the
rule, and a graph was found on which they are not, or on which the target cannot be built. One of
the two is a defect of the verifier, so that nothing is said about the rule, not even where it is
expected to be refuted; please report it. Where a kernel of yours and its reference were seen to
differ, GSL495 says so instead.""",
)

OUT_OF_TIME = code(
    "GSL904",
    "out-of-time",
    "a stage did not come to its end in time",
    Verdict.INCONCLUSIVE,
    meaning="""The stage was ended after the time for one stage. What it had found until then is
kept; where that refutes the rule, this code is not reported.""",
)

NESTED_TOO_DEEPLY = code(
    "GSL903",
    "nested-too-deeply",
    "a rule is nested more deeply than a stage follows",
    Verdict.INCONCLUSIVE,
    meaning="""The rule has so many operators on top of each other that the stage could not follow
them. Nothing is said about the rule by this stage; a rule that does the same with fewer of them is
examined as usual.""",
)
