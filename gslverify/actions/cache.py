"""`gslverify cache`: how much is kept of earlier runs, and how to be rid of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from gsl.errors import counted
from gslverify.commands.parameters import resolved_settings
from gslverify.engine.cache.folder import CacheFolder


def _folder() -> CacheFolder:
    return CacheFolder(Path(resolved_settings({}).settings.cache_folder))


def info() -> None:
    """Say where results are kept, how many, and how much room they take."""
    folder = _folder()
    sizes = [size for _, size in folder.sizes().values()]
    click.echo(f"{folder.folder}: {counted(len(sizes), 'result')}, {sum(sizes) / 1e6:.1f} MB")


def clear() -> None:
    """Remove all results, and all failures; the next run finds out everything anew."""
    folder = _folder()
    removed = folder.clear()
    shutil.rmtree(resolved_settings({}).settings.examples_folder, ignore_errors=True)
    left = len(folder.sizes())
    click.echo(f"{folder.folder}: {counted(removed, 'result')} removed")
    if left:
        raise click.UsageError(
            f"{counted(left, 'result')} in {folder.folder} cannot be removed; check its permissions"
        )
