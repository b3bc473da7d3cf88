from __future__ import annotations

from pathlib import Path

from gslverify.report.concise import concise
from tests.gslverify.report.making import report_of_everything

GOLDEN = """\
conv.py:6:9: warning GSL140 two_conv_add: `groups` takes the default
conv.py:6:9: error GSL401 two_conv_add: output y: 2 of 4 elements differ
other.py: note GSL490 undecided: only 3 of 20 graphs
other.py: error GSL901 crashed: stage shape raised
other.py: error GSL601 mended: the rule expects GSL401, which was not found
"""


def test_a_line_for_each_finding(folder: Path) -> None:
    text = concise(report_of_everything(folder))

    assert text.startswith(GOLDEN)
    assert "6 rules: 1 pass, 2 fail, 1 inconclusive, 1 error, 1 expected to fail" in text
