"""Documents that are executed: files that they show are written, commands that they show are run.

A code block belongs to a file when a comment `<!-- file: NAME -->` stands before it. Blocks of
`console` have commands behind `$ ` and below them what they print; a line `...` stands for any
number of lines, `...` in a line for its rest, and seconds and hashes of file names may differ. Of a
block of `python` that is no file, all that is asked is that it runs, together with those before it.
A comment `<!-- needs: torch onnxscript -->` names modules without which no commands are run.

`python -m tests.documents README.md` puts what commands print now in place of what the document
says, but for those with a line `...`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(
    r"^(?:<!-- file: (?P<file>\S+) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
ANY_LINES = "..."


@dataclass(frozen=True)
class Block:
    """A block of code, and the file that it shows, if it does."""

    language: str
    text: str
    file: str = ""


@dataclass(frozen=True)
class Command:
    """A command with the lines that the document says it prints."""

    line: str
    expected: str


def blocks(text: str, language: str = "") -> list[Block]:
    """Return the blocks of a document, those of one language if one is named."""
    found = [Block(m["language"], m["text"], m["file"] or "") for m in BLOCK.finditer(text)]
    return [block for block in found if not language or block.language == language]


def needed(text: str) -> list[str]:
    """Return the modules without which the commands of a document cannot be run."""
    return [name for names in re.findall(r"<!-- needs: (.*) -->", text) for name in names.split()]


def commands(block: Block) -> Iterator[Command]:
    """Yield the commands of a block of `console`."""
    parts = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)
    assert not parts[0].strip(), f"text before the first command: {parts[0]!r}"
    for line, expected in zip(parts[1::2], parts[2::2], strict=True):
        yield Command(line, expected)


def run_document(text: str, folder: Path) -> None:
    """Write the files of a document and run its commands in `folder`, in their order."""
    for command, printed in executed(text, folder):
        assert says(printed, command.expected), explained(command, printed)


def executed(text: str, folder: Path) -> Iterator[tuple[Command, str]]:
    """Yield every command of a document with what it prints."""
    for block in blocks(text):
        if block.file:
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            for command in commands(block):
                yield command, output_of(command.line, folder)


def updated(text: str, folder: Path) -> str:
    """Return a document that says what its commands print now; lines `...` stay as they are."""
    for command, printed in list(executed(text, folder)):
        if ANY_LINES not in command.expected and not says(printed, command.expected):
            old = f"$ {command.line}\n{command.expected}"
            text = text.replace(old, f"$ {command.line}\n{printed.rstrip()}\n")
    return text


def output_of(line: str, folder: Path) -> str:
    """Return what a command prints, first to its output and then to its errors."""
    tools = folder / ".tools"
    tools.mkdir(exist_ok=True)
    for name in ("gslverify", "pytest"):
        tool = tools / name
        tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {name} "$@"\n', encoding="utf-8")
        tool.chmod(0o755)
    environment = {
        **{name: value for name, value in os.environ.items() if name not in ("CI", "FORCE_COLOR")},
        "PATH": f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "100",
    }
    done = subprocess.run(
        ["sh", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + (done.stderr if not done.stdout else "")


def says(printed: str, expected: str) -> bool:
    """Tell whether a command printed what its document says."""
    pattern = ""
    for line in without_times(expected).splitlines():
        if line.strip() == ANY_LINES:
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(map(re.escape, line.split(ANY_LINES))) + r"\n"
    return re.fullmatch(pattern or r"\n", without_times(printed) + "\n") is not None


def without_times(text: str) -> str:
    """Blank out seconds with the padding before them, searches, and hashes in names of files."""
    text = re.sub(r" +\d+\.\d+s|(?<=found after )\d+ graphs?", "  TIME", text)
    text = re.sub(r"-[0-9a-f]{8}\.json", "-HASH.json", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def explained(command: Command, printed: str) -> str:
    """Return the message of a failure."""
    return f"\n$ {command.line}\n--- the document says\n{command.expected}\n--- printed\n{printed}"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        document = Path(name)
        with tempfile.TemporaryDirectory() as place:
            new_text = updated(document.read_text(encoding="utf-8"), Path(place))
        document.write_text(new_text, encoding="utf-8")
