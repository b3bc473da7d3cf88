"""Does the rule of a stored counterexample, as it is written now, still fail on it?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from gsl.rule_files.guard import Loss
from gslverify.codes.internal import WORKER_LOST
from gslverify.corpus.collect import collect
from gslverify.corpus.declaration import CollectedRule, Loaded, LoadedRule, Unusable
from gslverify.corpus.guarded import asked
from gslverify.engine.writing import write_down
from gslverify.finding import Finding
from gslverify.mutation.collect import find_item
from gslverify.project import named, project_root
from gslverify.repro.form import Stored, UnreadableError, read, rule_in
from gslverify.repro.store import PINNED, find
from gslverify.settings import Settings
from gslverify.trials.replay import Replay, replay


def file_of(path: Path) -> tuple[Path, str]:
    """Return the rule file that a counterexample is about, and the name of the rule.

    That of a pinned counterexample is in the folder above, wherever the project is now. Raises
    UnreadableError for a file that holds none.
    """
    file, _, name = rule_in(path).rpartition("::")
    if path.parent.parent.name == PINNED:
        return path.parent.parent.parent / Path(file).name, name
    if (project_root() / file).exists():
        return Path(os.path.relpath(project_root() / file)), name
    return Path(file), name


def is_outside(file: Path) -> bool:
    """Tell whether a rule file is not below the project, so that nobody has said it may run."""
    return not file.resolve().is_relative_to(project_root())


def rule_of(path: Path) -> CollectedRule:
    """Return the rule that a file is about; raise UnreadableError where there is none to ask."""
    file, name = file_of(path)
    (item, *_) = collect([f"{file}::{name}"], Settings().load_timeout, write=write_down)
    if isinstance(item, Unusable):
        cure = item.finding.cure or "restore the rule, or delete the file"
        cure += "; `--emit py` runs the stored graphs without it"
        raise UnreadableError(path, f"its rule cannot be asked: {item.finding.message}", cure)
    return item


@dataclass(frozen=True, slots=True)
class _Unread:
    """Why a process could not read a counterexample, or write its rule down."""

    why: str


def stored_in(path: Path) -> Stored:
    """Return what a file says, with the operators of its rule file where it needs them.

    Raises UnreadableError.
    """
    try:
        return read(path)
    except UnreadableError:
        with suppress(UnreadableError):
            found = asked(rule_of(path).path, partial(_stored, path), Settings().load_timeout)
            if isinstance(found, Stored):
                return found
        raise


def _stored(path: Path, loaded: Sequence[Loaded]) -> Stored | _Unread:
    try:
        return read(path)
    except UnreadableError as error:
        return _Unread(str(error))


def replay_file(path: Path) -> tuple[Stored, CollectedRule, Replay]:
    """Return what a file says, the rule that it is about, and what the rule does to it now.

    Raises UnreadableError.
    """
    item = rule_of(path)
    if item.written is not None and not item.written.result.rule_hash:
        problem: Finding = item.written.result.findings[0]
        raise UnreadableError(
            path, f"its rule is not written down: {problem.message}", problem.cure
        )
    found = asked(item.path, partial(_replayed, path, item.rule_id), Settings().stage_timeout)
    if isinstance(found, Loss):
        stored = stored_in(path)
        return stored, item, Replay(WORKER_LOST, f"running it {found.how}")
    if isinstance(found, _Unread):
        read(path)  # which raises the same, with its cure
        raise UnreadableError(path, found.why)
    return found[0], item, found[1]


def _replayed(
    path: Path, rule_id: str, loaded: Sequence[Loaded]
) -> tuple[Stored, Replay] | _Unread:
    """Try a case; for the process that has imported the file of its rule."""
    item = find_item(loaded, rule_id)
    if not isinstance(item, LoadedRule):
        return _Unread(f"its rule {rule_id} is there no more")
    try:
        stored = read(path)
    except UnreadableError as error:
        return _Unread(str(error))
    return stored, replace(replay(item.rule(), stored.case, stored.code_id), trial=None)


def still_fails(file: str | Path) -> str:
    """Return how the rule of a counterexample fails on it, or the empty string; for tests.

    A file that was pinned since is found by its name. Raises UnreadableError.
    """
    path = named(str(file))
    result = replay_file(path if path.is_file() else find(path.stem, path.parent))[2]
    failed = result.code is not None or result.undecided
    return f"{result.code or 'undecided'}: {result.message}" if failed else ""
