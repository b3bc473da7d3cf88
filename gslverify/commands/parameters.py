"""Arguments and options that commands share, and what is wrong with their values."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import reduce, wraps
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from gsl.errors import did_you_mean
from gslverify import settings
from gslverify.configuration.file import SettingsError
from gslverify.configuration.resolve import Resolved, resolve
from gslverify.configuration.table import FLAG_VARIABLES, TABLE, Setting, of_group
from gslverify.kinds import Kind
from gslverify.report.formats import FORMATS
from gslverify.settings import Settings, automatic_jobs

PATHS = "PATH|PATH::RULE ..."
WRITTEN_BY_HAND = (".py", ".toml")
"""Suffixes of files that no report may take the place of."""
DEFAULTS = Settings()

Command = Callable[..., Any]


def paths(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...] | str
) -> tuple[str, ...] | str:
    """Refuse a selector that names no file, or no rule behind its two colons."""
    for text in (given,) if isinstance(given, str) else given:
        path, separator, name = text.partition("::")
        if not path:
            raise click.BadParameter(f"`{text}` names no file; write FILE, FOLDER or FILE::RULE")
        if separator and not name:
            raise click.BadParameter(f"`{text}` names no rule; write {path} or {path}::RULE")
    return given


def writable_file(path: Path) -> Path:
    """Return a path that can be written to; raise BadParameter for one that cannot be."""
    folder = path.absolute().parent
    if path.is_dir():
        raise click.BadParameter(f"`{path}` is a folder; name a file")
    if not folder.is_dir():
        raise click.BadParameter(f"there is no folder `{path.parent}`")
    if path.suffix in WRITTEN_BY_HAND and path.exists():
        raise click.BadParameter(f"`{path}` would be lost; name a file that nobody has written")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise click.BadParameter(f"`{path}` cannot be written; check its permissions")
    return path


def output_file(
    context: click.Context, parameter: click.Parameter, path: Path | None
) -> Path | None:
    """Refuse a file that cannot be written because of where it is."""
    return None if path is None else writable_file(path)


def reports(
    context: click.Context, parameter: click.Parameter, texts: Iterable[str]
) -> tuple[tuple[str, Path], ...]:
    """Read FMT=PATH, each a report beside the usual output."""
    found = []
    for text in texts:
        name, separator, path = text.partition("=")
        if not separator or not path:
            raise click.BadParameter(f"`{text}` is not FMT=PATH, such as sarif=gslverify.sarif")
        if name not in FORMATS:
            hint = did_you_mean(name, FORMATS) or f"formats are {', '.join(FORMATS)}"
            raise click.BadParameter(f"there is no format `{name}`; {hint}")
        found.append((name, writable_file(Path(path))))
    return tuple(found)


def jobs(context: click.Context, parameter: click.Parameter, text: str) -> int:
    """Read a number of workers."""
    try:
        number = TABLE["jobs"].kind.of_text(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    return automatic_jobs() if number == "auto" else int(number)


class SettingType(click.ParamType[Any]):
    """The type of an option: reads text as the kind of its setting says."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.name = kind.metavar

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value that `value` spells; fail with what is wrong with it."""
        try:
            return self.kind.of_text(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(str(error), param, ctx)


def option(setting: Setting) -> Command:
    """Return the option of a setting; its value is None where it was not used."""
    if setting.kind.is_switch:
        return click.option(
            *setting.declarations, setting.key, is_flag=True, default=None, help=setting.help
        )
    return click.option(
        *setting.declarations,
        setting.key,
        type=SettingType(setting.kind),
        default=None,
        metavar=setting.kind.metavar,
        help=f"{setting.help}{_default_text(setting)}",
    )


def _default_text(setting: Setting) -> str:
    default = setting.default
    text = "-" if default in ((), "") else setting.kind.to_text(default)
    return "" if text == "-" or "efault" in setting.help else f" Default: {text}."


def _options(settings: Iterable[Setting]) -> tuple[Command, ...]:
    return tuple(option(setting) for setting in settings if setting.declarations)


PATHS_ARGUMENT = click.argument("paths", nargs=-1, callback=paths, metavar=PATHS)

RULES = (
    PATHS_ARGUMENT,
    click.option(
        "-k",
        "expression",
        default="",
        envvar=FLAG_VARIABLES["-k"],
        metavar="EXPR",
        help="Only rules whose name or tags fit, such as 'conv and not group'.",
    ),
)
"""How rules are named: files, folders, and an expression."""

SELECTION = (*RULES, *_options(of_group(settings.SELECTION)))

EFFORT = (
    *_options(of_group(settings.EFFORT)),
    click.option("-x", "stop_at_first", is_flag=True, help="The same as --max-failures 1."),
    *_options(of_group(settings.LIMITS)),
)

FOR_RULES_ONLY = ("hints", "keep-going", "library", "max-failures")
EFFORT_FOR_MUTANTS = _options(
    one
    for group in (settings.EFFORT, settings.LIMITS)
    for one in of_group(group)
    if one.name not in FOR_RULES_ONLY
)
"""Without what concerns failures and libraries: it is good news when a mutant fails."""

GATE = _options(one for one in of_group(settings.GATE) if one.name != "baseline")

BASELINE = option(TABLE["baseline"])

BASELINE_OR_NONE = (
    BASELINE,
    click.option(
        "--no-baseline",
        is_flag=True,
        envvar=FLAG_VARIABLES["--no-baseline"],
        help="Compare with no file of known results.",
    ),
)

STORAGE = _options(of_group(settings.STORAGE))

REPORTS = (
    *_options(of_group(settings.OUTPUT)),
    click.option(
        "-o",
        "output_file",
        type=click.Path(path_type=Path),
        callback=output_file,
        envvar=FLAG_VARIABLES["-o"],
        metavar="FILE",
        help="Write the report to FILE and the usual text to the terminal.",
    ),
    click.option(
        "--report",
        "reports",
        multiple=True,
        callback=reports,
        envvar=FLAG_VARIABLES["--report"],
        metavar="FMT=PATH",
        help="Write one more report, such as sarif=gslverify.sarif; may be given again.",
    ),
)

OUTPUT = (
    *REPORTS,
    click.option(
        "--watch",
        "watching",
        is_flag=True,
        envvar=FLAG_VARIABLES["--watch"],
        help="Verify again what changes, until Ctrl-C.",
    ),
    click.option(
        "--show-settings",
        is_flag=True,
        envvar=FLAG_VARIABLES["--show-settings"],
        help="Show all settings with their origins and stop.",
    ),
)


def resolved_settings(options: Mapping[str, Any]) -> Resolved:
    """Return all settings, given the options of a command; raise UsageError for a mistake."""
    flags = {name: options.get(setting.key) for name, setting in TABLE.items()}
    if options.get("stop_at_first"):
        flags["max-failures"] = 1
    if options.get("no_baseline"):
        flags["baseline"] = ""
    try:
        return resolve(flags, os.environ)
    except SettingsError as error:
        raise click.UsageError(str(error)) from error


def with_options(options: tuple[Command, ...]) -> Command:
    """Return a decorator that gives a command all of `options`, in their order."""
    return lambda command: reduce(lambda inner, option: option(inner), reversed(options), command)


def acted(declared: Callable[..., None]) -> Callable[..., None]:
    """Make a command do what the function of the same name does in the same module of `actions`.

    What verifies takes longer to load than all else: help and mistakes are told without it.
    """

    @wraps(declared)
    def act(**options: Any) -> None:
        module = declared.__module__.replace(".commands.", ".actions.")
        getattr(import_module(module), declared.__name__)(**options)

    return act
