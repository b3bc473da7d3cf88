"""JSON Schemas of what is written for programs: `gslverify schema json` prints them."""

from __future__ import annotations

from typing import Any

from gslverify.finding import Verdict
from gslverify.report.json import SCHEMA_VERSION

DIALECT = "https://json-schema.org/draft/2020-12/schema"

TEXT: dict[str, Any] = {"type": "string"}
WHOLE: dict[str, Any] = {"type": "integer", "minimum": 0}
NUMBER: dict[str, Any] = {"type": "number", "minimum": 0}
SWITCH: dict[str, Any] = {"type": "boolean"}
ANYTHING: dict[str, Any] = {}

VERDICTS = [verdict.lower() for verdict in Verdict]


def optional(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of something that may be null."""
    return {"anyOf": [schema, {"type": "null"}]}


def listing(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a list."""
    return {"type": "array", "items": schema}


def mapping(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with any names."""
    return {"type": "object", "additionalProperties": schema}


def record(**fields: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object that has all `fields`, and perhaps further ones."""
    return {"type": "object", "required": sorted(fields), "properties": fields}


SPAN = record(file=TEXT, line=WHOLE, column=WHOLE, end_line=WHOLE, end_column=WHOLE)

DIFFERENCE = record(
    name=TEXT,
    mismatched=WHOLE,
    total=WHOLE,
    max_abs={"type": ["number", "string"]},
    sentence=TEXT,
    worst=listing(record(index=listing(WHOLE), source=ANYTHING, target=ANYTHING)),
)

COUNTEREXAMPLE = record(
    attrs=mapping(ANYTHING),
    shapes=mapping(listing(WHOLE)),
    inputs=listing(record(name=TEXT, dtype=TEXT, shape=listing(WHOLE), values=ANYTHING)),
    source_ssa=listing(TEXT),
    target_ssa=listing(TEXT),
    outputs=listing(DIFFERENCE),
    notes=listing(TEXT),
    source_values=listing(ANYTHING),
    target_values=listing(ANYTHING),
    divergence=TEXT,
    matters=listing(TEXT),
    same_for_any=listing(TEXT),
)

FINDING = record(
    fingerprint={"type": "string", "pattern": "^[0-9a-f]{16}$"},
    code={"type": "string", "pattern": "^GSL[0-9]{3}$"},
    level={"enum": ["error", "warning"]},
    verdict={"enum": VERDICTS},
    message=TEXT,
    cure=TEXT,
    condition=optional(TEXT),
    details=listing(TEXT),
    span=optional(SPAN),
    source_line=TEXT,
    repro=TEXT,
    stored=optional(TEXT),
    known=optional(TEXT),
    counterexample=optional(COUNTEREXAMPLE),
)

EXAMPLES = record(
    wanted=WHOLE, run=optional(WHOLE), rejected=optional(WHOLE), draws=optional(WHOLE)
)

COVERAGE = record(
    seen=mapping(mapping(WHOLE)),
    missing=listing(record(facet=TEXT, value=TEXT, reason=TEXT)),
)

STAGE = record(
    name=TEXT,
    status={"enum": [*VERDICTS, "open", "skipped"]},
    reason=optional(TEXT),
    counts=mapping(WHOLE),
    notes=listing(TEXT),
    coverage=optional(COVERAGE),
    examples=optional(EXAMPLES),
)

FLAGS = record(
    declared=optional(listing(TEXT)),
    needed=listing(TEXT),
    unneeded=listing(TEXT),
    rounding_known=SWITCH,
    bit_exact=SWITCH,
    graphs=WHOLE,
    witnesses=mapping(
        record(sentence=TEXT, source=listing(TEXT), target=listing(TEXT), inputs=mapping(ANYTHING))
    ),
    units_in_the_last_place=mapping(mapping({"type": ["number", "string"]})),
)

RULE = record(
    id=TEXT,
    span=optional(SPAN),
    ir_hash=optional({"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}),
    verdict={"enum": VERDICTS},
    expected=optional(TEXT),
    expected_reason=optional(TEXT),
    assurance=listing(
        record(subject=TEXT, level={"type": "integer", "minimum": 1, "maximum": 5}, text=TEXT)
    ),
    strength=record(word=TEXT, text=TEXT, flags=listing(TEXT)),
    flags=optional(FLAGS),
    stages=listing(STAGE),
    findings=listing(FINDING),
    drawing=optional(record(source=listing(TEXT), target=listing(TEXT))),
)

RUN = record(
    argv=listing(TEXT),
    paths=listing(TEXT),
    profile=TEXT,
    tags=listing(TEXT),
    expression=optional(TEXT),
    changed_since=optional(TEXT),
    stages=listing(TEXT),
    max_examples=WHOLE,
    min_examples=WHOLE,
    draws=WHOLE,
    seed=WHOLE,
    use_tvm=SWITCH,
    keep_going=SWITCH,
    solver_limit=WHOLE,
    budget_s=optional(NUMBER),
    rule_budget_s=optional(NUMBER),
    shard={"type": "string", "pattern": "^[0-9]+/[0-9]+$"},
    exit_code=WHOLE,
    stop_reason=TEXT,
)

TIMING = record(
    total_s=NUMBER,
    jobs=WHOLE,
    rules=mapping(NUMBER),
    stages=mapping(mapping(NUMBER)),
    hints=mapping(NUMBER),
    cached=mapping(listing(TEXT)),
)

REPORT: dict[str, Any] = {
    "$schema": DIALECT,
    "title": "Report of gslverify",
    "description": "Fields are added, never changed or removed; equal runs differ below `timing`.",
    **record(
        schema_version={"const": SCHEMA_VERSION},
        tool=mapping(TEXT),
        run=RUN,
        rules=listing(RULE),
        summary=mapping(WHOLE),
        timing=TIMING,
    ),
}

SCHEMAS = {
    "json": "gslverify.report.schema:REPORT",
    "baseline": "gslverify.gate.schema:BASELINE",
    "repro": "gslverify.gate.schema:REPRO",
}
"""Schemas by the names under which `gslverify schema` prints them, as "module:OBJECT"."""
