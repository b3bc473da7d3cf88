"""Names for places on the page: the id of the rule itself wherever a link can carry it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping

OWN = "page-"
"""How ids begin that the page uses for itself."""

UNUSABLE = re.compile(r"[^\w./:@+-]")


def anchors(rule_ids: Iterable[str]) -> Mapping[str, str]:
    """Return a different anchor for every rule id; the same ids always have the same ones."""
    return {rule_id: _anchor(rule_id) for rule_id in rule_ids}


def _anchor(rule_id: str) -> str:
    plain = UNUSABLE.sub("-", rule_id)
    if rule_id and plain == rule_id and not plain.startswith(OWN):
        return rule_id
    digest = hashlib.sha256(rule_id.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"rule-{plain}~{digest}"
