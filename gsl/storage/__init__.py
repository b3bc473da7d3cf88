"""Workloads as files.

A file is a zip archive without compression: ``workload.json`` describes the network,
``constants/N.npy`` and ``parameters/N.npy`` hold the arrays, also for ``numpy.load``. Nothing is
pickled. The same workload always gives the same bytes.
"""

from __future__ import annotations

from gsl.storage.load import load
from gsl.storage.save import save

__all__ = ["load", "save"]
