"""Write down the rules of a library: `python -m gslverify.adapters LIBRARY FILE TARGET...`.

FILE gets a line of JSON for each rule as soon as it is read, so that a time limit or a crash loses
only the rules that come after. What the library prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from gslverify.adapters import LIBRARIES
from gslverify.adapters.foreign import lifted


def main(library: str, file: str, *targets: str) -> None:
    """Collect and lift the rules that targets name, and write them down."""
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with Path(file).open("w", encoding="utf-8") as lines:
        for one in lifted(import_module(LIBRARIES[library]).rules(targets)):
            lines.write(json.dumps(asdict(one)) + "\n")
            lines.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
