"""Profiles of gslverify as profiles of hypothesis, for properties that draw networks."""

from __future__ import annotations

from hypothesis import Phase, settings
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
        # Networks take as long as they take, and to say which lines only failures run takes longer.
        settings.register_profile(
            name,
            max_examples=max_examples,
            database=database,
            deadline=None,
            phases=set(Phase) - {Phase.explain},
        )
