"""Kernels as C99: loops over the elements, sums before the expressions that use them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

from gsl.attr.term import Operation, Symbol
from gsl.errors import KernelError
from gsl.kernel.emit import Lines, Names, bare, term_text
from gsl.kernel.expression import (
    AnyExpression,
    Apply,
    Expression,
    Number,
    Read,
    Reduction,
    Select,
)
from gsl.kernel.functions import COMPARISONS
from gsl.kernel.statement import DATA_TYPES, Kernel, Statement
from gsl.kernel.terms import bounds, lies_in
from gsl.types import Bool, Int

KEYWORDS = """auto break case char const continue default do double else enum extern float for goto
if inline int long register restrict return short signed sizeof static struct switch typedef union
unsigned void volatile while _Bool _Complex _Imaginary real int64_t malloc free abort main"""

MATHEMATICS = {
    **dict.fromkeys(("pow", "floor", "ceil", "exp", "log", "sqrt", "erf", "sin", "cos", "tan")),
    **dict.fromkeys(("sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh")),
    "abs": "fabs",
    "round": "rint",
    "trunc": "trunc",
}
"""Functions of math.h, by their names here; those of float have an f behind them."""

_DIVIDE = "int64_t floor_divide(int64_t a, int64_t b)"
_MODULO = "int64_t floor_modulo(int64_t a, int64_t b)"
_ROUNDED = "a % b && (a < 0) != (b < 0)"

INDEX_HELPERS = {
    "//": ("floor_divide", f"{_DIVIDE} {{ return b ? a / b - ({_ROUNDED}) : 0; }}"),
    "%": ("floor_modulo", f"{_MODULO} {{ return b ? a % b + ({_ROUNDED}) * b : 0; }}"),
    "min": ("index_min", "int64_t index_min(int64_t a, int64_t b) { return a < b ? a : b; }"),
    "max": ("index_max", "int64_t index_max(int64_t a, int64_t b) { return a > b ? a : b; }"),
    "abs": ("index_abs", "int64_t index_abs(int64_t a) { return a < 0 ? -a : a; }"),
}

VALUE_HELPERS = {
    "max": ("maximum", "real maximum(real a, real b) { return a > b || a != a ? a : b; }"),
    "min": ("minimum", "real minimum(real a, real b) { return a < b || a != a ? a : b; }"),
    "sign": ("sign", "real sign(real a) { return a != a ? a : (real)((a > 0) - (a < 0)); }"),
    "sigmoid": ("sigmoid", "real sigmoid(real a) { return 1 / (1 + exp(-a)); }"),
    "//": ("quotient", "real quotient(real a, real b) { return floor(a / b); }"),
    "%": ("remainder_of", "real remainder_of(real a, real b) { return a - b * floor(a / b); }"),
}

WORDS = frozenset(
    [
        *KEYWORDS.split(),
        *(text for name in MATHEMATICS for text in (MATHEMATICS[name] or name,)),
        *(f"{MATHEMATICS[name] or name}f" for name in MATHEMATICS),
        *(name for name, _ in (*INDEX_HELPERS.values(), *VALUE_HELPERS.values())),
    ]
)

STARTS = {"sum": "0", "product": "1", "max": "-INFINITY", "min": "INFINITY"}


def emit_c(kernel: Kernel) -> str:
    """Return a C function of the name of the kernel: sizes, inputs, outputs; it returns nothing.

    Tensors are arrays of arrays in row-major order, and an element outside of one reads 0. Raises
    KernelError for a name that is none in C and for a dimension of 0.
    """
    if not kernel.name.isidentifier() or not kernel.name.isascii() or kernel.name in WORDS:
        raise KernelError(f"`{kernel.name}` cannot be the name of a function in C")
    for name, shape in kernel.shapes.items():
        if any(isinstance(dim, int) and dim == 0 for dim in shape):
            raise KernelError(f"`{name}` has no elements, and C has no empty arrays")
    return _Writer(kernel, Names(kernel, {*WORDS, kernel.name})).text()


@dataclass(slots=True)
class _Writer:
    """One function; `extents` are those of the loops around, `helpers` what it calls."""

    kernel: Kernel
    names: Names
    lines: Lines = field(default_factory=lambda: Lines(2))
    extents: dict[Symbol, Int] = field(default_factory=dict)
    helpers: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        kernel, tensors = self.kernel, self.names.tensors
        self.names.enter(None)
        sizes = [f"int64_t {self.names.symbols[size]}" for size in kernel.sizes]
        inputs = [f"const real {tensors[n]}{self.dims(n)}" for n in kernel.inputs]
        outputs = [f"real {tensors[n]}{self.dims(n)}" for n in kernel.outputs]
        self.lines.add(f"void {kernel.name}({', '.join([*sizes, *inputs, *outputs])}) {{")
        self.lines.depth += 1
        between = [s.tensor for s in kernel.statements if s.tensor not in kernel.outputs]
        for name in between:
            self.allocate(name)
        for statement in kernel.statements:
            self.statement(statement)
        for name in between:
            self.lines.add(f"free({tensors[name]});")
        self.lines.depth -= 1
        self.lines.add("}")
        return self.heading(bool(between)) + self.lines.text()

    def heading(self, is_allocating: bool) -> str:
        """Return what goes before the function: headers, the type of elements, helpers."""
        is_double = DATA_TYPES[self.kernel.data_type] == "float64"
        headers = ["tgmath.h", "stdint.h", *(["stdlib.h"] if is_allocating else [])]
        lines = [f"#include <{name}>" for name in headers]
        lines += ["", f"typedef {'double' if is_double else 'float'} real;", ""]
        helpers = [f"static {text}" for text in self.helpers.values()]
        return "\n".join([*lines, *helpers, *([""] if helpers else [])]) + "\n"

    def dims(self, name: str) -> str:
        shape = self.kernel.shapes[name] or (1,)
        return "".join(f"[{bare(self.index(dim))}]" for dim in shape)

    def allocate(self, name: str) -> None:
        tensor, dims = self.names.tensors[name], self.dims(name)
        behind = dims[dims.index("]") + 1 :]
        self.lines.add(f"real (*{tensor}){behind} = malloc(sizeof(real{dims}));")
        self.lines.add(f"if (!{tensor}) abort();")

    def statement(self, statement: Statement) -> None:
        self.names.enter(statement)
        for symbol, extent in statement.indices:
            self.loop(symbol, extent)
        value = self.value(statement.value)
        places = "".join(f"[{self.names.symbols[symbol]}]" for symbol, _ in statement.indices)
        tensor = self.names.tensors[statement.tensor]
        self.lines.add(f"{tensor}{places or '[0]'} = {bare(value)};")
        for _ in statement.indices:
            self.end()

    def loop(self, symbol: Symbol, extent: Int) -> None:
        name = self.names.symbols[symbol]
        self.extents[symbol] = extent
        limit = self.index(extent)
        self.lines.add(f"for (int64_t {name} = 0; {name} < {limit}; ++{name}) {{")
        self.lines.depth += 1

    def end(self) -> None:
        self.lines.depth -= 1
        self.lines.add("}")

    def value(self, expression: Expression) -> str:
        whole: AnyExpression = expression  # type: ignore[assignment]
        match whole:
            case Number(value=value):
                is_term = not isinstance(value, int | float)
                return f"(real){self.index(value)}" if is_term else self.number(float(value))
            case Read():
                return self.read(whole)
            case Apply(function=function, arguments=arguments):
                return self.apply(function, [self.value(one) for one in arguments])
            case Select(condition=condition, then=then, otherwise=otherwise):
                sides = f"{self.value(then)} : {self.value(otherwise)}"
                return f"({self.index(condition)} ? {sides})"
            case Reduction():
                return self.reduction(whole)
            case _:
                assert_never(whole)

    def number(self, value: float) -> str:
        text = {"inf": "INFINITY", "nan": "NAN"}.get(repr(abs(value)), repr(abs(value)))
        return f"(-(real){text})" if value < 0 else f"(real){text}"

    def read(self, read: Read) -> str:
        """Return an element, or 0 unless its indices are inside; certain checks are left out."""
        checks: list[str] = []
        places: list[str] = []
        for index, dim in zip(read.indices, self.kernel.shapes[read.tensor], strict=True):
            text = self.index(index)
            limits = bounds(index, self.extents)
            is_inside = lies_in(index, dim, self.extents)
            if not is_inside and (limits is None or limits[0] < 0):
                checks.append(f"{text} >= 0")
            if not is_inside and (limits is None or not isinstance(dim, int) or limits[1] >= dim):
                checks.append(f"{text} < {self.index(dim)}")
            places.append(f"[{bare(text)}]")
        element = f"{self.names.tensors[read.tensor]}{''.join(places) or '[0]'}"
        return f"({' && '.join(checks)} ? {element} : 0)" if checks else element

    def apply(self, function: str, values: list[str]) -> str:
        if function in VALUE_HELPERS:
            name, text = VALUE_HELPERS[function]
            self.helpers[name] = text
            return f"{name}({', '.join(map(bare, values))})"
        if function in MATHEMATICS:
            return f"{MATHEMATICS[function] or function}({', '.join(map(bare, values))})"
        if function in COMPARISONS:
            return f"(real)({values[0]} {function} {values[1]})"
        match function, values:
            case "neg", [value]:
                return f"(-{value})"
            case "not", [value]:
                return f"(real)({value} == 0)"
            case "and", [left, right]:
                return f"(real)({left} != 0 && {right} != 0)"
            case "or", [left, right]:
                return f"(real)({left} != 0 || {right} != 0)"
            case "select", [condition, then, otherwise]:
                return f"({condition} != 0 ? {then} : {otherwise})"
            case _:
                return f"({values[0]} {function} {values[1]})"

    def reduction(self, whole: Reduction) -> str:
        """Write the loops of a reduction; return the name of what they compute."""
        total = self.names.result("total")
        self.lines.add(f"real {total} = {STARTS[whole.function]};")
        for symbol, extent in whole.variables:
            self.loop(symbol, extent)
        body = self.value(whole.body)
        match whole.function:
            case "sum":
                self.lines.add(f"{total} += {bare(body)};")
            case "product":
                self.lines.add(f"{total} *= {bare(body)};")
            case extreme:
                self.lines.add(f"{total} = {self.apply(extreme, [total, body])};")
        for _ in whole.variables:
            self.end()
        return total

    def index(self, term: Int | Bool) -> str:
        return term_text(term, self.names.symbols, self.render)

    def render(self, part: Operation, texts: list[str]) -> str:
        head = {"and": "&&", "or": "||"}.get(part.head, part.head)
        if head == "cond":
            return f"({texts[0]} ? {texts[1]} : {texts[2]})"
        if head in ("neg", "not"):
            return f"({'-' if head == 'neg' else '!'}{texts[0]})"
        if head in INDEX_HELPERS and not self.is_plain_division(part):
            name, text = INDEX_HELPERS[head]
            self.helpers[name] = text
            return f"{name}({', '.join(map(bare, texts))})"
        return f"({texts[0]} {'/' if head == '//' else head} {texts[1]})"

    def is_plain_division(self, part: Operation) -> bool:
        """Tell whether C divides as Python does, because nothing is negative."""
        limits = [bounds(operand, self.extents) for operand in part.operands]
        return part.head in ("//", "%") and all(one is not None and one[0] >= 0 for one in limits)
