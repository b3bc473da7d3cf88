"""Saved workloads: everything comes back, and nothing else is believed."""

from __future__ import annotations

import json
import math
import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gsl import Call, Const, Expr, Proj, Tuple, Var, Workload, attr
from gsl.errors import MisuseError, StorageError
from gsl.evaluate import run
from gsl.operators.declaration import (
    REGISTRY,
    Need,
    OpaqueOperator,
    Operator,
    Tensor,
    lookup,
    operator,
)
from gsl.operators.domain import Choice
from gsl.text.listing import listing
from gsl.types import ALL_DTYPES, TensorType, TupleType, type_to_plain
from tests.match.toys import tag
from tests.random_workloads import assert_same_values, call, description, inputs_for, workloads

X = Var("x", (2, 3))
W = Var("w", (2, 3))
ONES = np.ones((2, 3), "float32")


def example() -> Workload:
    """Return a small workload with every kind of expression."""
    pieces = call("Split", call("Add", X, W), indices_or_sections=(1,), axis=1)
    joined = call("Concatenate", Tuple([Proj(pieces, 1), Proj(pieces, 0)]), axis=-1)
    return Workload([call("Multiply", joined, Const(2.5)), X], {"w": ONES})


def round_trip(workload: Workload, path: Path) -> Workload:
    workload.save(path)
    return Workload.load(path)


def in_file(path: Path) -> dict[str, Any]:
    """Return the members of a saved workload, the header as what its JSON says."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return members | {"workload.json": json.loads(members["workload.json"])}


def write(path: Path, members: dict[str, Any], compression: int = zipfile.ZIP_STORED) -> None:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content if isinstance(content, bytes) else json.dumps(content))


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(workload=workloads(), seed=st.integers(0, 1000))
def test_random_workloads_come_back(workload: Workload, seed: int, tmp_path: Path) -> None:
    loaded = round_trip(workload, tmp_path / "one")

    assert description(loaded) == description(workload)
    assert listing(loaded.outputs) == listing(workload.outputs)
    inputs = inputs_for(workload, seed)
    assert_same_values(run(loaded, inputs), run(workload, inputs))
    loaded.save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


SHARED = call("Exp", X)
STRUCTURES: dict[str, Callable[[], Workload]] = {
    "example": example,
    "sharing": lambda: Workload([call("Add", SHARED, SHARED), SHARED, SHARED]),
    "equal but not shared": lambda: Workload([call("Add", call("Exp", X), call("Exp", X))]),
    "no inputs": lambda: Workload(Const(1.0)),
    "unused input": lambda: Workload(X, inputs=[W, X]),
    "unused parameter": lambda: Workload(X, {"w": ONES}, [W, X]),
    "order of inputs": lambda: Workload(call("Add", X, W), inputs=[W, X]),
    "parameter between inputs": lambda: Workload(call("Add", X, W), {"w": ONES}, [W, X]),
    "parameter as output": lambda: Workload([W, Tuple([W, Tuple([])])], {"w": ONES}),
    "odd names": lambda: Workload(
        [Var("", (2,)), Var("a/../b", (2,)), Var("größe \N{SNOWMAN} \ud800\n\0", (2,))],
        {"a/../b": np.zeros(2, "float32")},
    ),
    "empty tensors": lambda: Workload(Var("w", (0, 2)), {"w": np.zeros((0, 2), "float32")}),
}


@pytest.mark.parametrize("name", STRUCTURES)
def test_structure_comes_back(name: str, tmp_path: Path) -> None:
    workload = STRUCTURES[name]()

    assert description(round_trip(workload, tmp_path / "file")) == description(workload)


@pytest.mark.parametrize("dtype", ALL_DTYPES)
def test_arrays_of_every_dtype_come_back(dtype: str, tmp_path: Path) -> None:
    values = np.array([[0, 1], [1, 0]], dtype)
    variable = Var("w", (2, 2), dtype)

    loaded = round_trip(Workload([variable, Const(values)], {"w": values}), tmp_path / "file")

    assert_same_values(loaded.parameters["w"], values)
    assert_same_values(loaded.outputs[1].value, values)
    assert loaded.outputs[0].dtype == loaded.outputs[1].dtype == dtype


def test_special_floats_come_back_bit_by_bit(tmp_path: Path) -> None:
    payload = np.array([0x7FC00001, 0xFF800000, 0x80000000, 1], "uint32").view("float32")

    loaded = round_trip(Workload([Const(payload)]), tmp_path / "file")

    assert loaded.outputs[0].value.tobytes() == payload.tobytes()


ATTRIBUTES: list[tuple[str, Any]] = [
    ("flag", True),
    ("integer", 2**70),
    ("negative integer", -1),
    ("one as an integer", 1),
    ("one as a float", 1.0),
    ("float", 0.1),
    ("smallest float", 5e-324),
    ("negative zero", -0.0),
    ("infinity", math.inf),
    ("negative infinity", -math.inf),
    ("not a number", math.nan),
    ("text", 'NCHW "\\ \N{SNOWMAN}'),
    ("text like a float", "nan"),
    ("nothing", None),
    ("tuple", (1, 2)),
    ("empty tuple", ()),
    ("nested tuple", ((1, (2.5, "a")), (), None, math.inf)),
]


@pytest.fixture
def holder() -> Iterator[Callable[[Any], Call]]:
    """Give calls of an operator whose attribute holds anything."""

    class Anything(Choice):
        def normalise(self, value: Any, operands: Any) -> Any:
            return value

        def claim(self, value: Any, operands: Any) -> Any:
            return True

    def rule(need: Need, data: TensorType, *, held: Any) -> TensorType:
        return data

    rule.__name__ = "Holder"
    rule.__annotations__ = {"data": Tensor, "held": Annotated[Any, Anything(())]}
    declared = operator()(rule)
    yield lambda value: Call(declared, [X], {"held": value})
    del REGISTRY["Holder"]


@pytest.mark.parametrize("value", [v for _, v in ATTRIBUTES], ids=[name for name, _ in ATTRIBUTES])
def test_attributes_of_every_kind_come_back(
    value: Any, tmp_path: Path, holder: Callable[[Any], Call]
) -> None:
    (loaded,) = round_trip(Workload(holder(value)), tmp_path / "file").outputs

    assert isinstance(loaded, Call)
    assert repr(loaded.attributes["held"]) == repr(value)
    assert type(loaded.attributes["held"]) is type(value)


def test_attributes_of_real_operators_come_back(tmp_path: Path) -> None:
    data, weight = Var("data", (1, 4, 5, 6)), Var("weight", (6, 2, 3, 3))
    conv = call("Conv2D", data, weight, padding=(1, 0, 2, 1), groups=2, out_dtype="float64")
    full = call("Full", shape=(2,), fill_value=-math.inf, dtype="float16")

    loaded = round_trip(Workload([conv, full]), tmp_path / "file").outputs

    assert [dict(one.attributes) for one in loaded] == [dict(conv.attributes), full.attributes]
    assert loaded[0].dtype == "float64"


def test_same_workload_gives_the_same_bytes_whatever_the_memory_layout(tmp_path: Path) -> None:
    values = np.arange(6, dtype="float32").reshape(2, 3)
    layouts = [values, np.asfortranarray(values), values.astype(">f4"), np.tile(values, 2)[:, :3]]

    for index, layout in enumerate(layouts):
        Workload(W, {"w": layout}).save(tmp_path / f"{index}")

    assert len({(tmp_path / f"{index}").read_bytes() for index in range(len(layouts))}) == 1
    assert_same_values(Workload.load(tmp_path / "2").parameters["w"], values)


def test_order_of_building_does_not_matter_to_the_bytes(tmp_path: Path) -> None:
    first, second = np.zeros((2, 3), "float32"), ONES
    total = call("Add", X, W)

    Workload(total, {"x": first, "w": second}).save(tmp_path / "one")
    Workload(total, {"w": second, "x": first}).save(tmp_path / "two")

    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_depth_is_no_limit(tmp_path: Path) -> None:
    chain: Expr = X
    for _ in range(20_000):
        chain = call("Negative", chain)
    nested: Expr = X
    for _ in range(2_000):
        nested = Tuple([nested])

    loaded = round_trip(Workload([chain, nested]), tmp_path / "file")

    assert description(loaded) == description(Workload([chain, nested]))


def test_a_subclass_loads_as_itself(tmp_path: Path) -> None:
    class Network(Workload):
        pass

    example().save(tmp_path / "file")

    assert type(Network.load(tmp_path / "file")) is Network


def test_numpy_reads_the_arrays_of_a_file(tmp_path: Path) -> None:
    example().save(tmp_path / "file")

    with np.load(tmp_path / "file") as arrays:
        np.testing.assert_array_equal(arrays["parameters/0"], ONES)


def test_paths_may_be_text_and_files_have_ordinary_permissions(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    plain = tmp_path / "plain"
    plain.touch()

    example().save(path)

    assert description(Workload.load(path)) == description(example())
    assert stat.S_IMODE(os.stat(path).st_mode) == stat.S_IMODE(plain.stat().st_mode)


# Saving replaces a file as a whole.


def test_saving_replaces_what_is_there_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    Workload(X).save(path)
    example().save(path)

    assert description(Workload.load(path)) == description(example())
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_saving_through_a_link_replaces_the_file_that_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "file")

    example().save(tmp_path / "link")

    assert (tmp_path / "link").is_symlink()
    assert description(Workload.load(tmp_path / "folder" / "file")) == description(example())


def test_what_is_no_regular_file_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")

    for name in ("pipe", "link"):
        with pytest.raises(StorageError, match="cannot be written: it is no regular file"):
            example().save(tmp_path / name)
    assert (tmp_path / "pipe").is_fifo()


def refuse(*arguments: Any, **options: Any) -> Any:
    raise OSError(28, "No space left on device")


def interrupt(*arguments: Any, **options: Any) -> Any:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("failure", "raised"), [(refuse, StorageError), (interrupt, KeyboardInterrupt)]
)
@pytest.mark.parametrize(
    "place", ["os.fsync", "numpy.lib.format.write_array", "pathlib.Path.replace"]
)
def test_what_is_there_stays_when_saving_fails(
    place: str, failure: Any, raised: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    Workload(X).save(path)
    before = path.read_bytes()
    monkeypatch.setattr(place, failure)

    with pytest.raises(raised):
        example().save(path)

    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def old_operator() -> Operator:
    """Return an operator that another one of the same name has replaced."""
    relu = REGISTRY["Relu"]
    return Operator("Relu", relu.operands, {}, relu.rule, None, frozenset(), "")


UNSAVABLE: list[tuple[Callable[[], Workload], str]] = [
    (lambda: Workload(tag(Var("x", (2,)))), "operator Tag is not the registered one of that name"),
    (lambda: Workload(Call(old_operator(), [X])), "operator Relu is not the registered one"),
    (lambda: Workload(Var("x", (attr.Symbol("n"),))), "a size or an attribute is .*, not a plain"),
    (lambda: Workload(Const(attr.Symbol("n"), "int32")), "a constant is only known symbolically"),
    (
        lambda: Workload(call("Full", shape=(attr.Symbol("n"),), fill_value=1.0)),
        "a size or an attribute is .*, not a plain",
    ),
]


@pytest.mark.parametrize(("make", "reason"), UNSAVABLE)
def test_what_could_not_be_loaded_is_not_saved(
    make: Callable[[], Workload], reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"

    with pytest.raises(StorageError, match=reason) as caught:
        make().save(path)

    assert str(path) in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["missing/file", "folder", "plain/file"])
def test_place_that_cannot_be_written_to_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").touch()

    with pytest.raises(StorageError, match=r"cannot be written: .* directory") as caught:
        example().save(tmp_path / name)

    assert caught.value.path == tmp_path / name
    assert "choose a place" in caught.value.cure


# Loading believes nothing.


def changed(**header: Any) -> Callable[[Path], None]:
    """Return what changes entries of the header of a file."""

    def change(path: Path) -> None:
        members = in_file(path)
        members["workload.json"] |= header
        write(path, members)

    return change


def record(index: int, *content: Any) -> Callable[[Path], None]:
    """Return what replaces one record of a file."""

    def change(path: Path) -> None:
        members = in_file(path)
        members["workload.json"]["records"][index] = list(content)
        write(path, members)

    return change


def member(name: str, content: bytes | None) -> Callable[[Path], None]:
    """Return what replaces a member of a file, or removes it."""

    def change(path: Path) -> None:
        members = in_file(path)
        members.pop(name)
        write(path, members if content is None else {**members, name: content})

    return change


def npy(array: Any, **options: Any) -> bytes:
    """Return an array as the content of a ``.npy`` file."""
    stream = BytesIO()
    np.lib.format.write_array(stream, array, **options)
    return stream.getvalue()


def compressed(path: Path) -> None:
    write(path, in_file(path), zipfile.ZIP_DEFLATED)


def huge(shape: str) -> bytes:
    """Return a ``.npy`` file that says to hold more elements than it does."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(24)


X_RECORD, W_RECORD, ADD_RECORD = 0, 1, 2
PARAMETER = "parameters/0.npy"
NO_RECORD = "is not that of an expression"

DAMAGED: dict[str, tuple[Callable[[Path], Any], str]] = {
    "missing": (Path.unlink, "cannot be read: No such file .* [(]check the path"),
    "empty": (lambda p: p.write_bytes(b""), "not a saved workload, or only a part of one"),
    "text": (lambda p: p.write_text("hello"), "not a saved workload, or only a part of one"),
    "another archive": (lambda p: write(p, {"a": b"b"}), "it has no workload.json"),
    "another format": (changed(format="else"), "its workload.json is of another format"),
    "header is a list": (member("workload.json", b"[]"), "is of another format"),
    "header is no JSON": (member("workload.json", b"{"), "is damaged: JSONDecodeError"),
    "header is no text": (member("workload.json", b"\xff{}"), "is damaged: UnicodeDecodeError"),
    "header is deep": (member("workload.json", b"[" * 10**6), "is damaged: RecursionError"),
    "newer version": (changed(version=2), "has version 2, not 1 [(]load it with the release"),
    "no version": (changed(version=None), "has version None, not 1"),
    "no records": (changed(records=None), "is damaged: TypeError"),
    "unknown operator": (
        record(ADD_RECORD, "call", [0, 1], "Adds", {}),
        "no operator `Adds`; did you mean `Add`[?] [(]import the module that declares it",
    ),
    "unknown attribute": (
        record(ADD_RECORD, "call", [0, 1], "Add", {"axis": 1}),
        "is damaged: OperatorError: record 2, call: `axis` is not an attribute of Add",
    ),
    "ill-typed": (
        record(ADD_RECORD, "call", [0], "Add", {}),
        "record 2, call: Add takes 2 operands, not 1",
    ),
    "attributes are a list": (record(ADD_RECORD, "call", [0, 1], "Add", []), NO_RECORD),
    "unknown kind": (record(X_RECORD, "lambda", []), "record 0 is not that of an expression"),
    "size is a fraction": (record(X_RECORD, "var", [], "x", [2.0, 3], "float32"), NO_RECORD),
    "size is a number": (record(X_RECORD, "var", [], "x", 2, "float32"), NO_RECORD),
    "name is a number": (record(X_RECORD, "var", [], 1, [2, 3], "float32"), NO_RECORD),
    "field of no tuple": (record(ADD_RECORD, "proj", [0], 0), "only a tuple has fields"),
    "field is a name": (record(ADD_RECORD, "proj", [0], "0"), NO_RECORD),
    "constant with a value": (record(ADD_RECORD, "const", [], 1), NO_RECORD),
    "unknown dtype": (record(X_RECORD, "var", [], "x", [2, 3], "object"), "dtype object is not"),
    "empty record": (record(X_RECORD), "is damaged: ValueError"),
    "operand behind": (record(ADD_RECORD, "call", [0, 2], "Add", {}), "2 is not the number of an"),
    "operand from the end": (record(ADD_RECORD, "call", [0, -1], "Add", {}), "-1 is not the"),
    "operand is a flag": (record(ADD_RECORD, "call", [0, True], "Add", {}), "True is not the"),
    "output behind": (changed(outputs=[99]), "99 is not the number of an earlier record"),
    "variable is a call": (changed(variables=[2]), "a variable is another expression"),
    "parameter without variable": (changed(parameters=["v"]), "parameters without a variable: v"),
    "two variables of a name": (
        record(W_RECORD, "var", [], "x", [2, 3], "float32"),
        "two variables are called `x`",
    ),
    "no array": (member(PARAMETER, None), "is damaged: KeyError.*no item named 'parameters/0.npy'"),
    "another shape": (member(PARAMETER, npy(ONES.T)), r"is float32\[3, 2\], its variable"),
    "another dtype": (member(PARAMETER, npy(ONES.astype("float64"))), r"is float64\[2, 3\]"),
    "array is cut off": (member(PARAMETER, npy(ONES)[:-1]), "does not have the size of its array"),
    "array is longer": (member(PARAMETER, npy(ONES) + b"1"), "does not have the size of its"),
    "array is huge": (member(PARAMETER, huge("(2, 3000000000)")), "does not have the size of"),
    "array is no array": (member(PARAMETER, b"hello world"), "is damaged: ValueError: .*magic"),
    "newer array": (member(PARAMETER, npy(ONES, version=(2, 0))), "npy is of another version"),
    "pickled array": (
        member(PARAMETER, npy(np.array([[None] * 3] * 2), allow_pickle=True)),
        "is damaged: ValueError",
    ),
    "compressed": (compressed, "workload.json is compressed"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_file_is_refused_with_reason_and_cure(name: str, tmp_path: Path) -> None:
    damage, reason = DAMAGED[name]
    path = tmp_path / "file"
    example().save(path)
    damage(path)

    with pytest.raises(StorageError, match=reason) as caught:
        Workload.load(path)

    assert str(caught.value).startswith(f"{path}: ")
    assert caught.value.cure


def test_pickles_are_not_executed(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> Any:
            return (tmp_path / "sprung").touch, ()

    path = tmp_path / "file"
    example().save(path)
    array = np.empty((2, 3), object)
    array[...] = Trap()
    member(PARAMETER, npy(array, allow_pickle=True))(path)

    with pytest.raises(StorageError):
        Workload.load(path)

    assert not (tmp_path / "sprung").exists()


def test_every_truncated_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    example().save(path)
    content = path.read_bytes()

    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        with pytest.raises(StorageError):
            Workload.load(path)


def test_every_changed_byte_is_noticed_or_harmless(tmp_path: Path) -> None:
    path = tmp_path / "file"
    example().save(path)
    content, expected = path.read_bytes(), description(example())
    noticed = 0

    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        try:
            loaded = Workload.load(path)
        except StorageError:
            noticed += 1
        else:
            assert description(loaded) == expected, place

    assert noticed > len(content) // 2


def test_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be read: Is a directory"):
        Workload.load(tmp_path)


def test_workload_too_large_for_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(*arguments: Any, **options: Any) -> Any:
        raise MemoryError

    example().save(tmp_path / "file")
    monkeypatch.setattr("numpy.lib.format.read_array", give_up)

    with pytest.raises(StorageError, match="does not fit into memory"):
        Workload.load(tmp_path / "file")


def test_interrupt_is_not_taken_for_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example().save(tmp_path / "file")
    monkeypatch.setattr("numpy.lib.format.read_array", interrupt)

    with pytest.raises(KeyboardInterrupt):
        Workload.load(tmp_path / "file")


@pytest.mark.parametrize("path", [None, 3])
def test_what_is_no_path_is_refused(path: Any) -> None:
    with pytest.raises(MisuseError, match=f"to or loaded from a path, not {path}"):
        Workload.load(path)
    with pytest.raises(MisuseError, match=f"to or loaded from a path, not {path}"):
        Workload(Var("x", (2,))).save(path)


def test_calls_of_operators_that_gsl_does_not_know_are_saved(tmp_path: Path) -> None:
    x = Var("x", (2,))
    pair = TupleType((x.type, TensorType((), "int64")))
    attributes = {"payload": '{"root": 1}', "result": type_to_plain(pair)}
    unknown = Call(lookup("relax.nn.unknown"), [x], attributes)
    Workload(Proj(unknown, 0)).save(tmp_path / "opaque.gsl")

    (again,) = Workload.load(tmp_path / "opaque.gsl").outputs

    assert again.operands[0].operator is unknown.operator
    assert again.operands[0].attributes == unknown.attributes
    assert again.operands[0].type == pair


def test_unknown_operator_that_its_name_does_not_lead_to_is_refused(tmp_path: Path) -> None:
    x = Var("x", (2,))
    attributes = {"payload": "", "result": type_to_plain(x.type)}
    stranger = Call(OpaqueOperator("relax.nn.unknown"), [x], attributes)

    with pytest.raises(StorageError, match=r"relax\.nn\.unknown is not the registered one"):
        Workload(stranger).save(tmp_path / "opaque.gsl")
