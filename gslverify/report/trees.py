"""The networks of a counterexample as trees, with the names that its listings use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gsl.drawing.show import tree
from gsl.drawing.vertices import Drawing, drawing_of_graph
from gsl.expr import Call, Expr, Var
from gsl.graph import reverse_post_order
from gsl.text.listing import text_over
from gslverify.case import Case

PLAIN = str.maketrans({"├": "|", "└": "`", "─": "-", "│": "|"})
"""Lines of a tree in ASCII."""


def trees(case: Case, *, ascii_only: bool = False) -> tuple[list[str], list[str]]:
    """Return source and target as trees, in which what is used twice is drawn once.

    The target has no lines where it could not be built.
    """
    exprs = case.exprs()
    sides = [[exprs[number] for number in side] for side in (case.source, case.target)]
    drawn = [tree(_drawing(side)) if side else [] for side in sides]
    if ascii_only:
        drawn = [[line.translate(PLAIN) for line in lines] for lines in drawn]
    source, target = drawn
    return source, target


def _drawing(outputs: Sequence[Expr]) -> Drawing:
    """Return a drawing in which calls are numbered as in listings, and the rest is spelled out."""
    drawing = drawing_of_graph(outputs)
    names: dict[Expr, str] = {}
    vertices = []
    calls = 0
    for expr, vertex in zip(reverse_post_order(outputs), drawing.vertices, strict=True):
        text = text_over(expr, [names[operand] for operand in expr.operands])
        names[expr] = f"%{calls}" if isinstance(expr, Call) else text
        kind = vertex.kind if isinstance(expr, Call) else ""
        calls += isinstance(expr, Call)
        details = vertex.details if isinstance(expr, Call | Var) else ()
        vertices.append(replace(vertex, name=names[expr], kind=kind, details=details))
    return replace(drawing, vertices=tuple(vertices))
