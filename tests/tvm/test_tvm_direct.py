"""Relax functions called without the virtual machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tvm
from tvm import relax, tirx

from gsl.tvm import quick
from gsl.tvm.aligned import ALIGNMENT, aligned, empty
from gsl.tvm.direct import programs_of
from gsl.tvm.run import machine_of

pytestmark = pytest.mark.tvm

N, M = tirx.Var("n", "int64"), tirx.Var("m", "int64")


def module_of(make: Any, *types: Any) -> Any:
    """Return a module of a function `main` that emits what `make` gives."""
    formals = [relax.Var(f"x{number}", given) for number, given in enumerate(types)]
    builder = relax.BlockBuilder()
    with builder.function("main", formals):
        with builder.dataflow():
            result = builder.emit_output(builder.emit(make(builder, *formals)))
        builder.emit_func_output(result)
    return builder.finalize()


def tensor(*shape: Any, dtype: str = "float32") -> Any:
    return relax.TensorType(shape, dtype)


def ramp(*shape: int) -> Any:
    return aligned(np.arange(np.prod(shape), dtype=np.float32).reshape(shape) - 2)


def pooled(builder: Any, x: Any) -> Any:
    return relax.op.nn.max_pool1d(x, pool_size=3, strides=2, padding=1, ceil_mode=True)


def two_steps(builder: Any, x: Any) -> Any:
    return relax.op.add(builder.emit(relax.op.exp(x)), relax.const(1.0, "float32"))


def both_and_itself(builder: Any, x: Any, y: Any) -> Any:
    return relax.Tuple([relax.op.concat([x, y], axis=1), x])


def from_a_tuple(builder: Any, both: Any) -> Any:
    return relax.op.maximum(relax.TupleGetItem(both, 0), relax.TupleGetItem(both, 1))


def cut(builder: Any, x: Any) -> Any:
    return relax.op.split(x, 2, 1)


CASES = {
    "a step": (pooled, [tensor(N, 2, M)], [ramp(2, 2, 8)]),
    "two steps and a constant": (two_steps, [tensor(N, M)], [ramp(2, 3)]),
    "an operand as a result": (
        both_and_itself,
        [tensor(N, 2), tensor(N, M)],
        [ramp(3, 2), ramp(3, 4)],
    ),
    "a tuple": (
        from_a_tuple,
        [relax.TupleType([tensor(N), tensor(N)])],
        [(ramp(4), aligned(-ramp(4)))],
    ),
    "several results": (cut, [tensor(N, 4)], [ramp(3, 4)]),
}


@pytest.mark.parametrize(("make", "types", "given"), CASES.values(), ids=CASES)
def test_results_are_those_of_the_virtual_machine(make: Any, types: list[Any], given: list[Any]):
    module = module_of(make, *types)
    programs, rest = programs_of(module)
    assert len(rest.functions) == 0
    assert flat(programs["main"](*given)) == flat(machine_of(module)["main"](*given))


def flat(value: Any) -> list[Any]:
    if isinstance(value, np.ndarray):
        return [value.tolist()]
    if hasattr(value, "__dlpack__"):
        return flat(np.from_dlpack(value))
    return [one for part in value for one in flat(part)]


def test_numbers_come_from_shapes():
    def repeated(builder: Any, x: Any, numbers: Any) -> Any:
        return relax.op.broadcast_to(x, relax.ShapeExpr([N, M]))

    programs, _ = programs_of(module_of(repeated, tensor(1, M), relax.ShapeType([N, M])))
    assert programs["main"](ramp(1, 2), (3, 2)).tolist() == [[-2.0, -1.0]] * 3


def sampled(builder: Any, x: Any) -> Any:
    return relax.op.unique(x, sorted=True, return_index=False)


def test_what_does_more_is_left_to_the_virtual_machine():
    both = module_of(two_steps, tensor(N, M))
    other = module_of(sampled, tensor(4))
    both.update_func(tvm.ir.GlobalVar("other"), other["main"].with_attr("global_symbol", "other"))
    programs, rest = programs_of(both)
    assert list(programs) == ["main"]
    assert [variable.name_hint for variable in rest.functions] == ["other"]


def test_what_tvm_refuses_is_raised():
    def compared(builder: Any, x: Any) -> Any:
        return relax.op.equal(x, x)

    with pytest.raises(Exception, match="LLVM module verification failed"):
        programs_of(module_of(compared, tensor(2, dtype="bool")))


def test_quick_passes_compute_the_same_bits():
    def normalised(builder: Any, x: Any) -> Any:
        return relax.op.nn.softmax(relax.op.tanh(x), axis=-1)

    module, given = module_of(normalised, tensor(N, M)), ramp(3, 5)
    results = [
        np.from_dlpack(machine_of(module, level, pipeline)["main"](given)).tobytes()
        for level, pipeline in ((0, "default"), (3, "default"), (0, quick.PIPELINE))
    ]
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (2, 3)])
def test_memory_is_aligned(shape: tuple[int, ...]):
    made = empty(shape, "float16")
    assert (made.shape, made.dtype) == (shape, np.float16)
    assert made.ctypes.data % ALIGNMENT == 0
    assert made.flags.writeable
