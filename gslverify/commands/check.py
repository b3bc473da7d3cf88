"""`gslverify check`: verify rules and report what was found."""

from __future__ import annotations

import sys
from typing import Any

import click

from gslverify.commands.appearance import chosen_style
from gslverify.commands.parameters import EFFORT, OUTPUT, SELECTION, with_options
from gslverify.selection import SelectionError
from gslverify.session import Output, run_check
from gslverify.settings import Settings, enough_examples


@click.command()
@with_options((*SELECTION, *EFFORT, *OUTPUT))
def check(paths: tuple[str, ...], expression: str, **options: Any) -> None:
    """Verify rules and report what was found.

    Exit codes: 0 nothing found, 1 findings, 2 wrong usage, 3 the verifier itself failed, 5 nothing
    was verified, 130 interrupted.
    """
    style = chosen_style(
        options["color"], options["quiet"], options["verbose"], options["ascii_only"]
    )
    output = Output(
        options["output_format"], options["output_file"], style, click.get_current_context().obj
    )
    try:
        code = run_check(paths, _settings(options), output, expression)
    except SelectionError as error:
        raise click.UsageError(str(error)) from error
    sys.exit(code)


def _settings(options: dict[str, Any]) -> Settings:
    most, least = options["max_examples"], options["min_examples"]
    if least is not None and least > most:
        raise click.UsageError(
            f"--min-examples {least} can never be reached with -n {most}; raise -n or lower it"
        )
    return Settings(
        stages=options["stages"],
        max_examples=most,
        min_examples=enough_examples(most) if least is None else least,
        seed=options["seed"],
        use_tvm=not options["no_tvm"],
        keep_going=options["keep_going"],
        max_failures=1 if options["stop_at_first"] else options["max_failures"],
        jobs=options["jobs"],
        load_timeout=options["load_timeout"],
    )
