"""OpenCL.std: expected values by the definitions of OpenCL Extended Instruction Set, 2.1 to 2.3."""

import math
import struct

import pytest
from kit import oracles

import reknit
from reknit.sim.ops.opencl import opencl_column
from reknit.sim.ops.undefined import Undefined
from reknit.sim.run import run
from reknit.sim.values import F32, I8, U8, U32, Shape, vector
from reknit.source.diagnostic import InputError


def result(name: str, shape: Shape, *operands: int, out: Shape | None = None) -> int:
    said: list[str] = []
    undefined = Undefined(lambda lane, message: said.append(message))
    column = opencl_column(name, out or shape, [shape] * len(operands), undefined)
    assert column is not None
    held = [0]
    column(held, [0], [[operand] for operand in operands])
    assert not said
    return held[0]


@pytest.mark.parametrize(
    ("name", "operands", "expected"),
    [
        ("s_abs", [0x80], 0x80),
        ("s_abs", [-5], 5),
        ("s_abs_diff", [-128, 127], 255),
        ("u_abs_diff", [3, 250], 247),
        ("s_add_sat", [100, 100], 127),
        ("s_add_sat", [-100, -100], -128),
        ("u_add_sat", [200, 100], 255),
        ("s_sub_sat", [-100, 100], -128),
        ("u_sub_sat", [3, 5], 0),
        ("s_hadd", [-1, -2], -2),
        ("u_hadd", [255, 254], 254),
        ("s_rhadd", [-1, -2], -1),
        ("u_rhadd", [255, 254], 255),
        ("s_mul_hi", [-128, 2], -1),
        ("u_mul_hi", [128, 2], 1),
        ("s_mad_hi", [-128, 2, 7], 6),
        ("u_mad_hi", [128, 2, 255], 0),
        ("s_mad_sat", [10, -20, 3], -128),
        ("u_mad_sat", [10, 20, 56], 255),
        ("s_min", [-1, 1], -1),
        ("u_min", [255, 1], 1),
        ("s_clamp", [-7, -5, 5], -5),
        ("clz", [1], 7),
        ("clz", [0], 8),
        ("ctz", [8], 3),
        ("ctz", [0], 8),
        ("popcount", [0xF1], 5),
        ("rotate", [0x81, 1], 3),
        ("rotate", [0x81, 8], 0x81),
        ("rotate", [0x81, -1], 0xC0),
        ("bitselect", [0xF0, 0x0F, 0x3C], 0xCC),
        ("select", [1, 2, 1], 2),
        ("select", [1, 2, 0], 1),
    ],
)
def test_bytes(name: str, operands: list[int], expected: int) -> None:
    shape = I8 if name.startswith("s_") else U8
    assert result(name, shape, *[operand & 0xFF for operand in operands]) == expected & 0xFF


def test_integers_of_other_widths() -> None:
    assert result("u_upsample", U8, 0x12, 0x34, out=Shape(2, 16)) == 0x1234
    assert result("u_mul24", U32, 0xFFFFFF, 2) == 0x1FFFFFE
    assert result("s_mad24", U32, 0xFFFFFFFF, 5, 7) == 2
    with pytest.raises(AssertionError):
        result("u_mul24", U32, 1 << 24, 2)


def bits(x: float) -> int:
    word: int = struct.unpack("<I", struct.pack("<f", x))[0]
    return word


@pytest.mark.parametrize(
    ("name", "operands", "expected"),
    [
        ("fmin", [math.nan, 2.0], 2.0),
        ("fmax", [3.0, math.nan], 3.0),
        ("fclamp", [math.nan, 1.0, 2.0], 1.0),
        ("rint", [2.5], 2.0),
        ("round", [2.5], 3.0),
        ("round", [-0.25], -0.0),
        ("round", [0.49999997], 0.0),
        ("trunc", [-1.5], -1.0),
        ("floor", [-1.5], -2.0),
        ("ceil", [-0.5], -0.0),
        ("fabs", [-1.5], 1.5),
        ("copysign", [1.5, -0.0], -1.5),
        ("sign", [-0.0], -0.0),
        ("sign", [math.nan], 0.0),
        ("sign", [-math.inf], -1.0),
        ("fdim", [3.0, 1.0], 2.0),
        ("fdim", [1.0, 3.0], 0.0),
        ("fma", [1.0 + 2.0**-23, 1.0 + 2.0**-23, -1.0 - 2.0**-22], 2.0**-46),
        ("step", [1.0, 0.5], 0.0),
    ],
)
def test_floats(name: str, operands: list[float], expected: float) -> None:
    assert result(name, F32, *[bits(operand) for operand in operands]) == bits(expected)


def test_vectors_are_selected_by_the_highest_bit() -> None:
    column = opencl_column("select", vector(U8, 2), [vector(U8, 2)] * 3, Undefined(lambda lane, message: None))
    assert column is not None
    held: list[tuple[int, int]] = [(0, 0)]
    column(held, [0], [[(1, 2)], [(3, 4)], [(0x80, 0x7F)]])
    assert held == [(3, 2)]


KERNEL = """OpCapability Kernel
OpCapability Addresses
%set = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpName %out "out"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%pointer = OpTypePointer CrossWorkgroup %TYPE
%fn = OpTypeFunction %void %pointer
%main = OpFunction %void None %fn
%out = OpFunctionParameter %pointer
%entry = OpLabel
%x = OpLoad %TYPE %out Aligned 4
%y = OpExtInst %TYPE %set OPERATION %x
OpStore %out %y Aligned 4
OpReturn
OpFunctionEnd
"""


def test_a_kernel_has_them() -> None:
    binary = oracles.assemble(KERNEL.replace("%TYPE", "%uint").replace("OPERATION", "clz"), "opencl2.2")
    assert oracles.spirv_val(binary, "opencl2.2") == (True, "")
    assert run(reknit.load(binary), buffers={"out": [0x00010000]}).buffers["out"].words == [15]


def test_what_is_not_exact_is_refused_by_name() -> None:
    binary = oracles.assemble(KERNEL.replace("%TYPE", "%float").replace("OPERATION", "native_sin"), "opencl2.2")
    assert oracles.spirv_val(binary, "opencl2.2") == (True, "")
    with pytest.raises(InputError, match=r"OpenCL.std native_sin\) is not known to the simulator"):
        run(reknit.load(binary))
