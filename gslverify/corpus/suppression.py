"""Warnings that nobody wants to see: settings and comments that ignore them.

Only warnings can be ignored. What decides a verdict is declared with `@rule(expect=CODE)`, so that
no comment can turn a refuted rule into one that passes.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import lru_cache

from gsl.errors import did_you_mean
from gsl.span import Span, source_lines
from gslverify.codes.ignores import INVALID_IGNORE, UNUSED_IGNORE
from gslverify.corpus.declaration import CollectedRule, Declaration
from gslverify.finding import CODES, Finding, StageResult
from gslverify.settings import Settings

COMMENT = re.compile(r"#\s*gsl:\s*ignore\[([^\]]*)\]\s*(.*)")


Owners = dict[str, str]
"""The stage that gives the codes of a family, by their first four characters."""


@dataclass(slots=True)
class _Ignore:
    """A comment that ignores codes on its line, or everywhere in the rule."""

    line: int
    codes: tuple[str, ...]
    reason: str
    whole_rule: bool
    used: set[str] = field(default_factory=set)

    def covers(self, finding: Finding) -> bool:
        """Tell whether a finding is meant, and take note if so."""
        span = finding.span
        inside = span is not None and span.line <= self.line <= max(span.end_line, span.line)
        if finding.code.id not in self.codes or not (self.whole_rule or inside):
            return False
        self.used.add(finding.code.id)
        return True


def unsuppressed(
    item: CollectedRule,
    stages: Sequence[StageResult],
    remarks: Iterable[Finding],
    owners: Owners,
    settings: Settings,
) -> tuple[tuple[StageResult, ...], tuple[Finding, ...]]:
    """Return stages and remarks without the warnings that are ignored, and what is odd about that.

    `owners` tells the stage that gives the codes of a family, by their first characters.
    """
    ignores = list(_ignores(item.rule))

    def shown(finding: Finding) -> bool:
        if not finding.code.is_warning:
            return True
        # Every comment is asked, so that none counts as unused that would have been of use.
        commented = [ignore.covers(finding) for ignore in ignores]
        return not any(commented) and is_wanted(item.rule_id, finding.code.id, settings)

    kept = tuple(
        replace(stage, findings=tuple(filter(shown, stage.findings))) if stage.findings else stage
        for stage in stages
    )
    unsuppressed = tuple(filter(shown, remarks))
    ran = {stage.stage for stage in stages if not stage.skipped}
    odd = [finding for ignore in ignores for finding in _oddities(ignore, item.rule, ran, owners)]
    wanted = [f for f in odd if is_wanted(item.rule_id, f.code.id, settings)]
    return kept, (*unsuppressed, *wanted)


def owner_of(code: str, owners: Owners) -> str:
    """Return the stage that gives a code, that of the longest beginning; "" if none is known."""
    beginnings = [beginning for beginning in owners if code.startswith(beginning)]
    return owners[max(beginnings, key=len)] if beginnings else ""


def is_wanted(rule_id: str, code: str, settings: Settings) -> bool:
    """Tell whether a warning about a rule is to be reported, as far as settings say."""
    if settings.select and not code.startswith(settings.select):
        return False
    ignored = [*settings.ignore]
    for pattern, codes in settings.per_rule_ignores:
        if fnmatchcase(rule_id, pattern):
            ignored += codes
    return not code.startswith(tuple(ignored))


def _oddities(
    ignore: _Ignore, rule: Declaration, ran: set[str], owners: Owners
) -> Iterator[Finding]:
    place = Span(rule.span.file, ignore.line)
    for code in ignore.codes:
        known = CODES.get(code)
        subject = f"{code} {ignore.line - rule.span.line}"
        if known is None:
            message = f"a comment ignores {code or 'nothing'}, which is not a code"
            cure = did_you_mean(code, CODES) or "see `gslverify explain --list`"
            yield Finding(INVALID_IGNORE, message, place, cure, subject=subject)
        elif not known.is_warning:
            message = f"a comment ignores {code}, which decides the verdict of the rule"
            cure = f'correct the rule, or declare @rule(expect="{code}")'
            yield Finding(INVALID_IGNORE, message, place, cure, subject=subject)
        elif code not in ignore.used and owner_of(code, owners) in {"", *ran}:
            message = f"a comment ignores {code}, which was not given"
            yield Finding(UNUSED_IGNORE, message, place, "remove the comment", subject=subject)
    if not ignore.reason:
        cure = "write why behind the bracket"
        message = "a comment ignores a warning without a reason"
        yield Finding(INVALID_IGNORE, message, place, cure, subject=f"reason {ignore.codes}")


def _ignores(rule: Declaration) -> Iterator[_Ignore]:
    """Yield the comments in a rule; those above its body count for all of it."""
    extent = rule.extent
    if extent is None:
        return
    text = "".join(source_lines(rule.code))
    for line, comment in _comments(text):
        found = COMMENT.match(comment)
        if found and extent.first <= line <= extent.last:
            codes = tuple(part.strip() for part in found[1].split(","))
            yield _Ignore(line, codes, found[2].strip(), line < extent.body)


@lru_cache(maxsize=64)
def _comments(text: str) -> tuple[tuple[int, str], ...]:
    """Return the comments of a file that mention us, with their lines."""
    if "gsl:" not in text:
        return ()
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return ()
    found = [(t.start[0], t.string) for t in tokens if t.type == tokenize.COMMENT]
    return tuple((line, string) for line, string in found if "gsl:" in string)
