"""Rules of other libraries, lifted from what they do at several sizes; what was found of passes."""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from gsl.errors import GslError
from gsl.lift import Instance, lift
from gslverify.case import Case
from gslverify.passes.isolation import Raised, failure_of, run_each


@dataclass(frozen=True, slots=True)
class ForeignRule:
    """A rule of another library.

    Attributes:
        name: what the library calls it.
        place: file and line of its source.
        instances: gives networks before and after it at several sizes; raises whatever the library
            raises.
        inputs: what inputs are called in its source, by their names in the instances.
        replay: what the library does on the graph and inputs of a counterexample to the lifted
            rule; raises whatever the library raises.
    """

    name: str
    place: str
    instances: Callable[[], Sequence[Instance]]
    inputs: Mapping[str, str] = field(default_factory=dict)
    replay: Callable[[Case], Replayed] | None = None


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a library did on a counterexample: whether that `is_shown` there, too, or why not."""

    is_shown: bool
    message: str
    script: str = ""


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

    `untold` says why graphs could not be compared, and of how many; `refused` how often none was
    drawn; `failure` says why none was tried.
    The `target` names this pass alone; empty where only all that was asked for can be named. It
    took so many `seconds`, or is `cached`: known from an earlier run. So many kinds of graphs are
    `left` of which none was tried.
    """

    name: str
    place: str
    tried: int = 0
    rewritten: int = 0
    findings: Sequence[PassFinding] = ()
    untold: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)
    failure: str = ""
    target: str = ""
    seconds: float = 0.0
    cached: bool = False
    left: int = 0


@dataclass(frozen=True, slots=True)
class Options:
    """How passes are tried: `graphs` for each pass, on the `sources` of a file if one is named.

    With `only_list` they are not tried at all. What is known of earlier runs is left out:
    `known_passes` and `known_rules` are names.
    """

    graphs: int = 100
    seed: int = 0
    seconds: float = 20.0
    sources: str = ""
    level: str = ""
    only_list: bool = False
    known_passes: Sequence[str] = ()
    known_rules: Sequence[str] = ()


def lifted(
    rules: Iterable[ForeignRule], known: Sequence[str] = (), seconds: float = 120.0
) -> Iterator[Lifted]:
    """Lift one rule after the other, in a child that may crash or hang: the others are lifted.

    Those that are `known` by name are left out; `seconds` are for one rule.
    """
    pending = [(name, rule) for name, rule in with_names(rules) if name not in known]
    tasks = [partial(_text_of, *one) for one in pending]
    for (name, rule), answer in zip(pending, run_each(tasks, seconds), strict=True):
        reason = failure_of(answer)
        yield Lifted(name, rule.place, "" if reason else answer, reason)


def _text_of(name: str, rule: ForeignRule) -> str | Raised:
    """Return a rule as text of gsl, or why that cannot be."""
    try:
        equation = f"{rule.name} of its library"
        return lift(name, rule.instances(), rule.place, equation, inputs=rule.inputs).text
    except GslError as error:
        return Raised("", str(error))
    except Exception as error:  # code of others may raise anything
        return Raised(type(error).__name__, (str(error).splitlines() or [""])[0][:200])


def with_names(rules: Iterable[ForeignRule]) -> Iterator[tuple[str, ForeignRule]]:
    """Yield rules with names that functions may have, each another one."""
    names = Names()
    for rule in rules:
        yield names.unique(rule.name), rule


class Names:
    """Gives names that functions may have, each once."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()

    def unique(self, name: str) -> str:
        """Return the identifier of a name, with a number behind it if it was given before."""
        plain = identifier(name)
        self._taken[plain] += 1
        return plain if self._taken[plain] == 1 else f"{plain}_{self._taken[plain]}"


def place_of(written: Any) -> str:
    """Return "FILE:LINE" of a function or class; empty where that is not known.

    The file is seen from the working directory if it is below that, else from the folder in which
    its package is installed, so that reports are the same on every machine.
    """
    try:
        file, line = inspect.getsourcefile(written) or "", inspect.getsourcelines(written)[1]
    except (OSError, TypeError):
        return ""
    above = [folder for folder in (os.getcwd(), *sys.path) if folder]
    relative = [os.path.relpath(file, folder) for folder in above]
    inside = [path for path in relative if not path.startswith(os.pardir)]
    return f"{min(inside[1:] or inside, key=len) if inside else os.path.basename(file)}:{line}"


def identifier(name: str) -> str:
    """Return a name that a function may have."""
    text = re.sub(r"\W+", "_", name).strip("_") or "rule"
    return text if text.isidentifier() else f"rule_{text}"
