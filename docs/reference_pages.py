"""Reference pages made while the documentation is built, from what the program itself uses.

A hook of MkDocs; `pages` can be called without it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from inspect import cleandoc
from itertools import groupby
from typing import Any

import click

import gslverify.codes  # noqa: F401  (registers the codes)
from gsl.operators import REGISTRY, Operator
from gsl.operators.declaration import REQUIRED
from gslverify.commands import COMMANDS
from gslverify.commands.schema import SCHEMAS
from gslverify.configuration.table import FLAG_VARIABLES, TABLE, Setting
from gslverify.finding import CODES, Code

FAMILIES = {
    "GSL1": "The text of a rule (static)",
    "GSL2": "Whether anything can match (satisfiable)",
    "GSL3": "Shapes, dtypes and proofs (shape, prove)",
    "GSL4": "Values and gradients (numeric, gradient)",
    "GSL5": "Graphs that the author names (examples)",
    "GSL6": "Expectations, ignores and the gate",
    "GSL7": "Rules as a library",
    "GSL8": "Rules and passes of other libraries",
    "GSL9": "The verifier itself",
}


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages to the files of a site; MkDocs calls this."""
    structure = import_module("mkdocs.structure.files")
    for path, text in pages().items():
        files.append(structure.File.generated(config, path, content=text))
    return files


def pages() -> Mapping[str, str]:
    """Return all generated pages: the text in Markdown by path."""
    return {
        "reference/cli.md": _joined(cli_page()),
        "reference/settings.md": _joined(settings_page()),
        "reference/formats.md": _joined(schema_page()),
        "reference/operators.md": _joined(operators_page()),
        "reference/codes/index.md": _joined(code_index()),
        **{f"reference/codes/{code}.md": _joined(code_page(code)) for code in CODES.values()},
    }


def _joined(lines: Iterator[str]) -> str:
    return "\n".join(lines) + "\n"


def code_index() -> Iterator[str]:
    """Yield the list of all codes by family."""
    yield "# Codes\n"
    yield "Everything that gslverify finds has a code. A code is never used for anything else"
    yield "again. `gslverify explain CODE` prints the same pages.\n"
    ordered = sorted(CODES.values(), key=lambda code: code.id)
    for family, members in groupby(ordered, key=lambda code: code.id[:4]):
        yield f"\n## {FAMILIES.get(family, family)}\n"
        yield "| code | verdict | name | meaning |"
        yield "|---|---|---|---|"
        for code in members:
            link, title = f"[{code}]({code}.md)", _cell(code.title)
            yield f"| {link} | {verdict_of(code)} | {code.name} | {title} |"


def code_page(code: Code) -> Iterator[str]:
    """Yield the page of one code: title, verdict, meaning, a rule file with it and one without."""
    yield f"# {code}: {code.title}\n"
    yield f"**{code.name}**, {verdict_of(code)}\n"
    yield cleandoc(code.meaning)
    for title, example in (("A rule file with it", code.bad), ("The same without it", code.good)):
        if example:
            yield f"\n## {title}\n"
            yield f"```python\n{example.rstrip()}\n```"


def verdict_of(code: Code) -> str:
    """Return what a code does to its rule."""
    return "warning" if code.is_warning else code.verdict.value


def cli_page() -> Iterator[str]:
    """Yield usage, text and options of every command."""
    yield "# Command line\n"
    yield "`gslverify PATH` is short for `gslverify check PATH`.\n"
    for name in COMMANDS:
        yield from _command(command_of(name), ("gslverify", name))


def command_of(name: str) -> click.Command:
    """Return a command of gslverify."""
    module, _, attribute = COMMANDS[name][0].partition(":")
    command: click.Command = getattr(import_module(module), attribute)
    return command


def _command(command: click.Command, words: tuple[str, ...]) -> Iterator[str]:
    context = click.Context(command, info_name=" ".join(words))
    pieces = command.collect_usage_pieces(context)
    yield f"\n{'#' * len(words)} {' '.join(words)}\n"
    yield f"```text\n{' '.join([*words, *pieces])}\n```\n"
    yield _prose(command.help or "")
    options = [one for one in command.params if isinstance(one, click.Option)]
    rows = [one.get_help_record(context) for one in options]
    known = [row for row in rows if row is not None]
    for flags, text in known:
        yield f"\n`{flags}`\n:   {_one_line(text)}"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from _command(inner, (*words, name))


def settings_page() -> Iterator[str]:
    """Yield a table of all settings."""
    yield "# Settings\n"
    yield "A setting is a flag, an environment variable and a key of `[tool.gslverify]` in"
    yield "`pyproject.toml`; a flag outdoes the environment, and that the file. `gslverify check"
    yield "--show-settings` prints the values that count and where each comes from.\n"
    flags = ", ".join(f"`{flag}` is `{name}`" for flag, name in FLAG_VARIABLES.items())
    yield f"Flags of `check` that are no settings have variables as well: {flags}, and `-x` is"
    yield f"`{TABLE['max-failures'].variable}=1`. A report goes by `FMT=PATH`, several with spaces"
    yield "between them.\n"
    for group, settings in groupby(TABLE.values(), key=lambda setting: setting.group):
        yield f"\n## {group.capitalize()}\n"
        yield from map(_setting, settings)


def _setting(setting: Setting) -> str:
    places = [f"`{flag}`" for flag in setting.declarations] + [f"`{setting.variable}`"]
    default = setting.default
    known = default not in ((), "")
    text = f"; default `{setting.kind.to_text(default)}`" if known else ""
    return f"\n`{setting.name}`\n:   {_one_line(setting.help)} ({', '.join(places)}{text})"


def schema_page() -> Iterator[str]:
    """Yield the JSON Schemas of files."""
    yield "# Files for programs\n"
    yield "Fields are added, never changed or removed, within one version of a schema."
    yield "`gslverify schema NAME` prints the same.\n"
    for name, place in SCHEMAS.items():
        module, _, attribute = place.partition(":")
        schema = getattr(import_module(module), attribute)
        yield f"\n## {name}\n"
        yield f"```json\n{json.dumps(schema, indent=2, sort_keys=True)}\n```"


def operators_page() -> Iterator[str]:
    """Yield every declared operator with operands, attributes and documentation."""
    yield "# Operators\n"
    yield f"The {len(REGISTRY)} operators that rules can use as `op.NAME(...)`. Another operator"
    yield "of a model passes through as an opaque call, which only wildcards match.\n"
    for name in sorted(REGISTRY):
        yield from _operator(REGISTRY[name])


def _operator(operator: Operator) -> Iterator[str]:
    operands = [f"({one.name}, ...)" if one.is_tuple else one.name for one in operator.operands]
    yield f"\n## {operator.name}\n"
    yield f"`{operator.name}({', '.join(operands)})`\n"
    yield _prose(operator.documentation)
    if operator.elsewhere:
        said = "; ".join(f"{system}: {known.text}" for system, known in operator.elsewhere.items())
        yield f"\nWhere it is not defined here: {said}.\n"
    if operator.attributes:
        yield "\n| attribute | default |"
        yield "|---|---|"
        for attribute in operator.attributes.values():
            required = attribute.default is REQUIRED
            default = "required" if required else f"`{_cell(repr(attribute.default))}`"
            yield f"| `{attribute.name}` | {default} |"


def _prose(text: str) -> str:
    """Return text for people with what Markdown would take for markup left alone."""
    return cleandoc(text).replace("\b\n", "").replace("<", "&lt;").replace("``", "`")


def _cell(text: str) -> str:
    return _one_line(text).replace("|", "\\|")


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("<", "&lt;")
