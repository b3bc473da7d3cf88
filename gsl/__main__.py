"""`python -m gsl`: rewrite models by rules."""

from __future__ import annotations

import sys

from gsl.command import main

if __name__ == "__main__":
    sys.exit(main())
