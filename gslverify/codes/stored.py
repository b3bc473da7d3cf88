"""GSL63x: what is kept from earlier runs."""

from __future__ import annotations

from gslverify.finding import Verdict, code

PIN_UNREADABLE = code(
    "GSL630",
    "pin-unreadable",
    "a pinned counterexample cannot be replayed",
    Verdict.ERROR,
    meaning="""A file below `__counterexamples__/` beside the rule does not hold a counterexample
any longer: it is damaged, of another version, or uses an operator that is not declared. Nobody
knows whether the rule still fails on it. Restore the file, or delete it if it has served its
purpose.""",
)

PIN_UNDECIDED = code(
    "GSL631",
    "pin-undecided",
    "a pinned counterexample no longer tells anything",
    Verdict.PASS,
    meaning="""The rule still matches the graph of a pinned counterexample, but source or target can
no longer be compared on its inputs, for instance because the declaration of an operator has been
changed. Delete the file, or pin another counterexample. This is a warning.""",
)
