"""Compiling and running in the own process."""

from __future__ import annotations

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from relax_graphs import call
from tvm import relax

from gsl.errors import InputError
from gsl.expr import Tuple, Var
from gsl.tvm.aligned import ALIGNMENT, aligned
from gsl.tvm.errors import BackendError, TypeMismatchError
from gsl.tvm.export import to_relax
from gsl.tvm.run import Executable, Signature, compile_functions, compile_workload, run
from gsl.types import TensorType, TupleType
from gsl.workload import Workload

pytestmark = pytest.mark.tvm

X = Var("x", (2, 3))
VALUES = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_run_takes_inputs_by_name_and_adds_the_parameters():
    workload = Workload(call("Subtract", X, Var("w", (3,))), {"w": np.ones(3, np.float32)})
    (result,) = run(workload, {"x": VALUES})
    np.testing.assert_array_equal(result, VALUES - 1)


def test_too_little_memory_is_an_error_that_says_so():
    huge = Var("huge", (2**24, 2**24))
    values = np.broadcast_to(np.float32(0), huge.shape)
    with pytest.raises(
        BackendError, match=r"TVM cannot run `main`: out of memory: Unable to alloc"
    ):
        run(Workload(call("Relu", huge)), {"huge": values})
    inside = Workload(call("Relu", call("Zeros", shape=huge.shape)))
    with pytest.raises(BackendError, match="TVM cannot run `main`: out of memory: "):
        run(inside, {})


WRONG_INPUTS: dict[str, tuple[dict[str, object], str]] = {
    "a missing one": ({"x": VALUES}, "input `scale` is missing; the inputs are x, scale"),
    "an unknown one": ({"x": VALUES, "y": VALUES}, "there is no input `y`; the inputs are x"),
    "a misspelt one": ({"x": VALUES, "scales": VALUES}, "did you mean `scale`"),
    "a parameter": ({"x": VALUES, "weight": VALUES}, "there is no input `weight`"),
    "a turned one": (
        {"x": VALUES.T, "scale": VALUES[0]},
        r"input `x` is float32\[2,3\], given float32\[3,2\]; reshape it",
    ),
    "a wide one": (
        {"x": VALUES.astype(np.float64), "scale": VALUES[0]},
        r"input `x` is float32\[2,3\], given float64\[2,3\]; convert it with astype",
    ),
    "no array": ({"x": [[1.0], [1.0, 2.0]], "scale": VALUES[0]}, "input `x` is no array: "),
    "a number": ({"x": VALUES, "scale": 1.0}, r"given float64\[\]"),
}


@pytest.mark.parametrize("name", WRONG_INPUTS)
def test_inputs_that_do_not_fit_are_explained(name: str):
    inputs, message = WRONG_INPUTS[name]
    scaled = call("Multiply", call("Add", X, Var("weight", (3,))), Var("scale", (3,)))
    with pytest.raises(InputError, match=message):
        Workload(scaled, {"weight": VALUES[0]}).run(inputs)


def test_arrays_that_do_not_fit_a_function_are_an_error():
    executable = compile_functions(to_relax(Workload(call("Exp", X))))
    with pytest.raises(BackendError, match=r"`x` of `main` is .*, given float64\[2,3\]"):
        executable.run("main", [VALUES.astype(np.float64)])


def test_a_workload_is_compiled_once_per_thread():
    workload = Workload(call("Exp", X))
    assert compile_workload(workload) is compile_workload(workload)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(compile_workload, workload).result()
        assert other is not compile_workload(workload)
        assert pool.submit(compile_workload, workload).result() is other


def test_what_was_compiled_goes_with_its_workload():
    workload = Workload(call("Exp", X))
    executable = weakref.ref(compile_workload(workload))
    del workload
    gc.collect()
    assert executable() is None


def test_measuring_gives_one_time_per_call():
    executable = compile_functions(to_relax(Workload(call("Exp", X))), level=3)
    seconds = executable.measure("main", [VALUES], repeats=4)
    assert len(seconds) == 4
    assert all(second > 0 for second in seconds)
    with pytest.raises(BackendError, match="no function `other`"):
        executable.measure("other", [VALUES])


def test_a_wrong_number_of_arrays_is_an_error():
    executable = compile_functions(to_relax(Workload(call("Exp", X))))
    with pytest.raises(BackendError, match="`main` takes 1 arrays, not 0"):
        executable.run("main", [])


def test_an_unknown_function_is_named():
    executable = compile_functions(to_relax(Workload(call("Exp", X))))
    with pytest.raises(BackendError, match="no function `other`"):
        executable.run("other", [VALUES])


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "uint8", "bool"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 1)])
def test_dtypes_and_shapes_pass_unchanged(dtype: str, shape: tuple[int, ...]):
    value = np.ones(shape, dtype)
    (result,) = run(Workload(call("Flatten", Var("x", shape, dtype))), {"x": value})
    assert result.dtype == dtype
    assert result.shape == (value.size,)
    assert result.all()


def test_strided_read_only_and_misaligned_inputs_are_copied():
    whole = np.arange(13, dtype=np.float32)
    for value in (whole[::2][:6].reshape(2, 3), whole[1:7].reshape(2, 3), VALUES.T.copy().T):
        value.setflags(write=False)
        (result,) = run(Workload(call("Negative", X)), {"x": value})
        np.testing.assert_array_equal(result, -value)


def test_aligned_memory_is_used_as_it_is():
    once = aligned(VALUES)
    assert once.ctypes.data % ALIGNMENT == 0
    assert aligned(once) is once
    np.testing.assert_array_equal(once, VALUES)


def test_an_output_that_is_an_input_does_not_share_its_memory():
    value = aligned(VALUES)
    same, nested = run(Workload([X, Tuple([X])]), {"x": value})
    assert not np.shares_memory(same, value)
    assert not np.shares_memory(nested[0], value)


def test_results_cannot_be_written_because_they_may_be_constants_of_the_executable():
    (result,) = run(Workload(call("Ones", shape=(2,))), {})
    assert not result.flags.writeable


def test_what_tvm_cannot_compile_is_said():
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((2,), "bool"))
    with builder.function("main", [x]):
        builder.emit_func_output(builder.emit(relax.op.equal(x, x)))
    with pytest.raises(BackendError, match="cannot compile main: LLVM module verification"):
        compile_functions(builder.finalize())


class Machine:
    """Returns what it likes, as TVM does for some dtypes."""

    def __init__(self, result: object) -> None:
        self.result = result

    def __getitem__(self, name: str) -> object:
        return lambda *arrays: self.result


def test_another_type_at_run_time_is_an_error():
    expected = TensorType((2,), "float16")
    executable = Executable(
        Machine(np.zeros(2, np.float32)), {"f": Signature((), (expected,), is_packed=False)}
    )
    with pytest.raises(TypeMismatchError, match=r"`f` has type float16\[2\], .* float32\[2\]"):
        executable.run("f", [])


def test_another_shape_inside_a_tuple_is_an_error():
    expected = TupleType((TensorType((2,), "float32"),))
    executable = Executable(
        Machine([np.zeros(3, np.float32)]), {"f": Signature((), (expected,), is_packed=False)}
    )
    with pytest.raises(TypeMismatchError, match=r"output 0 of `f`"):
        executable.run("f", [])


def test_an_unsound_type_of_tvm_is_noticed():
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((2, 3), "int32"))
    with builder.function("main", [x]):
        builder.emit_func_output(builder.emit(relax.op.mean(x, 1)))
    executable = compile_functions(builder.finalize())
    with pytest.raises(TypeMismatchError, match=r"int32\[2\], TVM returned int64\[2\]"):
        executable.run("main", [VALUES.astype(np.int32)])


def test_inputs_without_names_are_refused():
    with pytest.raises(InputError, match="given as arrays by name, not as list"):
        run(Workload(Var("x", (2,))), [np.ones(2)])
