"""Verify again whatever changes: `gslverify check --watch`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from gslverify.project import SETTINGS_FILE, named, parted

Changes = Iterable[set[Path]]

WATCHER = "watchfiles"
"""Package of the extra `watch` that tells of changes."""


def watch(
    selectors: Sequence[str], changes: Changes, verify: Callable[[Sequence[str]], None]
) -> None:
    """Verify everything, and after every change the rules that it concerns, until there are none.

    A rule file that changed concerns itself. Any other Python file, and the settings, concern all
    rules, because nobody knows what they are for; the cache then leaves little to do.
    """
    verify(selectors)
    for paths in changes:
        chosen = concerned(selectors, paths)
        if chosen:
            verify(chosen)


def concerned(selectors: Sequence[str], paths: Iterable[Path]) -> list[str]:
    """Return the selectors to verify again after files have changed; none if it does not matter."""
    changed = [path for path in paths if path.suffix == ".py" or path.name == SETTINGS_FILE]
    own = [list(_within(selectors, path)) for path in changed]
    if not changed:
        return []
    if all(own):
        return list(dict.fromkeys(selector for some in own for selector in some))
    return list(selectors)


def _within(selectors: Sequence[str], path: Path) -> Iterator[str]:
    """Yield what selects rules of a file, narrowed down to that file."""
    if not path.exists() or path.suffix != ".py":
        return
    for selector in selectors:
        place = named(parted(selector)[0]).resolve()
        if path.resolve() == place:
            yield selector
        elif place.is_dir() and path.resolve().is_relative_to(place):
            yield str(path)


def changes_in(selectors: Sequence[str]) -> Iterator[set[Path]]:
    """Yield the files that have changed, as soon as they have; Ctrl-C raises KeyboardInterrupt."""
    found: Callable[..., Any] = import_module(WATCHER).watch
    for changes in found(*places_of(selectors), debounce=200, ignore_permission_denied=True):
        yield {Path(path) for _, path in changes}


def command_without(argv: Sequence[str], paths: Sequence[str]) -> list[str]:
    """Return the arguments of a command without `--watch` and without the paths it named."""
    left = list(paths)
    kept = []
    for argument in argv:
        if argument in left:
            left.remove(argument)
        elif argument != "--watch":
            kept.append(argument)
    return kept


def places_of(selectors: Sequence[str]) -> list[Path]:
    """Return the folders in which a change may matter: those of the rules, and this one's files."""
    places = [named(parted(selector)[0]).resolve() for selector in selectors]
    folders = [place if place.is_dir() else place.parent for place in places]
    return list(dict.fromkeys([*folders, Path.cwd()]))
