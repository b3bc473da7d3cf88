"""What a library check found, as remarks on the rules that it is about."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeGuard

from gsl.rule_files.guard import Loss, outcome_of
from gsl.rule_files.memory import bound_memory
from gslverify.corpus.declaration import Collected, CollectedRule, LoadedRule
from gslverify.corpus.loading import load
from gslverify.engine.cache.folder import CacheFolder
from gslverify.engine.cache.key import package_digest
from gslverify.finding import CODES, Finding
from gslverify.library.examination import examine_library
from gslverify.settings import Settings
from gslverify.versions import tool_versions

Records = list[dict[str, Any]]
"""Findings as plain values, each with the id of its rule."""


def with_remarks(collected: Sequence[Collected], settings: Settings) -> list[Collected]:
    """Return what was collected, with what rules do to each other as warnings of each.

    The check is not repeated for a library that it has seen, if results may be kept.
    """
    rules = [item for item in collected if _is_written(item)]
    folder = CacheFolder(Path(settings.cache_folder)) if settings.cache else None
    key = _key(rules)
    records = _known(folder, key)
    if records is None:
        found = outcome_of(partial(_records, rules), settings.stage_timeout)
        if isinstance(found, Loss):
            print(f"gslverify: the rules were not compared: comparing {found.how}", file=sys.stderr)
        records = [] if isinstance(found, Loss) else found
        if folder is not None and not isinstance(found, Loss):
            with suppress(OSError):
                folder.write(key, json.dumps(records))
    by_rule: dict[str, list[dict[str, Any]]] = {}
    for one in records:
        by_rule.setdefault(one["rule"], []).append(one)
    return [
        _remarked(item, by_rule.get(item.rule_id, [])) if isinstance(item, CollectedRule) else item
        for item in collected
    ]


def _is_written(item: Collected) -> TypeGuard[CollectedRule]:
    written = item.written if isinstance(item, CollectedRule) else None
    return written is not None and bool(written.result.rule_hash)


def _key(rules: Sequence[CollectedRule]) -> str:
    parts = ["library", package_digest(), json.dumps(tool_versions(), sort_keys=True)]
    for item in rules:
        assert item.written is not None
        parts += [item.rule_id, item.rule.expect, item.written.result.rule_hash]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _known(folder: CacheFolder | None, key: str) -> Records | None:
    text = folder.read(key) if folder is not None else None
    found: Records | None = json.loads(text) if text is not None else None
    return found


def _records(rules: Sequence[CollectedRule]) -> Records:
    """Import the files of rules, in a process of its own, and see what they do to each other."""
    bound_memory()
    by_file = {item.path: load(item.path) for item in rules}
    wanted = {item.rule_id for item in rules}
    loaded = [
        one
        for items in by_file.values()
        for one in items
        if isinstance(one, LoadedRule) and one.rule_id in wanted
    ]
    return [
        {
            "rule": rule_id,
            "code": finding.code.id,
            "message": finding.message,
            "cure": finding.cure,
            "details": list(finding.details),
            "subject": finding.subject,
        }
        for rule_id, finding in examine_library(loaded).findings
    ]


def _remarked(item: CollectedRule, records: Records) -> CollectedRule:
    found = tuple(
        Finding(
            CODES[one["code"]],
            one["message"],
            item.rule.span,
            one["cure"],
            tuple(one["details"]),
            subject=one["subject"],
        )
        for one in records
    )
    return replace(item, warnings=(*item.warnings, *found))
