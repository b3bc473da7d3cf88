"""`python -m gsl`: rewrite models by rules."""

from __future__ import annotations

import os
import sys
from importlib import import_module


def run() -> None:
    """Run the command line; a `queue.py` in the folder where somebody stands is none of Python's.

    `python -m` puts that folder first.
    """
    here, package = os.getcwd(), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if sys.path and sys.path[0] in ("", here) and here != package:
        del sys.path[0]
    sys.exit(import_module("gsl.command").main())


if __name__ == "__main__":
    run()
