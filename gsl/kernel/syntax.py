"""The text of kernels: tokens, and syntax trees whose nodes know where they were written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from gsl.errors import KernelError, printable


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text: `kind` is "number", "name", "end", or the text of a sign itself."""

    kind: str
    text: str
    line: int
    column: int

    def fail(self, message: str) -> NoReturn:
        """Raise KernelError with the position of this token."""
        raise KernelError(message, self.line, self.column)

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else f"`{self.text}`"


_TOKEN = re.compile(
    r"(?P<number>(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>//|<=|>=|==|!=|&&|\|\||[-+*/%()<>\[\],;:=!])"
    r"|(?P<space>\s+)",
    re.ASCII,
)


def tokens(text: str) -> list[Token]:
    """Cut a text into tokens, the last of which is the end; raise KernelError for other signs."""
    found, place, line, start = list[Token](), 0, 1, 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        column = place - start + 1
        if match is None:
            raise KernelError(f"`{printable(text[place])}` has no meaning here", line, column)
        piece = match.group()
        if match.lastgroup == "space":
            line += piece.count("\n")
            start = place + piece.rfind("\n") + 1 if "\n" in piece else start
        else:
            kind = "number" if match["number"] else "name" if match["name"] else piece
            found.append(Token(kind, piece, line, column))
        place = match.end()
    return [*found, Token("end", "", line, place - start + 1)]


@dataclass(frozen=True, slots=True)
class Literal:
    """A number."""

    token: Token


@dataclass(frozen=True, slots=True)
class Name:
    """An index variable or a size."""

    token: Token


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands and the operator between them; `token` is the operator."""

    token: Token
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Unary:
    """`-` or `!` before an operand."""

    token: Token
    operand: Node


@dataclass(frozen=True, slots=True)
class Reference:
    """An element of a tensor, as in `A<4,16>[i,j]`."""

    token: Token
    dims: tuple[Node, ...]
    indices: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function and its arguments."""

    token: Token
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """A reduction with its variables written out, as in `max<k:16>(A<4,16>[i,k])`."""

    token: Token
    variables: tuple[tuple[Token, Node], ...]
    body: Node


Node = Literal | Name | Binary | Unary | Reference | Call | Fold


@dataclass(frozen=True, slots=True)
class Assignment:
    """One statement as it was written."""

    target: Reference
    value: Node

    @property
    def parts(self) -> tuple[Node, Node]:
        """Both sides."""
        return self.target, self.value


def below(node: Node) -> tuple[Node, ...]:
    """Return the parts of a node, from left to right."""
    match node:
        case Binary(left=left, right=right):
            return (left, right)
        case Unary(operand=operand):
            return (operand,)
        case Reference(dims=dims, indices=indices):
            return (*dims, *indices)
        case Call(arguments=arguments):
            return arguments
        case Fold(variables=variables, body=body):
            return (*(extent for _, extent in variables), body)
        case _:
            return ()


def nodes(node: Node) -> Iterator[Node]:
    """Yield a node and everything below it, from left to right."""
    stack = [node]
    while stack:
        yield (current := stack.pop())
        stack.extend(reversed(below(current)))
