"""Images and samplers of OpenCL kernels: they become those of a compute shader (OpenCL C 3.0, 6.15.15).

Expected values are worked out by hand from the specification's sentences, which the tests quote.
"""

import struct
from collections.abc import Sequence

import pytest
from kit import oracles

import reknit
from reknit.sim.images import Image, Sampler
from reknit.sim.result import Result
from reknit.source.diagnostic import InputError

pytestmark = pytest.mark.once

READ_2D = 'target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0)'
WRITE_2D = 'target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 1)'
BOTH_2D = 'target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 2)'
READ_3D = 'target("spirv.Image", void, 2, 0, 0, 0, 0, 0, 0)'
LINES = 'target("spirv.Image", void, 0, 0, 1, 0, 0, 0, 0)'
TEXELS = 'target("spirv.Image", void, 5, 0, 0, 0, 0, 0, 0)'
SAMPLER = 'target("spirv.Sampler")'


def module_of(parameters: str, body: str, declared: str, size: int = 4) -> reknit.Module:
    text = f"""{declared}
declare i64 @_Z13get_global_idj(i32)
declare {SAMPLER} @__translate_sampler_initializer(i32)
define spir_kernel void @main({parameters}) !reqd_work_group_size !0 {{
  %g = call i64 @_Z13get_global_idj(i32 0)
  %lane = trunc i64 %g to i32
{body}  ret void
}}
!0 = !{{i32 {size}, i32 1, i32 1}}
"""
    module = reknit.load(text.encode(), format="ll")
    assert oracles.spirv_val(reknit.to_bytes(module), "vulkan1.3") == (True, "")
    reknit.compile(module, "reconverge")
    assert oracles.spirv_val(reknit.to_bytes(module), "vulkan1.3") == (True, "")
    return module


def run(module: reknit.Module, size: int = 4, **given: Sequence[int] | Image | Sampler) -> Result:
    done = reknit.run(module, subgroup_size=size, buffers=given)
    assert [str(fault) for fault in done.diagnostics] == []
    return done


def floats(words: list[int]) -> list[float]:
    return list(struct.unpack(f"<{len(words)}f", struct.pack(f"<{len(words)}I", *words)))


STORE = """  %first = extractelement <4 x float> %v, i32 0
  %o = getelementptr float, ptr addrspace(1) %out, i32 %lane
  store float %first, ptr addrspace(1) %o
"""


def test_texels_are_read_and_written() -> None:
    """"read_imagef(read_only image2d_t, int2)" is without a sampler; a write gives "color" to "coord (x, y)"."""
    module = module_of(
        f"{READ_2D} %im, {WRITE_2D} %to",
        """  %y = lshr i32 %lane, 1
  %x = and i32 %lane, 1
  %a = insertelement <2 x i32> undef, i32 %x, i32 0
  %at = insertelement <2 x i32> %a, i32 %y, i32 1
  %v = call <4 x float> @_Z11read_imagef14ocl_image2d_roDv2_i(READ_2D %im, <2 x i32> %at)
  %b = insertelement <2 x i32> undef, i32 %y, i32 0
  %turned = insertelement <2 x i32> %b, i32 %x, i32 1
  call void @_Z12write_imagef14ocl_image2d_woDv2_iDv4_f(WRITE_2D %to, <2 x i32> %turned, <4 x float> %v)
""".replace("READ_2D", READ_2D).replace("WRITE_2D", WRITE_2D),
        f"""declare <4 x float> @_Z11read_imagef14ocl_image2d_roDv2_i({READ_2D}, <2 x i32>)
declare void @_Z12write_imagef14ocl_image2d_woDv2_iDv4_f({WRITE_2D}, <2 x i32>, <4 x float>)""",
    )
    texels = [float(number) for number in range(16)]
    done = run(module, im=Image([2, 2], "rgba32f", texels), to=Image([2, 2], "rgba32f"))
    expected = texels[:4] + texels[8:12] + texels[4:8] + texels[12:]
    assert floats(list(done.buffers["to"].words)) == expected


def test_integers_have_the_sign_that_the_function_says() -> None:
    """"read_imagei" of an image of signed numbers of 8 bits gives numbers of 32 bits with their sign, a read_write
    image is read without a sampler, and what is written is cut to the format."""
    module = module_of(
        f"{BOTH_2D} %im, ptr addrspace(1) %out",
        f"""  %at = insertelement <2 x i32> zeroinitializer, i32 %lane, i32 0
  %v = call <4 x i32> @_Z11read_imagei14ocl_image2d_rwDv2_i({BOTH_2D} %im, <2 x i32> %at)
  %x = extractelement <4 x i32> %v, i32 0
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %lane
  store i32 %x, ptr addrspace(1) %o
  %w = insertelement <4 x i32> %v, i32 -7, i32 0
  call void @_Z12write_imagei14ocl_image2d_rwDv2_iDv4_i({BOTH_2D} %im, <2 x i32> %at, <4 x i32> %w)
""",
        f"""declare <4 x i32> @_Z11read_imagei14ocl_image2d_rwDv2_i({BOTH_2D}, <2 x i32>)
declare void @_Z12write_imagei14ocl_image2d_rwDv2_iDv4_i({BOTH_2D}, <2 x i32>, <4 x i32>)""",
    )
    done = run(module, im=Image([4, 1], "rgba32i", [-1, 2, 3, 4] * 4), out=[0] * 4)
    assert done.buffers["out"].words == [0xFFFFFFFF] * 4
    assert list(done.buffers["im"].words) == [0xFFFFFFF9, 2, 3, 4] * 4


SAMPLED = f"""declare <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f({READ_2D}, {SAMPLER}, <2 x float>)
declare <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i({READ_2D}, {SAMPLER}, <2 x i32>)
declare <4 x float> @_Z11read_imagef14ocl_image3d_ro11ocl_samplerDv4_f({READ_3D}, {SAMPLER}, <4 x float>)"""
ROW = Image([4, 1], "r32f", [10.0, 20.0, 30.0, 40.0])


def sampled(mode: int, coordinates: list[float], image: Image, sampler: str, bound: Sampler) -> list[float]:
    """What read_imagef gives of `image` at (x, 0.5) for four x, by a sampler that the kernel names."""
    choice = "  %c3 = fadd float 0.0, " + f"{float32(coordinates[3])}\n"
    for index in (2, 1, 0):
        choice += f"  %is{index} = icmp eq i32 %lane, {index}\n"
        choice += f"  %c{index} = select i1 %is{index}, float {float32(coordinates[index])}, float %c{index + 1}\n"
    module = module_of(
        f"{READ_2D} %im, ptr addrspace(1) %out",
        f"""{choice}  %at = insertelement <2 x float> <float 0.0, float 0.5>, float %c0, i32 0
  %s = call {SAMPLER} @__translate_sampler_initializer(i32 {mode})
  %v = call <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f({READ_2D} %im, {SAMPLER} %s, <2 x float> %at)
{STORE}""",
        SAMPLED,
    )
    given: dict[str, Image | Sampler | list[int]] = {"im": image, "out": [0] * 4, sampler: bound}
    done = run(module, 4, **given)
    return floats(list(done.buffers["out"].words))


def float32(number: float) -> str:
    return "0x" + struct.pack(">d", struct.unpack("<f", struct.pack("<f", number))[0]).hex().upper()


def test_nearest_texel_of_coordinates_that_count_texels() -> None:
    """CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST (0x12): "the image element in the
    image that is nearest (in Manhattan distance)" is i = address_mode((int)floor(u))."""
    given = [2.0, 2.9999998, -3.5, 9.0]
    assert sampled(0x12, given, ROW, "sampler.nearest.clamp.texels", Sampler()) == [30.0, 30.0, 10.0, 40.0]


def test_border_of_coordinates_that_count_texels() -> None:
    """CLK_ADDRESS_CLAMP (4): "if (i, j) is outside, the border color", zeros for a format without alpha but 1 in it."""
    bound = Sampler("nearest", "border")
    assert sampled(0x14, [-0.25, 0.0, 3.75, 4.0], ROW, "sampler.nearest.border.texels", bound) == [0.0, 10.0, 40.0, 0.0]


def test_linear_filter_of_coordinates_that_count_texels() -> None:
    """0x22: i0 = floor(u - 0.5), a = frac(u - 0.5); (1 - a) T(i0) + a T(i1), both clamped to the edge."""
    given = [1.0, 2.5, 0.25, 3.75]
    assert sampled(0x22, given, ROW, "sampler.linear.clamp.texels", Sampler("linear")) == [15.0, 30.0, 10.0, 40.0]


def test_linear_filter_that_repeats() -> None:
    """0x27, normalized: u = (s - floor(s)) * w, i0 = floor(u - 0.5), and i0 < 0 is i0 + w."""
    given = [0.0, 1.25, -0.25, 0.375]  # u = 0: between 40 and 10; 1: 10 and 20; 3: 30 and 40; 1.5: 20
    bound = Sampler("linear", "repeat")
    assert sampled(0x27, given, ROW, "sampler.linear.repeat", bound) == [25.0, 15.0, 35.0, 20.0]


def test_integers_with_a_sampler_that_is_an_argument() -> None:
    """With integers a sampler has "CLK_FILTER_NEAREST, CLK_NORMALIZED_COORDS_FALSE" and an address mode that clamps."""
    module = module_of(
        f"{READ_2D} %im, {SAMPLER} %s, ptr addrspace(1) %out",
        f"""  %x = sub i32 %lane, 1
  %at = insertelement <2 x i32> zeroinitializer, i32 %x, i32 0
  %v = call <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i({READ_2D} %im, {SAMPLER} %s, <2 x i32> %at)
{STORE}""",
        SAMPLED,
    )
    notes = [str(note.message) for note in module.notes]
    assert any("sampler 's' of kernel 'main' is taken to have normalized coordinates" in note for note in notes)
    done = run(module, im=ROW, out=[0] * 4, s=Sampler("nearest", "border"))
    assert floats(list(done.buffers["out"].words)) == [0.0, 10.0, 20.0, 30.0]


def test_three_dimensions() -> None:
    """A coordinate of image3d_t is (x, y, z, w), of which w means nothing."""
    module = module_of(
        f"{READ_3D} %im, ptr addrspace(1) %out",
        f"""  %z = uitofp i32 %lane to float
  %at = insertelement <4 x float> <float 1.5, float 0.5, float 0.0, float 77.0>, float %z, i32 2
  %s = call {SAMPLER} @__translate_sampler_initializer(i32 18)
  %v = call <4 x float> @_Z11read_imagef14ocl_image3d_ro11ocl_samplerDv4_f({READ_3D} %im, {SAMPLER} %s, <4 x float> %at)
{STORE}""",
        SAMPLED,
    )
    done = run(module, im=Image([2, 1, 3], "r32f", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), out=[0] * 4)
    assert floats(list(done.buffers["out"].words)) == [2.0, 4.0, 6.0, 6.0]


def test_sizes_and_formats() -> None:
    """get_image_dim gives (width, height) and (width, height, depth, 0), get_image_array_size a size_t; channel order
    and data type are in a buffer, which a note names, since no shader can ask for them."""
    calls = [
        ("<2 x i32>", f"_Z13get_image_dim14ocl_image2d_ro({READ_2D} %im)", 2),
        ("<4 x i32>", f"_Z13get_image_dim14ocl_image3d_ro({READ_3D} %cube)", 4),
        ("i32", f"_Z15get_image_width20ocl_image1d_array_ro({LINES} %rows)", 1),
        ("i64", f"_Z20get_image_array_size20ocl_image1d_array_ro({LINES} %rows)", 1),
        ("i32", f"_Z15get_image_width21ocl_image1d_buffer_ro({TEXELS} %list)", 1),
        ("i32", f"_Z16get_image_height14ocl_image2d_wo({WRITE_2D} %to)", 1),
        ("i32", f"_Z23get_image_channel_order14ocl_image2d_ro({READ_2D} %im)", 1),
        ("i32", f"_Z27get_image_channel_data_type14ocl_image2d_ro({READ_2D} %im)", 1),
    ]
    body, declared, at = "", "", 0
    for index, (type, call, count) in enumerate(calls):
        name, _, operand = call.partition("(")
        declared += f"declare {type} @{name}({operand.rpartition(' ')[0]})\n"
        body += f"  %v{index} = call {type} @{call}\n  %p{index} = getelementptr i32, ptr addrspace(1) %out, i32 {at}\n"
        body += f"  store {type} %v{index}, ptr addrspace(1) %p{index}, align 4\n"
        at += count if type != "i64" else 2
    parameters = f"{READ_2D} %im, {READ_3D} %cube, {LINES} %rows, {TEXELS} %list, {WRITE_2D} %to"
    module = module_of(f"{parameters}, ptr addrspace(1) %out", body, declared, 1)
    assert any("'im' are the two words of the buffer of set 2, binding 0" in note.message for note in module.notes)
    given: dict[str, Image | list[int]] = {
        "im": Image([5, 3], "rgba32f"), "cube": Image([4, 3, 2], "rgba32f"), "rows": Image([6, 7], "rgba32f"),
        "list": Image([9], "rgba32f"), "to": Image([8, 11], "rgba32f"), "out": [0] * at,
        "im.format": [0x10B5, 0x10DE],  # CLK_RGBA, CLK_FLOAT
    }  # fmt: skip
    done = run(module, 1, **given)
    assert done.buffers["out"].words == [5, 3, 4, 3, 2, 0, 6, 7, 0, 9, 11, 0x10B5, 0x10DE]


def test_what_variables_hold_is_seen_through() -> None:
    """As -O0 leaves it: each argument goes into a variable; a function's as well."""
    module = module_of(
        f"{READ_2D} %im, ptr addrspace(1) %out",
        f"""  %im.addr = alloca {READ_2D}
  store {READ_2D} undef, ptr %im.addr
  store {READ_2D} %im, ptr %im.addr
  %loaded = load {READ_2D}, ptr %im.addr
  %v = call <4 x float> @fetch({READ_2D} %loaded, i32 %lane)
{STORE}""",
        f"""declare <4 x float> @_Z11read_imagef14ocl_image2d_roDv2_i({READ_2D}, <2 x i32>)
define <4 x float> @fetch({READ_2D} %of, i32 %x) {{
  %of.addr = alloca {READ_2D}
  store {READ_2D} %of, ptr %of.addr
  %one = load {READ_2D}, ptr %of.addr
  %at = insertelement <2 x i32> zeroinitializer, i32 %x, i32 0
  %t = call <4 x float> @_Z11read_imagef14ocl_image2d_roDv2_i({READ_2D} %one, <2 x i32> %at)
  ret <4 x float> %t
}}""",
    )
    done = run(module, im=ROW, out=[0] * 4)
    assert floats(list(done.buffers["out"].words)) == [10.0, 20.0, 30.0, 40.0]


@pytest.mark.parametrize(
    ("parameters", "body", "message"),
    [
        (
            f"{READ_2D} %a, {READ_2D} %b",
            f"""  %c = icmp eq i32 %lane, 0
  %im = select i1 %c, {READ_2D} %a, {READ_2D} %b
  %v = call <4 x float> @_Z11read_imagef14ocl_image2d_roDv2_i({READ_2D} %im, <2 x i32> zeroinitializer)
""",
            "instruction %im chooses an image or sampler at run time",
        ),
        (
            f"{READ_2D} %im, i32 %mode",
            f"  %s = call {SAMPLER} @__translate_sampler_initializer(i32 %mode)\n",
            "instruction %s makes a sampler of what is no constant of CLK_ADDRESS_, CLK_FILTER_ and "
            "CLK_NORMALIZED_COORDS_",
        ),
        (
            f"{WRITE_2D} %to",
            f"  call void @_Z12write_imagei14ocl_image2d_woDv2_iDv4_i({WRITE_2D} %to, <2 x i32> zeroinitializer, "
            "<4 x i64> zeroinitializer)\n",
            "this call calls @_Z12write_imagei14ocl_image2d_woDv2_iDv4_i, whose operand 3 is <4 x i64>, expected an "
            "integer vector of 4 components of 32 bits",
        ),
        (
            f"{READ_2D} %im",
            "  %v = call <4 x float> @_Z11read_imagef14ocl_image2d_rov()\n",
            "instruction %v calls @_Z11read_imagef14ocl_image2d_rov, which takes 2 operands, not 0",
        ),
        (
            f"{READ_2D} %im",
            f"  %v = call <2 x i32> @_Z15get_image_width14ocl_image2d_ro({READ_2D} %im)\n",
            "instruction %v asks an image for a <2 x i32>",
        ),
    ],
)
def test_refused_by_name(parameters: str, body: str, message: str) -> None:
    """A declaration may say what it likes of a function."""
    declared = f"""declare <4 x float> @_Z11read_imagef14ocl_image2d_roDv2_i({READ_2D}, <2 x i32>)
declare void @_Z12write_imagei14ocl_image2d_woDv2_iDv4_i({WRITE_2D}, <2 x i32>, <4 x i64>)
declare <4 x float> @_Z11read_imagef14ocl_image2d_rov()
declare <2 x i32> @_Z15get_image_width14ocl_image2d_ro({READ_2D})"""
    with pytest.raises(InputError) as caught:
        module_of(parameters, body, declared)
    assert [fault.message for fault in caught.value.diagnostics][0] == message
