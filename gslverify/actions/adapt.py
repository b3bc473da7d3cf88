"""`gslverify adapt`: verify the rules and passes of another library, from their own source."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from gsl.lift import LiftedRule, rule_file
from gslverify.actions.checking import output_of
from gslverify.adapters.adapted import Adapted
from gslverify.adapters.expected import other_versions
from gslverify.adapters.foreign import Lifted, Names, Options
from gslverify.adapters.reading import Notice, Reading, read_rules, result_of_plain
from gslverify.adapters.replaying import library_process
from gslverify.adapters.results import BLACK_BOX, identity, summary, tried
from gslverify.atomic import own_folder, write_whole
from gslverify.commands.parameters import (
    resolved_settings,
)
from gslverify.commands.writing import write
from gslverify.configuration.file import SettingsError, adapted_targets
from gslverify.configuration.resolve import Resolved
from gslverify.endings import Exit
from gslverify.engine.cache.readings import readings_of
from gslverify.events import Progress, RuleDone, RunStarted
from gslverify.finding import RuleResult
from gslverify.gate.baseline import BaselineError
from gslverify.gate.conclusion import at_the_gate, known_failures, known_results
from gslverify.report.record import Report
from gslverify.session import run_check, ticker_on
from gslverify.settings import Settings
from gslverify.stopping import stopped_by_signals

FOLDER = Path(".gslverify", "adapted")
"""Where scripts are written, and the rules if no file is named."""


def adapt(
    framework: str,
    targets: tuple[str, ...],
    only_list: bool,
    file: Path | None,
    read_timeout: float,
    graphs: int,
    sources: str | None,
    level: str,
    **options: Any,
) -> None:
    """Verify the rules and passes of another library, from their own source."""
    resolved = resolved_settings(options)
    wanted = targets or _listed(framework)
    seed = resolved.settings.seed
    how = Options(graphs, seed, sources=sources or "", level=level, only_list=only_list)
    memory = readings_of(resolved.settings, framework, wanted, how)
    with stopped_by_signals() as stop, _progress() as notice:
        reading = read_rules(framework, wanted, read_timeout, how, notice, memory)
    path = file or FOLDER / framework / f"rules_of_{_file_name(wanted)}.py"
    rules = [one for one in reading.rules if one.text]
    if rules:
        _write_rules(path, f"Rules of {framework}, read from {', '.join(wanted)}.", rules)
    if only_list:
        write(_lines(reading, path, framework))
        sys.exit(Exit.USAGE if reading.failure else Exit.CLEAN)
    if not reading.rules and not reading.passes:
        why = f"{framework}: {reading.failure or 'there is nothing to adapt'}"
        click.echo("\n".join([why, *other_versions(framework)]), err=True)
        sys.exit(stop.code(Exit.INTERRUPTED) if reading.interrupted else Exit.USAGE)
    selectors = (str(path),) if rules and not reading.interrupted else ()
    code = _verified(selectors, resolved, options, (framework, wanted, how), reading)
    sys.exit(stop.code(Exit.INTERRUPTED) if reading.interrupted else code)


def _listed(library: str) -> tuple[str, ...]:
    """Return what the settings file lists for a library."""
    try:
        targets = adapted_targets(Path.cwd()).get(library, ())
    except SettingsError as error:
        raise click.UsageError(str(error)) from error
    if not targets:
        cure = f"name a MODULE, or list some as {library} in [tool.gslverify.adapt]"
        raise click.UsageError(f"there is nothing to adapt; {cure}")
    return targets


def _verified(
    selectors: tuple[str, ...],
    resolved: Resolved,
    options: dict[str, Any],
    asked: tuple[str, Sequence[str], Options],
    reading: Reading,
) -> int:
    """Verify the rules that were written down, report all that was read; return the exit code.

    What was `asked` for is a library, targets, and how they are tried.
    """
    settings, (framework, targets, how) = resolved.settings, asked
    keep = _Scripts(FOLDER / framework).keep

    def conclude(report: Report) -> Report:
        lines = [*report.remarks, *summary(report.done.results), *other_versions(framework)]
        code = report.exit_code
        if reading.failure:
            lines.append(f"reading ended early: {reading.failure}")
            code = code or Exit.USAGE
        report = replace(report, remarks=tuple(lines), exit_code=code)
        return at_the_gate(report, known, whole=not reading.failure)

    try:
        known = known_results(settings)
        output = replace(output_of(resolved, options), known=known_failures(known))
        refused = {one.name for one in reading.passes if one.failure}
        readable = [one for one in targets if one not in refused]
        with library_process(framework, readable) as process:
            about = framework, targets, reading.passes, reading.rules
            adapted = Adapted(*about, process.replay, keep, how)
            return run_check(selectors, settings, output, conclude=conclude, amendment=adapted)
    except BaselineError as error:
        raise click.UsageError(str(error)) from error


@contextmanager
def _progress() -> Iterator[Notice]:
    """Show which rule or pass is tried, and what was found so far."""
    ticker = ticker_on(sys.stderr)

    def notice(entry: Mapping[str, Any]) -> None:
        if "names" in entry:
            ticker.consume(RunStarted(tuple(entry["names"]), (BLACK_BOX,), Settings()))
        elif "pass" in entry:
            result = result_of_plain(entry["pass"])
            if result.left:
                count = f"{result.tried} graphs, {result.left} kinds left"
                ticker.live(Progress(result.name, BLACK_BOX, count))
            else:
                ticker.consume(RuleDone(RuleResult(result.name, None, (tried(result),))))
        elif "rule" in entry:
            ticker.consume(RuleDone(RuleResult(entry["rule"]["name"], None, ())))

    try:
        yield notice
    finally:
        ticker.close()


class _Scripts:
    """Writes scripts to a folder, under the names of rules and passes.

    No file there may be taken for a module that a script imports: Python looks there first.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._names = Names()

    def keep(self, name: str, script: str) -> str:
        """Write a script; return its file."""
        path = self.folder / f"finding-{self._names.unique(name)}.py"
        own_folder(self.folder)
        write_whole(path, script.encode())
        return str(path)


def _write_rules(path: Path, title: str, written: Sequence[Lifted]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = rule_file(title, [LiftedRule(one.name, one.text) for one in written])
    write_whole(path, text.encode())


def _lines(reading: Reading, path: Path, library: str) -> Iterator[str]:
    """Yield what was read: passes, rules that could be lifted, and why the others could not."""
    lifting = {rule.name for rule in reading.rules}
    yield from (f"  {name}" for name in reading.names if name not in lifting)
    lifted = sum(bool(rule.text) for rule in reading.rules)
    for rule in reading.rules:
        known = "" if rule.text else f": {rule.reason}"
        yield f"  {'lifted' if rule.text else 'not'}  {identity(rule.name, rule.place)}{known}"
    if reading.rules:
        yield f"{lifted} of {len(reading.rules)} rules are lifted"
    if lifted:
        yield f"written to {path}"
    if reading.failure:
        yield f"reading ended early: {reading.failure}"
    yield from other_versions(library)


def _file_name(targets: Sequence[str]) -> str:
    return re.sub(r"\W+", "_", "_".join(targets)).strip("_")[:100]
