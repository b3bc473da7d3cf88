"""Results of earlier runs, used again where nothing that they depend on has changed."""

from __future__ import annotations

from gslverify.engine.cache.memory import Forgetful, Memory, Remembering

__all__ = ["Forgetful", "Memory", "Remembering"]
