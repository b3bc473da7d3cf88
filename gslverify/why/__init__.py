"""Why a rule does not match in a graph."""

from __future__ import annotations

from gsl.model_files import READERS

FORMS = f"MODULE:FUNCTION, FILE.py:FUNCTION, or a file ({', '.join(READERS)})"
"""How a graph can be named."""
