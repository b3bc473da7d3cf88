"""From the text of a kernel to its syntax tree, by recursive descent with binding powers.

kernel     = statement {";" statement} [";"]
statement  = reference "=" value
reference  = NAME "<" [index {"," index}] ">" "[" [index {"," index}] "]"
value      = operands joined, loosest first, by  ||  &&  comparisons  + -  * / // %
operand    = ("-" | "!") operand | NUMBER | NAME | reference | "(" value ")"
           | NAME "(" value {"," value} ")" | NAME "<" NAME ":" index {...} ">" "(" value ")"
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from gsl.kernel.functions import COMPARISONS
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
    below,
    tokens,
)

POWERS = {"||": 1, "&&": 2, **dict.fromkeys(COMPARISONS, 3), "+": 4, "-": 4}
POWERS |= dict.fromkeys(("*", "/", "//", "%"), 5)
"""How tightly operators bind; those of one power group from the left."""

MOST_NESTED = 100
"""How deep a tree may be; whatever walks trees recurses no deeper."""

Item = TypeVar("Item")


def read(text: str) -> list[Assignment]:
    """Return the statements of a kernel; raise KernelError at the first place that has no sense."""
    reader = _Reader(tokens(text))
    statements = [reader.assignment()]
    while reader.current.kind != "end":
        reader.take(";", "`;` or an operator")
        if reader.current.kind != "end":
            statements.append(reader.assignment())
    for statement in statements:
        for side in statement.parts:
            _need_shallow(side)
    return statements


def _need_shallow(whole: Node) -> None:
    level: list[Node] = [whole]
    for _ in range(MOST_NESTED):
        level = [part for node in level for part in below(node)]
    if level:
        level[0].token.fail(f"nested more than {MOST_NESTED} deep; use several statements")


class _Reader:
    """A place in the tokens; the methods take what they are named after."""

    def __init__(self, found: list[Token]) -> None:
        self.tokens = found
        self.place = 0
        self.depth = 0

    @property
    def current(self) -> Token:
        return self.tokens[self.place]

    def kind(self, ahead: int) -> str:
        return self.tokens[min(self.place + ahead, len(self.tokens) - 1)].kind

    def take(self, kind: str, expected: str = "") -> Token:
        token = self.current
        if token.kind != kind:
            token.fail(f"expected {expected or f'`{kind}`'}, found {token}")
        self.place += 1
        return token

    def items(self, close: str, item: Callable[[], Item]) -> tuple[Item, ...]:
        """Take items between commas up to `close`."""
        found: list[Item] = []
        while self.current.kind != close:
            found.append(item())
            if self.current.kind != close:
                self.take(",", f"`,` or `{close}`")
        self.take(close)
        return tuple(found)

    def assignment(self) -> Assignment:
        name = self.take("name", "a tensor, such as C<4,16>[i,j]")
        target = self.reference(name)
        self.take("=")
        return Assignment(target, self.value())

    def reference(self, name: Token) -> Reference:
        expected = f"the dimensions of `{name.text}`, such as {name.text}<4,16>[i,j]"
        self.take("<", expected)
        dims = self.items(">", self.size)
        self.take("[")
        return Reference(name, dims, self.items("]", self.value))

    def size(self) -> Node:
        return self.value(POWERS["+"])

    def value(self, least: int = 0) -> Node:
        """Take operands as long as the operators between them bind at least so tightly."""
        self.depth += 1
        if self.depth > MOST_NESTED:
            self.current.fail(f"nested more than {MOST_NESTED} deep; use several statements")
        left = self.operand()
        while POWERS.get(self.current.kind, -1) >= least:
            sign = self.take(self.current.kind)
            left = Binary(sign, left, self.value(POWERS[sign.kind] + 1))
        self.depth -= 1
        return left

    def operand(self) -> Node:
        signs: list[Token] = []
        while self.current.kind in ("-", "!"):
            signs.append(self.take(self.current.kind))
        found = self.atom()
        for sign in reversed(signs):
            found = Unary(sign, found)
        return found

    def atom(self) -> Node:
        token = self.current
        if token.kind == "number":
            return Literal(self.take("number"))
        if token.kind == "(":
            self.take("(")
            inner = self.value()
            self.take(")", "`)` or an operator")
            return inner
        return self.named(self.take("name", "a number, a name or `(`"))

    def named(self, name: Token) -> Node:
        if self.current.kind == "(":
            self.take("(")
            return Call(name, self.items(")", self.value))
        if self.current.kind == "<" and self.kind(1) == "name" and self.kind(2) == ":":
            return self.fold(name)
        if self.current.kind == "[" or self.begins_dims():
            return self.reference(name)
        return Name(name)

    def fold(self, name: Token) -> Fold:
        self.take("<")
        variables = self.items(">", self.variable)
        self.take("(")
        body = self.value()
        self.take(")", "`)` or an operator")
        return Fold(name, variables, body)

    def variable(self) -> tuple[Token, Node]:
        name = self.take("name", "an index variable")
        self.take(":")
        return name, self.size()

    def begins_dims(self) -> bool:
        """Tell whether `<` opens dimensions; otherwise it compares: `i < 4`."""
        ahead = 1
        while self.kind(ahead) in ("number", "name", ",", "+", "-", "*", "//", "%", "(", ")"):
            ahead += 1
        is_closed = self.kind(ahead) == ">" and self.kind(ahead + 1) == "["
        return self.current.kind == "<" and (is_closed or self.kind(ahead) == "[")
