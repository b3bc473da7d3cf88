"""Whole networks as pictures: one function, one format each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gsl.drawing.show import dot, mermaid, statements, tree
from gsl.drawing.svg import svg
from gsl.drawing.vertices import Drawing, drawing_of_graph
from gsl.errors import ModelError, did_you_mean
from gsl.expr import Expr


def _mermaid(drawing: Drawing) -> list[str]:
    return ["flowchart TD", *mermaid(drawing)]


def _dot(drawing: Drawing) -> list[str]:
    return ["digraph network {", *dot(drawing), "}"]


FORMATS: Mapping[str, Callable[[Drawing], list[str]]] = {
    "mermaid": _mermaid,
    "dot": _dot,
    "svg": svg,
    "tree": tree,
    "text": statements,
}
"""The formats: flowchart and digraph to be rendered, a drawing, and two texts for terminals."""


def picture(outputs: Sequence[Expr], format: str) -> str:
    """Return the network that computes `outputs` as text in one of `FORMATS`.

    Vertices that nothing names are called %0, %1, ... in reverse post-order. Raises ModelError for
    an unknown format.
    """
    if not isinstance(format, str) or format not in FORMATS:
        hint = did_you_mean(str(format), FORMATS) or f"there are {', '.join(FORMATS)}"
        raise ModelError(f"there is no format `{format}`; {hint}")
    return "\n".join(FORMATS[format](drawing_of_graph(outputs))) + "\n"
