"""Rules and expression graphs as drawings: labelled vertices in reverse post-order.

A drawing is what text, trees, Mermaid and dot have in common; `gsl.drawing.show` renders it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gsl.attr.term import ANYTHING, Access, Term
from gsl.expr import Call as CallExpr
from gsl.expr import Const as ConstExpr
from gsl.expr import Expr
from gsl.expr import Proj as ProjExpr
from gsl.expr import Tuple as TupleExpr
from gsl.expr import Var as VarExpr
from gsl.graph import reverse_post_order
from gsl.operators.declaration import Operator
from gsl.pat import Call, Cond, GetInst, Pattern, Variadic
from gsl.subst import Subst
from gsl.text.listing import shown_attributes
from gsl.text.naming import pattern_names
from gsl.text.terms import Names, pattern_text, term_text

SHORTENED = 3
"""So many attributes copied from one pattern are shown as one `**same_attr(pattern, names)`."""


@dataclass(frozen=True, slots=True)
class Vertex:
    """A vertex: its name, what it is, the numbers of its operands, and its attributes as text.

    The kind is empty for what another drawing describes. In a folded drawing, `arguments` are the
    operands as they are written.
    """

    name: str
    kind: str
    operands: tuple[int, ...] = ()
    details: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()

    @property
    def is_input(self) -> bool:
        """Whether the vertex has no operands."""
        return not self.operands


@dataclass(frozen=True, slots=True)
class Drawing:
    """Vertices, operands before their users, and the numbers of the outputs."""

    vertices: tuple[Vertex, ...]
    outputs: tuple[int, ...]


def drawing_of_graph(outputs: Sequence[Expr]) -> Drawing:
    """Return the drawing of an expression graph; attributes are shown where not the default."""
    numbers: dict[Expr, int] = {}
    vertices: list[Vertex] = []
    for expr in reverse_post_order(outputs):
        operands = tuple(numbers[operand] for operand in expr.operands)
        numbers[expr] = len(vertices)
        vertices.append(_expr_vertex(expr, operands, f"%{len(vertices)}"))
    return Drawing(tuple(vertices), tuple(numbers[output] for output in outputs))


def _expr_vertex(expr: Expr, operands: tuple[int, ...], name: str) -> Vertex:
    match expr:
        case VarExpr(name=own_name):
            return Vertex(own_name, "Var", (), (str(expr.type),))
        case ConstExpr():
            return Vertex(name, "Const", (), (str(expr.type),))
        case CallExpr():
            details = [f"{key}={value!r}" for key, value in shown_attributes(expr).items()]
            return Vertex(name, expr.operator.name, operands, tuple(details))
        case TupleExpr():
            return Vertex(name, "Tuple", operands)
        case ProjExpr(index=index):
            return Vertex(name, "GetItem", operands, (f"index={index}",))
    raise TypeError(f"{expr!r} is not a computation expression")


def drawings_of_rule(subst: Subst) -> tuple[Drawing, Drawing]:
    """Return the drawings of source and target of a rule.

    What the target takes over from the source is a vertex without a kind and without operands.
    """
    names = pattern_names(subst)
    matched = frozenset(subst.source_patterns)
    source = _pattern_drawing(subst.source_patterns, subst.source, names, frozenset())
    return source, _pattern_drawing(_target_only(subst), subst.target, names, matched)


def _target_only(subst: Subst) -> list[Pattern]:
    """Return what the target builds and, before it, what it takes over directly."""
    matched = set(subst.source_patterns)
    built = [pattern for pattern in subst.target_patterns if pattern not in matched]
    used = [operand for pattern in built for operand in pattern.operands]
    taken = [pattern for pattern in (*used, *subst.target) if pattern in matched]
    return [*dict.fromkeys(taken), *built]


def _pattern_drawing(
    patterns: Sequence[Pattern],
    outputs: Sequence[Pattern],
    names: Names,
    matched: frozenset[Pattern],
) -> Drawing:
    numbers: dict[Pattern, int] = {}
    vertices: list[Vertex] = []
    for pattern in patterns:
        numbers[pattern] = len(vertices)
        if pattern in matched:
            vertices.append(Vertex(names[pattern], ""))
            continue
        operands = tuple(numbers[operand] for operand in pattern.operands)
        details = tuple(_details(pattern, names))
        vertices.append(Vertex(names[pattern], kind_of(pattern, names), operands, details))
    return Drawing(tuple(vertices), tuple(numbers[output] for output in outputs))


def kind_of(pattern: Pattern, names: Names) -> str:
    """Return what a pattern matches or builds: its operator, or the kind of the pattern."""
    match pattern:
        case Call(callee=callee):
            return str(callee)
        case GetInst(variadic=variadic, template=template, index_term=index):
            inside = f"{pattern_text(template, names)}, {term_text(index, names)}"
            return f"{pattern_text(variadic, names)}({inside})"
        case _:
            return type(pattern).__name__


def _details(pattern: Pattern, names: Names) -> Iterable[str]:
    match pattern:
        case Variadic():
            yield from _variadic_details(pattern, names)
        case Cond(condition=condition):
            yield term_text(condition, names)
        case Call(attributes_of=Call() as other):
            yield f"**same_attr({pattern_text(other, names)})"
    yield from _constraints(pattern.constraints, names)


def _variadic_details(pattern: Variadic, names: Names) -> Iterable[str]:
    yield f"templates=[{', '.join(pattern_text(t, names) for t in pattern.templates)}]"
    yield f"index={pattern.symbol.name}"
    if pattern.size is not ANYTHING:
        yield f"length={term_text(pattern.size, names)}"
    if pattern.minimum > 1:
        yield f"min_len={pattern.minimum}"


def _constraints(constraints: Mapping[str, Term], names: Names) -> Iterable[str]:
    copied: dict[Pattern, list[str]] = {}
    for name, term in constraints.items():
        if isinstance(term, Access) and term.name == name:
            copied.setdefault(term.pattern, []).append(name)
    shortened = {owner for owner, listed in copied.items() if len(listed) >= SHORTENED}
    for owner, listed in copied.items():
        if owner in shortened:
            which = "" if _is_everything(owner, listed) else f", {listed}"
            yield f"**same_attr({pattern_text(owner, names)}{which})"
    for name, term in constraints.items():
        if not any(name in copied[owner] for owner in shortened):
            yield f"{name}={term_text(term, names)}"


def _is_everything(owner: Pattern, listed: Sequence[str]) -> bool:
    """Tell whether `listed` are all attributes that `same_attr` copies without being told which."""
    callee = owner.callee if isinstance(owner, Call) else None
    return isinstance(callee, Operator) and callee.attributes.keys() <= set(listed)
