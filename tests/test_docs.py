"""The code blocks of README and docs do what the text around them says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def without_times(text: str) -> str:
    """Blank out seconds with the padding before them, and how long the search took."""
    timeless = re.sub(r" +\d+\.\d+s|(?<=found after )\d+", "  TIME", text)
    return "\n".join(line.rstrip() for line in timeless.strip().splitlines())


def gslverify(*arguments: str, cwd: Path) -> str:
    command = [sys.executable, "-m", "gslverify", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False).stdout


@pytest.fixture
def rule_file(tmp_path: Path) -> Path:
    file = tmp_path / "my_rules.py"
    file.write_text(blocks(README, "python")[0], encoding="utf-8")
    return file


def test_readme_has_two_commands_and_ci_runs_them() -> None:
    set_up, tests = blocks(README, "sh")[:2]
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

    assert set_up.strip().endswith("gslverify rule_corpus/")
    assert tests.strip().removeprefix(".venv/bin/") in ci
    assert "gslverify check rule_corpus/" in ci


@pytest.mark.tvm
def test_readme_shows_the_real_output(rule_file: Path) -> None:
    block = blocks(README, "console")[0]
    command, _, shown = block.partition("\n")
    assert command == "$ gslverify my_rules.py"

    printed = gslverify("my_rules.py", cwd=rule_file.parent)

    assert without_times(printed) == without_times(shown)


@pytest.mark.tvm
def test_readme_repair_passes(rule_file: Path) -> None:
    text = rule_file.read_text(encoding="utf-8")
    rule_file.write_text(text.replace("op.Conv2D(x1, w1, ", "op.Conv2D(x1, w1, groups=1, "))

    printed = gslverify("my_rules.py", cwd=rule_file.parent)

    assert blocks(README, "console")[1].strip() in printed


def test_readme_commands_exist(tmp_path: Path) -> None:
    for line in blocks(README, "sh")[2].splitlines():
        words = line.partition("#")[0].split()
        if words[0] == "gslverify":
            assert "Usage: " in gslverify(words[1], "--help", cwd=tmp_path)


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/**/*.md")), ids=lambda page: page.name)
def test_python_blocks_of_the_docs_run(page: Path) -> None:
    scope: dict[str, object] = {"__name__": "docs"}
    for block in blocks(page.read_text(encoding="utf-8"), "python"):
        exec(compile(block, str(page), "exec"), scope)


@pytest.mark.parametrize(
    "page", sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]), ids=lambda page: page.name
)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
