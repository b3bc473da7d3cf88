"""Findings of the stage "prove"."""

from __future__ import annotations

from gslverify.finding import Verdict, code

NOT_PROVED = code(
    "GSL350",
    "not-proved",
    "equality was not proved for all sizes",
    Verdict.PASS,
    meaning="""The stage prove shows that source and target compute the same elements for all
sizes and attribute values, where it can. Here it could not, and the message names what stayed open.
That says nothing against the rule: a proof may need a law that the stage does not know. What the
rule computes is still tested on examples; only the assurance `proved` is missing.""",
)
