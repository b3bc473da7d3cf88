"""How the text on standard output looks: width, colour and characters."""

from __future__ import annotations

import os
import shutil
import sys

from gslverify.report.style import DEFAULT_WIDTH, NARROWEST, Style


def chosen_style(
    color: str, quiet: bool, verbose: bool, ascii_only: bool, view: str = "listing"
) -> Style:
    """Return the style that options, terminal and environment ask for.

    Nobody reads hundreds of lines PASS in the log of a job, so where CI is set they are left out
    unless all is asked for.
    """
    terminal = sys.stdout.isatty()
    columns = shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns if terminal else DEFAULT_WIDTH
    return Style(
        width=max(columns, NARROWEST),
        colour=color == "always" or (color == "auto" and _wants_colour(terminal)),
        ascii_only=ascii_only or not _writes_unicode(),
        verbosity=int(verbose) - int(quiet),
        trees=view == "tree",
        problems_only=bool(os.environ.get("CI")) and not verbose,
    )


def _writes_unicode() -> bool:
    return "utf" in (sys.stdout.encoding or "").lower()


def _wants_colour(terminal: bool) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return terminal or bool(os.environ.get("FORCE_COLOR"))
