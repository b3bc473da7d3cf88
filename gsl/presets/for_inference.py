"""Rules that make models of inference smaller, in the spellings that exporters write.

First the spellings become those of gsl, then operators are fused as they stand there, and what is
left is made canonical, so that one rule serves many spellings.
"""

from __future__ import annotations

from gsl.presets.preset import Phase, Preset

NEUTRAL = (
    ("identities", "add_zero zero_add subtract_zero one_multiply divide_by_one"),
    ("algebra", "multiply_by_one"),
    ("created", "add_full_zeros multiply_full_ones"),
    ("neutral_elements", "cast_to_same add_zeros multiply_by_ones"),
    ("movement", "reshape_reshape"),
    ("reordering", "reshape_to_own_shape concat_of_one"),
    ("broadcasting", "broadcast_to_own_shape"),
    ("arithmetic", "power_of_one"),
)
"""What has no effect, or the effect of one reshape."""

SPELLINGS = Phase(
    "spellings",
    (
        *NEUTRAL,
        ("keras_spellings", "number_behind_product number_behind_sum"),
        ("activations", "silu_from_sigmoid silu_from_exponential gelu_from_erf"),
        ("activations", "gelu_from_erf_of_product softmax_from_shifted_exponentials"),
        ("activations", "rms_norm_from_mean gelu_from_erf_halved_behind"),
        ("normalisation", "layer_norm_from_parts"),
        ("products", "matmul_of_two_scaled"),
        ("matmul", "matmul_of_flattened_batch"),
        ("keras_spellings", "matmul_of_shared_rows sum_of_channels_as_bias"),
        ("keras_spellings", "layer_norm_by_factor rms_norm_by_factor"),
        ("keras_spellings", "hard_swish_from_clip gelu_from_halved_and_erf"),
        ("keras_spellings", "softmax_of_scaled_queries softmax_of_scaled_queries_masked"),
        ("operators_of_today", "mish_fused hard_swish_fused"),
        ("keras_attention", "transpose_of_expanded reshape_of_expanded squeeze_of_reshaped"),
        ("keras_attention", "matmul_of_joined_heads bias_of_heads"),
        ("movement", "transpose_transpose"),
        ("linear_layers", "linear_of_flattened_batch bias_behind_matmul"),
        ("exported_attention", "softmax_from_end softmax_is_a_number softmax_of_something"),
        ("exported_attention", "transpose_of_joined_heads"),
        ("exported_attention", "tanh_gelu_from_parts rms_norm_by_reciprocal_root"),
        ("exported_attention", "rms_norm_scaled_behind"),
    ),
)

FUSION = Phase(
    "fusion",
    (
        *NEUTRAL,
        ("keras_spellings", "keys_transposed_twice"),
        ("exported_attention", "masked_attention_fused grouped_query_attention"),
        ("exported_attention", "merge_biased_projections"),
        ("linear_layers", "merge_biased_linear_layers"),
        ("operators_of_today", "attention_fused"),
    ),
)

MERGING = Phase(
    "merging",
    (
        *NEUTRAL,
        ("padding", "fold_pad_into_conv2d fold_pad_into_conv1d"),
        ("padding", "fold_pad_into_max_pool fold_pad_into_avg_pool"),
        ("batch_norm", "batch_norm_of_biased batch_norm_of_sum"),
        ("convolution_scale", "fold_batch_norm_into_conv fold_batch_norm_into_dense"),
        ("batch_norm", "fold_batch_norm_into_conv1d fold_batch_norm_into_transposed_conv"),
        ("batch_norm", "fold_batch_norm_into_conv3d fold_batch_norm_into_conv1d_transpose"),
        ("batch_norm", "fold_batch_norm_into_matmul"),
        ("batch_norm", "conv_of_batch_norm matmul_of_batch_norm"),
        ("linear_layers", "matmul_of_matmul matmul_of_linear sum_of_vectors"),
        ("convolution_scale", "affine_of_conv"),
        ("keras_spellings", "factor_of_biased_channels factor_of_conv"),
        ("keras_spellings", "factor_of_transposed_conv factor_of_linear"),
        ("bias", "bias_add_bias_add"),
        ("movement", "transpose_transpose transpose_identity squeeze_of_expand_dims"),
        ("movement", "squeeze_squeeze expand_dims_expand_dims broadcast_broadcast"),
        ("exported_attention", "merge_projections"),
        ("parallel", "parallel_dense_variadic"),
        ("concat_split", "split_concat split_concat_variadic"),
        ("predicates", "where_same_arms"),
        ("values", "relu_relu clip_clip"),
    ),
)

COMPOSITES = Phase(
    "composites",
    (
        ("fused", "self_attention self_attention_masked bias_gelu"),
        ("fused", "skip_layer_norm_of_biased skip_layer_norm_of_biased_skip"),
        ("fused", "skip_layer_norm_fused skip_rms_norm"),
    ),
)

inference = Preset("inference", (SPELLINGS, FUSION, MERGING, COMPOSITES))
"""The preset `inference`."""
