"""Every exception a user of the language may see; the docstring gives cause and cure."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gsl.span import Span


class GslError(Exception):
    """Base of all errors raised on purpose by this package."""


class RuleError(GslError):
    """A rule is not well formed; the code names the violated demand, the cure says what to do.

    With `warning` set the rule can be applied, but probably does not mean what it says.
    """

    def __init__(
        self,
        code: str,
        message: str,
        span: Span | None = None,
        cure: str = "",
        *,
        warning: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.cure = cure
        self.warning = warning

    def __str__(self) -> str:
        place = f"{self.span}: " if self.span else ""
        cure = f" ({self.cure})" if self.cure else ""
        return f"{place}{self.code} {self.message}{cure}"


class UnknownNameError(RuleError, AttributeError):
    """A rule names an operator or an attribute that does not exist; see the suggestion."""


class BeforeMatchError(RuleError, TypeError):
    """Python asks an attribute expression for what only a match has, such as a truth value."""


class OperatorError(GslError):
    """An operator is applied with operands or attributes that it does not have; see its `help`."""


class ShapeError(OperatorError):
    """Operand types or attribute values violate a precondition of an operator."""


class EvaluationError(GslError):
    """An attribute expression has no value here, such as an index out of range."""


class KernelError(GslError):
    """A kernel is malformed, or has no value or no gradient; see the place, if it was written.

    Lines and columns count from 1; both are 0 for what was not read from a text.
    """

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(f"line {line}, column {column}: {message}" if line else message)
        self.line = line
        self.column = column


class UndecidedError(GslError):
    """A structural choice (rank, axis, number of outputs) depends on an unknown size.

    What has been `asked` for is known to the memory of an evaluation under a key, and has a value
    that is a term; None if that cannot be told.
    """

    def __init__(self, message: str, asked: tuple[object, object] | None = None) -> None:
        super().__init__(message)
        self.asked = asked


class GraphError(GslError):
    """A computation graph is not well formed, such as two variables with one name."""


class MisuseError(GslError, TypeError):
    """A function was given a thing of another kind; the message says which it takes."""


class RewriteError(GslError):
    """Rewriting did not come to an end, or a target cannot be built for its match."""


class StorageError(GslError):
    """A workload cannot be saved or loaded; the message names the file, the reason and the cure.

    Nothing has been loaded then, and a file that was there before saving is unchanged.
    """

    def __init__(self, path: object, reason: str, cure: str) -> None:
        super().__init__(f"{path}: {reason} ({cure})")
        self.path = path
        self.reason = reason
        self.cure = cure


class RuleFileError(GslError):
    """A file of rules is missing, cannot be imported, or has no rule of the wanted name."""


class InputError(GslError):
    """An input of a workload is missing, unknown, or not of the declared shape or dtype."""


class ModelError(GslError):
    """A model cannot be read, written or drawn: a missing file, package or format."""


MOST_CHARACTERS = 2_000
"""Of the message of an exception; what follows is counted."""


def described(error: BaseException) -> str:
    """Return the type and the message of any exception, fit for a terminal; nothing is raised.

    A message of more than 2,000 characters is cut.
    """
    try:
        text = str(error)
    except Exception as another:
        text = f"its text cannot be had ({type(another).__name__})"
    if len(text) > MOST_CHARACTERS:
        text = f"{text[:MOST_CHARACTERS]}... and {len(text) - MOST_CHARACTERS:,} more characters"
    return printable(f"{type(error).__name__}: {text}")


def printable(text: str) -> str:
    """Return `text` with escapes instead of characters that a terminal would obey."""
    return "".join(c if c.isprintable() or c == "\n" else _escaped(c) for c in text)


def one_line(text: str) -> str:
    """Return `text` with escapes instead of characters that a terminal would obey, and of newlines.

    Names may have any characters, and what follows a newline would pass for a line of ours.
    """
    return printable(text).replace("\n", "\\n")


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def counted(number: int, noun: str) -> str:
    """Return "1 rule", "2 rules"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``did you mean `strides`?`` for a near miss, else the empty string."""
    near = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean `{near[0]}`?" if near else ""
