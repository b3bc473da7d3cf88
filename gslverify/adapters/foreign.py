"""Rules of other libraries, lifted from what they do at several sizes; what was found of passes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gsl.errors import GslError
from gsl.lift import Instance, lift


@dataclass(frozen=True, slots=True)
class ForeignRule:
    """A rule of another library.

    Attributes:
        name: what the library calls it.
        place: file and line of its source.
        instances: gives networks before and after it at several sizes; raises whatever the library
            raises.
        inputs: what inputs are called in its source, by their names in the instances.
    """

    name: str
    place: str
    instances: Callable[[], Sequence[Instance]]
    inputs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lifted:
    """A foreign rule as the text of a rule of gsl, or the reason why it cannot be written as one.

    The `text` is empty where there is a `reason`.
    """

    name: str
    place: str
    text: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PassFinding:
    """What is wrong with a pass, as plain data.

    Attributes:
        ending: how the graph fared, such as "other values".
        message: what was found.
        source: what the graph was drawn from.
        graphs: how many graphs fared alike.
        before: the smallest of them, one operator a line.
        after: what the pass made of it, as far as that can be said.
        script: shows it with the foreign library alone; may be empty.
    """

    ending: str
    message: str
    source: str
    graphs: int
    before: Sequence[str] = ()
    after: Sequence[str] = ()
    script: str = ""


@dataclass(frozen=True, slots=True)
class PassResult:
    """What was found about a pass: `tried` graphs were given to it, `rewritten` of them changed.

    `untold` says why graphs could not be compared, and of how many; `failure` why none was tried.
    """

    name: str
    place: str
    tried: int = 0
    rewritten: int = 0
    findings: Sequence[PassFinding] = ()
    untold: Mapping[str, int] = field(default_factory=dict)
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Options:
    """How passes are tried: `graphs` for each pass, on the `sources` of a file if one is named."""

    graphs: int = 100
    seed: int = 0
    seconds: float = 20.0
    sources: str = ""
    level: str = ""


def lifted(rules: Iterable[ForeignRule]) -> Iterator[Lifted]:
    """Lift one rule after the other; what fails with one rule does not end the others."""
    taken: Counter[str] = Counter()
    for rule in rules:
        name = identifier(rule.name)
        taken[name] += 1
        unique = name if taken[name] == 1 else f"{name}_{taken[name]}"
        try:
            equation = f"{rule.name} of its library"
            made = lift(unique, rule.instances(), rule.place, equation, inputs=rule.inputs)
            yield Lifted(unique, rule.place, made.text)
        except GslError as error:
            yield Lifted(unique, rule.place, reason=str(error))
        except Exception as error:  # code of others may raise anything
            first = (str(error).splitlines() or [""])[0][:200]
            yield Lifted(unique, rule.place, reason=f"{type(error).__name__}: {first}")


def identifier(name: str) -> str:
    """Return a name that a function may have."""
    text = re.sub(r"\W+", "_", name).strip("_") or "rule"
    return text if text.isidentifier() else f"rule_{text}"
