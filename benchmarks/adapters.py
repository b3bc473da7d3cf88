"""Live defects of releases that are found: `python benchmarks/adapters.py [--quick] [--json]`.

Each defect of a release that our collection knows is one row: the pass or rule in which it lies,
and how a graph fares on it. The passes are tried as `gslverify adapt` tries them, on the sources
that are shipped. With --quick, every fourth defect and fewer graphs; nothing is lifted then.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from figures import Figure, at_least, report

from gslverify.adapters.foreign import Options, PassResult
from gslverify.adapters.reading import read_rules

SECONDS = 1800.0
RELAX = "tvm.relax.transform:"
COMMON = "onnxscript.rewriter.rules.common._"
VALUES, TYPES, RAISES = "other values", "other types", "an exception"
ILL_FORMED, ENDS = "no graph any more", "ends the process"


@dataclass(frozen=True, slots=True)
class Live:
    """A defect of a release: it is found when a finding has this ending, source, text and graph."""

    identity: str
    library: str
    target: str
    endings: tuple[str, ...]
    source: str = ""
    text: str = ""
    graph: str = ""

    @property
    def shipped_by(self) -> str:
        """The library that has the defect; the optimisers of ONNX are several."""
        return self.target.partition(":")[0] if self.library == "onnx" else self.library


def relax(identity: str, target: str, *endings: str, source: str = "", text: str = "") -> Live:
    return Live(f"tvm-relax-{identity}", "relax", RELAX + target, endings, source, text)


def script(identity: str, target: str, *endings: str) -> Live:
    return Live(f"onnxscript-{identity}", "onnxscript", COMMON + target, endings)


def optimizer(identity: str, target: str, *endings: str, source: str = "", graph: str = "") -> Live:
    given = f"onnxoptimizer:{target}"
    return Live(f"onnxopt-{identity}", "onnx", given, endings, source, graph=graph)


def runtime(identity: str, ending: str, text: str) -> Live:
    return Live(f"ort-{identity}", "onnx", "onnxruntime", (ending,), text=text)


DEFECTS = (
    relax("optlt-shape-equal", "OptimizeLayoutTransform", VALUES),
    relax("expandmm-illegal", "ExpandMatmulOfSum", RAISES),
    relax("adjmm-alias", "AdjustMatmulOrder", ENDS),
    relax("adjmm-outdtype", "AdjustMatmulOrder", RAISES, VALUES, text="datatype"),
    relax("taketmm-1d-weight", "ReorderTakeAfterMatmul", TYPES, text="shape"),
    relax("taketmm-1d-x", "ReorderTakeAfterMatmul", RAISES, source="vector_with_taken_columns"),
    relax("cpmm-bias-bcast", "CombineParallelMatmul", RAISES, source="two_products_with_biases"),
    relax("foldbn-training", "FoldBatchnormToConv2D", VALUES),
    relax("foldbn-axis", "FoldBatchnormToConv2D", RAISES, VALUES, text="reshape"),
    relax("foldbn-fp16", "FoldBatchnormToConv2D", RAISES, text="same datatype"),
    relax("fusetmm-axes-none", "FuseTransposeMatmul", RAISES, text="TypeError"),
    relax("fusetmm-1d", "FuseTransposeMatmul", RAISES, text="IndexError"),
    relax("decbn-train", "DecomposeOpsForTraining", VALUES),
    script("clipclip-disjoint", "fuse_relus_clips:successive_clip_rule", VALUES),
    script("convint-pad-zp", "fuse_pad_into_conv:fuse_pad_into_conv_integer_rule", VALUES),
    script(
        "reshape-mm-shapes",
        "broadcast_to_matmul:two_reshapes_matmul_reshape_rule",
        VALUES,
        ILL_FORMED,
    ),
    script("minmax-rank", "min_max_to_clip:max_min_rule", ILL_FORMED, TYPES),
    script("minmin-noconst", "min_max_to_clip:min_min_rule", RAISES),
    script("castcos-overflow", "cast_constant_of_shape:cast_constant_of_shape_rule", RAISES),
    script("convaffine-rank", "fuse_conv_affine:conv_affine_fusion_rule", ILL_FORMED, RAISES),
    script("flatten-zero", "basic_rules:flatten_to_reshape_rule", ILL_FORMED, TYPES),
    script("castcast-double", "basic_rules:cast_cast_rule", VALUES),
    optimizer("argmax-exp", "eliminate_nop_monotone_argmax", VALUES, source="Exp_ArgMax"),
    optimizer("argmax-log", "eliminate_nop_monotone_argmax", VALUES, source="Log_ArgMax"),
    optimizer(
        "reshape-zero-copy",
        "eliminate_consecutive_idempotent_ops",
        *(ILL_FORMED, TYPES, VALUES),
        source="Reshape_Reshape",
    ),
    optimizer("logsoftmax-default", "fuse_consecutive_log_softmax", RAISES, ENDS),
    optimizer("pad-maxpool-zero", "fuse_pad_into_pool", VALUES, source="Pad_MaxPool"),
    optimizer("pad-pool-ceil", "fuse_pad_into_pool", TYPES, ILL_FORMED, graph="ceil_mode"),
    optimizer("pad-axes", "fuse_pad_into_conv", ILL_FORMED),
    optimizer("einsum-diag", "replace_einsum_with_matmul", VALUES, TYPES, graph="ii,ij"),
    optimizer("dropout-mask", "eliminate_nop_dropout", VALUES, TYPES, ILL_FORMED),
    optimizer("pad-pool-autopad", "fuse_pad_into_pool", TYPES, ILL_FORMED, graph="auto_pad"),
    Live("ort-transpose-vector", "onnx", "onnxruntime", (VALUES,), "Transpose_MatMul"),
    runtime("relu-clip-f64", RAISES, "relu_clip_fusion"),
    runtime("reshapefusion-shapeuse", RAISES, "_new_reshape"),
)
WANTED = {"relax": 90.0, "onnxscript": 80.0, "onnxoptimizer": 70.0, "onnxruntime": 70.0}


@lru_cache
def tried(library: str, target: str, graphs: int) -> PassResult | None:
    """Return what is found about a pass, None when it could not be tried."""
    reading = read_rules(library, [target], SECONDS, Options(graphs=graphs))
    return reading.passes[0] if reading.passes else None


def is_found(defect: Live, graphs: int) -> bool:
    """Tell whether a finding is the defect."""
    result = tried(defect.library, defect.target, graphs)
    return result is not None and any(
        one.ending in defect.endings
        and defect.source in one.source
        and defect.text in one.message
        and defect.graph in " ".join(one.before)
        for one in result.findings
    )


def adapted() -> list[dict[str, Any]]:
    """Return what a report says about the common rules of onnxscript."""
    words = ["adapt", "onnxscript", "onnxscript.rewriter.rules.common", "--graphs", "1"]
    with TemporaryDirectory() as folder:
        file = Path(folder, "report.json")
        command = [sys.executable, "-m", "gslverify", *words, "--no-hints"]
        subprocess.run(
            [*command, "--report", f"json={file}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        rules: list[dict[str, Any]] = json.loads(file.read_text())["rules"]
    return rules


def share(rules: list[dict[str, Any]], holds: Callable[[dict[str, Any]], bool]) -> float:
    """Return for how many of 100 rules something holds."""
    return 100 * sum(map(holds, rules)) / max(1, len(rules))


def is_lifted(rule: dict[str, Any]) -> bool:
    """Tell whether a rule of a report was lifted."""
    return all(finding["code"] != "GSL812" for finding in rule["findings"])


def is_told(rule: dict[str, Any]) -> bool:
    """Tell whether a rule was lifted and has a verdict."""
    return is_lifted(rule) and rule["verdict"] in ("pass", "fail")


def figures(quick: bool) -> list[Figure]:
    """Return the share of live defects that are found, and of rules that are lifted."""
    graphs, defects = (40, DEFECTS[::4]) if quick else (100, DEFECTS)
    by_library: defaultdict[str, list[bool]] = defaultdict(list)
    for one in defects:
        found = is_found(one, graphs)
        by_library[one.shipped_by].append(found)
        if not found:
            print(f"not found: {one.identity}", file=sys.stderr)
    made = [
        at_least(
            f"live defects of {library} found", 100 * sum(found) / len(found), "%", WANTED[library]
        )
        for library, found in by_library.items()
    ]
    if not quick:
        rules = adapted()
        name = "common rules of onnxscript"
        made.append(at_least(f"{name} lifted", share(rules, is_lifted), "%", 75.0))
        made.append(at_least(f"{name} with a verdict", share(rules, is_told), "%", 75.0))
    return made


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    report(figures(arguments.quick), arguments.json)
