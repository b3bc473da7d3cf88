"""The counterexamples of a run as files, for `gslverify repro`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from gsl.errors import GslError
from gslverify.atomic import own_folder, reason_of
from gslverify.finding import Counterexample, Finding
from gslverify.project import in_project
from gslverify.report.values import attribute_texts, difference_lines, tensor_text, with_values
from gslverify.repro.form import Stored
from gslverify.repro.store import save
from gslverify.versions import tool_versions


class FailureFiles:
    """Writes counterexamples to a folder; a disk that takes none costs a message, nothing else.

    Args:
        folder: where the files go; git is told to leave the folder above alone if it is ours.
        seed: seed of the run, to be noted.
    """

    def __init__(self, folder: Path, seed: int = 0) -> None:
        self.folder = folder
        self.seed = seed
        self._told = False

    def keep(self, rule_id: str, rule_hash: str, finding: Finding) -> Finding:
        """Write the counterexample of a finding down; return the finding with its file."""
        example = finding.counterexample
        if finding.stored or example is None or example.case is None:
            return finding
        stored = Stored(
            rule_id,
            rule_hash,
            finding.code.id,
            finding.message,
            example.case,
            tool_versions(),
            self.seed,
            shown_parts(example),
        )
        try:
            own_folder(self.folder)
            return replace(finding, stored=in_project(save(stored, self.folder)))
        except OSError as error:
            self._tell(f"{self.folder}: counterexamples cannot be kept: {reason_of(error)}")
        except GslError as error:
            self._tell(f"{rule_id}: its counterexample cannot be kept: {error}")
        return finding

    def _tell(self, message: str) -> None:
        if not self._told:
            print(f"gslverify: {message}; the report has all of them", file=sys.stderr)
            self._told = True


def shown_parts(example: Counterexample) -> list[tuple[str, list[str]]]:
    """Return a counterexample as texts under the names that the report uses for them."""
    parts: dict[str, list[str]] = {
        "attributes": attribute_texts(example.attributes),
        "source": with_values(example.source, example.source_values),
        "target": with_values(example.target, example.target_values),
        "inputs": [tensor_text(tensor) for tensor in example.inputs],
        "outputs": [line for out in example.outputs for line in difference_lines(out)],
        "diverges": [example.divergence] if example.divergence else [],
        "matters": list(example.matters),
        "same for any": list(example.same_for_any),
        "note": list(example.notes),
    }
    return [(label, lines) for label, lines in parts.items() if lines]
