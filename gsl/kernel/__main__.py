"""The command line of kernels: `python -m gsl.kernel grad CASE.json`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from gsl.errors import KernelError
from gsl.kernel.c import emit_c
from gsl.kernel.case import listing, read_case
from gsl.kernel.numpy_source import emit_numpy
from gsl.kernel.statement import Kernel

USER_MISTAKE = 2

WRITERS: Mapping[str, Callable[[Kernel], str]] = {
    "kernel": listing,
    "c": emit_c,
    "numpy": emit_numpy,
}


class _Parser(argparse.ArgumentParser):
    """A parser that reports a mistake in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(USER_MISTAKE, f"gsl: {message} (see {self.prog} --help)\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the gradient of a case; return 0, or 2 with one line for a mistake of the user."""
    given = _parser().parse_args(arguments)
    try:
        _write(_written_gradient(given.case, given.emit), given.output)
    except KernelError as error:
        print(f"gsl: {' '.join(str(error).split())}", file=sys.stderr)
        return USER_MISTAKE
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m gsl.kernel", description="Kernels in index notation.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    command = commands.add_parser(
        "grad",
        help="derive the gradient of a kernel",
        description="Derive the gradient of a kernel to the inputs that its case asks for.",
    )
    add = command.add_argument
    keys = "name, ins, outs, data_type, kernel, grad_to"
    add("case", type=Path, metavar="CASE.json", help=f"an object with {keys}")
    add("--emit", choices=tuple(WRITERS), default="kernel", help="what to write it as")
    add("-o", "--output", type=Path, metavar="FILE", help="where to write it")
    return parser


def _written_gradient(path: Path, language: str) -> str:
    case = read_case(path)
    try:
        return WRITERS[language](case.gradient())
    except KernelError as error:
        raise KernelError(f"{path}: {error}") from error


def _write(text: str, output: Path | None) -> None:
    if output is None:
        print(text, end="")
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise KernelError(f"{output}: cannot be written: {error.strerror}") from error


if __name__ == "__main__":
    sys.exit(main())
