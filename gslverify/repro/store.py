"""Where counterexamples are kept: failures of this checkout, and those that are pinned for good."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gsl.errors import did_you_mean
from gslverify.atomic import write_whole
from gslverify.project import named, project_root
from gslverify.repro.form import Stored, UnreadableError, contents_of, read

PINNED = "__counterexamples__"
DIGITS = (8, 16, 64)
"""Of the hash in a name: more only where another file already has that name."""


def save(stored: Stored, folder: Path) -> Path:
    """Write a counterexample into a folder, unless it is there already; return its file.

    The name has rule, code and a hash of the contents, so nothing is ever overwritten. Raises
    OSError.
    """
    digest = contents_of(stored)[2]
    for digits in DIGITS:
        path = folder / f"{_stem(stored, digest[:digits])}.json"
        if not path.exists():
            text, archive, _ = contents_of(stored, path.stem)
            if archive:
                write_whole(path.with_suffix(".npz"), archive)
            write_whole(path, text)
            return path
        with suppress(UnreadableError):
            if contents_of(read(path))[2] == digest:
                return path
    return path


def _stem(stored: Stored, digest: str) -> str:
    return f"{_in_names(stored.rule_id)}-{stored.code_id}-{digest}"


def _in_names(rule_id: str) -> str:
    """Return what a rule is called in names of files."""
    return re.sub(r"[^\w.-]", "_", rule_id.rpartition("::")[2])[:80]


def pinned_folder(rule_file: Path, rule_name: str) -> Path:
    """Return the folder for pinned counterexamples of a rule, beside its file."""
    return rule_file.parent / PINNED / re.sub(r"[^\w.-]", "_", rule_name)


def pinned_files(rule_file: Path, rule_name: str) -> list[Path]:
    """Return the pinned counterexamples of a rule in the order of their names."""
    return sorted(pinned_folder(rule_file, rule_name).glob("*.json"))


def pin(path: Path, rule_file: Path, rule_name: str) -> Path:
    """Move a counterexample to the pinned ones of its rule; return where it is now.

    Raises OSError, and leaves the file where it was then.
    """
    folder = pinned_folder(rule_file, rule_name)
    folder.mkdir(parents=True, exist_ok=True)
    moved = save(read(path), folder)
    if moved.resolve() != path.resolve():
        path.with_suffix(".npz").unlink(missing_ok=True)
        path.unlink()
    return moved


def find(given: str, folder: Path) -> Path:
    """Return the file that is meant by a path, its name, the start of its hash, or a rule.

    `folder` has the failures of earlier runs.

    Raises UnreadableError where there is none, or more than one.
    """
    if named(given).is_file():
        return named(given)
    known = list(_known(folder))
    fitting = list({path.name: path for path in known if _means(given, path)}.values())
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = ", ".join(path.as_posix() for path in fitting[:5])
        raise UnreadableError(Path(given), "means several counterexamples", f"name one of {names}")
    cure = did_you_mean(given, [path.stem for path in known]) or f"see {folder}"
    raise UnreadableError(Path(given), "there is no such counterexample", cure)


def _known(folder: Path) -> Iterator[Path]:
    yield from sorted(folder.glob("*.json"))
    yield from sorted(project_root().glob(f"**/{PINNED}/*/*.json"))


def _means(given: str, path: Path) -> bool:
    rule, _, digest = path.stem.rpartition("-")
    name = _in_names(given)
    return path.stem == given or digest.startswith(given) or rule.rpartition("-")[0] == name
