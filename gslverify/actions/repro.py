"""`gslverify repro`: run a stored counterexample again, write it as a program, or pin it."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from gsl.errors import GslError
from gslverify.atomic import reason_of
from gslverify.commands.parameters import resolved_settings
from gslverify.exits import Exit
from gslverify.project import in_project
from gslverify.repro.form import Stored, UnreadableError
from gslverify.repro.store import find, pin

PYTEST = '''"""{message}"""

from gslverify.again import still_fails


def test_{name}() -> None:
    assert not still_fails({file!r})
'''


def repro(file: str, emit: str | None, trust: bool, keep: bool) -> None:
    """Run a stored counterexample again."""
    try:
        path = find(file, Path(resolved_settings({}).settings.failures_folder))
        if emit is not None:
            with redirect_stdout(sys.stderr):
                stored = import_module("gslverify.again").stored_in(path)
            click.echo(_emitted(stored, path, emit), nl=False)
            return
        _require_trust(path, trust)
        with redirect_stdout(sys.stderr):
            stored, item, result = import_module("gslverify.again").replay_file(path)
        if keep:
            path = pin(path, item.path, item.rule.name)
            click.echo(f"pinned as {path.as_posix()}")
    except UnreadableError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.UsageError(f"{file} cannot be pinned: {reason_of(error)}") from error
    sys.exit(_told(stored, path, result))


def _require_trust(path: Path, trust: bool) -> None:
    """Ask before a rule file outside of the project is imported; raise UsageError for a no."""
    again = import_module("gslverify.again")
    file, _ = again.file_of(path)
    if trust or not again.is_outside(file):
        return
    question = f"{file} is outside of the project; import it, which runs its code?"
    if not (sys.stdin.isatty() and click.confirm(question, err=True)):
        message = f"{file} is outside of the project and was not imported"
        raise click.UsageError(f"{message}; say --trust, or --emit py to run the graphs alone")


def _emitted(stored: Stored, path: Path, emit: str) -> str:
    if emit == "pytest":
        name = "".join(c if c.isalnum() else "_" for c in path.stem)
        message = f"{stored.rule_id}: {stored.code_id} {stored.message}".replace('"', "'")
        return PYTEST.format(message=message, name=name, file=in_project(path))
    script = import_module("gslverify.repro.script")
    try:
        text: str = script.python_text(stored) if emit == "py" else script.relax_text(stored.case)
    except GslError as error:
        raise click.UsageError(f"{path} cannot be written for TVM: {error}") from error
    return text


def _told(stored: Stored, path: Path, result: Any) -> Exit:
    """Say what became of a counterexample; return the exit code."""
    for label, lines in stored.shown:
        for number, line in enumerate(lines):
            click.echo(f"  {'' if number else label:<14}{line}")
    if result.undecided:
        click.echo(f"UNDECIDED {stored.rule_id}: {result.message}")
        return Exit.FINDINGS
    if result.code is None:
        click.echo(f"MENDED {stored.rule_id}: {result.message}")
        return Exit.CLEAN
    if result.code.id == stored.code_id:
        click.echo(f"REPRODUCED {stored.rule_id}: {result.code} {result.message}")
    else:
        click.echo(
            f"FAILS OTHERWISE {stored.rule_id}: {result.code} {result.message}; "
            f"it was {stored.code_id}"
        )
    return Exit.FINDINGS
