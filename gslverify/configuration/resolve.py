"""Put settings together: a flag outdoes the environment, that a profile, that the file."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gsl.errors import did_you_mean
from gslverify.codes import CODES
from gslverify.configuration.file import (
    SettingsError,
    Value,
    built_in_profiles,
    find_file,
    read_file,
)
from gslverify.configuration.table import ENVIRONMENT_PREFIX, FLAG_VARIABLES, TABLE
from gslverify.kinds import seen_from
from gslverify.project import project_root
from gslverify.settings import Settings, automatic_jobs, enough_examples

DEFAULT = "default"
"""Origin of values that nobody gave."""

WIDEST = 40
"""Columns of the longest value behind which origins are still aligned."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """All settings with their origins."""

    values: Mapping[str, Value]

    def __getitem__(self, name: str) -> Any:
        return self.values[name].value

    @property
    def settings(self) -> Settings:
        """Those that the verifier needs."""
        known = {field.name for field in fields(Settings)}
        values = {TABLE[name].key: value.value for name, value in self.values.items()}
        return Settings(**{key: value for key, value in values.items() if key in known})


def resolve(
    flags: Mapping[str, Any],
    environment: Mapping[str, str],
    folder: Path | None = None,
    more: Mapping[str, Value] = MappingProxyType({}),
) -> Resolved:
    """Return all settings, given the flags that were used by the names of their settings.

    `more` is what another file says, which outdoes the settings file.

    Raises SettingsError for what is wrong in the environment, in the settings file of `folder`
    (default: the working directory) or a folder above it, or about the profile.
    """
    here = (folder or Path.cwd()).resolve()
    path = find_file(here)
    file = None if path is None else read_file(path, here)
    given = {name: Value(value, "flag") for name, value in flags.items() if value is not None}
    variables = dict(_variables(environment))
    root = project_root(here)
    defaults = {
        name: Value(seen_from(here, root, setting.kind, setting.default), DEFAULT)
        for name, setting in TABLE.items()
    }
    if environment.get("CI"):
        defaults["strict-baseline"] = Value(True, "default, as CI is set")
    written = {**({} if file is None else file.values), **more}
    name = {**defaults, **written, **variables, **given}["profile"]
    profiles = {} if file is None else file.profiles
    merged = {**defaults, **written, **_profile(name, profiles), **variables, **given}
    _require_warnings(merged)
    return Resolved(dict(_completed(merged)))


def _profile(chosen: Value, written: Mapping[str, Mapping[str, Value]]) -> dict[str, Value]:
    built_in = built_in_profiles()
    if chosen.value not in built_in and chosen.value not in written:
        known = [*built_in, *written]
        hint = did_you_mean(chosen.value, known) or f"profiles are {', '.join(known)}"
        raise SettingsError(f"there is no profile `{chosen.value}` ({chosen.origin}); {hint}")
    return {**built_in.get(chosen.value, {}), **written.get(chosen.value, {})}


def _variables(environment: Mapping[str, str]) -> Iterator[tuple[str, Value]]:
    known = {setting.variable: (setting, False) for setting in TABLE.values()}
    known |= {s.opposite_variable: (s, True) for s in TABLE.values() if s.opposite_variable}
    for variable, text in sorted(environment.items()):
        if not variable.startswith(ENVIRONMENT_PREFIX) or variable in FLAG_VARIABLES.values():
            continue
        if variable not in known:
            hint = _meant(variable, known) or "see `gslverify check --show-settings`"
            raise SettingsError(f"the variable {variable} of the environment means nothing; {hint}")
        setting, opposite = known[variable]
        try:
            value = setting.kind.of_text(text)
        except ValueError as error:
            raise SettingsError(f"{variable} in the environment: {error}") from None
        yield setting.name, Value(value != opposite if opposite else value, f"{variable}")


def _require_warnings(values: Mapping[str, Value]) -> None:
    """Refuse to leave out what decides a verdict; only warnings can be."""
    named = [(name, code) for name in ("select", "ignore") for code in values[name].value]
    rules = values["per-rule-ignores"].value
    named += [("per-rule-ignores", code) for _, codes in rules for code in codes]
    for name, code in named:
        meant = [known for known in CODES.values() if code and known.id.startswith(code)]
        place = f"{name} ({values[name].origin})"
        if not meant:
            hint = did_you_mean(code, CODES) or "see `gslverify explain --list`"
            raise SettingsError(f"{place}: {code or 'nothing'} is no code; {hint}")
        if not any(known.is_warning for known in meant):
            raise SettingsError(
                f"{place}: {code} decides the verdict of a rule and cannot be left out; "
                f'correct the rule, or declare @rule(expect="{meant[0]}")'
            )


def _meant(variable: str, known: Iterable[str]) -> str:
    names = {name.removeprefix(ENVIRONMENT_PREFIX): name for name in known}
    hint = did_you_mean(variable.removeprefix(ENVIRONMENT_PREFIX), names)
    return hint.replace("`", f"`{ENVIRONMENT_PREFIX}", 1)


def _completed(values: Mapping[str, Value]) -> Iterator[tuple[str, Value]]:
    """Replace what stands for a choice of ours: automatic jobs, a random seed, enough graphs."""
    most, least = values["max-examples"], values["min-examples"]
    for name, value in values.items():
        match name, value.value:
            case "jobs", "auto":
                yield name, Value(automatic_jobs(), f"{value.origin}, auto")
            case "seed", "random":
                yield name, Value(secrets.randbelow(2**32), f"{value.origin}, random")
            case "min-examples", _ if value.origin == DEFAULT:
                yield name, Value(enough_examples(most.value), DEFAULT)
            case _:
                yield name, value
    if least.origin != DEFAULT and least.value > most.value:
        raise SettingsError(
            f"--min-examples {least.value} can never be reached with -n {most.value}; "
            "raise -n or lower it"
        )


def settings_lines(resolved: Resolved) -> Iterator[str]:
    """Yield a line for each setting: its name, its value, and where that came from."""
    values = resolved.values
    texts = {name: TABLE[name].kind.to_text(value.value) or "-" for name, value in values.items()}
    names, widths = max(map(len, texts)), min(max(map(len, texts.values())), WIDEST)
    for name, text in texts.items():
        yield f"{name:<{names}}  {text:<{widths}}  {values[name].origin}"
