"""Entries and JSON reports of made-up runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gslverify.finding import Level
from gslverify.gate.entry import Entry
from gslverify.settings import USUAL_STAGES

PROVED = {"shape": Level.PROVED, "values": Level.EXACT}


def passing(**parts: Any) -> Entry:
    return Entry(**({"verdict": "pass", "rule_hash": "sha256:1", "assurance": PROVED} | parts))


def failing(*codes: str, **parts: Any) -> Entry:
    given = {"verdict": "fail", "codes": codes or ("GSL401",), "rule_hash": "sha256:1"}
    return Entry(**(given | parts))


def rule(name: str, verdict: str = "pass", *codes: str, **parts: Any) -> dict[str, Any]:
    """Return a rule of a report; `run` graphs were run and `shape` has a level."""
    assurance = [{"subject": "shape", "level": parts.get("shape", 5), "text": "proved"}]
    numeric = {"name": "numeric", "examples": {"run": parts.get("run", 60)}}
    return {
        "id": name if "::" in name else f"rules.py::{name}",
        "ir_hash": parts.get("ir", f"sha256:{name}"),
        "verdict": verdict,
        "assurance": assurance if verdict == "pass" else [],
        "stages": [{"name": "shape", "examples": None}, numeric],
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


def report(*rules: dict[str, Any], **run: Any) -> dict[str, Any]:
    """Return a report of a complete run over `rules.py`."""
    facts = {
        "argv": ["check", "rules.py"],
        "paths": ["rules.py"],
        "profile": "dev",
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
        "timing": {"rules": {one["id"]: 1.0 for one in rules}},
    }


def write(path: Path, *rules: dict[str, Any], **run: Any) -> str:
    path.write_text(json.dumps(report(*rules, **run)), "utf-8")
    return path.name
