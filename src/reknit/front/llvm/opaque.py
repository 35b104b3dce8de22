"""Images and samplers as LLVM IR passes them around: which one a value is, before any function asks something of it.

    define spir_kernel void @k(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %im, target("spirv.Sampler") %s)
        %im    Opaque: descriptor set 0, binding 0       %s    Opaque: descriptor set 0, binding 1
    call target("spirv.Sampler") @__translate_sampler_initializer(i32 18)     Opaque: one that only the kernel knows
    call target("spirv.Image", ...) @_Z14clspv.resource.1(i32 0, i32 1, ...)  Opaque: where clspv put it

A variable that holds one (-O0) is seen through: what is loaded is the one thing that is stored.
Source: OpenCL C 3.0, 6.15.15 (samplers); clang, opencl-c-base.h (CLK_*); clspv, include/clspv/ArgKind.h.
"""

import re
from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.descriptors import IMAGES, resource_call
from reknit.front.llvm.results import Opaque, Result
from reknit.front.llvm.state import Lowering, Scene
from reknit.front.llvm.syntax import Operand, Routine, Statement, Type
from reknit.front.llvm.unsupported import Refusal
from reknit.source.digits import is_decimal, saturated

_IMAGE: Final = 'target("spirv.Image",'
SAMPLER: Final = 'target("spirv.Sampler")'
NAMED_SAMPLER: Final = "11ocl_sampler"
_FUNCTION: Final = re.compile(r"_Z\d+(?:read|write|get)_image[a-z_]*\d+(?:ocl_|opencl\.)image")
_SET_OF_ADDED: Final = 2
"""Of descriptors that no argument stands for."""
LITERAL: Final = "__translate_sampler_initializer"
_LITERAL_OF_CLSPV: Final = "clspv.sampler_var_literal"
_NORMALIZED: Final = 1
_LINEAR: Final = 0x20
_ADDRESSES: Final = {0: "clamp", 2: "clamp", 4: "border", 6: "repeat", 8: "mirror"}
"""As `Sampler` calls them: none (any value will do), clamp to edge, clamp, repeat, mirrored repeat."""


def is_opaque(type: Type) -> bool:
    return type.kind == syntax.OTHER and (type.name.startswith(_IMAGE) or type.name == SAMPLER)


def numbers_of(type: Type) -> list[int]:
    """Dim, Depth, Arrayed, MS, Sampled, Format, access of an image's type, as OpTypeImage has them."""
    words = type.name.removeprefix(_IMAGE).strip("(), ").split(",")
    return [saturated(word.strip()) for word in words if is_decimal(word.strip())]


def plan_opaque(scene: Scene, routine: Routine) -> None:
    """A kernel's arguments that are images or samplers: by their types, or, of pointers, by what they are given to."""
    named = _named(routine)
    for number, (name, type) in enumerate(routine.parameters):
        if is_opaque(type) or name in named:
            label = name if not name.isdigit() else f"argument{name}"
            scene.opaque[(routine.name, name)] = Opaque(label, 0, number)
            if type.name == SAMPLER or named.get(name) == SAMPLER:
                scene.assumed.append(
                    f"sampler '{label}' of kernel '{routine.name}' is taken to have normalized coordinates: integers"
                    " are divided by the image's size"
                )


def _named(routine: Routine) -> dict[str, str]:
    """The pointers that functions of images take, and what for: older LLVM IR has no types of images."""
    named: dict[str, str] = {}
    for chunk in routine.chunks:
        for statement in chunk.statements:
            if "image" in statement.callee and is_image_function(statement.callee):
                kinds = (_IMAGE, SAMPLER if NAMED_SAMPLER in statement.callee else "")
                for operand, kind in zip(statement.operands, kinds, strict=False):
                    if kind and operand.kind == syntax.LOCAL and operand.type.kind == syntax.PTR:
                        named[operand.text] = kind
    return named


def is_image_function(name: str) -> bool:
    """Whether a mangled name is that of a function whose first parameter is an image."""
    return _FUNCTION.match(name) is not None


def given(scene: Scene, statement: Statement) -> Opaque | None:
    """What a call says it gives, None for any other call. Raises Refusal."""
    callee = statement.callee
    if callee == LITERAL or _LITERAL_OF_CLSPV in callee:
        return _literal(scene, statement)
    numbers = resource_call(statement)
    if numbers is None or numbers[2] not in IMAGES:
        return None
    key = ("resource", numbers[0], numbers[1])
    if key not in scene.added:
        scene.added[key] = Opaque(f"resource{numbers[3]}", max(numbers[0], 0), max(numbers[1], 0))
    return scene.added[key]


def _literal(scene: Scene, statement: Statement) -> Opaque:
    constants = [operand for operand in statement.operands if operand.kind in (syntax.NUMBER, syntax.ZERO)]
    words = [operand.number for operand in constants if operand.type.kind == syntax.INT]
    place = 2 if _LITERAL_OF_CLSPV in statement.callee else 0
    if len(words) <= place or words[place] & ~0x3F or words[place] & 0xE not in _ADDRESSES:
        raise Refusal("makes a sampler of what is no constant of CLK_ADDRESS_, CLK_FILTER_ and CLK_NORMALIZED_COORDS_")
    mode = words[place]
    filter, address = "linear" if mode & _LINEAR else "nearest", _ADDRESSES[mode & 0xE]
    key = ("sampler", mode, 0) if place == 0 else ("sampler", words[0] << 16 | words[1], mode)
    if key not in scene.added:
        at = (words[0], words[1]) if place else (_SET_OF_ADDED, scene.added_bindings())
        # One sampler does for both kinds of coordinates: they are divided by the image's size where they have to be.
        opaque = Opaque(f"sampler.{filter}.{address}" + ("" if mode & _NORMALIZED else ".texels"), *at)
        opaque.linear = mode & _LINEAR != 0
        opaque.texels = mode & _NORMALIZED == 0
        scene.added[key] = opaque
        scene.assumed.append(
            f"'{opaque.name}' is a sampler that only the kernel names, set {at[0]}, binding {at[1]}: "
            f"one with normalized coordinates, the filter {filter} and addresses that {_DO[address]}"
        )
    return scene.added[key]


_DO: Final = {
    "clamp": "are clamped to the edge", "border": "are zeros outside", "repeat": "repeat", "mirror": "are mirrored",
}  # fmt: skip


def format_of(scene: Scene, opaque: Opaque) -> tuple[int, int]:
    """(set, binding) of the two words that say an image's channel order and data type, which no shader can ask for."""
    if opaque.format is None:
        opaque.format = (_SET_OF_ADDED, scene.added_bindings())
        scene.assumed.append(
            f"what get_image_channel_order and get_image_channel_data_type give of '{opaque.name}' are the two words "
            f"of the buffer of set {opaque.format[0]}, binding {opaque.format[1]}: a shader can't ask an image for them"
        )
    return opaque.format


def passed(lowering: Lowering, statement: Statement) -> Result:
    """What a statement gives whose result is an image or sampler and that is no call. Raises Refusal."""
    if statement.op == "load":
        variable = statement.operands[0]
        users = lowering.users.get(variable.text, []) if variable.kind == syntax.LOCAL else []
        stores = [user for user in users if _stores(user, variable)]
        known = lowering.definitions.get(variable.text)
        if known is None or known.op != "alloca" or len(stores) != 1:
            raise Refusal("loads an image or sampler from what is no variable that is stored to once")
        return lowering.result(stores[0].operands[0])
    results = [lowering.result(operand) for operand in statement.operands if is_opaque(operand.type)]
    if not results or any(result is not results[0] for result in results):
        raise Refusal("chooses an image or sampler at run time")
    return results[0]


def _stores(user: Statement, variable: Operand) -> bool:
    """Whether something goes into the variable: -O0 fills it with what is undefined before."""
    if user.op != "store" or user.operands[0].kind in (syntax.UNDEF, syntax.ZERO):
        return False
    return user.operands[1].text == variable.text
