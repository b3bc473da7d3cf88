from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents import Block, blocks, commands, run_document, says, updated

DOCUMENT = """\
Save this as `greeting.txt`:

<!-- file: deep/greeting.txt -->
```text
hello
{more}```

```console
$ cat deep/greeting.txt
hello
$ wc -l < deep/greeting.txt
1
```
"""


def test_files_are_written_and_commands_run(tmp_path: Path) -> None:
    run_document(DOCUMENT.format(more=""), tmp_path)

    assert (tmp_path / "deep" / "greeting.txt").read_text() == "hello\n"


def test_other_output_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="the document says"):
        run_document(DOCUMENT.format(more="world\n"), tmp_path)


def test_gslverify_is_that_of_this_checkout(tmp_path: Path) -> None:
    run_document("```console\n$ gslverify --version\ngslverify 0.1.0\n```\n", tmp_path)


@pytest.mark.parametrize(
    ("printed", "expected", "fits"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\n", False),
        ("a\nb\nc\nd\n", "a\n...\nd\n", True),
        ("a\nd\n", "a\n...\nd\n", True),
        ("a\nb\nc\n", "a\n...\nd\n", False),
        ("a\nb\nc\n", "a\n...\n", True),
        ("took  1.5s", "took 22.7s", True),
        ("two_conv-GSL401-0123abcd.json", "two_conv-GSL401-99999999.json", True),
        ("two_conv-GSL401-0123abcd.json", "two_conv-GSL402-99999999.json", False),
        ("a.b", "acb", False),
        ("PASS  rule  shape: proved", "PASS  rule ...", True),
        ("PASS  rule\nmore", "PASS ...", False),
        ("GSL201    1.3s", "GSL201...", True),
        ("", "", True),
        ("something", "", False),
    ],
)
def test_what_fits(printed: str, expected: str, fits: bool) -> None:
    assert says(printed, expected) is fits


def test_blocks_know_their_files() -> None:
    text = "<!-- file: a.py -->\n```python\nx = 1\n```\n\n```python\ny = 2\n```\n"

    assert blocks(text) == [Block("python", "x = 1\n", "a.py"), Block("python", "y = 2\n")]
    assert blocks(text, "sh") == []


def test_commands_are_split_at_prompts() -> None:
    block = Block("console", "$ one\n1\n1\n$ two\n")

    assert [(c.line, c.expected) for c in commands(block)] == [("one", "1\n1\n"), ("two", "")]
    with pytest.raises(AssertionError, match="before the first command"):
        list(commands(Block("console", "text\n$ one\n")))


def test_documents_are_updated_where_they_show_everything(tmp_path: Path) -> None:
    text = "```console\n$ echo new\nold\n```\n```console\n$ echo some\n...\nlines\n```\n"

    assert updated(text, tmp_path) == text.replace("old", "new")
    assert updated(text.replace("old", "new"), tmp_path) == text.replace("old", "new")
