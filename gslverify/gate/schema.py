"""The JSON Schema of baselines: `gslverify schema baseline`."""

from __future__ import annotations

from typing import Any

from gslverify.documents import DIALECT, schema_of
from gslverify.gate.baseline import BaselineDocument

BASELINE: dict[str, Any] = {
    "$schema": DIALECT,
    "title": "Baseline of gslverify",
    "$comment": "One rule per line, sorted; written by `gslverify baseline`.",
    **schema_of(BaselineDocument),
}
