"""JSON Schemas of baselines and of counterexamples: `gslverify schema baseline` and `repro`."""

from __future__ import annotations

from typing import Any

from gslverify.gate.baseline import FORMAT
from gslverify.gate.entry import LEVELS, VERDICTS
from gslverify.report.schema import (
    ANYTHING,
    DIALECT,
    SWITCH,
    TEXT,
    WHOLE,
    listing,
    mapping,
    record,
)
from gslverify.repro import form

DAY: dict[str, Any] = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
DIGEST: dict[str, Any] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}

ENTRY: dict[str, Any] = {
    "type": "object",
    "required": ["verdict"],
    "additionalProperties": False,
    "properties": {
        "verdict": {"enum": sorted(VERDICTS)},
        "codes": listing(TEXT),
        "ir": TEXT,
        "assurance": mapping({"enum": sorted(LEVELS)}),
        "examples": WHOLE,
        "reason": TEXT,
        "expires": DAY,
    },
}

BASELINE: dict[str, Any] = {
    "$schema": DIALECT,
    "title": "Baseline of gslverify",
    "$comment": "One rule per line, sorted; written by `gslverify baseline`.",
} | record(format={"const": FORMAT}, gslverify=TEXT, profile=TEXT, seed=WHOLE, rules=mapping(ENTRY))

ARRAY: dict[str, Any] = {
    "type": "object",
    "required": ["name", "dtype", "shape"],
    "properties": {
        "name": TEXT,
        "dtype": TEXT,
        "shape": listing(WHOLE),
        "values": listing(ANYTHING),
    },
}

REPRO: dict[str, Any] = {
    "$schema": DIALECT,
    "title": "Counterexample of gslverify",
    "$comment": "Records name their operands by the positions of earlier ones; arrays without "
    "values stand in the archive beside the file, in this order.",
} | record(
    format={"const": form.FORMAT},
    version={"const": form.VERSION},
    rule=TEXT,
    rule_hash=TEXT,
    code=TEXT,
    message=TEXT,
    seed=WHOLE,
    tool=mapping(TEXT),
    context=TEXT,
    escaping=SWITCH,
    records=listing({"type": "array", "minItems": 2}),
    source=listing(WHOLE),
    matched=listing(WHOLE),
    target=listing(WHOLE),
    inputs=listing(TEXT),
    arrays=listing(ARRAY),
    archive=TEXT,
    hash=DIGEST,
    shown=listing({"type": "array", "minItems": 2, "maxItems": 2}),
)
