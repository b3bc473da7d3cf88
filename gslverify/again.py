"""Does the rule of a stored counterexample, as it is written now, still fail on it?"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from gsl.rule_files.guard import losses
from gslverify.codes.internal import WORKER_LOST
from gslverify.corpus.collect import CollectedRule, Unusable, collect, writable
from gslverify.finding import Finding
from gslverify.project import named, project_root
from gslverify.repro.form import Stored, UnreadableError, read, rule_in
from gslverify.repro.store import PINNED, find
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.static import write_down
from gslverify.trials.replay import Replay, replay


def rule_of(path: Path) -> CollectedRule:
    """Return the rule that a file is about; raise UnreadableError where there is none to ask.

    That of a pinned counterexample is in the folder above, wherever the project is now.
    """
    file, _, name = rule_in(path).partition("::")
    if path.parent.parent.name == PINNED:
        file = str(path.parent.parent.parent / Path(file).name)
    elif (project_root() / file).exists():
        file = os.path.relpath(project_root() / file)
    seconds = Settings().load_timeout
    (item,) = writable(collect([f"{file}::{name}"], seconds)[:1], seconds)
    if isinstance(item, Unusable):
        cure = item.finding.cure or "restore the rule, or delete the file"
        cure += "; `--emit py` runs the stored graphs without it"
        raise UnreadableError(path, f"its rule cannot be asked: {item.finding.message}", cure)
    return item


def stored_in(path: Path) -> Stored:
    """Return what a file says, with the operators of its rule file where it needs them.

    Raises UnreadableError.
    """
    try:
        return read(path)
    except UnreadableError:
        with suppress(UnreadableError):
            rule_of(path)
        return read(path)


def replay_file(path: Path) -> tuple[Stored, CollectedRule, Replay]:
    """Return what a file says, the rule that it is about, and what the rule does to it now.

    Raises UnreadableError.
    """
    item = rule_of(path)
    stored = read(path)
    written = write_down(Question(item.rule_id, item.rule, Settings()))
    if isinstance(written, Finding):
        raise UnreadableError(
            path, f"its rule is not written down: {written.message}", written.cure
        )
    return stored, item, _replayed(partial(replay, written, stored.case, stored.code_id))


def _replayed(act: Callable[[], Replay]) -> Replay:
    """Return what comes of a case, which is tried in a process of its own first: it may end it."""
    loss = losses([act], Settings().stage_timeout).get(0)
    return act() if loss is None else Replay(WORKER_LOST, f"running it {loss.how}")


def still_fails(file: str | Path) -> str:
    """Return how the rule of a counterexample fails on it, or the empty string; for tests.

    A file that was pinned since is found by its name. Raises UnreadableError.
    """
    path = named(str(file))
    result = replay_file(path if path.is_file() else find(path.stem, path.parent))[2]
    failed = result.code is not None or result.undecided
    return f"{result.code or 'undecided'}: {result.message}" if failed else ""
