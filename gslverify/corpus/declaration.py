"""What a rule file declares, as data: names, places, texts, digests, and nothing that runs.

The process that reports and sets the exit code holds only these; see `gslverify.corpus.collect`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gsl.rule_arguments import NAN_POLICIES
from gsl.span import Span
from gsl.subst import Rule
from gslverify.finding import Finding, StageResult


@dataclass(frozen=True, slots=True)
class Extent:
    """The lines of a rule: its decorator or `def`, the first of its body, and the last."""

    first: int
    body: int
    last: int


@dataclass(frozen=True, slots=True)
class Declaration:
    """What is said about a rule beside the rule itself; the fields of `gsl.subst.Rule` otherwise.

    `code` is the file in which the text of the function is, and `extent` where; empty and None for
    one that was made without a text.
    """

    name: str
    equation: str
    reason: str
    span: Span
    tags: frozenset[str] = field(default_factory=frozenset)
    origin: str = ""
    expect: str = ""
    expect_reason: str = ""
    twin: str = ""
    nan: str = NAN_POLICIES[0]
    flags: frozenset[str] | None = None
    semantics: str = ""
    has_examples: bool = False
    code: str = ""
    extent: Extent | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """What came of writing a rule down: the result of the first stage.

    `declared` has a hash for each operator of the rule that gsl does not declare, and
    `uncacheable` says why one has none.
    """

    result: StageResult
    declared: tuple[str, ...] = ()
    uncacheable: str = ""


@dataclass(frozen=True, slots=True)
class CollectedRule:
    """A rule and its id, ``path/to/file.py::name`` relative to the project.

    `written` is None until the rule has been written down. `imported` are the files of modules that
    the rule file has imported by name.
    """

    rule_id: str
    path: Path
    rule: Declaration
    warnings: tuple[Finding, ...] = ()
    written: Written | None = None
    imported: tuple[Path, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Unusable:
    """Something that was asked for and gives no rule: a path, a file, a name used twice."""

    rule_id: str
    path: Path
    finding: Finding


Collected = CollectedRule | Unusable


@dataclass(frozen=True, slots=True)
class LoadedRule:
    """A rule itself, in the process that has imported its file."""

    collected: CollectedRule
    rule: Rule

    @property
    def rule_id(self) -> str:
        """The id of the rule."""
        return self.collected.rule_id

    @property
    def path(self) -> Path:
        """The file of the rule."""
        return self.collected.path


Loaded = LoadedRule | Unusable


def declaration_of(rule: Rule) -> Declaration:
    """Return what is said about a rule."""
    code = getattr(rule.write, "__code__", None)
    return Declaration(
        rule.name,
        rule.equation,
        rule.reason,
        rule.span,
        rule.tags,
        rule.origin,
        rule.expect,
        rule.expect_reason,
        rule.twin,
        rule.nan,
        rule.declared,
        rule.semantics,
        rule.has_examples,
        code.co_filename if code is not None else "",
        _extent_of(code) if code is not None else None,
    )


def _extent_of(code: Any) -> Extent:
    first: int = code.co_firstlineno
    lines = [line for _, _, line in code.co_lines() if line is not None]
    ends = [end for _, end, _, _ in code.co_positions() if end is not None]
    last = max(lines, default=first)
    body = min((line for line in lines if line > first), default=last)
    return Extent(first, body, max(ends, default=last))


def loaded_rule(rule_id: str, path: Path, rule: Rule) -> LoadedRule:
    """Return a rule that is at hand with what it declares."""
    return LoadedRule(CollectedRule(rule_id, path, declaration_of(rule)), rule)
