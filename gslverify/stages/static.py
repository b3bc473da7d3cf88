"""The static stage: everything that can be said about a rule without a solver and without data."""

from __future__ import annotations

import traceback
from collections.abc import Iterator

from gsl.canonical import rule_hash
from gsl.check import check
from gsl.errors import RuleError, described, did_you_mean
from gsl.operators.declaration import Operator
from gsl.pat import Call, Trait
from gsl.rule_files.guard import TimeIsUpError
from gsl.span import Span, column_of
from gsl.subst import Rule, Subst
from gslverify.codes.corpus import RULE_RAISES
from gslverify.codes.expectation import EXPECTATION_UNKNOWN
from gslverify.finding import CODES, Finding
from gslverify.stage import Meaning, Question, Stage


def examine(question: Question) -> Iterator[Finding | Meaning]:
    """Write the rule down and check it; what is wrong with the text is a finding, not an error."""
    written = write_down(question)
    if isinstance(written, Finding):
        yield written
        return
    yield Meaning(written.derived(rule_hash), operators_of(written))
    for error in written.derived(check):
        yield finding_of(error, question.rule)
    expect = question.rule.expect
    if expect and expect not in CODES:
        message = f"the rule expects {expect}, which is not a code"
        cure = did_you_mean(expect, CODES) or "see `gslverify explain --list`"
        yield Finding(EXPECTATION_UNKNOWN, message, question.rule.span, cure)


def operators_of(subst: Subst) -> tuple[str, ...]:
    """Return the names of all operators that a rule can be about, in alphabetical order."""
    names: set[str] = set()
    for pattern in (*subst.source_patterns, *subst.target_patterns):
        match pattern:
            case Call(callee=Operator(name=name)):
                names.add(name)
            case Call(callee=Trait() as trait):
                names.update(operator.name for operator in trait.operators())
            case _:
                pass
    return tuple(sorted(names))


def write_down(question: Question) -> Subst | Finding:
    """Return the substitution, or the finding that says why there is none."""
    try:
        return question.subst
    except RuleError as error:
        return finding_of(error, question.rule)
    except (KeyboardInterrupt, TimeIsUpError):
        raise
    except BaseException as error:
        message = f"the rule raises {described(error)}"
        place = _place_in_file(error, question.rule)
        return Finding(RULE_RAISES, message, place, "call the function in python to debug it")


def finding_of(error: RuleError, rule: Rule) -> Finding:
    """Turn an error of the language into a finding; without a place it is that of the rule."""
    span = error.span or rule.span
    return Finding(CODES[error.code], error.message, span, error.cure, subject=error.message)


def _place_in_file(error: BaseException, rule: Rule) -> Span:
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if frame.filename == rule.span.file]
    if not inside or inside[-1].lineno is None:
        return rule.span
    last, file = inside[-1], rule.span.file
    line = last.lineno or rule.span.line
    end_line = last.end_lineno or line
    column = column_of(file, line, last.colno or 0)
    return Span(file, line, column, end_line, column_of(file, end_line, last.end_colno or 0))


STATIC = Stage("static", examine)
