"""Options and ini keys of the plugin; plain data, since pytest reads them in every run."""

from __future__ import annotations

SETTINGS = {
    "profile": (
        "NAME",
        "settings under a name, or those of --hypothesis-profile",
    ),
    "stages": ("LIST", "stages to run; the first always runs"),
    "max-examples": ("N", "graphs per rule in the numeric stage"),
    "min-examples": ("N", "graphs below which the numeric stage is inconclusive"),
    "draws": ("N", "inputs drawn for a graph"),
    "seed": ("N", "start of all random choices; falls back to --hypothesis-seed"),
    "budget": ("60s|10m", "time for all rules of the session, divided among its workers"),
    "rule-budget": ("60s|10m", "time for one rule"),
    "shrink-budget": ("60s|10m", "time for making a counterexample smaller"),
    "hint-budget": ("60s|10m", "time for finding the condition that a refuted rule lacks"),
    "solver-timeout": ("60s|10m", "limit of one solver query"),
    "certificates": ("DIR", "folder for the certificates of proofs"),
    "proof-steps": ("N", "steps of the proof of one structure"),
    "stage-timeout": ("60s|10m", "time for one stage of one rule"),
    "load-timeout": ("60s|10m", "time for importing a rule file"),
    "require": ("complete|proved|tested", "what every structure of a rule has to be to pass"),
    "baseline": ("FILE", "known results: what it knows to fail is no failure"),
    "select": ("CODES", "only these warnings are reported"),
    "ignore": ("CODES", "warnings that are not reported"),
    "per-rule-ignores": ("PATTERN:CODE", "warnings that are not reported for some rules"),
}
"""Settings that are options with a value: placeholder and help."""

SWITCHES = {
    "tvm": ("--gsl-no-tvm", False, "run rules on NumPy only"),
    "hints": ("--gsl-no-hints", False, "look for no condition that a refuted rule lacks"),
    "cache": ("--gsl-no-cache", False, "use no results of earlier runs"),
    "allow-inconclusive": ("--gsl-allow-inconclusive", True, "what passed may be inconclusive"),
    "strict-baseline": ("--gsl-strict-baseline", True, "what is out of date fails the session"),
    "keep-going": ("--gsl-keep-going", True, "run later stages of refuted rules, too"),
}
"""Settings that are flags: the flag, the value that it stands for, and help of the flag."""


def destination(name: str) -> str:
    """Return the name under which pytest keeps an option or ini key."""
    return f"gsl_{name.replace('-', '_')}"
