"""The command `gslverify`, also as `python -m gslverify`."""

from __future__ import annotations

import os
import sys
from importlib import import_module


def run() -> None:
    """Run the command line; Ctrl-C counts as such also while it is being loaded."""
    try:
        import_module("gslverify.cli").main(prog_name="gslverify")
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr, flush=True)
        # Python itself would die of the signal if it struck while `exec` ran, as in dataclasses.
        os._exit(130)


if __name__ == "__main__":
    run()
