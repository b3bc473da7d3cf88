"""The stage "pinned": the rule on the counterexamples that are kept beside it, before all else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gslverify.codes.stored import PIN_UNDECIDED, PIN_UNREADABLE
from gslverify.finding import Counterexample, Finding
from gslverify.project import in_project, parted
from gslverify.repro.form import Stored, UnreadableError, read
from gslverify.repro.store import pinned_files
from gslverify.stage import Count, Outcome, Question, Stage
from gslverify.trials.counterexample import counterexample_of
from gslverify.trials.replay import Replay, replay


def examine(question: Question) -> Iterator[Outcome]:
    """Replay every pinned counterexample of a rule; the first that still refutes it is told."""
    replayed = 0
    file = Path(question.rule.span.file)
    for path in pinned_files(file, question.rule.name):
        try:
            stored = read(path)
            if Path(parted(stored.rule_id)[0]).name != file.name:
                continue
            result = replay(question.subst, stored.case, stored.code_id)
        except UnreadableError as error:
            yield Finding(PIN_UNREADABLE, str(error), question.rule.span, subject=path.name)
            continue
        replayed += 1
        if result.code is not None or result.undecided:
            yield _finding(question, path, stored, result)
        if result.code is not None:
            break
    yield Count("replayed", replayed)


def _finding(question: Question, path: Path, stored: Stored, result: Replay) -> Finding:
    where = in_project(path)
    if result.code is None:
        return Finding(PIN_UNDECIDED, f"{where}: {result.message}", question.rule.span)
    return Finding(
        result.code,
        result.message,
        question.subst.span,
        details=(f"a pinned counterexample, first found as {stored.code_id}",),
        counterexample=_shown(result),
        subject=result.code.id,
        stored=where,
    )


def _shown(result: Replay) -> Counterexample | None:
    return None if result.trial is None else counterexample_of(result.trial, False)


PINNED = Stage("pinned", examine)
