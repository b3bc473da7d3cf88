"""What commands do that read rules without verifying them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

import click

from gslverify.codes.corpus import SELECTION as SELECTION_CODES
from gslverify.commands.writing import write as write
from gslverify.corpus.collect import ANY_FILE, collect
from gslverify.corpus.declaration import Collected, CollectedRule, Unusable
from gslverify.corpus.guarded import Write
from gslverify.finding import Finding
from gslverify.project import from_here


def collected_rules(
    paths: tuple[str, ...], patterns: Sequence[str] = ANY_FILE, write: Write | None = None
) -> list[Collected]:
    """Return the rules of selectors; raise UsageError for one that leads nowhere."""
    with redirect_stdout(sys.stderr):
        collected = collect(paths, patterns=patterns, write=write)
    for item in collected:
        if isinstance(item, Unusable) and item.finding.code in SELECTION_CODES:
            raise failure(item.finding)
    return collected


def require_written(item: CollectedRule) -> None:
    """Raise UsageError for a rule that could not be written down."""
    if item.written is not None and not item.written.result.rule_hash:
        raise failure(item.written.result.findings[0])


def failure(finding: Finding) -> click.UsageError:
    """Return a finding as the error of a command."""
    span = finding.span
    place = f"{from_here(Path(span.file))}:{span.line}:{span.column}: " if span else ""
    return click.UsageError(f"{place}{finding.code} {finding.message}; {finding.cure}")
