"""Write down rules and findings: `python -m gslverify.adapters LIBRARY FILE OPTIONS TARGET...`.

FILE gets a line of JSON with all names, then one for each rule and pass as soon as it is read, so
that a time limit or a crash loses only those that come after; with it the files that it depends on,
beside installed packages. OPTIONS are JSON. What the library
prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from gslverify.adapters import LIBRARIES
from gslverify.adapters.foreign import Options, lifted
from gslverify.adapters.remembered import own_files


def main(library: str, file: str, options: str, *targets: str) -> None:
    """Collect what targets name, and write it down."""
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    module = import_module(LIBRARIES[library])
    with Path(file).open("w", encoding="utf-8") as lines:
        files: dict[str, str] = {}
        for one in _found(module, Options(**json.loads(options)), targets):
            lines.write(json.dumps(one) + "\n")
            if (now := own_files()) != files:
                lines.write(json.dumps({"files": now}) + "\n")
            files = now
            lines.flush()


def _found(module: Any, options: Options, targets: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    if hasattr(module, "names"):
        yield {"names": module.names(targets)}
    if hasattr(module, "reports") and not options.only_list:
        started = time.perf_counter()
        for report in module.reports(targets, options):
            now = time.perf_counter()
            yield {"pass": asdict(replace(report, seconds=round(now - started, 3)))}
            started = now
    if hasattr(module, "rules"):
        for rule in lifted(module.rules(targets), options.known_rules):
            yield {"rule": asdict(rule)}


if __name__ == "__main__":
    main(*sys.argv[1:])
