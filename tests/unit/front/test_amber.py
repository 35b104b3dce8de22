"""Scripts read: types by the rules of std140 and std430, initial contents, what is wrong by its line."""

import struct
from pathlib import Path

import pytest
from kit.programs import amber_shaders

from reknit.front.amber.load import load_script, module_of
from reknit.front.amber.parse_amber import parse_amber
from reknit.front.amber.parse_vkscript import parse_vkscript
from reknit.front.amber.script import Binding, Expect, Repeat, Run, Store
from reknit.front.amber.types import STD140, STD430, Member, amber_type, vkscript_type
from reknit.source.diagnostic import Diagnostic, InputError

pytestmark = pytest.mark.once


@pytest.mark.parametrize(
    "name, layout, offsets, size",
    [
        ("uint8", STD430, [0], 1),
        ("double", STD430, [0], 8),
        ("vec2<float>", STD430, [0, 4], 8),
        ("vec3<float>", STD430, [0, 4, 8], 16),
        ("vec3<int64>", STD430, [0, 8, 16], 32),
        ("mat2x2<float>", STD430, [0, 4, 8, 12], 16),
        ("mat2x2<float>", STD140, [0, 4, 16, 20], 32),
        ("mat2x3<float>", STD430, [0, 4, 8, 16, 20, 24], 32),
        ("mat3x2<float16>", STD430, [0, 2, 4, 6, 8, 10], 12),
        ("float[]", STD430, [0], 4),
        ("float[]", STD140, [0], 16),
        ("R16G16_SINT", STD430, [0, 2], 4),
        ("R32G32B32A32_SFLOAT", STD430, [0, 4, 8, 12], 16),
    ],
)
def test_where_components_lie(name: str, layout: str, offsets: list[int], size: int) -> None:
    """GLSL 4.60, 7.6.2.2: a vector of three is aligned as one of four; std140 rounds columns and elements to 16."""
    type = amber_type(name, layout, {})
    assert type is not None
    assert [component.offset for component in type.components] == offsets
    assert type.size == size


@pytest.mark.parametrize("name", ["vec5<float>", "mat1x2<float>", "bool", "vec2", "R8G8B8A8_UNORM", "R5G6B5_UINT", ""])
def test_types_there_are_not(name: str) -> None:
    assert amber_type(name, STD430, {}) is None


def test_structs() -> None:
    inner = [Member("float", 0, -1, -1, -1), Member("vec3<float>", 0, -1, -1, -1)]  # 0, 16: the size is 32
    outer = [Member("int32", 0, -1, -1, -1), Member("inner", 2, -1, -1, -1), Member("int32", 0, 84, -1, -1)]
    structs = {"inner": (-1, inner), "outer": (-1, outer), "far": (64, [Member("int32", 0, 8, -1, -1)])}
    type = amber_type("outer", STD430, structs)
    assert type is not None
    assert [component.offset for component in type.components] == [0, 16, 32, 36, 40, 48, 64, 68, 72, 84]
    assert type.size == 96
    far = amber_type("far", STD430, structs)
    assert far is not None
    assert ([component.offset for component in far.components], far.size) == ([8], 64)


@pytest.mark.parametrize(
    "name, kind, bits, count",
    [("int", "int", 32, 1), ("u16vec3", "uint", 16, 3), ("dvec2", "float", 64, 2), ("mat2", "float", 32, 4)],
)
def test_types_of_vkscript(name: str, kind: str, bits: int, count: int) -> None:
    type = vkscript_type(name, STD430)
    assert type is not None
    assert {(component.kind, component.bits) for component in type.components} == {(kind, bits)}
    assert len(type.components) == count


def contents(statement: str) -> bytes:
    return parse_amber(f"#!amber\nBUFFER b DATA_TYPE {statement}\n", "a.amber").buffers["b"].data


def test_initial_contents() -> None:
    assert contents("int16 SIZE 3 FILL -2") == struct.pack("<3h", -2, -2, -2)
    assert contents("float SIZE 3 SERIES_FROM 1 INC_BY 0.5") == struct.pack("<3f", 1.0, 1.5, 2.0)
    assert contents("uint32 DATA 1 0x10\n 2 # three\n 3 END") == struct.pack("<4I", 1, 16, 2, 3)
    assert contents("vec3<float> DATA 1 2 3 4 END") == struct.pack("<8f", 1, 2, 3, 0, 4, 0, 0, 0)
    assert contents("uint8 SIZE 4 DATA 1 2 END") == b"\1\2\0\0"
    assert contents("float16 DATA 65504 1e9 END") == struct.pack("<2e", 65504, float("inf"))
    # 2.9 is 0x4039999a as a float, of which 0x40398000 is left; -41.99 is 0xc227f5c3, 0xc227e000 is left
    assert contents("float16 DATA 2.9 -41.99 END") == struct.pack("<2e", 2.8984375, -41.96875)
    assert contents("uint32 STD140 SIZE 2") == bytes(8)


def test_a_script_is_read_whole() -> None:
    script = parse_amber(amber_shaders.AMBER, "a.amber")
    assert list(script.pipelines) == ["double", "triple"]
    triple = script.pipelines["triple"]
    assert triple.spec == {3: 3, 77: 1}
    assert [(one.buffer, one.set, one.binding) for one in triple.bindings] == [
        ("in", 0, 0),
        ("out", 0, 1),
        ("pushed", -1, -1),
    ]
    assert script.pipelines["double"].spec == {}
    first = script.commands[0]
    assert isinstance(first, Run)
    assert (first.pipeline, first.groups) == ("double", (1, 1, 1))
    last = [command for command in script.commands if isinstance(command, Expect)][-1]
    assert last.comparator == "~="
    assert last.tolerances[0].percent
    assert amber_shaders.AMBER.split("\n")[last.place.line - 1] == last.text
    assert module_of(script, script.shaders["multiply"]).version == 0x00010000  # Amber's default is SPIR-V 1.0


def test_vkscript_is_read_whole() -> None:
    script = parse_vkscript(amber_shaders.VKSCRIPT, "a.vkscript")
    assert script.features == ["shaderInt64"]
    bindings: list[Binding] = script.pipelines["compute"].bindings
    assert [(one.kind, one.set, one.binding) for one in bindings] == [
        ("storage", 0, 0),
        ("storage", 0, 1),
        ("push_constant", -1, -1),
    ]
    stores = [command for command in script.commands if isinstance(command, Store)]
    assert [(store.buffer, store.least) for store in stores] == [("0:0", 16), ("0:1", 16), ("push_constant", 4)]
    expects = [command for command in script.commands if isinstance(command, Expect)]
    assert [(expect.comparator, expect.values) for expect in expects] == [
        ("EQ", [102, 106, 110, 114]),
        ("GT", [105]),
        ("~=", [111]),
    ]


def test_bindings_with_offsets_and_arrays() -> None:
    head, _, tail = amber_shaders.AMBER.partition("DERIVE_PIPELINE")
    arrays = head.replace(
        "BIND BUFFER in AS storage DESCRIPTOR_SET 0 BINDING 0",
        "BIND BUFFER_ARRAY in copy AS storage_dynamic DESCRIPTOR_SET 2 BINDING 5 OFFSET 4 8 DESCRIPTOR_OFFSET 16 0 "
        "DESCRIPTOR_RANGE 8 -1",
    )
    found = parse_amber(arrays, "a.amber").pipelines["double"].bindings
    assert [(one.buffer, one.set, one.binding, one.element, one.offset, one.size) for one in found] == [
        ("in", 2, 5, 0, 20, 8),
        ("copy", 2, 5, 1, 8, -1),
        ("out", 0, 1, 0, 0, -1),
    ]


def test_repeat_holds_its_commands() -> None:
    script = parse_amber(amber_shaders.AMBER + "REPEAT 3\n RUN double 1 1 1\nEND\nRUN double 1 1 1\n", "a.amber")
    repeat, run = script.commands[-2:]
    assert isinstance(repeat, Repeat)
    assert (repeat.count, len(repeat.commands)) == (3, 1)
    assert isinstance(run, Run)


def fault(text: str, vkscript: bool = False) -> Diagnostic:
    with pytest.raises(InputError) as raised:
        parse_vkscript(text, "a.vkscript") if vkscript else parse_amber(text, "a.amber")
    [diagnostic] = raised.value.diagnostics
    return diagnostic


@pytest.mark.parametrize(
    "text, line, said",
    [
        ("#!amber\nBUFER b", 2, "BUFER"),
        ("BUFFER b DATA_TYPE int32 SIZE x FILL 0", 1, "'x'"),
        ("BUFFER b DATA_TYPE int32 DATA\n1\n1.5 END", 3, "1.5"),
        ("BUFFER b DATA_TYPE int32 DATA\n1\n", 1, "END"),
        ("BUFFER b DATA_TYPE int32 SIZE 1 FILL 0\nEXPECT b IDX 0 EQUALS 1", 2, "EQUALS"),
        ("BUFFER b DATA_TYPE int32 SIZE 1 FILL 0 1", 1, "'1'"),
        ("EXPECT b IDX 0 EQ 1", 1, "no buffer 'b'"),
        ("PIPELINE compute p\nATTACH s\nEND", 2, "no shader 's'"),
        ("SHADER compute s GLSL\nvoid main() {}", 1, "END"),
        ("REPEAT 2\n", 1, "END"),
        ("RUN p 1 1 1", 1, "no pipeline 'p'"),
        ("STRUCT a\n  a x\nEND", 2, "no type 'a'"),
        ("STRUCT a\n  int32[99999999] x\nEND", 2, "too large"),
        ("BUFFER b DATA_TYPE int32 SIZE 1 FILL inf", 1, "inf is no integer"),
        ("BUFFER b DATA_TYPE int32 SIZE 99999999999 FILL 0", 1, "99999999999 elements"),
    ],
)
def test_what_is_wrong_is_reported_by_its_line(text: str, line: int, said: str) -> None:
    diagnostic = fault(text)
    assert diagnostic.code in ("RK0701", "RK0702")
    assert said in diagnostic.message
    assert diagnostic.place is not None
    assert diagnostic.place.line == line


@pytest.mark.parametrize(
    "text, said",
    [
        ("\nPIPELINE graphics p\nEND", "PIPELINE graphics"),
        ("\nIMAGE i DATA_TYPE int32 DIM_2D WIDTH 1 HEIGHT 1", "IMAGE"),
        ("\nBUFFER b FORMAT B8G8R8A8_UNORM", "FORMAT"),
        ("\nSHADER vertex v PASSTHROUGH", "SHADER vertex"),
        ("\nSHADER compute s OPENCL-C\nEND", "OPENCL-C"),
        ("\nSAMPLER s", "SAMPLER"),
    ],
)
def test_what_is_not_run_is_named_by_its_line(text: str, said: str) -> None:
    diagnostic = fault(text)
    assert diagnostic.code == "RK0702"
    assert said in diagnostic.message
    assert diagnostic.place is not None
    assert diagnostic.place.line == 2


@pytest.mark.parametrize(
    "text, code",
    [
        ("[vertex shader]\n", "RK0702"),
        ("[test]\ndraw rect 0 0 1 1\n", "RK0702"),
        ("[test]\nprobe all rgb 1 1 1\n", "RK0702"),
        ("[test]\ncompute 1 1 1\n", "RK0701"),
        ("[test]\nssbo x 4\n", "RK0701"),
        ("[test]\nprobe ssbo quat 0 0 == 1\n", "RK0701"),
        ("compute 1 1 1\n", "RK0701"),
    ],
)
def test_faults_of_vkscript(text: str, code: str) -> None:
    assert fault(text, vkscript=True).code == code


def test_a_fault_of_a_shader_has_the_line_of_the_script(tmp_path: Path) -> None:
    text = amber_shaders.AMBER.replace("%sum = OpIAdd %u32", "%sum = OpIAddd %u32")
    path = tmp_path / "a.amber"
    path.write_text(text)
    script = load_script(str(path))
    with pytest.raises(InputError) as raised:
        module_of(script, script.shaders["multiply"])
    place = raised.value.diagnostics[0].place
    assert place is not None
    assert "OpIAddd" in text.split("\n")[place.line - 1]


def test_the_first_line_says_which_language_a_script_is_in(tmp_path: Path) -> None:
    """As Amber has it (src/amber.cc): `#!amber`, and all else is VkScript, whatever the ending."""
    for name, text, shaders in (
        ("a.amber", amber_shaders.AMBER, 1),
        ("b.vkscript", amber_shaders.AMBER, 1),
        ("c.amber", "# of the year 2020\n\n[require]\n[test]\n", 0),
        ("d.vkscript", "[test]\n", 0),
    ):
        (tmp_path / name).write_text(text if name != "b.vkscript" else f"#!amber\n{text.removeprefix('#!amber')}")
        assert len(load_script(str(tmp_path / name)).shaders) == shaders


def test_files_of_numbers_have_comments(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("# Zero\n0x00000000 0x80000000\n  7 # seven\n")
    (tmp_path / "a.amber").write_text("#!amber\nBUFFER in DATA_TYPE uint32 SIZE 3 FILE TEXT in.txt\n")
    data = load_script(str(tmp_path / "a.amber")).buffers["in"].data
    assert struct.unpack("<3I", data) == (0, 0x80000000, 7)
    (tmp_path / "in.txt").write_text("1\n2 x\n")
    with pytest.raises(InputError) as raised:
        load_script(str(tmp_path / "a.amber"))
    assert str(raised.value.diagnostics[0].place) == "in.txt:2:3"


def test_a_shader_in_another_file_or_part_has_its_lines_there(tmp_path: Path) -> None:
    shader = "OpCapability Shader\nOpNothing\n"
    (tmp_path / "s.spvasm").write_text(shader)
    (tmp_path / "a.amber").write_text("#!amber\nSHADER compute s SPIRV-ASM FILE s.spvasm\n")
    inside = f"#!amber\nVIRTUAL_FILE v\n{shader}END\nSHADER compute s SPIRV-ASM VIRTUAL_FILE v\n"
    (tmp_path / "b.amber").write_text(inside)
    for name, place in (("a.amber", "s.spvasm:2:1"), ("b.amber", "b.amber:4:1")):
        script = load_script(str(tmp_path / name))
        with pytest.raises(InputError) as raised:
            module_of(script, script.shaders["s"])
        assert str(raised.value.diagnostics[0].place) == str(tmp_path / place)
