"""JSON Schemas of what is written for programs: `gslverify schema json` prints them."""

from __future__ import annotations

from typing import Any

from gslverify.documents import DIALECT, schema_of
from gslverify.report.documents import ReportDocument

REPORT: dict[str, Any] = {
    "$schema": DIALECT,
    "title": "Report of gslverify",
    "description": "Fields are added, never changed or removed; equal runs differ below `timing`.",
    **schema_of(ReportDocument),
}
