"""Architectures of transformers, small and with random weights: read, rewritten, written, compared.

Every architecture is exported by torch, to ONNX and as an exported program; both are read, and the
workload, written as ONNX again, must compute in onnxruntime what torch computes. Then the preset
`inference` rewrites two deep models, beside the optimisers of onnxscript and onnxruntime.

Needs the package `transformers` beside the extra `models`, and `onnxscript` for the comparison.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from figures import Figure, at_least, figure, report

from gsl import Workload, presets
from gsl.errors import GslError
from gsl.expr import Call

VOCABULARY, LENGTH = 99, 16
SIZES = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 128,
}
TEXT = SIZES | {"vocab_size": VOCABULARY}
DECODER = TEXT | {"num_key_value_heads": 2, "max_position_embeddings": 64, "use_cache": False}
STAGES = {"hidden_sizes": [16, 32], "depths": [2, 2]}
GPT = {"vocab_size": VOCABULARY, "n_positions": 64, "n_embd": 64, "n_layer": 2, "n_head": 4}
T5 = {"vocab_size": VOCABULARY, "d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2}
DISTILLED = {"vocab_size": VOCABULARY, "dim": 64, "n_layers": 2, "n_heads": 4, "hidden_dim": 128}
HEADS = DECODER | {"head_dim": 16}

IMAGE = SIZES | {"image_size": 32, "patch_size": 8}
DECODED = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "use_cache": False}
OPT = {"ffn_dim": 128, "max_position_embeddings": 64, "word_embed_proj_dim": 64} | DECODED
WHISPER = DECODED | {
    "vocab_size": VOCABULARY,
    "d_model": 64,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 128,
    "decoder_ffn_dim": 128,
    "max_source_positions": 50,
    "max_target_positions": 32,
    "num_mel_bins": 80,
    "decoder_start_token_id": 1,
}
SOUND = SIZES | {
    "conv_dim": (32, 32),
    "conv_stride": (5, 2),
    "conv_kernel": (10, 3),
    "num_feat_extract_layers": 2,
    "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 4,
}
CLIP = {
    "text_config": TEXT | {"max_position_embeddings": 32, "eos_token_id": 98, "bos_token_id": 97},
    "vision_config": IMAGE,
    "projection_dim": 32,
}
SWIN = {"image_size": 32, "patch_size": 2, "embed_dim": 16, "depths": [2, 2], "window_size": 4}
SEGMENTS = {"depths": [1] * 4, "hidden_sizes": [16, 32, 32, 64], "decoder_hidden_size": 32}
EFFICIENT = {"width_coefficient": 0.25, "depth_coefficient": 0.3, "hidden_dim": 320}
MODERN = TEXT | {"num_hidden_layers": 3, "local_attention": 8, "cls_token_id": 1, "pad_token_id": 0}
EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}

ARCHITECTURES: dict[str, tuple[str, dict[str, Any], str]] = {
    "Bert": ("BertModel", TEXT, "text"),
    "Bert, eager": ("BertModel", TEXT, "text"),
    "Bert, classes": ("BertForSequenceClassification", TEXT, "text and mask"),
    "DistilBert": ("DistilBertModel", DISTILLED, "text"),
    "Roberta": ("RobertaModel", TEXT | {"max_position_embeddings": 64}, "text"),
    "MPNet": ("MPNetModel", TEXT, "text"),
    "DebertaV2": ("DebertaV2Model", TEXT | {"max_position_embeddings": 64}, "text"),
    "ModernBert": (
        "ModernBertModel",
        MODERN | {"bos_token_id": 1, "eos_token_id": 2, "sep_token_id": 2},
        "text",
    ),
    "GPT2": ("GPT2LMHeadModel", GPT | {"use_cache": False}, "text"),
    "GPT2, eager": ("GPT2LMHeadModel", GPT | {"use_cache": False}, "text"),
    "GPTNeoX": ("GPTNeoXForCausalLM", TEXT | {"use_cache": False}, "text"),
    "OPT": ("OPTForCausalLM", TEXT | OPT, "text"),
    "Llama": ("LlamaForCausalLM", DECODER, "text"),
    "Llama, eager": ("LlamaForCausalLM", DECODER, "text"),
    "Llama, float16": ("LlamaForCausalLM", DECODER, "text"),
    "Llama, bfloat16": ("LlamaForCausalLM", DECODER, "text"),
    "Qwen2": ("Qwen2ForCausalLM", DECODER, "text"),
    "Qwen3": ("Qwen3ForCausalLM", HEADS, "text"),
    "Qwen3Moe": ("Qwen3MoeForCausalLM", HEADS | EXPERTS, "text"),
    "Mistral": ("MistralForCausalLM", DECODER, "text"),
    "Mixtral": ("MixtralForCausalLM", DECODER | {"num_local_experts": 4}, "text"),
    "Gemma": ("GemmaForCausalLM", HEADS, "text"),
    "Gemma2": ("Gemma2ForCausalLM", HEADS, "text"),
    "Phi": ("PhiForCausalLM", DECODER, "text"),
    "Phi3": ("Phi3ForCausalLM", DECODER | {"pad_token_id": 0}, "text"),
    "T5": ("T5Model", T5 | {"num_heads": 4, "use_cache": False}, "text and text"),
    "Whisper": ("WhisperModel", WHISPER, "spectrum and text"),
    "Wav2Vec2": ("Wav2Vec2Model", SOUND, "sound"),
    "ViT": ("ViTForImageClassification", IMAGE, "image"),
    "ViT, eager": ("ViTForImageClassification", IMAGE, "image"),
    "DeiT": ("DeiTModel", IMAGE, "image"),
    "Dinov2": ("Dinov2Model", IMAGE, "image"),
    "CLIP": ("CLIPModel", CLIP, "text and image"),
    "Yolos": (
        "YolosForObjectDetection",
        IMAGE | {"image_size": [32, 32], "num_detection_tokens": 5},
        "image",
    ),
    "Swin": ("SwinModel", SWIN | {"num_heads": [2, 4]}, "image"),
    "Segformer": ("SegformerForSemanticSegmentation", SEGMENTS, "image"),
    "ResNet": ("ResNetForImageClassification", STAGES | {"embedding_size": 16}, "image"),
    "ConvNext": ("ConvNextForImageClassification", STAGES | {"num_stages": 2}, "image"),
    "MobileNetV2": ("MobileNetV2ForImageClassification", {"image_size": 32}, "image"),
    "EfficientNet": ("EfficientNetModel", EFFICIENT | {"image_size": 32}, "image"),
    "RegNet": ("RegNetModel", {"groups_width": 16, "embedding_size": 16}, "image"),
    "Mamba": ("MambaForCausalLM", {"vocab_size": VOCABULARY, "hidden_size": 64}, "text"),
}
"""The model class, what its configuration says, and what it reads, by the stem of the classes.

Behind a comma stand a dtype, or how attention is written.
"""

FEWER = {
    "Mamba": {"num_hidden_layers": 2, "state_size": 8, "use_cache": False},
    "RegNet": {"hidden_sizes": [32, 32, 64, 64], "depths": [1, 1, 1, 1]},
}
QUICK = ("Bert", "Llama", "ResNet")
BASE = {
    "num_hidden_layers": 12,
    "hidden_size": 768,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "vocab_size": 30522,
}
DEEP = {"Bert": (BASE, 102), "Llama": ({"num_hidden_layers": 32}, 1603)}
"""Sizes of BERT-base and of a deep but narrow Llama, and what onnxscript leaves of operators."""

OPTIMISERS = {"onnxscript.optimizer": "optimize", "onnxslim": "slim", "onnxsim": "simplify"}
"""Functions of models, where they are installed."""

CLOSE = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 3e-2}
REPEATS = 3
SHARE = 39 / 42

ARGUMENTS = {
    "text": "input_ids",
    "mask": "attention_mask",
    "image": "pixel_values",
    "sound": "input_values",
    "spectrum": "input_features",
}
DECODED_TEXT = "decoder_input_ids"


def example(kind: str) -> dict[str, Any]:
    """Return an input of each kind that a model reads, by the names of arguments."""
    import torch

    make: dict[str, Callable[[], Any]] = {
        "text": lambda: torch.randint(0, VOCABULARY, (1, LENGTH)),
        "mask": lambda: torch.ones(1, LENGTH, dtype=torch.long),
        "image": lambda: torch.randn(1, 3, 32, 32),
        "sound": lambda: torch.randn(1, 800),
        "spectrum": lambda: torch.randn(1, 80, 100),
    }
    given: dict[str, Any] = {}
    for place, one in enumerate(kind.split(" and ")):
        decoded = one == "text" and place and kind != "text and image"
        given[DECODED_TEXT if decoded else ARGUMENTS[one]] = make[one]()
    return given


def build(name: str, sizes: Mapping[str, int] | None = None) -> tuple[Any, tuple[Any, ...]]:
    """Return a model with random weights, and its inputs."""
    import torch
    import transformers

    torch.manual_seed(0)
    cls, settings, kind = ARCHITECTURES[name]
    stem, _, variant = name.partition(", ")
    settings = settings | FEWER.get(stem, {})
    if sizes is not None:
        settings = settings | sizes
    config = getattr(transformers, f"{stem}Config")(**settings)
    model = getattr(transformers, cls)(config).eval()
    if variant == "eager":
        model.set_attn_implementation("eager")
    if variant in CLOSE:
        model = model.to(getattr(torch, variant))
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
    inputs = example(kind)

    class First(torch.nn.Module):
        """The first output of a model alone."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *given: Any) -> Any:
            return self.model(**dict(zip(inputs, given, strict=True)))[0]

    return First().eval(), tuple(inputs.values())


@contextlib.contextmanager
def printing_apart() -> Iterator[None]:
    """Have what is printed, from C++ as well, go to standard error for a while."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def through_onnx(model: Any, given: tuple[Any, ...], folder: Path) -> Workload:
    import torch

    path = folder / "model.onnx"
    try:
        torch.onnx.export(model, given, path, dynamo=True, verbose=False)
    except torch.onnx.OnnxExporterError:
        # The older exporter has some models that the newer one fails at.
        with printing_apart():
            torch.onnx.export(model, given, path, dynamo=False, opset_version=18)
    return Workload.from_onnx(path)


def through_torch(model: Any, given: tuple[Any, ...], folder: Path) -> Workload:
    import torch

    return Workload.from_torch(torch.export.export(model, given))


DOORS: dict[str, Callable[[Any, tuple[Any, ...], Path], Workload]] = {
    "ONNX": through_onnx,
    "torch": through_torch,
}


def operators(workload: Workload) -> int:
    return sum(isinstance(expr, Call) for expr in workload.order)


def deviation(workload: Workload, given: tuple[Any, ...], wanted: Any) -> float:
    """Return how far the workload, written as ONNX, is from torch in onnxruntime; relative."""
    from gsl.onnx.run import run

    names = [one.name for one in workload.inputs]
    arrays = {name: one.numpy() for name, one in zip(names, given, strict=True)}
    found = run(workload, arrays)[0].astype("float32")
    expected = wanted.detach().float().numpy()
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def why_not(name: str, door: str, folder: Path) -> str:
    """Return why an architecture is not read, or computes something else; "" where it is fine."""
    model, given = build(name)
    try:
        apart = deviation(DOORS[door](model, given, folder), given, model(*given))
    except GslError as error:
        return str(error).splitlines()[0][:200]
    except Exception as error:
        return f"{type(error).__name__} of the exporter or of onnxruntime"
    limit = CLOSE.get(name.partition(", ")[2], CLOSE["float32"])
    return "" if apart <= limit else f"{apart:.1e} apart"


def reading(names: tuple[str, ...], folder: Path) -> Iterator[Figure]:
    for door in DOORS:
        problems = {name: why_not(name, door, folder) for name in names}
        for name, why in problems.items():
            if why:
                logging.warning("%s by %s: %s", name, door, why)
        fine = sum(not why for why in problems.values())
        yield at_least(f"architectures read from {door}", fine / len(names), "share", SHARE)


def rewriting(names: tuple[str, ...], folder: Path) -> Iterator[Figure]:
    for name in names:
        sizes, most = DEEP[name]
        model, given = build(name, sizes)
        before = through_onnx(model, given, folder)
        after = presets.inference.apply(before)
        own = best(partial(presets.inference.apply, before))
        yield figure(
            f"{name}, {sizes['num_hidden_layers']} layers: operators before",
            operators(before),
            "operators",
        )
        yield figure(f"{name}: operators after", operators(after), "operators", most)
        apart = deviation(after, given, model(*given))
        yield figure(f"{name}: after, beside torch", apart, "relative", CLOSE["float32"])
        others = dict(compared(folder / "model.onnx"))
        yield figure(f"{name}: preset inference", own, "s")
        for other, seconds in others.items():
            yield figure(f"{name}: {other}", seconds, "s")
        if others:
            yield at_least(
                f"{name}: times as fast as the fastest", min(others.values()) / own, "", 4
            )


def compared(path: Path) -> Iterator[tuple[str, float]]:
    """Yield the seconds that other optimisers take for a model, without reading it."""
    import onnx
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(path.with_name("optimised.onnx"))
    yield "onnxruntime, offline", best(lambda: onnxruntime.InferenceSession(str(path), options))
    for module, function in OPTIMISERS.items():
        try:
            optimise = getattr(import_module(module), function)
        except ImportError:
            logging.warning("%s is not installed", module)
            continue
        models = [onnx.load(path) for _ in range(REPEATS)]
        yield module, best(lambda: optimise(models.pop()))  # noqa: B023


def best(action: Callable[[], Any]) -> float:
    """Return the seconds that an action takes at best, of a few times."""
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    parser.add_argument("--quick", action="store_true", help="three architectures, one deep model")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    names, deep = (QUICK, ("Bert",)) if given.quick else (tuple(ARCHITECTURES), tuple(DEEP))
    with tempfile.TemporaryDirectory() as folder:

        def figures() -> Iterator[Figure]:
            yield from reading(names, Path(folder))
            yield from rewriting(deep, Path(folder))

        report(figures(), given.json)


if __name__ == "__main__":
    main()
