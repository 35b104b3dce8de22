"""Shaders that DXC compiled, read and run: what they store follows by hand from the HLSL beside them.

Each is run flat where that is defined, and again after `structurize`, as SPIR-V that spirv-val accepts. How the files
in tests/data/dxil were made: python3 tools/dxc.py LIBRARY x.hlsl x.dxil, with -T cs_6_5, for model66 -T cs_6_6, for
widths -enable-16bit-types.
"""

import math
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dxc
import pytest
from kit import oracles

import reknit
from reknit.front.llvm.resources import UAV, Resource
from reknit.front.llvm.unsupported import Refusal
from reknit.ir.module import Module
from reknit.sim.images import Image
from reknit.spirv.write import write_module

pytestmark = pytest.mark.once

DATA = Path(__file__).resolve().parents[3] / "data" / "dxil"


def ran(module: Module, buffers: Mapping[str, Any], size: int = 8) -> dict[str, list[int]]:
    result = reknit.run(module, subgroup_size=size, buffers=buffers)
    assert [str(fault) for fault in result.diagnostics] == []
    return {name: buffer.words for name, buffer in result.buffers.items()}


def both(name: str, buffers: Mapping[str, Any], size: int = 8) -> dict[str, list[int]]:
    """What the shader stores; the same flat and structured."""
    flat = ran(reknit.load(DATA / f"{name}.dxil"), buffers, size)
    assert structured(name, buffers, size) == flat
    return flat


def structured(name: str, buffers: Mapping[str, Any], size: int = 8) -> dict[str, list[int]]:
    module = reknit.load(DATA / f"{name}.dxil")
    reknit.compile(module, "restructure", verify_each=True)
    if oracles.find("spirv-val") is not None:
        accepted, message = oracles.spirv_val(write_module(module), "vulkan1.3")
        assert accepted, message
    return ran(module, buffers, size)


def floats(*numbers: float) -> list[int]:
    return [struct.unpack("<I", struct.pack("<f", number))[0] for number in numbers]


def signed(value: int) -> int:
    return value & 0xFFFFFFFF


X = [3, 0, 6, 7, 2, 5, 1, 4]
"""The words of the lanes in the tests of waves."""


def wave_rows() -> list[list[int]]:
    """By hand, from the meaning of each intrinsic over lanes 0-7 that all run together."""
    odd = sum(1 << lane for lane in range(8) if X[lane] & 1)  # 0b01101001: lanes 0, 3, 5, 6
    same = [odd if x & 1 else 0xFF ^ odd for x in X]

    def before(lane: int) -> list[int]:
        return [other for other in range(lane) if same[lane] >> other & 1]

    return [
        [1, 0, 0, 0, 0, 0, 0, 0],
        list(range(8)),
        [8] * 8,
        [1] * 8,
        [1] * 8,
        [1] * 8,
        [0b01101001] * 8,
        [7] * 8,
        [0, 3, 7, 6, 5, 2, 4, 1],
        [3] * 8,
        [28] * 8,
        [math.factorial(8)] * 8,
        [0] * 8,
        [3] * 8,
        [signed(-4)] * 8,
        [8] * 8,
        [7] * 8,
        [0] * 8,
        [0, 3, 3, 9, 16, 18, 23, 24],
        [math.prod([x + 1 for x in X[:lane]]) for lane in range(8)],
        [6, 6, 6, 6, 1, 1, 1, 1],
        [0, 3, 7, 6, 5, 2, 4, 1],
        [6, 7, 3, 0, 1, 4, 2, 5],
        [7, 6, 0, 3, 4, 1, 5, 2],
        [5] * 8,
        [0, 1, 1, 2, 3, 3, 4, 4],
        same,
        [sum(X[other] for other in before(lane)) for lane in range(8)],
        [sum(X[other] > 2 for other in before(lane)) for lane in range(8)],
        [_or(X[other] for other in before(lane)) for lane in range(8)],
        floats(28.0) * 8,
        [4 if x & 2 else 0 for x in X],
    ]


def _or(values: Any) -> int:
    total = 0
    for value in values:
        total |= value
    return total


def test_waves() -> None:
    words = both("waves", {"input": X, "result": [0] * 256})["result"]
    rows = [words[8 * row : 8 * row + 8] for row in range(32)]
    for number, (found, expected) in enumerate(zip(rows, wave_rows(), strict=True)):
        assert found == expected, f"row {number}"


def test_integers() -> None:
    a, b, c, i = 100, 7, 0xF0, -50
    words = both("integers", {"input": [a, b, c, signed(i), 0], "result": [0] * 25}, 1)["result"]
    assert words == [
        107, 93, 700, 14, 2,
        signed(-7), signed(-1),  # towards zero
        12800, signed(i) >> 7, signed(-1),
        (100 & 0xF0) | (7 ^ 0xF0),  # 0x60 | 0xf7
        7 + 100 * 100,
        signed(-50 + 100),
        int(f"{100:032b}"[::-1], 2),
        4, 4, 7,
        5,  # -50 is ...11001110: the highest bit that differs from the sign is 5
        0xFFFFFFFF,  # none is set
        940,
        1 + 2 + 4 + 8 + 16,
        50, 15,
        0x4700,  # 7 = 1.75 * 2^2: exponent 15 + 2, fraction 0.75
        5,
    ]  # fmt: skip


def test_floats() -> None:
    a, b, z = 2.5, 2.0, -3.75
    nan, infinite = 0x7FC00000, 0x7F800000
    half = 0x3E00  # 1.5
    given = [*floats(a, b, z, 4.0), nan, infinite, half, *floats(0.0)]
    words = both("floats", {"input": given, "result": [0] * 36}, 1)["result"]
    expected = floats(
        4.5, 0.5, 5.0, 1.25, 0.5, -2.5, 3.75, 1.0, 0.0, -4.0, -3.0, -3.0,
        2.0,  # half to even
        0.25, 2.0, 0.5, 4.0, 2.0, 2.0, 2.5,
        5.0 - 7.5, 5.0 - 7.5 - 3.75, 5.0 - 7.5 - 3.75 + 8.0, 5.0 - 3.75,
        -3.0, 2.0, 2.0, 1.0, 1.0, 0.0, 1.5,
        1.0,  # cos 0; the others are 0
        float(half), 0.0, 1.0, 1.0,
    )  # fmt: skip
    assert words == expected


def test_buffers() -> None:
    pairs = [word for lane in range(4) for word in (10 + lane, *floats(0.5, 3.0 + lane))]
    quads = [100 * lane + part for lane in range(4) for part in range(4)]
    limits = [1000, *floats(1.5), 0, 0, 1, 2, 3, 4]
    given = {
        "pairs": pairs, "bytes": [1, 2, 3, 4, 5], "quads": quads, "Limits": limits, "result": [0] * 20,
        "raw": [0, 0, 0, 5, 0, 7, 0, 1, 2, 9, *[0] * 8], "typed": [0] * 4, "counted": [0] * 4,
    }  # fmt: skip
    found = both("buffers", given, 4)
    assert found["result"] == [
        13, 15, 17, 19,  # 10 + lane, and 3 + lane
        3, 5, 7, 9,  # word lane and the one after it
        2, 102, 202, 302,
        *[1000 + 3 + 4] * 4,
        *[412] * 4,  # four pairs of twelve bytes
    ]  # fmt: skip
    assert found["raw"][:6] == [10, 0b1111, 3, 0, 0 ^ 1 ^ 2 ^ 3, 0]
    # lane n compares word 6 + n with n, and puts 7 there if equal; then lane 3 puts 99 into word 7
    assert found["raw"][6:10] == [7, 99, 7, 9]
    assert found["raw"][10:] == [0, 0, 1, 1, 2, 2, 3, 9]
    assert found["typed"] == [1, 4, 7, 10]
    assert found["counted"] == [5, 5, 5, 5]
    assert found["counted.counter"] == [4, 0, 0, 0]


def test_shared_memory() -> None:
    words = structured("shared", {"input": X, "result": [0] * 24})["result"]
    assert words == [
        *[100 + 28 + (lane + 1) % 8 for lane in range(8)],
        *[[11, 22, 33, 44, 55][x % 5] for x in X],
        *[(x & 3) ** 2 + lane for lane, x in enumerate(X)],
    ]


def test_control_flow() -> None:
    words = structured("control", {"input": X, "result": [0] * 40})["result"]
    # sum of i * j for j <= i < 5, i != x, until the sum is above 20: rows 1, 6, 18, 40 of i = 1..4
    rows = {0: 0, 1: 1, 2: 6, 3: 18, 4: 40}
    found = []
    for x in X:
        total = 0
        for i, row in rows.items():
            if i != x:
                total += row
                if total > 20:
                    break
        found.append(total)
    assert words[:8] == [2, 0, 16, 3, 7, 8, 1, 5]  # Collatz steps of 4, 1, 7, 8, 3, 6, 2, 5
    assert words[8:16] == found
    # lane 0 has x = 3 and is even
    assert words[16:24] == [30, 10, 90, 90, 22, 90, 21, 90]
    # 2 n + 1 until 20 or more, at least once
    assert words[24:32] == [31, 31, 27, 31, 23, 23, 31, 39]
    assert words[32:] == [0 if x == 5 else x for x in X]


def test_a_ballot_in_a_block_that_breaks() -> None:
    """Lanes 0, 1 leave in iteration 2, lane 3 in iteration 0, and so on: each ballot is of those."""
    leave = [2, 2, 5, 0, 5, 5, 1, 3]
    words = structured("breaks", {"input": leave, "result": [0] * 16})["result"]
    together = [sum(1 << lane for lane in range(8) if leave[lane] == mine) for mine in leave]
    assert together[:4] == [0b11, 0b11, 0b110100, 0b1000]
    assert words == [*together, *[0xFF] * 8]


def test_the_edge_that_is_never_taken_becomes_a_hint() -> None:
    function = reknit.load(DATA / "breaks.dxil").functions[0]
    assert not function.structured
    assert [hint.origin for hint in function.hints] == ["dx.break.cond"]
    assert "dx.break" not in reknit.text(reknit.load(DATA / "control.dxil"))


def test_model_6_6() -> None:
    given = {"input": [5, 6, 7, 8], "heap7": [0] * 4, "typed": [0] * 8, "many[2]": [0] * 4}
    found = both("model66", given, 4)
    assert found["heap7"] == [10, 12, 14, 16]
    assert found["typed"] == [0, 5, 1, 6, 2, 7, 3, 8]
    assert found["many[2]"] == [40, 41, 42, 43]


def test_widths() -> None:
    given = {
        "input": [3, 2], "result": [0] * 8, "halves": [0], "wide": [0] * 4, "doubles": [0] * 4, "raw": [0],
    }  # fmt: skip
    found = both("widths", given, 2)
    assert found["wide"] == [9, 9, 6, 6]
    # 3 * 2^32 + 3 and 2 * 2^32 + 2, moved down by 31; 90000 and 60000 modulo 2^16, the second negative as 16 bits;
    # 4.5 and 3.0 as halves; 2 * 3 / 4 and 2 * 2 / 4 without fractions
    assert found["result"] == [6, 4, 24464, signed(60000 - 65536), 0x4480, 0x4200, 1, 1]
    assert found["halves"] == [24465 | 60001 << 16]
    doubles = struct.pack("<2d", 0.75, 0.5)
    assert found["doubles"] == list(struct.unpack("<4I", doubles))
    assert found["raw"] == [0x4480 | 0x4200 << 16]


def test_structs_matrices_and_packed_bytes() -> None:
    items = [word for lane in range(4) for word in (*floats(lane, 10.0 + lane, 0.5), 3 * lane)]
    columns = [[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 0], [10, 20, 30, 1]]
    counts = [word for lane in range(4) for word in (100 * lane, 0, 0, 0)]
    given = {
        "input": items, "Matrices": [*floats(*[cell for column in columns for cell in column]), *counts],
        "result": [0] * 16, "many[0]": [0] * 8, "many[1]": [1, 2, 3, 4],
    }  # fmt: skip
    found = structured("structs", given, 4)
    # each takes its neighbour's item: (x + 10, 2 y + 20, 3 z + 30); 3 + 0 + 1 doubles and adds one until 100 or more:
    # 4, 9, 19, 39, 79, 159
    assert found["result"] == [
        *floats(11.0, 42.0, 31.5), 159,
        *floats(10.0, 40.0, 31.5), 102,
        *floats(13.0, 46.0, 31.5), 9 + 200 + 3,
        *floats(12.0, 44.0, 31.5), 6 + 300 + 4,
    ]  # fmt: skip
    # bytes 5 3 0 1 against 8+lane 6 4 2, without the one that is 0; then 4 * lane + 3 * 7 + 2 * 6 + 1 * 5 + 1000
    assert found["many[0]"] == [7, 8, 9, 10, 1038, 1042, 1046, 1050]


def test_textures() -> None:
    """Texel (x + 1, y) of an image of 9 x 8, doubled; and the sum of a line's texel x, a volume's own and the green of
    level 1 of a layer, which is 100 + 8 y + x."""
    module = reknit.load(DATA / "textures.dxil")
    reknit.compile(module, "restructure", verify_each=True)
    accepted, message = oracles.spirv_val(write_module(module), "vulkan1.3")
    assert accepted, message
    words = reknit.text(module)
    assert [words.count(f" {name} ") for name in ("ImageFetch", "ImageRead", "ImageWrite")] == [3, 1, 2]
    given = {
        "image": Image([9, 8], "r32f", range(72)),
        "line_of": Image([8], "r32i", [10 * k for k in range(8)]),
        "layers": Image([16, 16, 1], "rg8ui", [0, 0] * 256 + [part for k in range(64) for part in (7, 100 + k)], 2),
        "canvas": Image([8, 8], "r32f"),
        "cube": Image([8, 8, 1], "r32i", [-1000 * (k % 3) for k in range(64)]),
    }
    for size in (4, 8, 32, 64):
        result = reknit.run(module, subgroup_size=size, buffers=given)
        assert result.diagnostics == []
        assert result.buffers["canvas"].texels() == [2.0 * (9 * y + x + 1) for y in range(8) for x in range(8)]
        sums = [10 * (k % 8) - 1000 * (k % 3) + 100 + k for k in range(64)]
        assert result.buffers["cube"].texels() == sums


def test_the_stored_files_are_what_the_compiler_makes() -> None:
    """Compiled again, each shader reads as the same module."""
    library = Path(oracles.need("dxc")[0])
    for source in sorted(DATA.glob("*.hlsl")):
        options = ["-T", "cs_6_6" if source.stem == "model66" else "cs_6_5", "-E", "main"]
        if source.stem == "widths":
            options.append("-enable-16bit-types")
        made = dxc.compile_hlsl(library, source.read_text(), options)
        assert reknit.text(reknit.load(made)) == reknit.text(reknit.load(source.with_suffix(".dxil")))


def test_bindings_and_names() -> None:
    module = reknit.load(DATA / "buffers.dxil")
    words = reknit.text(module)
    for line in ("Decorate %raw DescriptorSet 2", "Decorate %raw Binding 1", "Decorate %result Binding 0"):
        assert line in words
    # t0-t2 and b0 have numbers that u0-u3 have as well, so they move up
    for line in ("Decorate %pairs Binding 1000", "Decorate %quads Binding 1002", "Decorate %Limits Binding 2000"):
        assert line in words
    assert "ExecutionMode @main LocalSize 4 1 1" in words
    assert module.notes == []  # the elements of typed buffers are in the table of types


@pytest.mark.parametrize("ending", ["dxil", "dxbc", "cso"])
def test_endings(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"shader.{ending}"
    path.write_bytes((DATA / "control.dxil").read_bytes())
    assert reknit.load(path).functions[0].name == "main"
    assert reknit.load(path.read_bytes()).functions[0].name == "main"


def test_registers_end_where_words_do() -> None:
    """The last register has a binding; moved up, or with its counter 4000 above, it would have none."""
    resource = Resource(UAV, 0, "last")
    assert resource.root(0xFFFFFFFF).binding == 0xFFFFFFFF
    with pytest.raises(Refusal, match="the binding 4294971295, which no word holds"):
        resource.counter(0xFFFFFFFF)
    resource.shift = 1000
    with pytest.raises(Refusal, match="the binding 4294968294, which no word holds"):
        resource.root(0xFFFFFFFE)
