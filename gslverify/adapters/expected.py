"""Libraries in versions that the adapters were not written for, without importing any of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

DISTRIBUTIONS = {
    "onnx": ("onnx", "onnxruntime", "onnxoptimizer", "onnxslim"),
    "onnxscript": ("onnxscript", "onnx", "onnxruntime"),
    "relax": ("apache-tvm",),
    "torch": ("torch",),
}
"""The distributions whose interfaces an adapter uses, by library."""

BOUND = re.compile(r"(<|>=)([\d.]+)")


def other_versions(library: str) -> Iterator[str]:
    """Yield a line for each distribution of a library in another version than the extras name."""
    for name in DISTRIBUTIONS.get(library, ()):
        wanted = _wanted(name)
        try:
            found = version(name)
        except PackageNotFoundError:
            continue
        if not _fits(found, wanted):
            yield f"{name} {found} is installed, and gslverify is for {name}{wanted}"


def _wanted(name: str) -> str:
    """Return the range of versions that an extra of gslverify names, such as `<0.8,>=0.7.2`."""
    try:
        lines = requires("gslverify") or []
    except PackageNotFoundError:
        return ""
    found = (re.fullmatch(r"([\w-]+)([^;\[]*);.*", line) for line in lines)
    return next((one[2].strip() for one in found if one and one[1] == name), "")


def _fits(found: str, wanted: str) -> bool:
    numbers = _numbers(re.match(r"[\d.]*", found)[0])  # type: ignore[index]
    return all(
        numbers < _numbers(bound) if sign == "<" else numbers >= _numbers(bound)
        for sign, bound in BOUND.findall(wanted)
    )


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part)
