"""Collect rules as pytest items, one for each stage, with ``pytest --gsl PATH``."""

from __future__ import annotations
