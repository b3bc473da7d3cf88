"""`gslverify init`: a project to start with."""

from __future__ import annotations

from pathlib import Path

import click

from gslverify.atomic import reason_of
from gslverify.commands.starter import JOBS, STARTER, Part, local_origin, parts_for


@click.command()
@click.option("--write", is_flag=True, help="Write the files; without it they are only shown.")
@click.option(
    "--ci",
    type=click.Choice(["github", "gitlab", "none"]),
    default="github",
    show_default=True,
    help="Where the project is tested.",
)
def init(write: bool, ci: str) -> None:
    """Show, or write, what a project needs: settings, a rule, and a job for CI.

    Nothing that exists is changed, but for a table added to pyproject.toml.
    """
    here = Path.cwd()
    parts = parts_for(here, ci)
    for part in parts:
        if write:
            _write(part, here)
        click.echo(f"{_deed(part, write)} {part.path}")
        if not write and part.text:
            click.echo("".join(f"    {line}\n" for line in part.text.splitlines()))
    job, _ = JOBS.get(ci, ("", ""))
    origin = local_origin(here)
    if origin and any(part.text and part.path == job for part in parts):
        click.echo(f"say in {job} where pip finds gslverify: here it came from {origin}")
    if write:
        click.echo(f"next: gslverify check {STARTER}")
    else:
        click.echo("nothing was written; do so by `gslverify init --write`")


def _write(part: Part, folder: Path) -> None:
    try:
        part.write(folder)
    except OSError as error:
        message = f"{part.path} cannot be written: {reason_of(error)}"
        raise click.UsageError(f"{message}; choose a folder that can be written to") from error


def _deed(part: Part, write: bool) -> str:
    if not part.text:
        return "keep"
    deed = "extend" if part.is_addition else "write"
    return deed if write else f"would {deed}"
