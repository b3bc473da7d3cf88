"""From the text of a kernel to statements.

An additive term is what `+` and `-` join at the top of a right side. Index variables that do not
occur on the left are summed over, in each additive term for itself; a sum inside a product, a
quotient or a call is part of its term. A reference reads 0 outside of its dimensions.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, assert_never

from gsl.attr.evaluate import PYTHON
from gsl.attr.term import Symbol, Term, free_symbols
from gsl.errors import KernelError, did_you_mean
from gsl.kernel.domain import NoDomainError, domains, free_variables
from gsl.kernel.expression import Apply, Expression, Number, Read, Reduction, Select
from gsl.kernel.functions import CALLED, COMPARISONS, FUNCTIONS
from gsl.kernel.grammar import read
from gsl.kernel.statement import DATA_TYPES, Kernel, Statement
from gsl.kernel.syntax import (
    Assignment,
    Binary,
    Call,
    Fold,
    Literal,
    Name,
    Node,
    Reference,
    Token,
    Unary,
    nodes,
)
from gsl.kernel.terms import alike, shown
from gsl.types import Int

REDUCTIONS = ("sum", "product", "max", "min")
LOGIC = {"&&": "and", "||": "or", "!": "not"}
MOST_ELEMENTS_OF_A_DIMENSION = 1 << 31
MOST_DIGITS_SHOWN = 20


def parse(
    text: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    name: str = "kernel",
    data_type: str = "float",
) -> Kernel:
    """Return the kernel that a text describes.

    Args:
        text: statements such as ``C<4,16>[i,j] = A<4,16>[i,k] * B<16,16>[k,j];``. A name in
            dimensions is a size that is known only when the kernel runs.
        inputs: names of the tensors that are given.
        outputs: names of the tensors that it is for.
        name: a name for it.
        data_type: "float" or "double", the type of all tensors.

    Raises KernelError, with line and column where the text is wrong.
    """
    written = read(text)
    _check_names(inputs, outputs, data_type, [one.target.token.text for one in written])
    reader = _Reader(list(inputs), _sizes(written))
    statements = tuple(reader.statement(one) for one in written)
    known = (*inputs, *(statement.tensor for statement in statements))
    shapes = {tensor: reader.shapes[tensor] for tensor in known if tensor in reader.shapes}
    for unused in (tensor for tensor in inputs if tensor not in shapes):
        raise KernelError(f"no statement reads the input `{unused}`; remove it from the inputs")
    return Kernel(name, tuple(inputs), tuple(outputs), data_type, shapes, statements)


def _check_names(
    inputs: Sequence[str], outputs: Sequence[str], data_type: str, computed: list[str]
) -> None:
    if data_type not in DATA_TYPES:
        known = ", ".join(DATA_TYPES)
        raise KernelError(f"`{data_type}` is no data type of kernels, which are {known}")
    listed = [*inputs, *outputs]
    for name in listed:
        if listed.count(name) > 1:
            raise KernelError(f"`{name}` is listed twice among inputs and outputs")
    for name in outputs:
        if name not in computed:
            cure = did_you_mean(name, computed)
            message = f"no statement computes the output `{name}`"
            raise KernelError(f"{message}; {cure}" if cure else message)


def _sizes(written: Sequence[Assignment]) -> dict[str, Symbol]:
    """Return symbols for the names in dimensions, wherever they are."""
    found: dict[str, Symbol] = {}
    for node in (part for one in written for root in one.parts for part in nodes(root)):
        dims = node.dims if isinstance(node, Reference) else ()
        for part in (part for dim in dims for part in nodes(dim) if isinstance(part, Name)):
            found.setdefault(part.token.text, Symbol(part.token.text, low=0))
    return found


@dataclass(slots=True)
class _Reader:
    """What statements have said so far; `places` has the first use of every variable."""

    known: list[str]
    sizes: dict[str, Symbol]
    shapes: dict[str, tuple[Int, ...]] = field(default_factory=dict)
    variables: dict[str, Symbol] = field(default_factory=dict)
    places: dict[Symbol, Token] = field(default_factory=dict)

    def statement(self, written: Assignment) -> Statement:
        target = written.target
        name = target.token.text
        if name in self.known:
            target.token.fail(f"`{name}` is given or computed before; use another name")
        self.variables, self.places = {}, {}
        shape = self.shape(target)
        indices = tuple(self.left_index(node) for node in target.indices)
        if len(set(self.variables)) < len(indices):
            target.token.fail(f"an index variable occurs twice on the left, as in {name}[i,i]")
        extents = dict(zip(indices, shape, strict=True))
        value = self.sum_of_terms(written.value, extents)
        self.known.append(name)
        return Statement(name, tuple(extents.items()), value)

    def left_index(self, node: Node) -> Symbol:
        if not isinstance(node, Name) or node.token.text in self.sizes:
            node.token.fail("an index on the left must be a variable, such as C<4,16>[i,j]")
        return self.symbol(node.token)

    def sum_of_terms(self, node: Node, around: dict[Symbol, Int]) -> Expression:
        match node:
            case Binary(token=Token(kind="+" | "-" as sign), left=left, right=right):
                sides = self.sum_of_terms(left, around), self.sum_of_terms(right, around)
                return Apply(sign, sides)
            case Unary(token=Token(kind="-"), operand=operand) if not isinstance(operand, Literal):
                return Apply("neg", (self.sum_of_terms(operand, around),))
            case _:
                return self.term_of_sum(node, around)

    def term_of_sum(self, node: Node, around: dict[Symbol, Int]) -> Expression:
        value = self.value(node)
        fixed = {*around, *self.sizes.values()}
        summed = free_variables(value, fixed)
        try:
            extents = domains(value, summed, self.shapes, around)
        except NoDomainError as error:
            self.places[error.variable].fail(str(error))
        return Reduction("sum", tuple(extents.items()), value) if extents else value

    def shape(self, node: Reference) -> tuple[Int, ...]:
        """Return the dimensions of a reference, which are those of all others to its tensor."""
        name, dims = node.token.text, tuple(self.dim(dim) for dim in node.dims)
        if len(dims) != len(node.indices):
            message = f"`{name}` has {len(dims)} dimensions, but {len(node.indices)} indices"
            node.token.fail(f"dimension mismatch: {message}")
        before = self.shapes.setdefault(name, dims)
        if len(dims) != len(before) or not all(map(alike, dims, before)):
            texts = [",".join(map(shown, shape)) for shape in (dims, before)]
            message = f"`{name}` is <{texts[0]}> here and <{texts[1]}> before"
            node.token.fail(f"dimension mismatch: {message}")
        return dims

    def dim(self, node: Node) -> Int:
        is_number = isinstance(node, Literal) and node.token.text.isdigit()
        size = _number(node.token) if is_number else self.term(node, self.sizes)
        if isinstance(size, int) and not 0 <= size < MOST_ELEMENTS_OF_A_DIMENSION:
            node.token.fail(f"a dimension cannot be {size}")
        return size

    def symbol(self, name: Token) -> Symbol:
        """Return what a name stands for: a size, a variable seen before, or a new one."""
        if name.text in self.sizes:
            return self.sizes[name.text]
        symbol = self.variables.setdefault(name.text, Symbol(name.text))
        self.places.setdefault(symbol, name)
        return symbol

    def term(self, node: Node, only: Collection[str] | None = None) -> Int:
        """Return an index; with `only`, no other names may occur."""
        match node:
            case Literal(token=token) if token.text.isdigit():
                return _whole(token)
            case Name(token=token) if only is None or token.text in only:
                return self.symbol(token)
            case Unary(token=Token(kind="-"), operand=operand):
                return -self.term(operand, only)
            case Binary(token=Token(kind="+" | "-" | "*" | "//" | "%" as sign) as token):
                left, right = self.term(node.left, only), self.term(node.right, only)
                if sign in ("//", "%"):
                    self.check_divisor(right, token)
                return PYTHON[sign](left, right)
            case _:
                expected = "index variables, whole numbers, + - * // and %"
                node.token.fail(f"expected an index made of {expected}, found `{node.token.text}`")

    def check_divisor(self, divisor: Int, token: Token) -> None:
        if isinstance(divisor, Term):
            if free_symbols(divisor) <= set(self.sizes.values()):
                return
        elif divisor > 0:
            return
        token.fail("an index is divided by positive whole numbers and by sizes only")

    def condition(self, node: Node) -> Int:
        """Return a condition about indices alone."""
        match node:
            case Binary(token=token, left=left, right=right) if token.kind in ("&&", "||"):
                return PYTHON[LOGIC[token.kind]](self.condition(left), self.condition(right))
            case Binary(token=token, left=left, right=right) if token.kind in COMPARISONS:
                return PYTHON[token.kind](self.term(left), self.term(right))
            case Unary(token=Token(kind="!"), operand=operand):
                return PYTHON["not"](self.condition(operand))
            case _:
                node.token.fail("expected a condition such as i < 4")

    def value(self, node: Node) -> Expression:
        if _is_index(node) and any(isinstance(part, Name) for part in nodes(node)):
            return Number(self.term(node))
        match node:
            case Literal(token=token):
                return Number(_number(token))
            case Unary(token=Token(kind="-"), operand=Literal(token=token)):
                return Number(-_number(token))
            case Unary(token=token, operand=operand):
                name = "neg" if token.kind == "-" else "not"
                return Apply(name, (self.value(operand),))
            case Binary(token=token, left=left, right=right):
                name = LOGIC.get(token.kind, token.kind)
                return Apply(name, (self.value(left), self.value(right)))
            case Reference():
                return self.reference(node)
            case Call():
                return self.call(node)
            case Fold():
                return self.fold(node)
            case Name(token=token):
                return Number(self.symbol(token))
            case _:
                assert_never(node)

    def reference(self, node: Reference) -> Read:
        name = node.token.text
        if name not in self.known:
            cure = did_you_mean(name, self.known) or "list it among the inputs"
            node.token.fail(f"`{name}` is neither an input nor computed before; {cure}")
        self.shape(node)
        return Read(name, tuple(self.term(index) for index in node.indices), guarded=True)

    def call(self, node: Call) -> Expression:
        name, count = node.token.text, len(node.arguments)
        if name not in CALLED:
            _unknown_function(node.token)
        if count != FUNCTIONS[name].arity:
            node.token.fail(f"`{name}` takes {FUNCTIONS[name].arity} arguments, not {count}")
        if name == "select" and _is_condition(node.arguments[0]):
            condition = self.condition(node.arguments[0])
            then, otherwise = (self.value(one) for one in node.arguments[1:])
            if isinstance(condition, bool):
                return then if condition else otherwise
            return Select(condition, then, otherwise)
        return Apply(name, tuple(self.value(one) for one in node.arguments))

    def fold(self, node: Fold) -> Expression:
        if node.token.text not in REDUCTIONS:
            cure = did_you_mean(node.token.text, REDUCTIONS) or ", ".join(REDUCTIONS)
            node.token.fail(f"`{node.token.text}` is no reduction; {cure}")
        around, bound = dict(self.variables), list[tuple[Symbol, Int]]()
        for token, extent in node.variables:
            if token.text in self.sizes or any(token.text == s.name for s, _ in bound):
                token.fail(f"`{token.text}` stands for something else already")
            bound.append((Symbol(token.text), self.dim(extent)))
        self.variables |= {symbol.name: symbol for symbol, _ in bound}
        self.places |= {s: t for (s, _), (t, _) in zip(bound, node.variables, strict=True)}
        body = self.value(node.body)
        self.variables = {
            name: around.get(name, symbol)
            for name, symbol in self.variables.items()
            if name in around or symbol not in dict(bound)
        }
        return Reduction(node.token.text, tuple(bound), body)


def _unknown_function(token: Token) -> NoReturn:
    cure = did_you_mean(token.text, CALLED)
    token.fail(f"there is no function `{token.text}`; {cure or 'known: ' + ', '.join(CALLED)}")


def _number(token: Token) -> int | float:
    value = float(token.text)
    if not math.isfinite(value):
        token.fail(f"`{token.text[:MOST_DIGITS_SHOWN]}` is too large for a number")
    return int(token.text) if token.text.isdigit() else value


def _whole(token: Token) -> int:
    """Return a number in an index, which machines count in 32 bits."""
    value = _number(token)
    assert isinstance(value, int)
    if value >= MOST_ELEMENTS_OF_A_DIMENSION:
        token.fail(f"`{token.text[:MOST_DIGITS_SHOWN]}` is too large for an index")
    return value


def _is_index(node: Node) -> bool:
    """Tell whether a node is arithmetic on indices and whole numbers alone."""
    match node:
        case Literal(token=token):
            return token.text.isdigit()
        case Name():
            return True
        case Unary(token=Token(kind="-"), operand=operand):
            return _is_index(operand)
        case Binary(token=token, left=left, right=right):
            return token.kind in ("+", "-", "*", "//", "%") and _is_index(left) and _is_index(right)
        case _:
            return False


def _is_condition(node: Node) -> bool:
    """Tell whether a node compares indices alone."""
    match node:
        case Binary(token=token, left=left, right=right) if token.kind in ("&&", "||"):
            return _is_condition(left) and _is_condition(right)
        case Binary(token=token, left=left, right=right) if token.kind in COMPARISONS:
            return _is_index(left) and _is_index(right)
        case Unary(token=Token(kind="!"), operand=operand):
            return _is_condition(operand)
        case _:
            return False
