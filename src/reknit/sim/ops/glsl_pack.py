"""GLSL.std.450, packing: small numbers side by side in a word, the first in the low bits.

    PackUnorm4x8  (1.0, 0.0, 0.5, 1.0)   ->   0xff8000ff      each c is round(clamp(c, 0, 1) * 255), halves to even
    PackHalf2x16  (1.0, -2.0)            ->   0xc0003c00

Source: GLSL.std.450 extended instruction set. The product is exact before it is rounded; a NaN to clamp is undefined:
reported, and 0.
"""

from collections.abc import Callable
from typing import Any

from reknit.ir import glsl
from reknit.sim.ops.ieee import FORMAT16, FORMAT32
from reknit.sim.ops.undefined import Undefined

Function = Callable[..., Any]
Vector = tuple[int, ...]


def pack_fixed(width: int, signed: bool, undefined: Undefined) -> Function:
    scale = float((1 << (width - 1)) - 1 if signed else (1 << width) - 1)
    low = -1.0 if signed else 0.0
    mask = (1 << width) - 1

    def pack(v: Vector) -> int:
        word = 0
        at = 0
        for component in v:
            x = FORMAT32.decode(component)
            if x != x:
                undefined.say("a NaN packed as a fixed-point number")
                x = 0.0
            x = 1.0 if x > 1.0 else low if x < low else x
            word |= (round(x * scale) & mask) << at
            at += width
        return word

    return pack


def unpack_fixed(width: int, signed: bool) -> Function:
    scale = float((1 << (width - 1)) - 1 if signed else (1 << width) - 1)
    mask = (1 << width) - 1
    top = 1 << (width - 1)

    def unpack(word: int) -> Vector:
        components: list[int] = []
        for at in range(0, 32, width):
            part = (word >> at) & mask
            x = float((part ^ top) - top if signed else part) / scale
            components.append(FORMAT32.encode(-1.0 if x < -1.0 else x))
        return tuple(components)

    return unpack


def pack_half(v: Vector) -> int:
    return FORMAT16.encode(FORMAT32.decode(v[0])) | (FORMAT16.encode(FORMAT32.decode(v[1])) << 16)


def unpack_half(word: int) -> Vector:
    return FORMAT32.encode(FORMAT16.decode(word & 0xFFFF)), FORMAT32.encode(FORMAT16.decode(word >> 16))


def pack_double(v: Vector) -> int:
    return v[0] | (v[1] << 32)


def unpack_double(bits: int) -> Vector:
    return bits & 0xFFFFFFFF, bits >> 32


def function(number: int, undefined: Undefined) -> Function | None:
    if number == glsl.PackSnorm4x8:
        return pack_fixed(8, True, undefined)
    if number == glsl.PackUnorm4x8:
        return pack_fixed(8, False, undefined)
    if number == glsl.PackSnorm2x16:
        return pack_fixed(16, True, undefined)
    if number == glsl.PackUnorm2x16:
        return pack_fixed(16, False, undefined)
    if number == glsl.UnpackSnorm4x8:
        return unpack_fixed(8, True)
    if number == glsl.UnpackUnorm4x8:
        return unpack_fixed(8, False)
    if number == glsl.UnpackSnorm2x16:
        return unpack_fixed(16, True)
    if number == glsl.UnpackUnorm2x16:
        return unpack_fixed(16, False)
    if number == glsl.PackHalf2x16:
        return pack_half
    if number == glsl.UnpackHalf2x16:
        return unpack_half
    if number == glsl.PackDouble2x32:
        return pack_double
    if number == glsl.UnpackDouble2x32:
        return unpack_double
    return None
