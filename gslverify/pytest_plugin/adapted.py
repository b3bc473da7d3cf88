"""Rules and passes of other libraries as items, one for each target of the settings file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gslverify.configuration.file import SettingsError, adapted_targets
from gslverify.endings import Exit
from gslverify.pytest_plugin.configure import is_strict
from gslverify.settings import VERDICTS


class AdaptFailedError(AssertionError):
    """Something is wrong with what a library ships; the text is that of the command line."""


class AdaptItem(pytest.Item):
    """A target of a library, verified as `gslverify adapt` does it, in a process of its own."""

    def __init__(self, *, library: str, target: str, **named: Any) -> None:
        super().__init__(**named)
        self.library, self.target = library, target
        self.add_marker("gsl")

    def runtest(self) -> None:
        """Run the command; raise AdaptFailedError with what it has printed unless it is clean."""
        strict = ["--fail-on", ",".join(VERDICTS)] if is_strict(self.config) else []
        command = [sys.executable, "-m", "gslverify", "adapt", self.library, self.target, *strict]
        done = subprocess.run(
            command,
            cwd=self.config.invocation_params.dir,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        if done.returncode != Exit.CLEAN:
            raise AdaptFailedError(done.stdout or done.stderr)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the text of the command, not where it was raised."""
        if isinstance(excinfo.value, AdaptFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the settings file as the place."""
        return self.path, None, self.name


def items(session: pytest.Session) -> Iterator[AdaptItem]:
    """Yield an item for each target; raises UsageError where the settings file has none."""
    folder = Path(session.config.invocation_params.dir)
    try:
        adapted = adapted_targets(folder)
    except SettingsError as error:
        raise pytest.UsageError(f"gslverify: {error}") from None
    if not adapted:
        cure = 'list some, such as relax = ["MODULE"], in [tool.gslverify.adapt]'
        raise pytest.UsageError(f"--gsl-adapt: there is nothing to adapt; {cure}")
    for library, targets in adapted.items():
        for target in targets:
            name = f"adapt {library} {target}"
            yield AdaptItem.from_parent(session, name=name, library=library, target=target)
