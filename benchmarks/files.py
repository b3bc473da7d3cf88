"""Models that packages ship: `python benchmarks/files.py PLACE ... [--known NAME=VALUE] [--json]`.

A place is a folder, a file or the name of an installed package; of folders and packages all files
`*.onnx` are taken, each content once. Nothing is downloaded. Every model is read and written again,
and must compute in onnxruntime what the file itself does, before and after the preset `inference`.
Sizes that a model leaves open are those of the first guess that onnxruntime can run. An input that
is `--known`, such as a sampling rate on which branches depend, is read as a number.
"""

from __future__ import annotations

import argparse
import logging
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from figures import Figure, at_least, figure, report

from gsl import Workload, presets
from gsl.errors import GslError
from gsl.onnx.reader import Carried, from_onnx
from gsl.onnx.run import options, run

GUESSES = (1, 32, 64, 96, 128, 224, 256, 320, 512, 640, 1024, 1280, 12640, 43844)
"""Open sizes that are tried; a batch has size 1 and the channels of an image are 3."""

CLOSE = 1e-4
"""Results may differ by so much of the largest, since sums may be in another order."""

SHARE = 15 / 17

DTYPES = {"float": "float32", "double": "float64"}


@dataclass(frozen=True)
class Outcome:
    """What became of a file; `why` it does not agree, or an empty text."""

    why: str
    carried: int = 0
    seconds: float = 0.0


def files(places: Sequence[str]) -> Iterator[Path]:
    """Yield the models in some places, each content once."""
    seen: set[bytes] = set()
    for place in places:
        for path in found(place):
            digest = sha256(path.read_bytes()).digest()
            if digest not in seen:
                seen.add(digest)
                yield path


def found(place: str) -> list[Path]:
    path = Path(place)
    if not path.exists():
        spec = find_spec(place)
        if spec is None or not spec.submodule_search_locations:
            raise SystemExit(f"{place} is neither a file or folder nor an installed package")
        path = Path(spec.submodule_search_locations[0])
    return [path] if path.is_file() else sorted(path.rglob("*.onnx"))


def array(name: str, shape: Sequence[int], kind: str, generator: np.random.Generator) -> Any:
    dtype = kind.removeprefix("tensor(").removesuffix(")")
    dtype = DTYPES.get(dtype, dtype)
    if np.issubdtype(np.dtype(dtype), np.integer):
        return generator.integers(0, 100, shape).astype(dtype)
    return generator.standard_normal(shape).astype(dtype)


def inputs_for(session: Any, known: Mapping[str, int]) -> dict[str, Any]:
    """Return inputs that a model runs on; raises what onnxruntime raises where there are none."""
    problem: Exception | None = None
    for guess, state in product(GUESSES, (1, None)):
        generator = np.random.default_rng(0)
        given = {
            one.name: array(one.name, sizes(one.shape, guess, state), one.type, generator)
            for one in session.get_inputs()
        }
        given |= {name: np.asarray(known[name], given[name].dtype) for name in known & given.keys()}
        try:
            session.run(None, given)
        except Exception as error:
            problem = error
        else:
            return given
    assert problem is not None
    raise problem


def sizes(shape: Sequence[Any], guess: int, state: int | None) -> list[int]:
    """Return sizes; open ones are a guess, of three axes behind a known one they are `state`."""
    first = shape[:1]
    is_state = state is not None and len(shape) == 3 and isinstance(first[0], int) and first[0] > 0
    rest = state if is_state else guess
    filled = [*([1, 3] if len(shape) == 4 else [1]), *[rest] * len(shape)]
    return [
        one if isinstance(one, int) and one > 0 else own
        for one, own in zip(shape, filled[: len(shape)], strict=True)
    ]


def fixed(path: Path, known: Mapping[str, int]) -> Any:
    """Return the model with the inputs that are known as initializers."""
    model = onnx.load(path)
    for one in [one for one in model.graph.input if one.name in known]:
        kind = onnx.helper.tensor_dtype_to_np_dtype(one.type.tensor_type.elem_type)
        value = np.asarray(known[one.name], kind)
        model.graph.initializer.append(onnx.numpy_helper.from_array(value, one.name))
        model.graph.input.remove(one)
    return model


def outcome(path: Path, known: Mapping[str, int]) -> Outcome:
    """Read a model, write it, and compare."""
    try:
        session = onnxruntime.InferenceSession(str(path), options(), ["CPUExecutionProvider"])
        given = inputs_for(session, known)
        wanted = session.run(None, given)
    except Exception as error:
        return Outcome(f"onnxruntime: {str(error).splitlines()[0][:120]}")
    carried: list[Carried] = []
    started = time.process_time()
    try:
        shapes = {name: one.shape for name, one in given.items() if name not in known}
        workload = from_onnx(fixed(path, known) if known else path, shapes, carried)
        seconds = time.process_time() - started
        apart = deviation(workload, given, wanted)
        rewritten = deviation(presets.inference.apply(workload), given, wanted)
    except GslError as error:
        return Outcome(str(error).splitlines()[0][:200])
    why = "" if apart <= CLOSE else f"{apart:.1e} apart"
    if not why and rewritten > CLOSE:
        why = f"{rewritten:.1e} apart after the preset"
    return Outcome(why, len(carried), seconds)


def deviation(workload: Workload, given: Mapping[str, Any], wanted: Sequence[Any]) -> float:
    """Return how far the results are from those wanted, relative to the largest of them."""
    own = {one.name for one in workload.inputs}
    results = run(workload, {name: one for name, one in given.items() if name in own})
    return max(map(relative, results, wanted), default=0.0)


def relative(found: Any, wanted: Any) -> float:
    if found.shape != wanted.shape:
        return float("inf")
    if not wanted.size:
        return 0.0
    one, other = (np.nan_to_num(np.asarray(x, np.float64)) for x in (found, wanted))
    return float(np.abs(one - other).max() / max(np.abs(other).max(), 1e-6))


def figures(places: Sequence[str], known: Mapping[str, int]) -> Iterator[Figure]:
    outcomes: list[Outcome] = []
    for path in files(places):
        outcomes.append(outcome(path, known))
        one = outcomes[-1]
        if one.why:
            logging.warning("%s: %s", path, one.why)
        yield figure(f"{path.stem}: reading", one.seconds, "s")
    fine = sum(not one.why for one in outcomes)
    yield figure("models", len(outcomes), "files")
    yield figure("nodes carried as they are", sum(one.carried for one in outcomes), "nodes")
    yield figure("models that agree", fine, "files")
    yield at_least("models read that agree", fine / max(1, len(outcomes)), "share", SHARE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("places", nargs="+", metavar="PLACE", help="a folder, file or package")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    parser.add_argument("--known", action="append", default=[], metavar="NAME=VALUE")
    given = parser.parse_args()
    known = {name: int(value) for name, _, value in (one.partition("=") for one in given.known)}
    warnings.simplefilter("ignore")
    report(figures(given.places, known), given.json)


if __name__ == "__main__":
    main()
