"""The command line: `gslverify [check] PATH|PATH::RULE ...` and the other commands."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from gsl.errors import described, did_you_mean, printable
from gslverify import __version__
from gslverify.commands import COMMANDS
from gslverify.endings import INTERRUPTED, Exit
from gslverify.extras import cure_of

UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)
"""Errors of a disk that takes no more; a pipe that nobody reads any longer is none."""

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Commands(click.Group):
    """A group that loads a command when it is called.

    Whatever is not a command it takes for the arguments of `check`.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order in which they are of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line for each command without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `check` in front where no command is named."""
        own = {name for parameter in self.get_params(ctx) for name in parameter.opts}
        if args and args[0] not in COMMANDS and args[0] not in own:
            meant = did_you_mean(args[0], COMMANDS)
            if meant and args[0].isidentifier() and not Path(args[0]).exists():
                raise click.UsageError(f"there is no command `{args[0]}`; {meant}", ctx)
            args = ["check", *args]
        ctx.obj = tuple(args)
        return super().parse_args(ctx, args)

    def make_context(self, *arguments: Any, **extra: Any) -> click.Context:
        """Return the context; `--help` and `--version` write before there is anything to invoke."""
        try:
            return super().make_context(*arguments, **extra)
        except OSError as error:
            sys.exit(_reported(error))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; Ctrl-C, a full disk and our own mistakes have exit codes of their own.

        Python would end with 1 after an exception, which stands for findings.
        """
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo(INTERRUPTED, err=True)
            ctx.exit(Exit.INTERRUPTED)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            ctx.exit(_reported(error))


def _reported(error: Exception) -> Exit:
    """Say what went wrong with the disk, or with us; nothing if nobody reads any longer."""
    number = error.errno if isinstance(error, OSError) else None
    if number in (errno.EPIPE, *UNWRITABLE):
        # What is still in the buffer cannot be written either, and would be tried at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if number == errno.EPIPE:
        return Exit.UNREAD
    if cure := cure_of(error):
        click.echo(cure, err=True)
        return Exit.USAGE
    if isinstance(error, OSError) and number in UNWRITABLE:
        click.echo(f"the output cannot be written: {error.strerror}", err=True)
    else:
        click.echo(f"gslverify itself failed: {described(error)}", err=True)
        click.echo("please report it with what follows", err=True)
        click.echo(printable("".join(traceback.format_exception(error))), err=True, nl=False)
    return Exit.INTERNAL


@click.group(cls=Commands, context_settings=CONTEXT)
@click.version_option(__version__, message="gslverify %(version)s")
def main() -> None:
    """Verify rewrite rules of deep-learning compilers.

    `gslverify PATH` is short for `gslverify check PATH`.
    """
