"""numpy arrays, and what becomes one, as the words of a buffer: by value, so that none is misread.

    int64 [1, 2], uint8 [1, 2]     into u32 [...]    1 2           the values fit
    int32 [-1]                     into u32 [...]    0xffffffff    the bits fit: signs are the shader's business
    int64 [1 << 40]                into u32 [...]    refused (RK1004)
    float32 [1.5]                  into u32 [...]    refused: `.astype` rounds it, `.view` has its bits
    float64 [0.5]                  into f32 [...]    0.5           it is one exactly; 0.1 is refused

A buffer that is not just scalars or vectors of one type takes an array of words, an array of numbers that are as wide
as some of its own, or a structured array: as the bytes that it is.
"""

from typing import TYPE_CHECKING, Any, Final

from reknit.sim.layout import Layout
from reknit.sim.values import FLOAT_KIND, VECTOR_KIND, Shape
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place

if TYPE_CHECKING:
    from numpy import dtype, ndarray

WORD: Final = 4  # bytes


def is_array(given: object) -> bool:
    """Whether `given` is an array with elements of a type: numpy's, those of `array`, tensors, memory."""
    return hasattr(given, "__array__") or hasattr(given, "tobytes") and not isinstance(given, bytes | bytearray)


def array_bytes(name: str, given: object, layout: Layout | None, path: str) -> bytes:
    """What a buffer of that layout holds when it is given an array; without a layout, the array's own bytes. Raises
    InputError (RK1004) where its numbers are none of the buffer's."""
    import numpy

    data: ndarray[Any, dtype[Any]] = numpy.asarray(given)
    data = data.reshape(-1)
    if data.dtype.kind not in "biufV" or data.dtype.hasobject:
        raise wrong(f"buffer {name!r}: an array of {data.dtype} holds no numbers", path)
    if data.dtype.byteorder == ">" or (data.dtype.byteorder == "=" and not numpy.little_endian):
        data = data.astype(data.dtype.newbyteorder("<"))
    component = elements_of(layout)[0] if layout is not None else None
    if layout is None or data.dtype.kind == "V":
        return data.tobytes()
    if component is not None:
        return _converted(name, data, component, path).tobytes()
    if data.dtype.kind == "b" or data.dtype.itemsize not in {WORD, *_widths(layout, data.dtype.kind == "f")}:
        message = f"buffer {name!r}: it holds no numbers like those of the array ({data.dtype})"
        raise wrong(message, path, "give it as bytes, as 32-bit words (numpy.uint32), or as a structured array")
    return data.tobytes()


def _converted(name: str, data: "ndarray[Any, dtype[Any]]", component: Shape, path: str) -> "ndarray[Any, dtype[Any]]":
    """The array with elements of the buffer's own type, little-endian."""
    import numpy

    floats = component.kind == FLOAT_KIND
    size = max(component.width // 8, 1) if component.width > 1 else WORD
    kind = data.dtype.kind
    own = f"f{8 * size}" if floats else f"{'i' if component.signed else 'u'}{8 * size}"
    if kind == "f" and not floats:
        whole = f"{'int' if component.signed else 'uint'}{8 * size}"
        help = f"`.astype(numpy.{whole})` rounds, `.view(numpy.uint32)` gives the bits"
        raise wrong(f"buffer {name!r} holds {own}, and the array floats ({data.dtype})", path, help)
    if floats and kind != "f":
        if kind in "iu" and data.dtype.itemsize == WORD:
            return data  # words, as a list of them would be
        help = f"`.astype(numpy.float{8 * size})` makes floats of them"
        raise wrong(f"buffer {name!r} holds {own}, and the array integers ({data.dtype})", path, help)
    if floats:
        if data.dtype.itemsize == size:
            return data
        with numpy.errstate(over="ignore"):
            floated: ndarray[Any, dtype[Any]] = data.astype(f"<f{size}")
        same = (floated == data) | (numpy.isnan(floated) & numpy.isnan(data))
        if not same.all():
            first = data[~same][0]
            help = f"`.astype(numpy.float{8 * size})` rounds"
            raise wrong(f"buffer {name!r}: {first} of {data.dtype} is no {own} exactly", path, help)
        return floated
    if data.size and kind in "iu":
        least, most = int(data.min()), int(data.max())
        if least < -(1 << (8 * size - 1)) or most >= 1 << (8 * size):
            outside = least if least < -(1 << (8 * size - 1)) else most
            raise wrong(f"buffer {name!r}: {outside} is no number of {8 * size} bits", path)
    return data.astype(f"<u{size}")


def _widths(layout: Layout, floats: bool) -> set[int]:
    """How many bytes the scalars have that a buffer holds: floats, or others."""
    widths: set[int] = set()
    work = [layout]
    for inner in work:  # grows while it is gone through
        if not inner.parts and (inner.shape.kind == FLOAT_KIND) == floats:
            widths.add(inner.shape.width // 8)
        work.extend(inner.parts)
    return widths


def elements_of(layout: Layout) -> tuple[Shape | None, int]:
    """(scalar, components) of the elements of a buffer that is nothing but an array of them."""
    while len(layout.parts) == 1 and layout.offsets in ([], [0]) and layout.shape.kind != VECTOR_KIND:
        inner = layout.parts[0]
        if not layout.offsets and layout.stride != inner.size:
            return None, 0
        layout = inner
    if not layout.parts and layout.size:
        return layout.shape, 1
    if layout.shape.kind == VECTOR_KIND and layout.stride == layout.parts[0].size:
        return layout.parts[0].shape, layout.shape.count
    return None, 0


def wrong(message: str, path: str, help: str = "") -> InputError:
    return InputError([Diagnostic("RK1004", message, Place(path) if path else None, help=help)])
