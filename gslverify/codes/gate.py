"""GSL62x: what a run changes about what a baseline knows."""

from __future__ import annotations

from gslverify.finding import Verdict, code

REGRESSION = code(
    "GSL620",
    "regression",
    "a rule is worse than the baseline knows it",
    Verdict.FAIL,
    meaning="""The rule passed when the baseline was written and now it is refuted, matches nothing,
or cannot be decided; or it failed with a code and now fails with another one. Mend the rule, or
accept what it is like: `gslverify baseline accept RULE --reason TEXT`.""",
)

NEW_FAILURE = code(
    "GSL621",
    "new-failure",
    "a rule that the baseline does not know does not pass",
    Verdict.FAIL,
    meaning="""The rule is not in the baseline and is refuted, matches nothing or fails to be
verified. `gslverify baseline update` does not take it over; mend the rule, or accept it by its
name and with a reason.""",
)

EXPIRED = code(
    "GSL622",
    "exception-expired",
    "a failure was accepted until a day that is over",
    Verdict.FAIL,
    meaning="""The baseline has the failure with `expires`, and that day has passed. Mend the rule,
or accept the failure anew with a later day.""",
)

WEAKER = code(
    "GSL623",
    "weaker-assurance",
    "less is known about a rule than before",
    Verdict.PASS,
    meaning="""The rule still passes, but something that had been proved is only tested now, or less
than half as many graphs were run. `gslverify baseline update` never lowers what is recorded; that
takes `gslverify baseline accept RULE --reason TEXT`. This is a warning.""",
)

STALE = code(
    "GSL624",
    "baseline-stale",
    "a rule that the baseline knows as failing passes",
    Verdict.PASS,
    meaning="""The failure is mended, so the entry would hide the next one. Run `gslverify baseline
update`. This is a warning, and fails the run with --strict-baseline, the default where CI is
set.""",
)

RENAMED = code(
    "GSL625",
    "rule-renamed",
    "a rule of the baseline has another name",
    Verdict.PASS,
    meaning="""A rule of the baseline is gone, and a new one says the very same. What is known about
it counts on. Run `gslverify baseline update`. This is a warning, and fails the run with
--strict-baseline.""",
)

REMOVED = code(
    "GSL626",
    "rule-removed",
    "a rule of the baseline is gone",
    Verdict.PASS,
    meaning="""The run covered the file in which the rule was, and there is no rule of that name or
meaning any more. Run `gslverify baseline update` if that is intended. This is a warning, and fails
the run with --strict-baseline.""",
)
