"""GSL610-GSL613: warnings that are ignored, and time that is used up."""

from __future__ import annotations

from gslverify.codes.example import rule_file
from gslverify.finding import Verdict, code

_IDEMPOTENT = '''
def example() -> Subst:
    """relu(relu(x))  =>  relu(x)"""
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x)){comment}
'''


def _with(comment: str = "") -> str:
    return rule_file(_IDEMPOTENT.format(comment=comment))


UNUSED_IGNORE = code(
    "GSL610",
    "unused-ignore",
    "a comment ignores a warning that was not given",
    Verdict.PASS,
    meaning="""A comment `# gsl: ignore[GSL140] reason` keeps a warning about its line from being
reported; at the head of a rule it counts for the whole rule. The stages that could give the warning
were run and did not, so the comment says something that is not true any more. Remove it. This is a
warning.""",
    bad=_with("  # gsl: ignore[GSL140] the default is meant"),
    good=_with(),
)

INVALID_IGNORE = code(
    "GSL611",
    "invalid-ignore",
    "a comment ignores what cannot be ignored",
    Verdict.PASS,
    meaning="""Only warnings can be ignored. A code that decides the verdict of a rule is declared
with `@rule(expect=CODE)`, which fails as soon as the rule has become right. A comment also needs a
reason behind the bracket. This is a warning.""",
    bad=_with("  # gsl: ignore[GSL401] somebody else's problem"),
    good=_with(),
)

BUDGET_SPENT = code(
    "GSL612",
    "budget-spent",
    "the time for the whole run was used up",
    Verdict.INCONCLUSIVE,
    meaning="""The time that `--budget` gives was over before all stages of the rule were done.
Nothing speaks against the rule, but not all that was asked for was tried. Give it more time, run
fewer rules, or spread them over several machines with --shard.""",
)

RULE_BUDGET_SPENT = code(
    "GSL613",
    "rule-budget-spent",
    "the time for the rule was used up",
    Verdict.INCONCLUSIVE,
    meaning="""The time that `--rule-budget` gives to each rule was over before all its stages were
done; the stage that was running has been ended. Give it more time, or fewer graphs with -n.""",
)
