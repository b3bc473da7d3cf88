"""Matching of rules against graphs (thesis, chapter 4)."""

from __future__ import annotations

from gsl.match.bindings import Bindings, Mismatch
from gsl.match.find import match_at, matches_at
from gsl.match.trace import Trace, trace

__all__ = ["Bindings", "Mismatch", "Trace", "match_at", "matches_at", "trace"]
