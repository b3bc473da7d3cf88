"""Names for the patterns of a rule: those that its author gave them, or the variables."""

from __future__ import annotations

import ast
import linecache
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType

from gsl.pat import Call, Const, Pattern
from gsl.span import Span, column_of, resolve
from gsl.subst import Subst

Position = tuple[int, int, int, int]


@lru_cache(maxsize=64)
def pattern_names(subst: Subst) -> dict[Pattern, str]:
    """Return a unique name for every pattern of a rule.

    It is the one given with `name=`, else that of the variable assigned in the source text,
    otherwise the operator or the kind of the pattern; numbers make names unique.
    """
    names: dict[Pattern, str] = {}
    used: dict[str, int] = {}
    for pattern, assigned in _variables(subst):
        name = pattern.written_name or assigned or kind_name(pattern)
        count = used.get(name, 0)
        used[name] = count + 1
        names[pattern] = f"{name}_{count + 1}" if count else name
    return names


def author_names(subst: Subst) -> dict[Pattern, str]:
    """Return the variables of the rule's function that hold its patterns where it is written.

    A pattern has none if its variable belongs to another function, or holds several patterns.
    """
    written = subst.origin[0] if subst.origin else None
    names = {
        pattern: name
        for pattern, name in _variables(subst)
        if name and pattern.origin is not None and _is_of(pattern.origin[0], written)
    }
    often = Counter(name for _, name in _variables(subst))
    return {pattern: name for pattern, name in names.items() if often[name] == 1}


def _is_of(code: CodeType, function: CodeType | None) -> bool:
    """Tell whether something is written in a function itself, or what it makes in a row there."""
    in_a_row = function is not None and code in function.co_consts
    return code is function or (in_a_row and code.co_name in ("<genexpr>", "<listcomp>"))


def kind_name(pattern: Pattern) -> str:
    """Return what a pattern may be called that has no name: its operator, or its kind."""
    kind = repr(pattern.callee) if isinstance(pattern, Call) else type(pattern).__name__
    return kind.lower().replace(" ", "_")


def _variables(subst: Subst) -> Iterator[tuple[Pattern, str]]:
    """Yield every pattern with the variable that it is assigned to, if it is."""
    patterns = dict.fromkeys((*subst.source_patterns, *subst.target_patterns))
    spans = {pattern: resolve(pattern.origin) for pattern in patterns}
    # A number written beside a pattern becomes a constant at the place of the whole call.
    calls = {subst.span, *(span for p, span in spans.items() if not isinstance(p, Const))}
    for pattern, span in spans.items():
        implicit = isinstance(pattern, Const) and span in calls
        yield pattern, "" if implicit else _assigned_name(span, pattern.written_name or "")


def _assigned_name(span: Span | None, written_name: str) -> str:
    if span is None:
        return ""
    position = (span.line, span.column, span.end_line, span.end_column)
    names = _assignments(span.file)
    return names.get((position, ""), "") or names.get((position, written_name), "")


@lru_cache(maxsize=256)
def _assignments(file: str) -> dict[tuple[Position, str], str]:
    """Return the variable of what stands at a position; what is repeated there has several.

    They are told apart by the text that each repetition is given, which may be a pattern's name.
    """
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return {}
    return {(_position(file, value), given): name for value, given, name in _assigned(tree)}


def _position(file: str, node: ast.expr) -> Position:
    end_line, end_offset = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    column = column_of(file, node.lineno, node.col_offset)
    return node.lineno, column, end_line, column_of(file, end_line, end_offset)


def _assigned(tree: ast.AST) -> Iterator[tuple[ast.expr, str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _pairs(target, node.value)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, str, str]]:
    """Yield values with the text that they are given, if any, and the variables they become."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, its in zip(target.elts, value.elts, strict=False):
            yield from _pairs(one, its)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.GeneratorExp | ast.ListComp):
        for one, given in zip(target.elts, _texts_given(value), strict=False):
            if isinstance(one, ast.Name):
                yield value.elt, given, one.id
    elif isinstance(target, ast.Name):
        yield value, "", target.id


def _texts_given(value: ast.GeneratorExp | ast.ListComp) -> list[str]:
    """Return "x" and "y" of `(pat.Wildcard(name) for name in "xy")`."""
    try:
        found = list(ast.literal_eval(value.generators[0].iter))
    except (TypeError, ValueError):
        return []
    return [one for one in found if isinstance(one, str)] if len(value.generators) == 1 else []
