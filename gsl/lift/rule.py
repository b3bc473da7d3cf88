"""The text of a rule that all instances are matches of."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.graph import reverse_post_order
from gsl.lift.instances import CannotLiftError, Instance, Row, aligned
from gsl.lift.synthesis import Quantity, integer_text, real_text
from gsl.numpy_dtypes import is_floating
from gsl.types import TensorType

MOST_ELEMENTS = 64
"""Constants with more elements are weights, which a rule should take as an input."""

ROUNDED = 1e-6
"""Relative distance up to which a number of the source is taken for what it was computed from."""

RESERVED = frozenset({"Subst", "attr", "op", "pat", "rule", "INF", "NAN"})

HEADER = '''"""{title}"""

from gsl import Subst, attr, op, pat, rule

INF, NAN = float("inf"), float("nan")
'''


@dataclass(frozen=True, slots=True)
class LiftedRule:
    """A rule as source text: a function under `@rule`, without the imports of a file."""

    name: str
    text: str


def rule_file(title: str, rules: Sequence[LiftedRule]) -> str:
    """Return the text of a rule file with these rules."""
    return "\n\n".join([HEADER.format(title=title), *(one.text for one in rules)])


def lift(
    name: str,
    instances: Sequence[Instance],
    origin: str = "",
    equation: str = "",
    conditions: Sequence[str] = (),
    inputs: Mapping[str, str] = MappingProxyType({}),
) -> LiftedRule:
    """Return the rule that rewrites each source to its target, by alignment and anti-unification.

    Args:
        name: the name of the rule, an identifier.
        instances: at least two, with the free sizes different primes, other ones in each.
        origin: where the rule comes from, such as "library/module.py:41".
        equation: the first line of its docstring.
        conditions: further conditions as text.
        inputs: other names for inputs than those in the instances.

    Raises CannotLiftError when graphs of several sizes differ, when the target uses an input or a
    number that does not come from the source, or an operator that gsl does not have.
    """
    if len(instances) < 2:
        raise CannotLiftError(f"{len(instances)} instances are given, and at least 2 are needed")
    sources = aligned([one.source for one in instances])
    targets = aligned([one.target for one in instances])
    writer = _Writer(instances, list(conditions))
    writer.inputs(sources, targets, inputs)
    before = writer.written(sources, "s", is_source=True)
    after = writer.written(targets, "t", is_source=False)
    writer.keep_signs()
    first = instances[0]
    outputs = (_outputs(first.source.outputs, before), _outputs(first.target.outputs, after))
    head = [f"@rule(origin={origin!r})" if origin else "@rule", f"def {name}() -> Subst:"]
    lines = [
        f'    """{equation or name}"""',
        *(f"    {line}" for line in writer.lines),
        "    return Subst(",
        *(f"        {side}," for side in outputs),
        "        where=[",
        *(f"            {condition}," for condition in writer.where),
        "        ],",
        "    )",
    ]
    return LiftedRule(name, "\n".join([*head, *lines]) + "\n")


def _outputs(outputs: Sequence[Expr], names: dict[Expr, str]) -> str:
    if len(outputs) == 1:
        return names[outputs[0]]
    return f"[{', '.join(names[output] for output in outputs)}]"


@dataclass(slots=True)
class _Writer:
    """What has been written of a rule: patterns, conditions, and what they let a rule mention."""

    instances: Sequence[Instance]
    where: list[str]
    lines: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, list[Quantity]] = field(default_factory=dict)
    numbers: list[Quantity] = field(default_factory=list)
    dtypes: dict[tuple[str, ...], str] = field(default_factory=dict)

    def inputs(
        self, sources: Sequence[Row], targets: Sequence[Row], called: Mapping[str, str]
    ) -> None:
        """Write the inputs, with what is the same about them in all instances as conditions."""
        matched = dict(self._variables(sources))
        unknown = [name for name, _ in self._variables(targets) if name not in matched]
        if unknown:
            raise CannotLiftError(f"only the target has the input {', '.join(unknown)}")
        parameters = self.instances[0].source.parameters
        for name, row in matched.items():
            self.names[name] = _identifier(called.get(name, name), set(self.names.values()))
            kind = "Variable" if name in parameters else "Wildcard"
            self.lines.append(f"{self.names[name]} = pat.{kind}()")
            self._describe(name, [variable.tensor_type for variable in row])

    def _variables(self, rows: Sequence[Row]) -> Iterator[tuple[str, list[Var]]]:
        for row in rows:
            variables = [expr for expr in row if isinstance(expr, Var)]
            if variables:
                if len({variable.name for variable in variables}) > 1:
                    raise CannotLiftError("an input has other names in other instances")
                yield variables[0].name, variables

    def _describe(self, name: str, types: Sequence[TensorType]) -> None:
        text = self.names[name]
        ranks = {one.ndim for one in types}
        if len(ranks) > 1:
            raise CannotLiftError(f"input `{name}` has several ranks")
        self.where.append(f"{text}.ndim == {ranks.pop()}")
        self.sizes[name] = []
        for axis, column in enumerate(zip(*(one.shape for one in types), strict=True)):
            known = [quantity for sizes in self.sizes.values() for quantity in sizes]
            same = next((q.text for q in known if q.values == column), None)
            if len(set(column)) == 1:
                self.where.append(f"{text}.shape[{axis}] == {column[0]}")
            elif same is not None:
                self.where.append(f"{text}.shape[{axis}] == {same}")
            self.sizes[name].append(Quantity(f"{text}.shape[{axis}]", column))
        dtypes = tuple(one.dtype for one in types)
        if dtypes in self.dtypes:
            self.where.append(f"{text}.dtype == {self.dtypes[dtypes]}")
        elif len(set(dtypes)) == 1:
            self.where.append(f"{text}.dtype == {dtypes[0]!r}")
        else:
            self.where.append(f"attr.In({text}.dtype, {tuple(dict.fromkeys(dtypes))})")
        self.dtypes.setdefault(dtypes, f"{text}.dtype")

    def keep_signs(self) -> None:
        """Demand of the numbers of the source that they have the sign that they always had."""
        for quantity in self.numbers:
            if all(value > 0 for value in quantity.values):
                self.where.append(f"{quantity.text} > 0")
            elif all(value < 0 for value in quantity.values):
                self.where.append(f"{quantity.text} < 0")

    def written(self, rows: Sequence[Row], prefix: str, is_source: bool) -> dict[Expr, str]:
        """Write the patterns of a side; return what the expressions of instance 0 are called."""
        names: dict[Expr, str] = {}
        for place, row in enumerate(rows):
            expr, name = row[0], f"{prefix}{place}"
            match expr:
                case Var():
                    names[expr] = self.names[expr.name]
                    continue
                case Tuple():
                    parts = ", ".join(names[operand] for operand in expr.operands)
                    names[expr] = f"({parts}{',' if len(expr.operands) == 1 else ''})"
                    continue
                case Const():
                    text = self._constant(row, name, is_source)
                case Proj():
                    text = f"{names[expr.operands[0]]}[{expr.index}]"
                case _:
                    text = self._call(row, name, names, is_source)
            self.lines.append(f"{name} = {text}")
            names[expr] = name
        return names

    def _constant(self, row: Row, name: str, is_source: bool) -> str:
        arrays = [np.asarray(expr.value) for expr in row if isinstance(expr, Const)]
        first = arrays[0]
        dtype = "" if is_source and is_floating(first.dtype) else f", dtype={first.dtype.name!r}"
        if all(_same(first, other) for other in arrays):
            if first.size > MOST_ELEMENTS:
                raise CannotLiftError(f"a constant of shape {first.shape} is no input")
            asked = row[0].asked if isinstance(row[0], Const) else None
            value = _literal(first.tolist() if asked is None else asked)
            return f"pat.Const({value}{dtype})"
        if any(array.ndim for array in arrays):
            raise CannotLiftError("the elements of a constant depend on sizes")
        values = tuple(array.item() for array in arrays)
        if not is_source:
            return f"pat.Const({self._number(values)}{dtype})"
        condition = self._equation(f"{name}.value", values)
        if condition is not None:
            self.where.append(condition)
        self.numbers.append(Quantity(f"{name}.value", values))
        return f"pat.Const(shape=(){dtype})"

    def _equation(self, name: str, values: tuple[Any, ...]) -> str | None:
        """Return that a number of the source is what the match says, if something has its values.

        What is computed in real numbers is stored rounded, so it is only about equal.
        """
        if all(type(value) is int for value in values):
            text = integer_text(values, self._quantities())
            return None if text is None else f"{name} == {text}"
        text = real_text(values, self._quantities())
        if text is None or any(quantity.text == text for quantity in self.numbers):
            return None if text is None else f"{name} == {text}"
        return f"abs({name} - {text}) <= {ROUNDED} * abs({text})"

    def _quantities(self) -> list[Quantity]:
        """Return what may be mentioned: numbers of the source before sizes of its inputs."""
        return [*self.numbers, *(quantity for sizes in self.sizes.values() for quantity in sizes)]

    def _call(self, row: Row, name: str, names: dict[Expr, str], is_source: bool) -> str:
        expr = row[0]
        assert isinstance(expr, Call)
        if "." in expr.operator.name:
            raise CannotLiftError(f"gsl has no operator for {expr.operator.name}")
        arguments = [names[operand] for operand in expr.operands]
        for attribute in expr.attributes:
            values = [one.attributes[attribute] for one in row if isinstance(one, Call)]
            text = self._source_value(row, name, attribute, values) if is_source else None
            if not is_source:
                text = self._value(values, self._quantities())
            if text is not None:
                arguments.append(f"{attribute}={text}")
        return f"op.{expr.operator.name}({', '.join(arguments)})"

    def _source_value(
        self, row: Row, name: str, attribute: str, values: Sequence[Any]
    ) -> str | None:
        """Return what an attribute of a source is, None where it stays free.

        It may only mention what is matched before it; what comes later is a condition.
        """
        if all(type(value) is float for value in values) and len(set(values)) > 1:
            self.numbers.append(Quantity(f"{name}.{attribute}", tuple(values)))
            return None
        below = {expr.name for expr in reverse_post_order([row[0]]) if isinstance(expr, Var)}
        matched = [quantity for one in below for quantity in self.sizes.get(one, [])]
        try:
            return self._value(values, matched)
        except CannotLiftError:
            text = self._value(values, self._quantities())
            self.where.append(f"{name}.{attribute} == {text}")
            return None

    def _value(self, values: Sequence[Any], known: Sequence[Quantity]) -> str:
        first = values[0]
        if isinstance(first, tuple):
            if len({len(value) for value in values}) > 1:
                raise CannotLiftError("an attribute has several lengths")
            parts = [self._value(column, known) for column in zip(*values, strict=True)]
            return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        if isinstance(first, str) and len(set(values)) > 1 and tuple(values) in self.dtypes:
            return self.dtypes[tuple(values)]
        if isinstance(first, bool | str) or first is None:
            if len(set(values)) > 1:
                raise CannotLiftError(f"an attribute is {' and '.join(map(repr, values))}")
            return repr(first)
        return self._number(tuple(values), known)

    def _number(self, values: tuple[Any, ...], known: Sequence[Quantity] | None = None) -> str:
        quantities = self._quantities() if known is None else known
        if len({repr(value) for value in values}) == 1:
            return _literal(values[0])
        is_whole = all(isinstance(value, int | np.integer) for value in values)
        whole = tuple(int(value) for value in values) if is_whole else ()
        text = integer_text(whole, quantities) if is_whole else real_text(values, quantities)
        if text is None:
            raise CannotLiftError(f"no size or constant of the source gives {values}")
        return text


def _same(one: Any, other: Any) -> bool:
    floating = is_floating(one.dtype)
    return one.shape == other.shape and bool(np.array_equal(one, other, equal_nan=floating))


def _identifier(name: str, taken: set[str]) -> str:
    text = re.sub(r"\W", "_", name)
    if not text.isidentifier() or keyword.iskeyword(text) or re.fullmatch(r"[st]\d+", text):
        text = f"input_{text}"
    if text in RESERVED or text.startswith("__"):
        text = f"input_{text}"
    unique, number = text, 2
    while unique in taken:
        unique, number = f"{text}_{number}", number + 1
    return unique


def _literal(value: Any) -> str:
    """Return Python text for a number or nested lists of numbers."""
    if isinstance(value, list):
        parts = [_literal(part) for part in value]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    if isinstance(value, float) and not math.isfinite(value):
        return "NAN" if math.isnan(value) else "INF" if value > 0 else "-INF"
    return repr(value)
