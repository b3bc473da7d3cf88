"""GSL6xx: what a rule declares about its own verification."""

from __future__ import annotations

from gslverify.codes.example import rule_file
from gslverify.finding import Verdict, code

_IDEMPOTENT = '''
def example() -> Subst:
    """relu(relu(x))  =>  relu(x)"""
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))
'''


def _expecting(code_id: str) -> str:
    return rule_file(_IDEMPOTENT).replace("@rule()", f'@rule(expect="{code_id}")')


EXPECTATION_UNMET = code(
    "GSL601",
    "expectation-unmet",
    "the rule is not refuted by the code that it expects",
    Verdict.FAIL,
    meaning="""The rule declares with `expect=CODE` that it is wrong and how. Every stage was run
and none reported that code: either the rule has become right, or it fails in another way.""",
    bad=_expecting("GSL130"),
    good=rule_file(_IDEMPOTENT),
)

EXPECTATION_UNKNOWN = code(
    "GSL602",
    "expectation-unknown",
    "the rule expects a code that does not exist",
    Verdict.FAIL,
    meaning="""`expect` names the code of a finding; `gslverify explain --list` shows them all.""",
    bad=_expecting("GSL999"),
    good=rule_file(_IDEMPOTENT),
)

EXPECTATION_UNEXAMINED = code(
    "GSL690",
    "expectation-unexamined",
    "the stage that could report the expected code was not run",
    Verdict.INCONCLUSIVE,
    meaning="""The rule declares with `expect=CODE` that it is wrong, but the stage that reports
this code was left out, so nothing is known about the expectation. Add it to --stages.""",
)

TWIN_UNKNOWN = code(
    "GSL603",
    "twin-unknown",
    "no rule has the name that the twin is said to have",
    Verdict.PASS,
    meaning="""`twin=NAME` names the sound rule that a wrong one was made from, or the other way
round. None of the rules of this run is called so. That is only said when the file was reached
through a folder, whose other files may hold the twin. This is a warning.""",
)
