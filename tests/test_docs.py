"""The documents do what they say: blocks run, commands and options exist, links lead somewhere."""

from __future__ import annotations

import re
import shlex
import tomllib
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from gslverify.commands import COMMANDS
from tests.documents import ROOT, Block, blocks, needed, run_document
from tests.reference import reference

README = ROOT / "README.md"
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
"""Code, in which an axis behind an operator looks like a link."""
MENTIONED = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def has_commands(page: Path) -> bool:
    return any(block.language == "console" for block in blocks(text_of(page)))


EXECUTED = [page for page in PAGES if has_commands(page)]


def test_most_of_the_guides_are_executed() -> None:
    names = {name_of(page) for page in EXECUTED}

    assert {"README.md", "docs/tutorial.md"} <= names
    assert sum(name.startswith("docs/how-to/") for name in names) >= 5


@pytest.mark.tvm
@pytest.mark.parametrize("page", EXECUTED, ids=name_of)
def test_commands_print_what_the_document_says(page: Path, tmp_path: Path) -> None:
    for module in needed(text_of(page)):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    run_document(text_of(page), tmp_path)


def test_readme_has_three_commands_and_ci_runs_them() -> None:
    set_up, corpus, tests = (block.text for block in blocks(text_of(README), "sh")[:3])
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

    first = set_up.split()[-1]
    assert (ROOT / first).is_file()
    assert corpus.strip() == ".venv/bin/gslverify rule_corpus/"
    assert {
        f"step {tests.strip().removeprefix('.venv/bin/')}",
        "step gslverify check rule_corpus/",
    } <= {*ci.splitlines()}


def lines_of(block: Block) -> list[str]:
    """Return the commands of a block of a shell, or of what a console is told."""
    lines = block.text.replace("\\\n", " ").splitlines()
    if block.language == "console":
        return [line[2:] for line in lines if line.startswith("$ ")]
    return lines if block.language == "sh" else []


def calls() -> list[tuple[str, str]]:
    """Return every command line of gslverify in a document, with the name of the document."""
    found = []
    for page in PAGES:
        for block in blocks(text_of(page)):
            for line in lines_of(block):
                for part in re.split(r"[|;>]", line.partition(" #")[0]):
                    words = part.split()
                    if words and words[0].rpartition("/")[2] == "gslverify":
                        found.append((name_of(page), part.strip()))
    return found


def test_calls_are_found() -> None:
    assert len(calls()) > 20


@pytest.mark.parametrize(("page", "line"), calls())
def test_commands_and_options_of_documents_exist(page: str, line: str) -> None:
    words = shlex.split(line)[1:]
    options = {word.partition("=")[0] for word in words if word.startswith("-")}
    if words[0] == "--version":
        return
    name, *rest = words if words[0] in COMMANDS else ["check", *words]
    command = reference().command_of(name)
    if isinstance(command, click.Group):
        command = command.commands[rest[0]]
    known = {flag for one in command.params for flag in (*one.opts, *one.secondary_opts)}

    assert options <= known | {"--help"}


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/**/*.md")), ids=name_of)
def test_python_blocks_of_the_docs_run(page: Path) -> None:
    scope: dict[str, object] = {"__name__": "docs"}
    for block in blocks(text_of(page), "python"):
        if block.file:
            continue  # the commands of the page run it, in processes of their own
        exec(compile(block.text, str(page), "exec"), scope)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_settings_in_documents_are_toml(page: Path) -> None:
    for block in blocks(text_of(page), "toml"):
        assert tomllib.loads(block.text)


@lru_cache
def generated() -> frozenset[Path]:
    return frozenset(ROOT / "docs" / path for path in reference().pages())


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for target in MENTIONED.findall(CODE.sub("", text_of(page))):
        path = (page.parent / target).resolve()
        assert path.exists() or path in generated(), target
