"""Rules and expression graphs for people: statements, trees, Mermaid and dot.

No rendering can mislead about sharing: a vertex that is used twice is written once and then only
referred to. Nor about the order of operands: where several arrows arrive they are numbered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gsl.attr.term import Term
from gsl.check.finding import place_of
from gsl.drawing.vertices import Drawing, Vertex, drawings_of_rule
from gsl.subst import Subst
from gsl.text.naming import pattern_names
from gsl.text.terms import term_text

DEEPEST = 32
"""So many levels below its root are drawn in one tree."""


def conditions_of(subst: Subst) -> list[str]:
    """Return the `where` conditions of a rule as text, and where those are assumed of its file."""
    names, assumed = pattern_names(subst), set(subst.assumptions)
    return [
        term_text(condition, names) + (_place(condition) if condition in assumed else "")
        for condition in subst.where
    ]


def _place(condition: Term) -> str:
    """Return where an assumption was written, which is not in the rule itself."""
    span = place_of(condition)
    return f"    (assumed in line {span.line})" if span is not None else "    (assumed)"


def statements(drawing: Drawing) -> list[str]:
    """Return a drawing in static single assignment form, one line for each vertex."""
    vertices = drawing.vertices
    described = [vertex for vertex in vertices if vertex.kind]
    width = max((len(vertex.name) for vertex in described), default=0)
    lines = []
    for vertex in described:
        operands = [vertices[number].name for number in vertex.operands]
        inside = ", ".join([*operands, *vertex.details])
        whole = vertex.kind if vertex.kind.endswith(")") else f"{vertex.kind}({inside})"
        lines.append(f"{vertex.name:<{width}} = {whole}")
    outputs = ", ".join(vertices[number].name for number in drawing.outputs)
    return [*lines, f"return {outputs}"]


def tree(drawing: Drawing) -> list[str]:
    """Return a drawing as a tree below each output; what was drawn before is only named.

    What lies deeper than DEEPEST is only named, too, and gets a tree of its own after the others:
    indentation as deep as the network would make the text quadratic.
    """
    lines: list[str] = []
    drawn: set[int] = set()
    later: dict[int, None] = {}
    for output in drawing.outputs:
        lines += _one_tree(drawing, output, drawn, later)
    while later:
        root = next(iter(later))
        del later[root]
        if root not in drawn:
            lines += _one_tree(drawing, root, drawn, later)
    return lines


def _one_tree(
    drawing: Drawing, root: int, drawn: set[int], later: dict[int, None]
) -> Iterator[str]:
    """Yield the lines of one tree; add to `drawn` and, what is too deep, to `later`."""
    stack = [(root, 0, "", "")]
    while stack:
        number, depth, lead, indent = stack.pop()
        vertex = drawing.vertices[number]
        if number in drawn:
            yield f"{lead}{vertex.name}"
        elif depth == DEEPEST and vertex.operands:
            later[number] = None
            yield f"{lead}{vertex.name} (below)"
        else:
            drawn.add(number)
            yield f"{lead}{_headline(vertex)}"
            for operand, its_lead, its_indent in reversed(list(_branches(vertex, indent))):
                stack.append((operand, depth + 1, its_lead, its_indent))


def _branches(vertex: Vertex, indent: str) -> Iterator[tuple[int, str, str]]:
    for position, operand in enumerate(vertex.operands):
        last = position == len(vertex.operands) - 1
        yield operand, indent + ("└─ " if last else "├─ "), indent + ("   " if last else "│  ")


def _headline(vertex: Vertex) -> str:
    details = f"  {', '.join(vertex.details)}" if vertex.details else ""
    return f"{_title(vertex)}{details}"


def mermaid(drawing: Drawing, prefix: str = "n") -> list[str]:
    """Return the body of a Mermaid flowchart; `prefix` keeps two drawings on one page apart."""
    lines = []
    for number, vertex in enumerate(drawing.vertices):
        text = "<br>".join(_escaped(part) for part in (_title(vertex), *vertex.details))
        opening, closing = ('(["', '"])') if vertex.is_input else ('["', '"]')
        lines.append(f"  {prefix}{number}{opening}{text}{closing}")
    for number, vertex in enumerate(drawing.vertices):
        for operand, place in _placed(vertex):
            arrow = f"-->|{place}|" if place else "-->"
            lines.append(f"  {prefix}{operand} {arrow} {prefix}{number}")
    return lines


def dot(drawing: Drawing, prefix: str = "n") -> list[str]:
    """Return the statements of a Graphviz digraph."""
    lines = []
    for number, vertex in enumerate(drawing.vertices):
        text = "\n".join((_title(vertex), *vertex.details))
        label = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        shape = "ellipse" if vertex.is_input else "box"
        lines.append(f'  {prefix}{number} [label="{label}", shape={shape}];')
    for number, vertex in enumerate(drawing.vertices):
        for operand, place in _placed(vertex):
            label = f' [label="{place}"]' if place else ""
            lines.append(f"  {prefix}{operand} -> {prefix}{number}{label};")
    return lines


def _placed(vertex: Vertex) -> Iterator[tuple[int, str]]:
    """Yield the operands with their places from 1, which no layout keeps; none for a single one."""
    several = len(vertex.operands) > 1
    for place, operand in enumerate(vertex.operands, 1):
        yield operand, str(place) if several else ""


def _title(vertex: Vertex) -> str:
    return f"{vertex.name}: {vertex.kind}" if vertex.kind else vertex.name


def _escaped(text: str) -> str:
    return text.replace("&", "#amp;").replace('"', "#quot;").replace("<", "#lt;")


def rule_text(subst: Subst) -> list[str]:
    """Return a rule as two lists of statements and its conditions."""
    return list(_sides(subst, statements))


def rule_tree(subst: Subst) -> list[str]:
    """Return a rule as two trees and its conditions."""
    return list(_sides(subst, tree))


def _sides(subst: Subst, render: Callable[[Drawing], list[str]]) -> Iterator[str]:
    for title, drawing in zip(("source", "target"), drawings_of_rule(subst), strict=True):
        yield title
        yield from (f"  {line}" for line in render(drawing))
    conditions = conditions_of(subst)
    if conditions:
        yield "where"
        yield from (f"  {condition}" for condition in conditions)
    if subst.aliases:
        yield "inputs may be one tensor"


def rule_mermaid(subst: Subst) -> list[str]:
    """Return a Mermaid flowchart with the source and the target of a rule as subgraphs."""
    return sides_mermaid(*drawings_of_rule(subst))


def sides_mermaid(source: Drawing, target: Drawing) -> list[str]:
    """Return a Mermaid flowchart with both sides of a rule as subgraphs."""
    lines = ["flowchart TD"]
    for title, drawing in (("source", source), ("target", target)):
        lines += [f"  subgraph {title}", *mermaid(drawing, title[0]), "  end"]
    return lines


def rule_dot(subst: Subst) -> list[str]:
    """Return a Graphviz digraph with the source and the target of a rule as clusters."""
    lines = ["digraph rule {"]
    for title, drawing in zip(("source", "target"), drawings_of_rule(subst), strict=True):
        lines += [f'  subgraph cluster_{title} {{ label="{title}";', *dot(drawing, title[0]), "  }"]
    return [*lines, "}"]
