"""What was found about passes as lines, and the scripts of findings as files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from gslverify.adapters.foreign import PassFinding, PassResult
from gslverify.atomic import write_whole

REPORT = "report.json"


def write_scripts(passes: Sequence[PassResult], folder: Path) -> Mapping[tuple[str, int], Path]:
    """Write the script of each finding, and all that was found as JSON; return the files."""
    written: dict[tuple[str, int], Path] = {}
    if not passes:
        return written
    folder.mkdir(parents=True, exist_ok=True)
    for result in passes:
        for number, finding in enumerate(result.findings):
            if finding.script:
                name = re.sub(r"\W+", "_", result.name).strip("_")
                path = folder / f"{name}_{number + 1}.py"
                write_whole(path, finding.script.encode())
                written[result.name, number] = path
    text = json.dumps([asdict(one) for one in passes], indent=1) + "\n"
    write_whole(folder / REPORT, text.encode())
    return written


def pass_lines(
    passes: Sequence[PassResult], scripts: Mapping[tuple[str, int], Path]
) -> Iterator[str]:
    """Yield the findings of each pass, then how many passes have some."""
    for result in passes:
        yield _headline(result)
        for number, finding in enumerate(result.findings):
            yield from _finding_lines(finding, scripts.get((result.name, number)))
    if passes:
        wrong = sum(bool(one.findings) for one in passes)
        yield f"{len(passes)} passes, {wrong} with findings"


def _headline(result: PassResult) -> str:
    if result.failure:
        return f"{result.name}: not tried, {result.failure}"
    found = f"{len(result.findings)} findings" if result.findings else "nothing found"
    untold = sum(result.untold.values())
    suffix = f", {untold} could not be compared" if untold else ""
    counts = f"{result.tried} graphs, {result.rewritten} rewritten{suffix}"
    return f"{result.name}: {found} ({counts})"


def _finding_lines(finding: PassFinding, script: Path | None) -> Iterator[str]:
    yield f"  {finding.ending}, {finding.graphs} graphs of {finding.source}: {finding.message}"
    yield from (f"      {line}" for line in finding.before)
    if script is not None:
        yield f"    script: {script}"
