"""How kernels that run a few times on small tensors are compiled: quickly.

Nothing is left out that decides what is computed, only what makes it faster to run.
"""

from __future__ import annotations

from typing import Any

import tvm
from tvm import s_tir, tirx
from tvm.tirx import compilation_pipeline

CODE = (
    "-fast-isel:bool=true",
    "-enable-misched:bool=false",
    "-optimize-regalloc:uint=2",
    "-livedebugvalues-input-bb-limit:uint=0",
    "-livedebugvalues-input-dbg-value-limit:uint=0",
    *(
        f"-disable-{name}:bool=true"
        for name in (
            "block-placement",
            "branch-fold",
            "cgp",
            "constant-hoisting",
            "copyprop",
            "early-ifcvt",
            "early-taildup",
            "lsr",
            "machine-cse",
            "machine-dce",
            "machine-licm",
            "machine-sink",
            "mergeicmps",
            "partial-libcall-inlining",
            "post-ra",
            "postra-machine-licm",
            "select-optimize",
            "ssc",
            "tail-duplicate",
        )
    ),
)
"""Options of LLVM for level 0: TVM's just-in-time compiler takes no notice of the level itself.

For options that LLVM itself decides about when they are not given, 2 means no.
"""

PIPELINE = "gsl_quick"
"""The name of the passes below, for `tvm.compile`."""


def _pipeline() -> tuple[Any, Any, Any]:
    """Return TVM's passes for functions of loops, without those that optimise or are for GPUs."""
    passes = [
        s_tir.transform.CanonicalizeLoop(),
        s_tir.transform.LowerInitBlock(),
        s_tir.transform.PlanAndUpdateBufferAllocationLocation(),
        s_tir.transform.ConvertBlocksToOpaque(),
        s_tir.transform.LowerMatchBuffer(),
        s_tir.transform.LowerOpaqueBlock(),
        tirx.transform.FlattenBuffer(),
        tirx.transform.BF16ComputeLegalize(),
        tirx.transform.NarrowDataType(32),
        tirx.transform.VectorizeLoop(True),
        tirx.transform.UnrollLoop(),
        s_tir.transform.RewriteUnsafeSelect(),
        tirx.transform.VerifyMemory(),
        tirx.transform.AnnotateEntryFunc(),
        tirx.transform.SplitHostDevice(),
        tirx.transform.MakePackedAPI(),
        tirx.transform.BF16StorageLegalize(),
    ]
    return (
        tvm.ir.transform.Sequential(passes),
        compilation_pipeline.finalize_host_passes,
        compilation_pipeline.finalize_device_passes,
    )


compilation_pipeline.register_tir_pipeline(PIPELINE, _pipeline)
