"""Packages that not every installation has, and the extras that bring them."""

from __future__ import annotations

EXTRAS = {
    **dict.fromkeys(("tvm", "tvm_ffi"), "tvm"),
    **dict.fromkeys(("onnx", "onnx_ir", "torch"), "models"),
    "jinja2": "report",
    "distributed": "distributed",
    "watchfiles": "watch",
}
"""The extra of each package."""


def cure_of(error: Exception) -> str:
    """Return which package an error misses and how to install it, or nothing if it is another."""
    package = (getattr(error, "name", None) or "").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError) or package not in EXTRAS:
        return ""
    cure = f"install gslverify[{EXTRAS[package]}]"
    return f"this needs the package `{package}`, which is not here; {cure}"
