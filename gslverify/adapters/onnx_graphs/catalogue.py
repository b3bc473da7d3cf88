"""Sketches that exercise optimisers of ONNX, and those for the passes of onnxoptimizer."""

from __future__ import annotations

from collections.abc import Mapping

from gslverify.adapters.onnx_graphs.sketch import Sketch, Step, chain

CHAINS = (
    ("Transpose", "MatMul"),
    ("Pad", "MaxPool"),
    ("Pad", "AveragePool"),
    ("Pad", "Conv"),
    ("Conv", "Mul"),
    ("Conv", "Add"),
    ("Conv", "BatchNormalization"),
    ("Conv", "Relu"),
    ("Conv", "Clip"),
    ("MatMul", "Add"),
    ("MatMul", "Mul"),
    ("Gemm", "Relu"),
    ("Transpose", "Gemm"),
    ("Transpose", "Transpose"),
    ("Reshape", "Reshape"),
    ("Reshape", "Flatten"),
    ("Squeeze", "Squeeze"),
    ("Unsqueeze", "Unsqueeze"),
    ("Unsqueeze", "Squeeze"),
    ("Slice", "Slice"),
    ("Expand", "Add"),
    ("Clip", "Clip"),
    ("Relu", "Clip"),
    ("Exp", "ArgMax"),
    ("Log", "ArgMax"),
    ("Sqrt", "ArgMax"),
    ("Softmax", "ArgMax"),
    ("Softmax", "Log"),
    ("ReduceMax", "Unsqueeze"),
    ("ReduceSum", "Unsqueeze"),
    ("Cast", "Cast"),
    ("Relu", "Relu"),
    ("Ceil", "Ceil"),
    ("Add", "Add"),
    ("Mul", "Mul"),
    ("Div", "Mul"),
    ("Sub",),
    ("Cast",),
    ("Pad",),
    ("Einsum",),
    ("Expand",),
    ("Flatten",),
    ("Reshape",),
    ("Transpose",),
    ("Where",),
)

DROPOUT = Sketch("Dropout_with_mask", (Step("Dropout", ("x",), ("v0", "mask")),), ("v0", "mask"))

SKETCHES: Mapping[str, Sketch] = {
    **{"_".join(operators): chain("_".join(operators), *operators) for operators in CHAINS},
    DROPOUT.name: DROPOUT,
}
"""The sketches by name."""

OF_PASSES: Mapping[str, tuple[str, ...]] = {
    "eliminate_consecutive_idempotent_ops": ("Reshape_Reshape", "Relu_Relu", "Ceil_Ceil"),
    "eliminate_nop_cast": ("Cast", "Cast_Cast"),
    "eliminate_nop_dropout": ("Dropout_with_mask",),
    "eliminate_nop_expand": ("Expand", "Expand_Add"),
    "eliminate_nop_flatten": ("Flatten", "Reshape_Flatten"),
    "eliminate_nop_monotone_argmax": ("Exp_ArgMax", "Log_ArgMax", "Sqrt_ArgMax", "Softmax_ArgMax"),
    "eliminate_nop_pad": ("Pad",),
    "eliminate_nop_reshape": ("Reshape", "Reshape_Reshape"),
    "eliminate_nop_transpose": ("Transpose", "Transpose_Transpose"),
    "eliminate_nop_with_unit": ("Mul_Mul", "Add_Add", "Div_Mul", "Sub"),
    "fuse_add_bias_into_conv": ("Conv_Add",),
    "fuse_bn_into_conv": ("Conv_BatchNormalization",),
    "fuse_consecutive_log_softmax": ("Softmax_Log",),
    "fuse_consecutive_reduce_unsqueeze": ("ReduceMax_Unsqueeze", "ReduceSum_Unsqueeze"),
    "fuse_consecutive_slices": ("Slice_Slice",),
    "fuse_consecutive_squeezes": ("Squeeze_Squeeze",),
    "fuse_consecutive_transposes": ("Transpose_Transpose",),
    "fuse_consecutive_unsqueezes": ("Unsqueeze_Unsqueeze",),
    "fuse_matmul_add_bias_into_gemm": ("MatMul_Add",),
    "fuse_pad_into_conv": ("Pad_Conv",),
    "fuse_pad_into_pool": ("Pad_MaxPool", "Pad_AveragePool"),
    "fuse_transpose_into_gemm": ("Transpose_Gemm",),
    "replace_einsum_with_matmul": ("Einsum",),
    "rewrite_where": ("Where",),
}
"""The passes of onnxoptimizer that rewrite what a graph computes with."""
