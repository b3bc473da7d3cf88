"""Entries and JSON reports of made-up runs."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from gslverify.documents import read
from gslverify.finding import Level
from gslverify.gate.entry import Entry
from gslverify.report.documents import ReportDocument
from gslverify.settings import USUAL_STAGES

PROVED = {"shape": Level.PROVED, "values": Level.EXACT}


def passing(**parts: Any) -> Entry:
    return Entry(**({"verdict": "pass", "rule_hash": "sha256:1", "assurance": PROVED} | parts))


def failing(*codes: str, **parts: Any) -> Entry:
    given = {"verdict": "fail", "codes": codes or ("GSL401",), "rule_hash": "sha256:1"}
    return Entry(**(given | parts))


def hash_of(name: str) -> str:
    return f"sha256:{hashlib.sha256(name.encode()).hexdigest()}"


def rule(name: str, verdict: str = "pass", *codes: str, **parts: Any) -> dict[str, Any]:
    """Return a rule of a report; `run` graphs were run and `shape` has a level."""
    assurance = [{"subject": "shape", "level": parts.get("shape", 5), "text": "proved"}]
    graphs = {"wanted": 60, "run": parts.get("run", 60), "rejected": 0, "draws": 7}
    return {
        "id": name if "::" in name else f"rules.py::{name}",
        "span": None,
        "ir_hash": parts.get("ir", hash_of(name)),
        "verdict": verdict,
        "expected": None,
        "expected_reason": None,
        "assurance": assurance if verdict == "pass" else [],
        "strength": {"word": "proved", "text": "proved, all ranks", "flags": []},
        "flags": None,
        "drawing": None,
        "stages": [stage("shape"), stage("numeric") | {"examples": graphs}],
        "findings": [
            {
                "code": code,
                "level": "error",
                "verdict": "fail",
                "fingerprint": "0" * 16,
                "message": "outputs | differ",
                "cure": "",
                "condition": None,
                "details": [],
                "span": None,
                "stored": None,
                "repro": f"gslverify check {name}",
                "counterexample": COUNTEREXAMPLE,
            }
            for code in codes
        ],
    }


def stage(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "status": "pass",
        "reason": None,
        "counts": {},
        "notes": [],
        "coverage": None,
        "examples": None,
    }


COUNTEREXAMPLE = {
    "attrs": {"conv.padding": [0, 1]},
    "inputs": [{"name": "x", "dtype": "float32", "shape": [1], "values": [0.0]}],
    "source_ssa": ["%0 = <b>"],
    "target_ssa": ["return x"],
    "outputs": [
        {
            "name": "output 0",
            "mismatched": 1,
            "total": 1,
            "max_abs": 2.0,
            "sentence": "",
            "worst": [{"index": [0], "source": 1.0, "target": 3.0}],
        }
    ],
    "notes": [],
    "source_values": [],
    "target_values": [],
    "divergence": "",
    "matters": [],
    "same_for_any": [],
}


def report(*rules: dict[str, Any], **run: Any) -> ReportDocument:
    """Return a report of a complete run over `rules.py`."""
    return read(ReportDocument, plain_report(*rules, **run))


def plain_report(*rules: dict[str, Any], **run: Any) -> dict[str, Any]:
    """Return the same as plain values."""
    facts = {
        "argv": ["check", "rules.py"],
        "paths": ["rules.py"],
        "profile": "dev",
        "tags": [],
        "expression": None,
        "changed_since": None,
        "max_examples": 60,
        "min_examples": 20,
        "draws": 7,
        "use_tvm": False,
        "keep_going": False,
        "solver_limit": 4_000_000,
        "budget_s": None,
        "rule_budget_s": None,
        "seed": 0,
        "stages": list(USUAL_STAGES),
        "shard": "1/1",
        "stop_reason": "completed",
        "exit_code": 0,
    }
    return {
        "schema_version": 1,
        "tool": {"gslverify": "0.1.0"},
        "run": facts | run,
        "rules": list(rules),
        "summary": {},
        "timing": {
            "total_s": 1.5,
            "jobs": 2,
            "rules": {one["id"]: 1.0 for one in rules if "verdict" in one},
            "stages": {},
            "hints": {},
            "cached": {},
        },
    }


def write(path: Path, *rules: dict[str, Any], **run: Any) -> str:
    path.write_text(json.dumps(plain_report(*rules, **run)), "utf-8")
    return path.name
