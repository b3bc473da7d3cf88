"""What the writers of C and of Python share: lines, names, and the text of index terms."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from itertools import count

from gsl.attr.term import Constant, Operation, Symbol, Term, bottom_up
from gsl.errors import KernelError
from gsl.kernel.naming import name_symbols, unused
from gsl.kernel.statement import Kernel, Statement
from gsl.types import Int

Render = Callable[[Operation, list[str]], str]
"""The text of an operation for the texts of its operands, which need no parentheses."""


def term_text(term: Int, names: Mapping[Symbol, str], render: Render) -> str:
    """Return the text of an index, a size or a condition."""
    if not isinstance(term, Term):
        return f"({term})" if term < 0 else str(term)
    known: dict[Term, str] = {}
    for part in bottom_up(term):
        match part:
            case Constant(value=value):
                known[part] = f"({value})" if value < 0 else str(value)
            case Symbol():
                known[part] = names[part]
            case Operation(operands=operands):
                known[part] = render(part, [known[operand] for operand in operands])
            case _:
                raise KernelError(f"{part!r} is no index arithmetic")
    return known[term]


def bare(text: str) -> str:
    """Return a text without the parentheses around all of it."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return text[1:-1] if sign == ")" and text[0] == "(" and place == len(text) - 1 else text
    return text


@dataclass(slots=True)
class Lines:
    """Lines of a program with their indentation."""

    width: int
    found: list[str] = field(default_factory=list)
    depth: int = 0

    def add(self, line: str) -> None:
        """Append a line."""
        self.found.append(" " * (self.width * self.depth) + line if line else "")

    def text(self) -> str:
        """Return all of them."""
        return "\n".join(self.found) + "\n"


@dataclass(slots=True)
class Names:
    """Names of tensors, symbols and results that are no words of the language written."""

    kernel: Kernel
    words: Collection[str]
    tensors: dict[str, str] = field(default_factory=dict)
    symbols: dict[Symbol, str] = field(default_factory=dict)
    results: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for name in self.kernel.shapes:
            self.tensors[name] = unused(name, {*self.words, *self.tensors.values()})

    def enter(self, statement: Statement | None) -> None:
        """Name the symbols of a statement, or the sizes alone."""
        self.results = set()
        self.symbols = name_symbols(self.kernel, statement, self.taken)

    @property
    def taken(self) -> set[str]:
        """What tensors and words of the language are called."""
        return {*self.words, *self.tensors.values()}

    def result(self, stem: str) -> str:
        """Return a new name for an intermediate result."""
        taken = {*self.taken, *self.symbols.values(), *self.results}
        name = next(name for n in count(1) if (name := f"{stem}{n}") not in taken)
        self.results.add(name)
        return name
