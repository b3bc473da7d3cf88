"""What the file of a counterexample says, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from gslverify.documents import DIALECT, Limits, schema_of

FORMAT: Literal["gslverify counterexample"] = "gslverify counterexample"
VERSION: Literal[1] = 1

Row = Annotated[Any, Limits(type="array", minItems=2)]


@dataclass(frozen=True, slots=True)
class ArrayDocument:
    """An array; without values they stand in the archive beside the file."""

    is_compact: ClassVar = True

    name: str
    dtype: str
    shape: tuple[int, ...]
    values: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class CaseDocument:
    """A counterexample: its rule, the records of its graphs, arrays, and what people are shown."""

    format: Literal["gslverify counterexample"]
    version: Literal[1]
    rule: str
    rule_hash: str
    code: str
    message: str
    seed: int
    tool: Mapping[str, str]
    context: str
    escaping: bool
    records: tuple[Row, ...]
    source: tuple[int, ...]
    matched: tuple[int, ...]
    target: tuple[int, ...]
    inputs: tuple[str, ...]
    shown: tuple[Row, ...]
    arrays: tuple[ArrayDocument, ...]
    archive: str
    hash: Annotated[str, Limits(pattern="^[0-9a-f]{64}$")]


REPRO: dict[str, Any] = {
    "$schema": DIALECT,
    "title": "Counterexample of gslverify",
    "$comment": "Records name their operands by the positions of earlier ones; arrays without "
    "values stand in the archive beside the file, in this order.",
    **schema_of(CaseDocument),
}
