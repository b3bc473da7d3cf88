"""Libraries of verified rules that are ready to be applied: `gsl.presets.inference`.

from gsl import Workload, presets

smaller = presets.inference.apply(Workload.from_onnx("model.onnx"))
"""

from gsl.presets.for_inference import inference
from gsl.presets.preset import Phase, Preset

PRESETS = {preset.name: preset for preset in (inference,)}
"""All presets by the names that ``python -m gsl apply`` knows them by."""

__all__ = ["PRESETS", "Phase", "Preset", "inference"]
