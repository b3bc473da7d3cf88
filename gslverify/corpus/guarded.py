"""Import rule files in child processes, one for each file, and write their rules down there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, Self, TypeVar

from gsl.rule_files.guard import Call, Followed, Loss, Together, outcomes_of
from gsl.rule_files.memory import bound_memory
from gsl.span import Span
from gslverify.codes.corpus import FILE_DOES_NOT_IMPORT, PATCHES, RULE_RAISES
from gslverify.corpus.declaration import (
    Collected,
    CollectedRule,
    Loaded,
    LoadedRule,
    Unusable,
    Written,
)
from gslverify.corpus.loading import imported_files, load
from gslverify.corpus.patches import Contents, contents, patched, patches_text
from gslverify.finding import Finding
from gslverify.project import in_project, real

Write = Callable[[LoadedRule], Written]
"""What writes a rule down, in the process that has imported its file."""

Answer = TypeVar("Answer")

LONGER = "look for a loop without end, or give it more time by --load-timeout SECONDS"

UNPATCHED = "leave the packages alone that rules are judged by, or work on copies"


def collected_in(
    path: Path,
    seconds: float,
    write: Write | None = None,
    wanted: Callable[[CollectedRule], bool] = lambda item: True,
) -> list[Collected]:
    """Return the rules of a file, in their order; those that are `wanted` are written down.

    A rule that ends the process, or takes longer than `seconds`, is Unusable, and the others are
    written down by another process.
    """
    with Files([path], seconds, write, wanted) as files:
        files.follow()
        return files.rules[path]


class Files:
    """The files whose rules are collected as `collected_in` does, so many `at_once`.

    What is in them is in `rules`, by their paths. A context manager that ends all processes.
    """

    def __init__(
        self,
        paths: Iterable[Path],
        seconds: float,
        write: Write | None = None,
        wanted: Callable[[CollectedRule], bool] = lambda item: True,
        at_once: int = 1,
    ) -> None:
        contents()  # here, where it is known after the first file
        self._paths = list(paths)
        talks = [_collecting(path, seconds, write, wanted) for path in self._paths]
        self._talks: Together[Any, list[Collected]] = Together(talks, at_once)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._talks.__exit__(*error)

    @property
    def rules(self) -> dict[Path, list[Collected]]:
        """The rules of the files that are through, in the order of the files."""
        found = self._talks.results
        return {self._paths[number]: found[number] for number in sorted(found)}

    @property
    def left(self) -> list[Path]:
        """The files that are not through."""
        return [path for n, path in enumerate(self._paths) if n not in self._talks.results]

    def follow(self, patience: float = inf) -> None:
        """Collect until all are through, or none has been for so many seconds."""
        self._talks.follow(patience)


def _collecting(
    path: Path, seconds: float, write: Write | None, wanted: Callable[[CollectedRule], bool]
) -> Generator[Call[Any], Followed[Any], list[Collected]]:
    """Yield what is to be run about a file, receive what came of it, and return its rules."""
    items: list[Collected] = []
    first, silent = 0, False
    while True:
        steps = partial(_steps, path, write, wanted, first)
        found = yield Call(steps, seconds, silent)
        if not found.values:
            loss = found.loss or Loss("tells nothing")
            return _lost_again(items, first, path, loss)
        declared, *outcomes = found.values
        assert isinstance(declared, list)
        items = items or declared
        numbers = _to_be_written(items, first, wanted) if write is not None else []
        for number, outcome in zip(numbers, outcomes, strict=False):
            items[number] = _with(items[number], outcome)
        if found.loss is None or len(outcomes) >= len(numbers):
            return items
        lost = numbers[len(outcomes)]
        items[lost] = _lost_rule(items[lost], found.loss)
        first, silent = lost + 1, True


def _to_be_written(
    items: list[Collected], first: int, wanted: Callable[[CollectedRule], bool]
) -> list[int]:
    return [
        number
        for number, item in enumerate(items)
        if number >= first and isinstance(item, CollectedRule) and wanted(item)
    ]


def _steps(
    path: Path,
    write: Write | None,
    wanted: Callable[[CollectedRule], bool],
    first: int,
) -> Iterator[list[Collected] | Written | Unusable]:
    """Be the child: yield what the file declares, then what came of every rule that is written."""
    bound_memory()
    before, known = contents(), set(sys.modules)
    loaded = load(path)
    names = patched(before)
    if names:
        yield [Unusable(in_project(path), path, patches_finding(path, names))]
        return
    files = tuple(sorted(imported_files(set(sys.modules) - known)))
    declared = [_declared(item, files) for item in loaded]
    yield declared
    if write is None:
        return
    for number in _to_be_written(declared, first, wanted):
        yield _written(loaded[number], write, before)


def _declared(item: Loaded, imported: tuple[Path, ...]) -> Collected:
    return replace(item.collected, imported=imported) if isinstance(item, LoadedRule) else item


def _written(item: Loaded, write: Write, before: tuple[Contents, ...]) -> Written | Unusable:
    assert isinstance(item, LoadedRule)
    written = write(item)
    names = patched(before)
    if names:
        return Unusable(item.rule_id, item.path, patches_finding(item.path, names))
    return written


def asked(path: Path, ask: Callable[[Sequence[Loaded]], Answer], seconds: float) -> Answer | Loss:
    """Return what `ask` says about the rules of a file, in a process that has imported it.

    Answers have to be data. A file that changes what rules are judged by is lost, too.
    """
    (answer,) = answers([(path, ask)], seconds)
    return answer


def answers(
    questions: Iterable[tuple[Path, Callable[[Sequence[Loaded]], Answer]]],
    seconds: float,
    at_once: int = 1,
) -> Iterator[Answer | Loss]:
    """Yield what is answered about files, as `asked` returns it; so many are asked at once."""
    contents()  # here, where it is known after the first file
    actions = (partial(_answer, path, ask) for path, ask in questions)
    return outcomes_of(actions, seconds, at_once=at_once)


def _answer(path: Path, ask: Callable[[Sequence[Loaded]], Answer]) -> Answer:
    bound_memory()
    before = contents()
    answer = ask(load(path))
    names = patched(before)
    if names:
        raise RuntimeError(f"it changes {patches_text(names)}")
    return answer


def patches_finding(path: Path, names: list[str]) -> Finding:
    """Return the finding about a file that has changed what rules are judged by."""
    message = f"the file changes {patches_text(names)}, by which rules are judged"
    return Finding(PATCHES, message, Span(str(real(path)), 1), UNPATCHED)


def _with(item: Collected, outcome: object) -> Collected:
    if isinstance(outcome, Unusable):
        return outcome
    assert isinstance(item, CollectedRule)
    assert isinstance(outcome, Written)
    return replace(item, written=outcome)


def _lost_again(items: list[Collected], first: int, path: Path, loss: Loss) -> list[Collected]:
    """Return the rules of a file that could not be imported, once more if it could be before."""
    if not items:
        return [_lost_file(path, loss)]
    return [
        _lost_rule(item, loss) if number >= first and isinstance(item, CollectedRule) else item
        for number, item in enumerate(items)
    ]


def _lost_file(path: Path, loss: Loss) -> Unusable:
    file = str(real(path))
    message = f"the file cannot be imported: it {loss.how}"
    cure = LONGER if loss.timed_out else "do not run anything at import that ends the process"
    span = Span(file, loss.line_in(file) or 1)
    return Unusable(in_project(path), path, Finding(FILE_DOES_NOT_IMPORT, message, span, cure))


def _lost_rule(item: Collected, loss: Loss) -> Unusable:
    assert isinstance(item, CollectedRule)
    span = item.rule.span
    line = loss.line_in(span.file)
    cure = LONGER if loss.timed_out else "let the function return a Subst and nothing else"
    place = Span(span.file, line) if line else span
    return Unusable(
        item.rule_id, item.path, Finding(RULE_RAISES, f"the rule {loss.how}", place, cure)
    )
