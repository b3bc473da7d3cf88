"""Fold parameters: compute once what does not depend on the inputs of a workload.

A rewrite often moves work from the data to the weights; folding is what then makes it free. What
depends on constants alone becomes a constant, since constants belong to the network (thesis,
section 2.1); what depends on a parameter becomes a new parameter.
"""

from __future__ import annotations

from gsl.fold.folding import FoldRecord, fold

__all__ = ["FoldRecord", "fold"]
