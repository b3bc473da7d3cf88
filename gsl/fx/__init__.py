"""The door out to PyTorch: workloads as graph modules.

The package `torch` is an extra: ``pip install 'gslverify[models]'``. It is loaded when a workload
is written, never by importing this package.
"""

from __future__ import annotations

from gsl.fx.writer import to_fx

__all__ = ["to_fx"]
