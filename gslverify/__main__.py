"""The command `gslverify`, also as `python -m gslverify`."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from importlib import import_module

INPUT = 0
OUTPUTS = {1: "stdout", 2: "stderr"}


def run() -> None:
    """Run the command line; Ctrl-C counts as such also while it is being loaded."""
    _import_nothing_from_here()
    _open_what_is_closed()
    _leave_input_alone()
    try:
        _keep_scratch_files_together()
        import_module("gslverify.cli").main(prog_name="gslverify")
    except SystemExit as end:
        _end_in_spite_of_threads(end.code)
        _close_the_report()
        raise
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr, flush=True)
        # Python itself would die of the signal if it struck while `exec` ran, as in dataclasses.
        os._exit(130)


def _import_nothing_from_here() -> None:
    """Leave out the folder that `python -m` puts first: a `queue.py` in it is none of Python's."""
    here, package = os.getcwd(), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if sys.path and sys.path[0] in ("", here) and here != package:
        del sys.path[0]


def _open_what_is_closed() -> None:
    """Write to nowhere what should go to a closed stream; a file of ours could get its number."""
    for number, name in OUTPUTS.items():
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            stream = open(number, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 (to the end)
            setattr(sys, name, stream)


def _leave_input_alone() -> None:
    """Let rule files find an empty input: one that waits for what is typed holds up the run."""
    null = os.open(os.devnull, os.O_RDONLY)
    if null != INPUT:
        os.dup2(null, INPUT)
        os.close(null)


def _keep_scratch_files_together() -> None:
    """Let hypothesis write what it remembers beside our own files, not where somebody stands."""
    project = import_module("gslverify.project")
    folder = project.project_root() / project.OWN_FOLDER / "hypothesis"
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(folder))


def _end_in_spite_of_threads(code: object) -> None:
    """End the process at once if a rule file has left a thread that Python would wait for."""
    main = threading.main_thread()
    if any(not one.daemon and one is not main for one in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)


def _close_the_report() -> None:
    """Let go to standard error what rule files write when the process ends, as all they write."""
    with suppress(OSError, ValueError):  # a stream that takes no more is told of by Python
        sys.stdout.flush()
        os.dup2(2, 1)


if __name__ == "__main__":
    run()
