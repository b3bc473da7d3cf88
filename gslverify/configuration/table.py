"""The table of settings: one entry is a flag, an environment variable and a key of the file.

It is made of the fields of `Settings`, of what is verified, and of `Appearance`, of what is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from gslverify.kinds import SWITCH, Kind, choice
from gslverify.report.formats import FORMATS
from gslverify.settings import OUTPUT, Settings, setting
from gslverify.stage_names import STAGES

ENVIRONMENT_PREFIX = "GSLVERIFY_"

FLAG_VARIABLES = {
    flag: ENVIRONMENT_PREFIX + name
    for flag, name in {
        "-k": "K",
        "-o": "OUTPUT_FILE",
        "--mutant": "MUTANT",
        "--no-baseline": "NO_BASELINE",
        "--report": "REPORT",
        "--show-settings": "SHOW_SETTINGS",
        "--watch": "WATCH",
    }.items()
}
"""The variables of flags that are no settings; -x is a short --max-failures 1."""


@dataclass(frozen=True, slots=True)
class Appearance:
    """How the commands show what they have found out."""

    output_format: str = setting(
        "full",
        choice(FORMATS),
        OUTPUT,
        "Format of the report; all but full and concise replace the text where no -o is given.",
    )
    quiet: bool = setting(
        False, SWITCH, OUTPUT, "Only problems, and the summary.", flags=("-q", "--quiet")
    )
    verbose: bool = setting(
        False, SWITCH, OUTPUT, "Times, counts and all that was found.", flags=("-v", "--verbose")
    )
    view: str = setting(
        "listing",
        choice(("listing", "tree")),
        OUTPUT,
        "How the text shows the networks of counterexamples.",
    )
    report_full: bool = setting(
        False,
        SWITCH,
        OUTPUT,
        "Draw the rules without problems, too, in a report as HTML.",
        flags=("--report-full",),
    )
    show_stats: bool = setting(
        False, SWITCH, OUTPUT, "Where the time went.", flags=("--show-stats",)
    )
    color: str = setting(
        "auto",
        choice(("auto", "always", "never")),
        OUTPUT,
        "Colour on standard output; auto heeds NO_COLOR and FORCE_COLOR.",
    )
    ascii: bool = setting(False, SWITCH, OUTPUT, "No characters outside ASCII.", flags=("--ascii",))


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    Attributes:
        name: key in the file; the flag and the variable are made of it.
        key: the field that holds the value.
        kind: how its values are written.
        help: what it does, for `--help` and for the reference.
        group: where it stands in the help.
        default: the value that it has where nobody gives one.
        flags: declarations of the flag, if it differs from `--name`; () is no flag.
    """

    name: str
    key: str
    kind: Kind
    help: str
    group: str
    default: Any
    flags: tuple[str, ...] | None = None

    @property
    def declarations(self) -> tuple[str, ...]:
        """How the flag is written; a switch has its opposite beside it."""
        if self.flags is not None:
            return self.flags
        flag = f"--{self.name}"
        return (f"{flag}/--no-{self.name}",) if self.kind.is_switch else (flag,)

    @property
    def variable(self) -> str:
        """The name of the environment variable."""
        return ENVIRONMENT_PREFIX + self.name.upper().replace("-", "_")

    @property
    def opposite_variable(self) -> str:
        """The variable of the flag that turns a switch off; empty for other settings."""
        if not self.kind.is_switch:
            return ""
        return f"{ENVIRONMENT_PREFIX}NO_{self.name.upper().replace('-', '_')}"


def _settings_of(record: type) -> Iterator[Setting]:
    for field in fields(record):
        about = dict(field.metadata.get("setting", ()))
        if about:
            name = about.pop("name", field.name.replace("_", "-"))
            default = about.pop("shown", field.default)
            yield Setting(name=name, key=field.name, default=default, **about)


TABLE: dict[str, Setting] = {
    one.name: one for record in (Settings, Appearance) for one in _settings_of(record)
}
"""All settings by name."""

PROFILES: dict[str, dict[str, Any]] = {
    "dev": {},
    "ci": {"strict-baseline": True, "library": True},
    "deep": {
        "stages": list(STAGES),
        "max-examples": 1000,
        "rule-budget": "30m",
        "stage-timeout": "30m",
    },
}
"""Profiles that everybody has, as they would be written in the file."""


def of_group(group: str) -> tuple[Setting, ...]:
    """Return the settings that stand together in the help."""
    return tuple(one for one in TABLE.values() if one.group == group)
