"""Write down rules and findings: `python -m gslverify.adapters LIBRARY FILE OPTIONS TARGET...`.

FILE gets a line of JSON with all names, then one for each rule and pass as soon as it is read, so
that a time limit or a crash loses only those that come after; of a pass that takes long there are
several, the last of which counts; with it the files that it depends on,
beside installed packages. OPTIONS are JSON. What the library
prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from gslverify.adapters import LIBRARIES
from gslverify.adapters.foreign import Options, PassResult, lifted
from gslverify.adapters.remembered import own_files
from gslverify.passes.isolation import failure_of, run_each

SECONDS = 120.0
"""Time for importing what one target names."""


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


def _refused(module: Any, targets: Sequence[str]) -> dict[str, str]:
    """Return which of several targets cannot be read, and why; a single one fails by itself."""
    if len(targets) < 2 or not hasattr(module, "names"):
        return {}
    answers = run_each([partial(module.names, [one]) for one in targets], SECONDS)
    answered = zip(targets, answers, strict=True)
    return {one: text for one, answer in answered if (text := failure_of(answer))}


def _found(module: Any, options: Options, given: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    refused = _refused(module, given)
    for target, failure in refused.items():
        yield {"pass": asdict(PassResult(target, target, failure=failure))}
    targets = [one for one in given if one not in refused]
    if not targets:
        return
    if hasattr(module, "names"):
        yield {"names": module.names(targets)}
    if hasattr(module, "reports") and not options.only_list:
        started = time.perf_counter()
        for report in module.reports(targets, options):
            now = time.perf_counter()
            yield {"pass": asdict(replace(report, seconds=round(now - started, 3)))}
            started = started if report.left else now
    if hasattr(module, "rules"):
        for rule in lifted(module.rules(targets), options.known_rules, 6 * options.seconds):
            yield {"rule": asdict(rule)}


if __name__ == "__main__":
    main(*sys.argv[1:])
