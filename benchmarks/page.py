"""How large and how fast the HTML report is: `python benchmarks/page.py [--quick] [--json]`.

The page has the rules of `rule_corpus/`, as often as needed; every tenth one fails with a
counterexample. The figures are those of the whole file, and of a headless Chromium that opens it:
until the page answers, until a filter has been applied, until all rules are open. Without
Playwright or a Chromium the last three are left out.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from figures import Figure, figure, report

from gslverify.codes.numeric import OUTPUTS_DIFFER
from gslverify.corpus.collect import CollectedRule, collect
from gslverify.events import RunDone
from gslverify.finding import (
    Assurance,
    Counterexample,
    Difference,
    Finding,
    Level,
    Mismatch,
    RuleResult,
    StageResult,
    Tensor,
    Verdict,
)
from gslverify.report.html.page import html
from gslverify.report.record import Report
from gslverify.settings import STAGES, Settings

ROOT = Path(__file__).parent.parent
QUICK, FULL = (100,), (100, 500, 1_000, 10_000)
TARGETS = {500: (5.0, 1.0), 10_000: (30.0, 2.0)}
"""Most megabytes, and most seconds until the page answers, by the number of rules."""

MOST_IN_FULL = 1_000
"""Pages of more rules are not made with everything drawn."""


def failure(item: CollectedRule) -> Finding:
    example = Counterexample(
        {f"conv1.attribute{number}": number for number in range(8)},
        tuple(f"%{number} = Conv2D(x, w{number}, groups=2)" for number in range(4)),
        tuple(f"%{number} = Concatenate((x, w{number}), axis=1)" for number in range(4)),
        tuple(Tensor(name, "float32", (1, 2, 2, 2), [[[[0.0, 1.0]] * 2] * 2]) for name in "xw"),
        (Difference("output 0", 5, 8, 3.0, tuple(Mismatch((0, n), 4.0, 1.0) for n in range(5))),),
    )
    message = "output 0: 5 of 8 elements differ, by up to 3"
    return Finding(OUTPUTS_DIFFER, message, item.rule.span, counterexample=example)


def result(item: CollectedRule, number: int) -> RuleResult:
    fails = number % 10 == 0
    stages = [
        StageResult(
            name,
            Verdict.PASS,
            assurances=(Assurance(name, Level.PROVED, "proved, ranks 0-4"),),
            counts={"variants": 12},
            seconds=0.25,
        )
        for name in STAGES
    ]
    if fails:
        stages[-1] = StageResult(STAGES[-1], Verdict.FAIL, (failure(item),), seconds=2.0)
    return RuleResult(item.rule_id, item.rule.span, tuple(stages))


def report_of(count: int, everything: bool) -> Report:
    os.chdir(ROOT)
    rules = [item for item in collect(["rule_corpus"]) if isinstance(item, CollectedRule)]
    items = [
        CollectedRule(f"{item.rule_id}_{number}", item.path, item.rule)
        for number, item in enumerate(islice(cycle(rules), count))
    ]
    results = tuple(result(item, number) for number, item in enumerate(items))
    done = RunDone(results, 100.0)
    return Report(done, Settings(), collected=tuple(items), everything=everything)


def sizes(count: int) -> Iterator[Figure]:
    targets = TARGETS.get(count, (None, None))
    for everything in (False, True)[: 2 if count <= MOST_IN_FULL else 1]:
        record = report_of(count, everything)
        started = time.perf_counter()
        text = html(record)
        taken = time.perf_counter() - started
        name = f"{count} rules" + (", --report-full" if everything else "")
        yield figure(f"{name}, size", len(text.encode()) / 1e6, "MB", targets[0])
        yield figure(f"{name}, made in", taken, "s")
        yield from opened(name, text, targets[1])


def opened(name: str, text: str, target: float | None) -> Iterator[Figure]:
    path = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        print("no Playwright or no Chromium: browser figures are left out", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        file = Path(folder) / "report.html"
        file.write_text(text, encoding="utf-8")
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = driver.chromium.launch(executable_path=path, args=arguments)
        page = browser.new_page()
        page.goto("about:blank")
        started = time.perf_counter()
        page.goto(file.as_uri())
        page.evaluate("new Promise(requestAnimationFrame)")
        yield figure(f"{name}, interactive", time.perf_counter() - started, "s", target)
        started = time.perf_counter()
        page.get_by_label("Filter").fill("conv fail")
        page.evaluate("new Promise(requestAnimationFrame)")
        yield figure(f"{name}, filtered", time.perf_counter() - started, "s")
        page.get_by_label("Filter").fill("")
        started = time.perf_counter()
        page.locator("#page-open").click()
        page.evaluate("new Promise(requestAnimationFrame)")
        yield figure(f"{name}, all opened", time.perf_counter() - started, "s")
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="100 rules")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    chosen = parser.parse_args()
    counts = QUICK if chosen.quick else FULL
    report((line for count in counts for line in sizes(count)), chosen.json)


if __name__ == "__main__":
    main()
