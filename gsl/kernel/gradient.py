"""The gradient of a kernel, as another kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from gsl.attr.term import Symbol
from gsl.errors import KernelError, did_you_mean
from gsl.kernel.adjoint import adjoint_of, sum_of
from gsl.kernel.derivative import is_zero
from gsl.kernel.expression import Expression, Read, reads_of
from gsl.kernel.naming import unused
from gsl.kernel.statement import Kernel, Statement
from gsl.types import Int


def differentiate(kernel: Kernel, inputs: Sequence[str]) -> Kernel:
    """Return the kernel of the gradients to some inputs.

    Its inputs are those of the kernel that it needs, and dT, the adjoint, for every output T that
    depends on what is asked for; its outputs are dX for every X in `inputs`. Raises KernelError for
    a name that is no input or that is asked for twice, and for an index that divides by zero.
    """
    if not inputs:
        raise KernelError("a gradient to nothing; name an input")
    for name in inputs:
        if name not in kernel.inputs:
            cure = did_you_mean(name, kernel.inputs) or f"inputs are {', '.join(kernel.inputs)}"
            raise KernelError(f"a gradient to `{name}`, which is no input; {cure}")
        if inputs.count(name) > 1:
            raise KernelError(f"the gradient to `{name}` is asked for twice")
    return _Reverse(kernel, tuple(inputs)).kernel()


@dataclass(slots=True)
class _Reverse:
    """The statements so far; `adjoints` says how the adjoint of a tensor is called."""

    source: Kernel
    wanted: tuple[str, ...]
    adjoints: dict[str, str] = field(default_factory=dict)
    shapes: dict[str, tuple[Int, ...]] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    seeds: list[str] = field(default_factory=list)

    def kernel(self) -> Kernel:
        self.shapes = dict(self.source.shapes)
        active = self.active()
        seeds = {name: self.new_name(name) for name in self.source.outputs if name in active}
        for statement in reversed(self.source.statements):
            if statement.tensor in active:
                self.adjoint(statement.tensor, seeds.get(statement.tensor))
        for name in self.wanted:
            self.adjoint(name, None)
        return self.assembled(list(seeds.values()))

    def active(self) -> set[str]:
        """Return the tensors that depend on what is asked for."""
        found = set(self.wanted)
        for statement in self.source.statements:
            if any(read.tensor in found for read in reads_of(statement.value)):
                found.add(statement.tensor)
        return found

    def new_name(self, tensor: str) -> str:
        name = unused(f"d{tensor}", self.shapes)
        self.shapes[name] = self.source.shapes[tensor]
        return name

    def adjoint(self, tensor: str, seed: str | None) -> None:
        """Add the statement of an adjoint, unless it is the one that is given."""
        place = self.place(tensor)
        terms = list(self.contributions(tensor, place))
        if seed is not None and not terms:
            self.adjoints[tensor] = seed
        elif terms or tensor in self.wanted:
            if seed is not None:
                terms.insert(0, Read(seed, tuple(symbol for symbol, _ in place), guarded=True))
            value = sum_of(terms)
            name = self.adjoints[tensor] = self.new_name(tensor)
            self.statements.append(Statement(name, place, value))

    def contributions(
        self, tensor: str, place: tuple[tuple[Symbol, Int], ...]
    ) -> Iterator[Expression]:
        for statement in self.source.statements:
            if statement.tensor in self.adjoints:
                indices = tuple(symbol for symbol, _ in statement.indices)
                above = Read(self.adjoints[statement.tensor], indices, guarded=True)
                found = adjoint_of(
                    statement.value, statement.indices, above, tensor, place, self.shapes
                )
                if not is_zero(found):
                    yield found

    def place(self, tensor: str) -> tuple[tuple[Symbol, Int], ...]:
        """Return indices for the adjoint of a tensor, named as where it is read first."""
        reads = (r for s in self.source.statements for r in reads_of(s.value))
        first = next((read for read in reads if read.tensor == tensor), None)
        used = {*self.shapes, *(size.name for size in self.source.sizes)}
        plain = (chr(ord("a") + n) if n < 26 else f"a{n}" for n in count())
        names: list[str] = []
        for index in first.indices if first is not None else self.source.shapes[tensor]:
            own = index.name if isinstance(index, Symbol) else ""
            free = own and own not in {*used, *names}
            names.append(own if free else next(n for n in plain if n not in {*used, *names}))
        symbols = (Symbol(name) for name in names)
        return tuple(zip(symbols, self.source.shapes[tensor], strict=True))

    def assembled(self, seeds: list[str]) -> Kernel:
        """Return the kernel with those statements of the source that are needed."""
        needed = {
            read.tensor for statement in self.statements for read in reads_of(statement.value)
        }
        before: list[Statement] = []
        for statement in reversed(self.source.statements):
            if statement.tensor in needed:
                needed |= {read.tensor for read in reads_of(statement.value)}
                before.insert(0, statement)
        statements = (*before, *self.statements)
        inputs = tuple(name for name in (*self.source.inputs, *seeds) if name in needed)
        known = (*inputs, *(statement.tensor for statement in statements))
        return Kernel(
            name=gradient_name(self.source.name),
            inputs=inputs,
            outputs=tuple(self.adjoints[name] for name in self.wanted),
            data_type=self.source.data_type,
            shapes={name: self.shapes[name] for name in known},
            statements=statements,
        )


def gradient_name(name: str) -> str:
    """Return the name of the gradient of a kernel, `grad_` and its name."""
    return name if name.startswith("grad_") else f"grad_{name}"
