"""Which rules failed when they were last verified, so that they are verified first.

Only the order in which rules are worked on depends on it, never what is found out about them, nor
the order in which that is told. So a file that cannot be read or written is as good as none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from gslverify.atomic import own_folder, write_whole
from gslverify.finding import FAILURES, RuleResult

NAME = "last-failed.json"


class LastFailed:
    """The ids of rules that failed, in a file of a folder that runs may share."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME

    def read(self) -> frozenset[str]:
        """Return the ids; none where there is no file, or one that is damaged."""
        try:
            ids = json.loads(self.path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return frozenset()
        known = isinstance(ids, list) and all(isinstance(one, str) for one in ids)
        return frozenset(ids) if known else frozenset()

    def note(self, results: Iterable[RuleResult]) -> None:
        """Take note of the results of a run; rules that were not part of it stay as they were."""
        examined = {result.rule_id: result.verdict in FAILURES for result in results}
        before = self.read()
        failed = {one for one, has_failed in examined.items() if has_failed}
        failed |= before - examined.keys()
        if failed != before:
            with suppress(OSError):
                own_folder(self.path.parent)
                write_whole(self.path, (json.dumps(sorted(failed), indent=0) + "\n").encode())
