"""Rules that may have changed since a revision of the project: ``--changed-since main``."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from gslverify.corpus.declaration import Collected, CollectedRule
from gslverify.corpus.loading import imported_files
from gslverify.corpus.selection import SelectionError
from gslverify.project import SETTINGS_FILE, project_root, real
from gslverify.repro.store import pinned_folder

FLAG = "--changed-since"


def only_changed(collected: Sequence[Collected], revision: str) -> list[Collected]:
    """Return what may differ from a revision; what cannot be used is always included.

    A rule does if its file does, a module that its file has imported, or a counterexample pinned
    beside it. All rules do if the settings do, or what they are verified by.

    Raises SelectionError where there is no repository, or no such revision.
    """
    changed = changed_files(revision, project_root())
    settings = project_root() / SETTINGS_FILE
    if settings in changed or not changed.isdisjoint(imported_files()):
        return list(collected)
    return [item for item in collected if _concerns(item, changed)]


def _concerns(item: Collected, changed: set[Path]) -> bool:
    if not isinstance(item, CollectedRule):
        return True
    file = real(item.path)
    pinned = pinned_folder(file, item.rule.name)
    own = file in changed or not changed.isdisjoint(item.imported)
    return own or any(path.parent == pinned for path in changed)


def changed_files(revision: str, folder: Path) -> set[Path]:
    """Return the files that differ from where this branch left a revision, untracked ones, too.

    Raises SelectionError where `folder` is in no repository, or has no such revision.
    """
    top = Path(_git(folder, ["rev-parse", "--show-toplevel"], "is in no repository of git")[0])
    named = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
    (commit,) = _git(top, named, f"has no revision `{revision}`; name a branch, tag or commit")
    try:
        (base,) = _git(top, ["merge-base", commit, "HEAD"], "")
    except SelectionError:
        base = commit  # as in a clone that is not deep enough
    names = _listed(top, ["diff", "--name-only", "--no-renames", "-z", base, "--"])
    others = _listed(top, ["ls-files", "--others", "--exclude-standard", "-z"])
    return {(top / name).resolve() for name in (*names, *others)}


def _listed(folder: Path, arguments: list[str]) -> Iterable[str]:
    (text,) = _git(folder, arguments, "cannot be compared", lines=False)
    return filter(None, text.split("\0"))


def _git(folder: Path, arguments: list[str], failure: str, *, lines: bool = True) -> list[str]:
    """Return what git prints; raise SelectionError with `failure` where it fails."""
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="surrogateescape", check=False
        )
    except OSError as error:
        raise SelectionError(f"{FLAG} needs git: {error.strerror or error}") from error
    if done.returncode:
        said = " ".join(done.stderr.split())
        raise SelectionError(f"{FLAG}: {folder} {failure}{f' ({said})' if said else ''}")
    return done.stdout.splitlines() if lines else [done.stdout]
