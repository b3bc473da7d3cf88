"""What a page shows of a rule besides its result: drawings, conditions, source text."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from gsl.drawing.vertices import Drawing
from gsl.span import Span, source_lines
from gslverify.corpus.declaration import Collected, Unusable
from gslverify.report.drawings import drawn

AROUND = 3
"""Lines shown before and after a place that lies in no rule."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file, the first of them with number `first`."""

    first: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sketch:
    """Texts and drawings of one rule; drawings are None when it could not be written down."""

    equation: str = ""
    reason: str = ""
    origin: str = ""
    tags: tuple[str, ...] = ()
    source: Drawing | None = None
    target: Drawing | None = None
    conditions: tuple[str, ...] = ()
    excerpt: Excerpt | None = None


def sketches_of(collected: Iterable[Collected]) -> Mapping[str, Sketch]:
    """Return the sketches of everything that was collected, by rule id."""
    return {item.rule_id: sketch_of(item) for item in collected}


def sketch_of(item: Collected) -> Sketch:
    """Return what is known of a rule, or of something that gave none."""
    if isinstance(item, Unusable):
        return Sketch(excerpt=_lines_around(item.finding.span))
    rule = item.rule
    sketch = Sketch(
        rule.equation,
        rule.reason,
        rule.origin,
        tuple(sorted(rule.tags)),
        excerpt=_function_at(rule.span),
    )
    drawings = drawn(item)
    if drawings is None:
        return sketch
    return replace(
        sketch, source=drawings.source, target=drawings.target, conditions=drawings.conditions
    )


def _function_at(span: Span) -> Excerpt | None:
    """Return the function whose decorator, or first line, is at `span`."""
    lines = source_lines(span.file)
    end = _ends_of_functions(span.file).get(span.line)
    return _excerpt(lines, span.line, end) if end else _lines_around(span)


@lru_cache(maxsize=64)
def _ends_of_functions(file: str) -> dict[int, int]:
    try:
        tree = ast.parse("".join(source_lines(file)))
    except (SyntaxError, ValueError):
        return {}
    return {
        min([node.lineno, *(one.lineno for one in node.decorator_list)]): node.end_lineno or 0
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }


def _lines_around(span: Span | None) -> Excerpt | None:
    if span is None:
        return None
    first = max(span.line - AROUND, 1)
    return _excerpt(source_lines(span.file), first, span.line + AROUND)


def _excerpt(lines: list[str], first: int, last: int) -> Excerpt | None:
    shown = tuple(line.rstrip("\n") for line in lines[first - 1 : last])
    return Excerpt(first, shown) if shown else None
