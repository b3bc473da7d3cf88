"""Live defects of releases that are found: `python benchmarks/adapters.py [--quick] [--json]`.

Each defect of a release that our collection knows is one row: the pass or rule in which it lies,
and how a graph fares on it. The passes are tried as `gslverify adapt` tries them, on the sources
that are shipped. A finding of which `docs/explanation/found.md` has no row is a false alarm until
somebody has looked at it (`found.py` compares it with reports). With --quick, every sixth defect
and fewer graphs; nothing is lifted.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from resource import RUSAGE_CHILDREN, getrusage

from figures import Figure, at_least, figure, report
from found import Found, not_explained

from gslverify.adapters.foreign import Lifted, Options, PassResult
from gslverify.adapters.reading import read_rules
from gslverify.adapters.results import CODES

SECONDS = 3600.0
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
QUICK = [one for one in DEFECTS[::6] if one.shipped_by != "onnxruntime"]
MOST = 115
"""Graphs of a pass; those of 18 passes are 2,000."""

INDUCTOR = (
    *("fuse_attention", "joint_graph", "post_grad", "pre_grad", "misc_patterns", "pad_mm"),
    *("freezing_patterns", "binary_folding", "efficient_conv_bn_eval", "mkldnn_fusion"),
    *("quantization", "split_cat", "group_batch_fusion", "b2b_gemm", "decompose_mem_bound_mm"),
)
"""The modules of Inductor that register rules and handlers."""

WHOLE = (
    ("onnxscript", ["onnxscript.rewriter.rules.common"], 20, 75.0),
    ("torch", [f"torch._inductor.fx_passes.{name}" for name in INDUCTOR], 20, 90.0),
)
"""Libraries of rules: what is read, the graphs of each rule or handler, and the share lifted."""

SPENT: dict[str, tuple[float, int]] = {}
"""CPU seconds and graphs of passes of Relax."""

WANTED = {"relax": 90.0, "onnxscript": 80.0, "onnxoptimizer": 70.0, "onnxruntime": 70.0}


@lru_cache
def tried(library: str, target: str, graphs: int) -> PassResult | None:
    """Return what is found about a pass, None when it could not be tried."""
    before = getrusage(RUSAGE_CHILDREN)
    reading = read_rules(library, [target], SECONDS, Options(graphs=graphs))
    after = getrusage(RUSAGE_CHILDREN)
    if library == "relax" and reading.passes:
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        SPENT[target.removeprefix(RELAX)] = spent, max(1, reading.passes[0].tried)
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


def alarms(library: str, results: Sequence[PassResult]) -> list[Figure]:
    """Return on how many graphs passes were tried, and how many findings the page has no row for.

    Those are false alarms until somebody has looked at them.
    """
    found = [
        Found((one.name, finding.source), CODES[finding.ending].id, finding.message)
        for one in results
        for finding in one.findings
    ]
    wrong = not_explained(found)
    for one in wrong:
        print("not explained:", library, *one.names, one.code, one.message, file=sys.stderr)
    count = sum(one.tried for one in results)
    return [
        Figure(f"graphs of {library}", count, "graphs", 2000.0, count >= 2000),
        figure(f"findings of {library} not explained", len(wrong), "findings", 0.0),
    ]


def lifted_share(module: str, rules: Sequence[Lifted], wanted: float) -> Figure:
    """Return how many of the rules of modules that are pairs are lifted."""
    share = 100 * sum(bool(one.text) for one in rules) / max(1, len(rules))
    return at_least(f"{len(rules)} pairs of {module} lifted", share, "%", wanted)


def slowest(results: Mapping[str, tuple[float, int]]) -> Figure:
    """Return the CPU seconds that the slowest pass of Relax takes; 100 graphs may take 30."""
    name, (seconds, graphs) = max(results.items(), key=lambda one: one[1][0])
    return figure(f"{graphs} graphs of {name}", seconds, "CPU s", 0.3 * max(100, graphs))


def found_shares(defects: Sequence[Live], graphs: int) -> Iterator[Figure]:
    """Yield the share of the live defects of each library that are found."""
    by_library: defaultdict[str, list[bool]] = defaultdict(list)
    for one in defects:
        found = is_found(one, graphs)
        by_library[one.shipped_by].append(found)
        if not found:
            print(f"not found: {one.identity}", file=sys.stderr)
    for library, known in by_library.items():
        name = f"{len(known)} live defects of {library} found"
        yield at_least(name, 100 * sum(known) / len(known), "%", WANTED[library])


def figures(quick: bool) -> Iterator[Figure]:
    """Yield the share of live defects that are found, false alarms, and rules that are lifted."""
    if quick:
        yield from found_shares(QUICK, 40)
        yield slowest(SPENT)
        return
    yield from found_shares(DEFECTS, MOST)
    for library, module, start in (
        ("relax", "tvm.relax.transform", RELAX),
        ("onnx", "onnxoptimizer", "onnxoptimizer:"),
    ):
        names = read_rules(library, [module], SECONDS, Options(only_list=True)).names
        found = [tried(library, start + name, MOST) for name in names]
        yield from alarms(library, [one for one in found if one is not None])
    yield slowest(SPENT)
    for library, modules, graphs, wanted in WHOLE:
        reading = read_rules(library, modules, SECONDS, Options(graphs=graphs))
        yield from alarms(library, reading.passes)
        yield lifted_share(modules[0], reading.rules, wanted)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    report(figures(arguments.quick), arguments.json)
