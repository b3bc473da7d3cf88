"""Why there is no proof, when that is not a matter of one equation."""

from __future__ import annotations


class UnprovableError(Exception):
    """Something is beyond what proofs speak about, or takes too long; says why."""
