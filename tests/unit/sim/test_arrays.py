"""numpy arrays as buffers: by value where they are numbers of its own kind, refused where they would change."""

import array
import struct

import numpy
import pytest

from reknit.sim.arrays import array_bytes, elements_of, is_array
from reknit.sim.layout import Layout
from reknit.sim.values import F16, F32, F64, I32, STRUCT_KIND, U8, U16, U32, U64, Shape, vector
from reknit.sim.values import array as array_of
from reknit.source.diagnostic import InputError


def scalar(shape: Shape) -> Layout:
    return Layout(shape, shape.width // 8, 0, [], [])


def many(shape: Shape, stride: int = 0) -> Layout:
    """A runtime array of scalars."""
    return Layout(array_of(shape, 0), 0, stride or shape.width // 8, [], [scalar(shape)])


def vectors(shape: Shape, count: int, stride: int) -> Layout:
    size = shape.width // 8
    whole = Layout(vector(shape, count), size * count, size, [], [scalar(shape)])
    return Layout(array_of(whole.shape, 0), 0, stride, [], [whole])


def block(*parts: Layout) -> Layout:
    offsets = [8 * at for at in range(len(parts))]
    return Layout(Shape(STRUCT_KIND, members=[part.shape for part in parts]), 8 * len(parts), 0, offsets, list(parts))


@pytest.mark.parametrize(
    ("given", "shape", "words"),
    [
        (numpy.array([1, 2], "i8"), U32, struct.pack("<2I", 1, 2)),
        (numpy.array([[1], [2]], "u1"), U32, struct.pack("<2I", 1, 2)),
        (numpy.array([-1], "i4"), U32, struct.pack("<I", 0xFFFFFFFF)),
        (numpy.array([-1, 2**32 - 1, -(2**31)], "i8"), I32, struct.pack("<3I", 0xFFFFFFFF, 0xFFFFFFFF, 1 << 31)),
        (numpy.array([1, 2], ">i4"), U32, struct.pack("<2I", 1, 2)),
        (numpy.array([True, False]), U32, struct.pack("<2I", 1, 0)),
        (numpy.array([200, -128], "i8"), U8, bytes([200, 128])),
        (numpy.array([65535], "i8"), U16, b"\xff\xff"),
        (numpy.array([2**64 - 1], "u8"), U64, b"\xff" * 8),
        (numpy.array([1.5], "f4"), F32, struct.pack("<f", 1.5)),
        (numpy.array([0.5, numpy.nan], "f8"), F32, struct.pack("<f", 0.5) + b"\x00\x00\xc0\x7f"),
        (numpy.array([numpy.inf, -0.0], "f8"), F32, struct.pack("<2f", numpy.inf, -0.0)),
        (numpy.array([1.5], "f4"), F64, struct.pack("<d", 1.5)),
        (numpy.array([1.5], "f4"), F16, struct.pack("<e", 1.5)),
        (numpy.array([0x3F800000], "u4"), F32, struct.pack("<f", 1.0)),
        (numpy.array([], "i8"), U32, b""),
        (array.array("I", [1, 2]), U32, struct.pack("<2I", 1, 2)),
    ],
)  # fmt: skip
def test_numbers_keep_their_values(given: object, shape: Shape, words: bytes) -> None:
    assert array_bytes("b", given, many(shape), "") == words
    assert array_bytes("b", given, block(many(shape)), "") == words


@pytest.mark.parametrize(
    ("given", "shape", "says"),
    [
        (numpy.array([1 << 40]), U32, f"{1 << 40} is no number of 32 bits"),
        (numpy.array([1 << 32]), U32, f"{1 << 32} is no number of 32 bits"),
        (numpy.array([-(1 << 31) - 1]), U32, f"{-(1 << 31) - 1} is no number of 32 bits"),
        (numpy.array([256]), U8, "256 is no number of 8 bits"),
        (numpy.array([-129]), U8, "-129 is no number of 8 bits"),
        (numpy.array([1.5], "f4"), U32, "'b' holds u32, and the array floats (float32)"),
        (numpy.array([1.5], "f4"), I32, "'b' holds i32, and the array floats (float32)"),
        (numpy.array([1], "i8"), F32, "'b' holds f32, and the array integers (int64)"),
        (numpy.array([1], "i4"), F64, None),
        (numpy.array([True]), F32, "'b' holds f32, and the array integers (bool)"),
        (numpy.array([0.1], "f8"), F32, "0.1 of float64 is no f32 exactly"),
        (numpy.array([0.5, 1e300], "f8"), F32, "1e+300 of float64 is no f32 exactly"),
        (numpy.array([0.1], "f4"), F16, "of float32 is no f16 exactly"),
        (numpy.array(["a"]), U32, "holds no numbers"),
        (numpy.array([None]), U32, "holds no numbers"),
        (numpy.array([1j]), F32, "holds no numbers"),
    ],
)
def test_what_would_change_is_refused(given: object, shape: Shape, says: str | None) -> None:
    if says is None:  # words of 32 bits are bits, as in a list
        assert array_bytes("b", given, many(shape), "") == b"\x01\x00\x00\x00"
        return
    with pytest.raises(InputError) as refused:
        array_bytes("b", given, many(shape), "a.spv")
    assert says in str(refused.value) and refused.value.diagnostics[0].code == "RK1004"
    assert str(refused.value.diagnostics[0].place) == "a.spv"


def test_buffers_of_several_types_take_bytes_words_and_their_own_widths() -> None:
    """{ u32, f64 }: words, floats of 64 bits, integers of 32; neither floats of 32 bits nor integers of 64."""
    mixed = block(scalar(U32), scalar(F64))
    for given in (numpy.array([1, 2], "u4"), numpy.array([1.5], "f8"), numpy.array([1, 2], "f4")):
        assert array_bytes("b", given, mixed, "") == given.tobytes()
    pairs = numpy.array([(1, 2.5)], numpy.dtype([("n", "u4"), ("x", "f8")]))
    assert array_bytes("b", pairs, mixed, "") == pairs.tobytes()
    assert array_bytes("b", pairs, many(U32), "") == pairs.tobytes()
    for wrong in (numpy.array([1, 2], "u8"), numpy.array([1], "u2"), numpy.array([1.5], "f2"), numpy.array([True])):
        with pytest.raises(InputError) as refused:
            array_bytes("b", wrong, mixed, "")
        assert "it holds no numbers like those of the array" in str(refused.value)
    assert array_bytes("b", numpy.array([1, 2], "u2"), None, "") == b"\x01\x00\x02\x00"


def test_which_buffers_are_arrays_of_one_type() -> None:
    """Without gaps between elements; a vector's components count."""
    assert elements_of(many(U32)) == (U32, 1)
    assert elements_of(block(many(F32))) == (F32, 1)
    assert elements_of(many(U32, stride=16)) == (None, 0)
    assert elements_of(block(scalar(U32), scalar(U32))) == (None, 0)
    assert elements_of(vectors(F32, 4, 16)) == (F32, 4)
    assert elements_of(vectors(F32, 3, 16)) == (None, 0)
    assert elements_of(vectors(F32, 3, 12)) == (F32, 3)
    assert elements_of(scalar(U32)) == (U32, 1)


def test_what_counts_as_an_array() -> None:
    assert is_array(numpy.array([1])) and is_array(array.array("I", [1])) and is_array(memoryview(b"abcd"))
    assert not is_array([1]) and not is_array(b"abcd") and not is_array(bytearray(4)) and not is_array("ab")
