"""What an expression of markers may select."""

from __future__ import annotations

import re
from itertools import product


def may_select(marker: str, expression: str) -> bool:
    """Tell whether an expression, such as that of `pytest -m`, selects some test with a marker."""
    others = sorted(set(re.findall(r"\w+", expression)) - {marker, "not", "and", "or"})
    return not expression or any(
        eval(expression, {marker: True, **dict(zip(others, marked, strict=True))})
        for marked in product([False, True], repeat=len(others))
    )
