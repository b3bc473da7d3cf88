"""Memory for reading, rewriting and writing a model: `python benchmarks/memory.py [--json]`.

BERT-base with random weights, 435 MB, is exported by torch in one process; another one reads it,
applies the preset `inference` and writes the result, and says how much memory it had at most beside
what it needs without a model. Needs the package `transformers` beside the extra `models`.
"""

from __future__ import annotations

import argparse
import json
import logging
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from figures import Figure, figure, report

MOST = 2.5
"""Times the size of the model."""

BYTES_OF_UNIT = 1 if sys.platform == "darwin" else 1024
"""What `ru_maxrss` counts in."""


def export(folder: Path) -> None:
    """Write BERT-base to a folder."""
    import torch
    import transformers

    warnings.simplefilter("ignore")
    logging.disable(logging.ERROR)
    model = transformers.BertModel(transformers.BertConfig()).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.02)
    given = torch.randint(0, 1000, (1, 16))
    torch.onnx.export(model, (given,), folder / "model.onnx", dynamo=True, verbose=False)


def peak() -> int:
    """Return the bytes that this process had at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES_OF_UNIT


def rewrite(folder: Path) -> None:
    """Read, rewrite and write a model, and print the peaks behind each of them."""
    from gsl import Workload, presets
    from gsl.onnx import writer

    assert presets.inference.loaded
    assert writer.USUAL
    peaks = {"nothing": peak()}
    workload = Workload.from_onnx(folder / "model.onnx")
    peaks["read"] = peak()
    workload = presets.inference.apply(workload)
    peaks["rewritten"] = peak()
    workload.to_onnx(folder / "smaller.onnx")
    peaks["written"] = peak()
    print(json.dumps(peaks))


def measured() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        for part in ("export", "rewrite"):
            command = [sys.executable, __file__, "--part", part, "--folder", name]
            told = subprocess.run(command, check=True, capture_output=True, text=True)
        size = sum(path.stat().st_size for path in Path(name).glob("model.onnx*"))
        yield figure("size of the model", size / 1e6, "MB")
        peaks = json.loads(told.stdout.splitlines()[-1])
        for stage in ("read", "rewritten", "written"):
            share = (peaks[stage] - peaks["nothing"]) / size
            limit: Any = None if stage == "read" else MOST
            yield figure(f"memory until it is {stage}", share, "times its size", limit)


PARTS = {"export": export, "rewrite": rewrite}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.part:
        PARTS[chosen.part](chosen.folder)
    else:
        report(measured(), chosen.json)
