"""Rule files for the pages of codes, written down without repeating their head."""

from __future__ import annotations

from inspect import cleandoc

_HEAD = """from gsl import Subst, attr, op, pat, rule


@rule()
"""


def rule_file(function: str) -> str:
    """Return the text of a rule file with one rule, given its function."""
    return f"{_HEAD}{cleandoc(function)}\n"
