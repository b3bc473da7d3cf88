from __future__ import annotations

import json
from pathlib import Path

from gslverify.report.gitlab import gitlab
from tests.gslverify.report.making import report_of_everything


def test_issues_have_what_gitlab_asks_for(folder: Path) -> None:
    report = report_of_everything(folder)

    issues = json.loads(gitlab(report))

    assert [(i["check_name"], i["severity"]) for i in issues] == [
        ("GSL140", "minor"),
        ("GSL401", "major"),
        ("GSL490", "info"),
        ("GSL901", "major"),
        ("GSL601", "major"),
    ]
    assert issues[1]["location"] == {"path": "conv.py", "lines": {"begin": 6}}
    assert issues[2]["location"] == {"path": "other.py", "lines": {"begin": 1}}
    assert len({issue["fingerprint"] for issue in issues}) == 5
