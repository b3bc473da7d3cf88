"""The versions of everything that results depend on, without importing any of it."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from gslverify import __version__

DISTRIBUTIONS = {
    "tvm": "apache-tvm",
    "z3": "z3-solver",
    "hypothesis": "hypothesis",
    "numpy": "numpy",
}
"""Tools that results depend on, and the distributions that tell their versions."""


def tool_versions() -> dict[str, str]:
    """Return the versions of everything that results depend on; "absent" is not installed."""
    found = {"gslverify": __version__, "gsl": __version__}
    for tool, distribution in DISTRIBUTIONS.items():
        try:
            found[tool] = version(distribution)
        except PackageNotFoundError:
            found[tool] = "absent"
    return found
