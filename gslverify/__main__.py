"""The command `gslverify`, also as `python -m gslverify`."""

from __future__ import annotations

import sys
from importlib import import_module


def run() -> None:
    """Run the command line; Ctrl-C counts as such also while it is being loaded."""
    try:
        import_module("gslverify.cli").main(prog_name="gslverify")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    run()
