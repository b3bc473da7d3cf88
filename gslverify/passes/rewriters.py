"""Functions from graph to graph, whatever they are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gsl.evaluate import evaluate
from gsl.types import Type
from gsl.workload import Workload
from gslverify.passes.verdicts import Ending


class FaultError(Exception):
    """A pass did something with a graph that is no rewrite: `ending` says what.

    The text of what it made is in `after`, if there is any.
    """

    def __init__(self, ending: Ending, message: str, after: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.ending = ending
        self.after = tuple(after)


@dataclass(frozen=True, slots=True)
class Executable:
    """A rewritten graph that gsl cannot read, which can be run.

    `run` takes arrays by the names of inputs and returns the outputs; `types` are those of the
    outputs, None where they are not known before.
    """

    run: Callable[[Mapping[str, Any]], Sequence[Any]]
    types: tuple[Type, ...] | None = None
    text: tuple[str, ...] = ()


Rewritten = Workload | Executable | None
"""What a rewriter made of a graph; None when it left it as it was."""


class Rewriter(Protocol):
    """Makes another graph of a graph, which has to compute the same."""

    @property
    def name(self) -> str:
        """What it is called in reports."""

    @property
    def place(self) -> str:
        """The file and line where it is written, as far as that is known."""

    def rewrite(self, workload: Workload) -> Rewritten:
        """Return the rewritten graph, None where nothing is rewritten; may raise anything.

        A FaultError says what else is wrong with the pass.
        """

    def run(self, workload: Workload, inputs: Mapping[str, Any]) -> Sequence[Any]:
        """Return what the foreign library computes, for graphs with operators of its own."""

    def script(self, workload: Workload, inputs: Mapping[str, Any]) -> str:
        """Return a script that shows a finding with the foreign library alone; may be empty."""


@dataclass(frozen=True, slots=True)
class FunctionRewriter:
    """A function from workload to workload, for passes written with gsl."""

    function: Callable[[Workload], Workload | None]
    name: str = ""
    place: str = ""

    def rewrite(self, workload: Workload) -> Rewritten:
        """Call the function."""
        return self.function(workload)

    def run(self, workload: Workload, inputs: Mapping[str, Any]) -> Sequence[Any]:
        """Return what the references compute."""
        return evaluate(workload.outputs, inputs)

    def script(self, workload: Workload, inputs: Mapping[str, Any]) -> str:
        """Return nothing: such a function needs gsl."""
        return ""


def rewriter_of(given: Any) -> Rewriter:
    """Return a rewriter as it is, a function as one; raises TypeError for anything else."""
    if hasattr(given, "rewrite"):
        rewriter: Rewriter = given
        return rewriter
    if callable(given):
        code = getattr(given, "__code__", None)
        place = f"{code.co_filename}:{code.co_firstlineno}" if code else ""
        return FunctionRewriter(given, getattr(given, "__name__", "pass"), place)
    raise TypeError(f"{given!r} is neither a rewriter nor a function from workload to workload")
