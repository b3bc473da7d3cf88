"""PyTorch models as workloads, read by TVM's own frontend.

The package `torch` is an extra: ``pip install 'gslverify[models]'``.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

from gsl.errors import GslError, ModelError
from gsl.tvm import torch_checks, torch_misread, torch_places, torch_promotion, torch_rows
from gsl.tvm.errors import reason
from gsl.tvm.importer import from_relax
from gsl.tvm.torch_decompositions import decompositions
from gsl.workload import Workload


def from_torch(program: Any) -> Workload:
    """Return the workload of a `torch.export.ExportedProgram`.

    Its parameters stay parameters, and so do buffers of floats with axes, such as the statistics of
    a batch norm; single numbers, integers and what is not saved with the model become constants.

    Export with ``torch.export.export(model.eval(), example_inputs)``. Raises ModelError when the
    package `torch` is missing, for anything that is not an exported program and when TVM cannot
    read it, and UnsupportedError for what GSL cannot express, such as a dynamic size, a random
    number, a buffer that changes, and an argument or a result that is no tensor: outputs of a
    workload are tensors known by their places, and a None left out would move those behind it.
    """
    torch = _torch()
    if not isinstance(program, torch.export.ExportedProgram):
        cure = "export the model with torch.export.export(model.eval(), example_inputs)"
        raise ModelError(f"{type(program).__name__} is not an exported program; {cure}")
    try:
        torch_checks.check_tensors(torch, program)
        torch_checks.check_sizes(torch, program)
        known = torch_rows.known()
        core = program.run_decompositions(decompositions(torch, program, known))
        torch_checks.check_pure(torch, core)
        for name, lost in torch_misread.misread_nodes(core):
            raise ModelError(f"TVM cannot read `{name}` of the PyTorch model: {lost} would be lost")
        torch_places.drop_assertions(core)
        torch_places.count_from_front(torch, core)
        _keep_buffers(torch, core)
        torch_promotion.promote(torch, core)
        torch_checks.check_known(core, known)
        module = _read(torch, core)
    except GslError:
        raise
    except Exception as error:
        raise ModelError(f"TVM cannot read the PyTorch model: {reason(error)}") from error
    return _workload(module)


def _read(torch: Any, core: Any) -> Any:
    """Return what TVM makes of a program; raise ModelError for a node that it reads otherwise."""
    importer = torch_rows.completed_importer()
    module = importer.from_exported_program(core, True, True, False, None)
    for name, own, theirs in torch_promotion.disagreements(torch, importer.env):
        raise ModelError(
            f"TVM cannot read `{name}` of the PyTorch model: it is {own}, and would be {theirs}"
        )
    return module


def _keep_buffers(torch: Any, core: Any) -> None:
    """Have buffers that are like weights count as parameters; TVM makes the others constants."""
    kinds, specs = torch.export.graph_signature.InputKind, core.graph_signature.input_specs
    for place, spec in enumerate(specs):
        value = core.state_dict.get(spec.target) if spec.kind is kinds.BUFFER else None
        if value is not None and value.ndim and value.is_floating_point():
            specs[place] = replace(spec, kind=kinds.PARAMETER, persistent=None)


def _torch() -> Any:
    try:
        return import_module("torch")
    except ImportError as error:
        cure = "pip install 'gslverify[models]'"
        raise ModelError(f"reading PyTorch models needs the package `torch`: {cure}") from error


def _workload(module: Any) -> Workload:
    frontend = import_module("tvm.relax.frontend")
    bare, parameters = frontend.detach_params(module)
    workload = from_relax(bare, parameters.get("main", ()))
    return workload.with_outputs(workload.outputs)
