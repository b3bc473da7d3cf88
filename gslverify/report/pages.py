"""Text of `gslverify list` and `show`: what is known without verifying anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from gsl.drawing.show import rule_dot, rule_mermaid, rule_text, rule_tree
from gsl.flags import in_order
from gsl.operators import REGISTRY, Operator
from gsl.operators.declaration import REQUIRED
from gsl.subst import Subst
from gslverify.corpus.declaration import Collected, CollectedRule, Declaration, LoadedRule, Unusable
from gslverify.project import in_project, parted
from gslverify.repro.store import pinned_files
from gslverify.settings import NO_FLAG

FORMS: dict[str, Callable[[Subst], list[str]]] = {
    "text": rule_text,
    "tree": rule_tree,
    "mermaid": rule_mermaid,
    "dot": rule_dot,
}
"""The forms in which `show` draws a rule."""

DRAWING_ONLY = ("mermaid", "dot")
"""Forms for other programs, which get the drawing and nothing else."""


def rule_list(collected: Sequence[Collected]) -> Iterator[str]:
    """Yield the rules of each file with equation, tags, expectation and pinned counterexamples."""
    for file, items in groupby(collected, key=lambda item: parted(item.rule_id)[0]):
        yield file
        for item in items:
            if isinstance(item, Unusable):
                yield f"  {item.finding.code} {item.finding.message}"
            else:
                yield from _rule_entry(item)


def list_document(collected: Sequence[Collected]) -> list[dict[str, Any]]:
    """Return the rules as plain values; what gives no rule has the code and message instead."""
    return [
        _problem(item) if isinstance(item, Unusable) else _rule_document(item) for item in collected
    ]


def _problem(item: Unusable) -> dict[str, Any]:
    return {"id": item.rule_id, "code": item.finding.code.id, "message": item.finding.message}


def _rule_document(item: CollectedRule) -> dict[str, Any]:
    rule = item.rule
    return {
        "id": item.rule_id,
        "file": in_project(item.path),
        "line": rule.span.line,
        "equation": rule.equation,
        "tags": sorted(rule.tags),
        "expect": rule.expect or None,
        "reason": rule.expect_reason or None,
        "twin": rule.twin or None,
        "origin": rule.origin or None,
        "flags": None if rule.flags is None else in_order(rule.flags),
        "semantics": rule.semantics or None,
        "pinned": [in_project(file) for file in pinned_files(item.path, rule.name)],
    }


def expectation_of(rule: Declaration) -> str:
    """Return the code that refutes a rule as expected, and why that is known if it is said."""
    return f"{rule.expect} ({rule.expect_reason})" if rule.expect_reason else rule.expect


def _rule_entry(item: CollectedRule) -> Iterator[str]:
    rule = item.rule
    pinned = len(pinned_files(item.path, rule.name))
    yield f"  {rule.name}"
    if rule.equation:
        yield f"      {rule.equation}"
    facts = [
        f"tags: {', '.join(sorted(rule.tags))}" if rule.tags else "",
        f"expect: {expectation_of(rule)}" if rule.expect else "",
        f"twin: {rule.twin}" if rule.twin else "",
        f"origin: {rule.origin}" if rule.origin else "",
        f"flags: {' '.join(in_order(rule.flags)) or NO_FLAG}" if rule.flags is not None else "",
        f"semantics: {rule.semantics}" if rule.semantics else "",
        f"pinned: {pinned}" if pinned else "",
    ]
    known = "   ".join(fact for fact in facts if fact)
    if known:
        yield f"      {known}"


def operator_list() -> Iterator[str]:
    """Yield every declared operator with operands, attributes and its first line of docs."""
    for name in sorted(REGISTRY):
        yield from _operator_entry(REGISTRY[name])


def _operator_entry(operator: Operator) -> Iterator[str]:
    operands = [
        f"({o.name}, ...)" if o.is_tuple else f"[{o.name}]" if o.is_optional else o.name
        for o in operator.operands
    ]
    attributes = [
        attribute.name
        if attribute.default is REQUIRED
        else f"{attribute.name}={attribute.default!r}"
        for attribute in operator.attributes.values()
    ]
    keywords = ["*", *attributes] if attributes else []
    yield f"{operator.name}({', '.join([*operands, *keywords])})"
    summary = operator.documentation.partition("\n\n")[0]
    yield f"    {' '.join(summary.split())}"
    for system, known in operator.elsewhere.items():
        yield f"    {system}: {known.text}"


def show_rule(item: LoadedRule, subst: Subst, form: str) -> Iterator[str]:
    """Yield equation, reason and drawing of a rule that was written down as `subst`."""
    rule = item.rule
    if form not in DRAWING_ONLY:
        yield item.rule_id
        yield from (
            part for part in (rule.equation, rule.origin and f"origin: {rule.origin}") if part
        )
        if rule.reason:
            yield ""
            yield rule.reason
        yield ""
    yield from FORMS[form](subst)
