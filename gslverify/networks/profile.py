"""Profiles of gslverify as profiles of hypothesis, for properties that draw networks."""

from __future__ import annotations

from hypothesis import settings
from hypothesis.database import DirectoryBasedExampleDatabase
from hypothesis.errors import InvalidArgument


def register_profile(name: str, max_examples: int, folder: str) -> None:
    """Let hypothesis know a profile, unless it knows one of that name.

    Args:
        name: name of the profile.
        max_examples: as many examples are drawn for a property.
        folder: where failures are kept to be replayed; empty keeps none.
    """
    try:
        settings.get_profile(name)
    except InvalidArgument:
        database = DirectoryBasedExampleDatabase(folder) if folder else None
        # A solver and an engine take as long as they take: no example has a deadline.
        settings.register_profile(
            name, max_examples=max_examples, deadline=None, database=database, print_blob=True
        )
