"""Cases: a kernel in a JSON file, with the tensors to which a gradient is wanted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gsl.errors import KernelError, did_you_mean
from gsl.kernel.gradient import differentiate
from gsl.kernel.parser import parse
from gsl.kernel.printer import print_kernel
from gsl.kernel.statement import Kernel

KEYS: Mapping[str, type] = {
    "name": str,
    "ins": list,
    "outs": list,
    "data_type": str,
    "kernel": str,
    "grad_to": list,
}
KINDS: Mapping[type, str] = {str: "a text", list: "a list of names"}


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel, and the inputs to which its gradient is wanted."""

    kernel: Kernel
    wanted: tuple[str, ...]

    def gradient(self) -> Kernel:
        """Return the gradient; raise KernelError if there is none."""
        return differentiate(self.kernel, self.wanted)


def read_case(path: Path) -> Case:
    """Read ``{"name", "ins", "outs", "data_type", "kernel", "grad_to"}`` from a JSON file.

    Raises KernelError, which names the file, the place and the cure, for anything else.
    """
    try:
        text = path.read_text(encoding="utf-8")
        return case_of(json.loads(text, object_pairs_hook=_with_distinct_keys))
    except OSError as error:
        raise KernelError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise KernelError(f"{path}: is no text in UTF-8") from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise KernelError(f"{path}: is no JSON: {place}: {error.msg}") from error
    except ValueError as error:
        raise KernelError(f"{path}: is no JSON: {error}") from error
    except RecursionError as error:
        raise KernelError(f"{path}: is nested too deep") from error
    except KernelError as error:
        raise KernelError(f"{path}: {error}") from error


def _with_distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for key, count in Counter(key for key, _ in pairs).items():
        if count > 1:
            raise KernelError(f"the key `{key}` is given twice")
    return dict(pairs)


def case_of(value: Any) -> Case:
    """Return the case that a JSON object describes; raise KernelError if it is none."""
    if not isinstance(value, dict):
        raise KernelError(f"a case is an object with the keys {', '.join(KEYS)}")
    for key in value:
        if key not in KEYS:
            cure = did_you_mean(key, KEYS) or f"the keys are {', '.join(KEYS)}"
            raise KernelError(f"`{key}` is no key of a case; {cure}")
    for key, kind in KEYS.items():
        if key not in value:
            raise KernelError(f"the key `{key}` is missing; it is {KINDS[kind]}")
        is_right = isinstance(value[key], kind)
        if not is_right or (kind is list and not all(isinstance(one, str) for one in value[key])):
            raise KernelError(f"`{key}` is {KINDS[kind]}, not {value[key]!r}")
    try:
        kernel = parse(
            value["kernel"], value["ins"], value["outs"], value["name"], value["data_type"]
        )
    except KernelError as error:
        raise KernelError(f"kernel: {error}") from error
    if not kernel.outputs:
        raise KernelError("`outs` is empty, so there is nothing to derive; name an output")
    return Case(kernel, tuple(value["grad_to"]))


def listing(kernel: Kernel) -> str:
    """Return a kernel as text, with the tensors that it takes and makes."""
    lists = f"ins: {' '.join(kernel.inputs)}\nouts: {' '.join(kernel.outputs)}\n"
    return f"{kernel.name}:\n{print_kernel(kernel)}{lists}"
