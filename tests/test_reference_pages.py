from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from gsl.operators import REGISTRY
from gslverify.commands import COMMANDS
from gslverify.commands.schema import SCHEMAS
from gslverify.configuration.table import TABLE
from gslverify.finding import CODES
from gslverify.report.code_pages import code_page
from tests.documents import ROOT, blocks
from tests.reference import reference

PAGES = reference().pages()


def test_there_is_a_page_for_every_code_and_no_other() -> None:
    names = {path.rpartition("/")[2].removesuffix(".md") for path in PAGES if "/codes/" in path}

    assert names == {"index", *CODES}


@pytest.mark.parametrize("code", CODES)
def test_page_of_a_code_says_what_explain_says(code: str) -> None:
    page = PAGES[f"reference/codes/{code}.md"]
    told = " ".join(" ".join(code_page(code)).split())

    assert CODES[code].title in page
    assert all(" ".join(part.split()) in told for part in page_texts(page))
    examples = [block.text.strip() for block in blocks(page, "python")]
    assert examples == [one.strip() for one in (CODES[code].bad, CODES[code].good) if one]


def page_texts(page: str) -> list[str]:
    """Return the paragraphs of a page that are neither headings nor code."""
    without_code = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    paragraphs = [part.strip() for part in without_code.split("\n\n")]
    return [part for part in paragraphs if part and not part.startswith(("#", "**"))]


def test_index_lists_all_codes_in_order() -> None:
    listed = re.findall(r"\[(GSL\d+)\]\(\1\.md\)", PAGES["reference/codes/index.md"])

    assert listed == sorted(CODES)


def test_families_of_codes_have_names() -> None:
    assert {code[:4] for code in CODES} <= set(reference().FAMILIES)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_described(name: str) -> None:
    page = PAGES["reference/cli.md"]
    command = reference().command_of(name)

    assert f"## gslverify {name}\n" in page
    members = command.commands.values() if isinstance(command, click.Group) else [command]
    for member in members:
        for option in member.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert option.opts[-1] in page


def test_every_setting_is_described() -> None:
    page = PAGES["reference/settings.md"]

    for setting in TABLE.values():
        assert f"\n`{setting.name}`\n:   " in page
        assert setting.variable in page


def test_every_operator_is_described_with_its_attributes() -> None:
    page = PAGES["reference/operators.md"]

    of_package = [o for o in REGISTRY.values() if o.rule.__module__.startswith("gsl.operators.")]
    for operator in of_package:
        section = page.split(f"\n## {operator.name}\n")[1].split("\n## ")[0]
        assert all(f"| `{name}` |" in section for name in operator.attributes)


def test_schemas_are_shown_as_they_are_printed() -> None:
    shown = [json.loads(block.text) for block in blocks(PAGES["reference/formats.md"], "json")]

    assert len(shown) == len(SCHEMAS)
    assert all(isinstance(schema, dict) for schema in shown)


def test_tables_have_as_many_cells_as_columns() -> None:
    for path, page in PAGES.items():
        width = 0
        for line in page.splitlines():
            cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
            assert not (width and cells) or cells == width, f"{path}: {line}"
            width = cells


def test_documentation_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="MkDocs is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "outputs-differ" in (
        tmp_path / "reference" / "codes" / "GSL401" / "index.html"
    ).read_text(encoding="utf-8")
