"""Wrong calls of every function that LLVM IR can call by name, from the tables of their signatures.

cases("opencl")    of each: calls that are right, with no operand, one less, one more, each operand and the result
                   of another type; under the name mangled for what is given, and for what would be right

PYTHONPATH=tests python -m kit.callees.llvm [FAMILY ...]     through all verbs: how many are refused, and faults
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kit.callees.verbs import Case, ended, tally
from reknit.front.llvm import callees, syntax
from reknit.front.llvm.syntax import Type
from reknit.ir.extended import NOTHING, Given, Shape, Signature, Surroundings, misfit, parsed

FAMILIES: Final = ("llvm", "vendors", "opencl", "dxil")


@dataclass(frozen=True)
class Value:
    type: Type
    text: str
    letters: str  # as a mangled name has it
    suffix: str  # as LLVM's intrinsics have it


def _int(width: int, letter: str) -> Value:
    return Value(Type(syntax.INT, f"i{width}", width), "1", letter, f"i{width}")


def _float(name: str, width: int, letter: str) -> Value:
    return Value(Type(syntax.FLOAT, name, width), "1.0", letter, f"f{width}")


def _vector(count: int, of: Value) -> Value:
    type = Type(syntax.VECTOR, f"<{count} x {of.type.name}>", 0, count, [of.type])
    return Value(type, "zeroinitializer", f"Dv{count}_{of.letters}", f"v{count}{of.suffix}")


def _struct(*of: Value) -> Value:
    name = f"{{ {', '.join(each.type.name for each in of)} }}"
    return Value(Type(syntax.STRUCT, name, 0, 0, [each.type for each in of]), "zeroinitializer", "1s", "s")


I1, I8, I16, I32, I64 = _int(1, "b"), _int(8, "c"), _int(16, "s"), _int(32, "i"), _int(64, "l")
HALF, FLOAT, DOUBLE = _float("half", 16, "Dh"), _float("float", 32, "f"), _float("double", 64, "d")
GLOBAL = Value(Type(syntax.PTR, "ptr addrspace(1)", 0, 1), "%o", "PU3AS1f", "p1")
SHARED = Value(Type(syntax.PTR, "ptr addrspace(3)", 0, 3), "@shared", "PU3AS3i", "p3")
POOL: Final = [
    I32, I1, I8, I16, I64, HALF, FLOAT, DOUBLE, _vector(2, FLOAT), _vector(3, FLOAT), _vector(4, FLOAT),
    _vector(8, FLOAT), _vector(16, FLOAT), _vector(2, I32), _vector(4, I32), _vector(4, I8), _vector(2, I64),
    _vector(4, I1), GLOBAL, SHARED, _struct(I32, I32), _struct(I32, I1), _struct(FLOAT, I32),
    _struct(I32, I32, I32, I32), _struct(FLOAT, FLOAT, FLOAT, FLOAT, I32), _vector(32, I32), _int(24, "i"),
    Value(Type(syntax.VOID, "void"), "", "v", ""),
]  # fmt: skip
VOID: Final = POOL[-1]
_FAMILY_NAMES: Final = [
    "convert_uint", "convert_float4_sat_rte", "convert_half", "convert_char_sat", "vload2", "vload4", "vload16",
    "vload_half", "vload_half4", "vloada_half3", "vstore2", "vstore3", "vstore_half", "vstore_half_rtz",
    "vstore_half2", "vstorea_half4_rtp", "vload5", "vstore0", "atomic_inc", "atom_add", "atomic_xchg",
    "atomic_cmpxchg", "atomic_fetch_add", "atomic_fetch_min_explicit", "atomic_exchange", "atomic_load",
    "atomic_load_explicit", "atomic_store", "atomic_init", "atomic_store_explicit",
    "atomic_compare_exchange_strong", "atomic_compare_exchange_weak_explicit", "sub_group_reduce_add",
    "sub_group_scan_inclusive_max", "sub_group_non_uniform_reduce_logical_and", "spirv.op.149.", "spirv.op.224.",
    "spirv.op.234.", "spirv.op.154.", "native_sin", "half_divide", "read_imagef", "write_imagef", "get_image_width",
    "get_image_dim", "dot_acc_sat", "dot_4x8packed_ss_int",
]  # fmt: skip
_UNMANGLED: Final = ("printf", "__to_global", "__to_local", "__to_private", "clspv.composite_construct.0",
                     "spirv.pack.v2f16", "spirv.unpack.v2f16", "clspv.resource.0", "clspv.local.1")  # fmt: skip
_AROUND: Final = Surroundings(0, [])


def names_of(family: str) -> list[str]:
    if family == "llvm":
        return list(callees.table(callees._LLVM))
    if family == "vendors":
        known = callees.table(callees._VENDORS)
        return [f"{vendor}.{name}" for name in known for vendor in ("dx", "spv", "amdgcn", "nvvm")]
    if family == "dxil":
        return [str(number) for number in callees.operations()]
    return [*callees.table(callees._OPENCL), *_FAMILY_NAMES, *_UNMANGLED]


def cases(family: str, names: list[str]) -> Iterator[Case]:
    for name in names:
        signature = _signature(family, name)
        uses = list(_right(signature)) if signature is not None else []
        result, operands = uses[0] if uses else (I32, [I32, I32])
        if family == "dxil":
            number = Value(I32.type, name, "i", "i32")
            uses = [(given, [number, *rest[1:]]) for given, rest in uses]
            operands = [number, *operands[1:]]
        for use in uses[:6]:
            yield Case(name, "right", _text(family, name, *use, use[1]))
        last = operands[-1] if operands else I32
        for what, given in (("none", []), ("one less", operands[:-1]), ("one more", [*operands, last])):
            if given != operands:
                yield Case(name, what, _text(family, name, result, given, given))
        for place in range(len(operands)):
            for other in POOL[:-1]:
                if other is not operands[place]:
                    changed = [*operands[:place], other, *operands[place + 1 :]]
                    yield Case(name, f"operand {place + 1}", _text(family, name, result, changed, changed))
                    if family == "opencl":
                        yield Case(name, f"operand {place + 1}, named", _text(family, name, result, changed, operands))
        for other in POOL:
            if other is not result:
                yield Case(name, "result", _text(family, name, other, operands, operands))


def _signature(family: str, name: str) -> Signature | None:
    if family == "llvm":
        return callees.table(callees._LLVM)[name]
    if family == "vendors":
        return callees.table(callees._VENDORS)[name.partition(".")[2]]
    if family == "dxil":
        _, overloads, result, operands = callees.operations()[int(name)]
        letter = next((each for each in overloads if each in "fi"), overloads[:1])
        whole = {"d": DOUBLE, "h": HALF, "l": I64, "w": I16, "1": I1, "8": I8, "f": FLOAT}.get(letter, I32)
        overload = callees.shape_of(whole.type)
        words = [callees._operation_word(word, overload) for word in operands.split()]
        given = callees._operation_word(result, overload) if result in ("$o", *callees._PLAIN) else "a"
        return parsed(f"{given} : i32.! {' '.join(words)}")
    return callees.signature_of(name, True)


def _right(signature: Signature) -> Iterator[tuple[Value, list[Value]]]:
    if signature.withdrawn:
        return
    for result in POOL:
        shape = callees.shape_of(result.type)
        chosen: list[Value] = []
        for place in range(signature.least()):
            for value in POOL[:-1]:
                tried = [*chosen, value]
                filled = [*tried, *[I32] * (signature.least() - len(tried))]
                why = misfit(signature, shape, [_shape(each) for each in filled], _AROUND, [])
                named = why.partition("operand ")[2].partition(" ")[0]
                if not why or (named.isdecimal() and int(named) > place + 1):
                    chosen = tried
                    break
            else:
                break
        if len(chosen) == signature.least() and not misfit(
            signature, shape, [_shape(each) for each in chosen], _AROUND, []
        ):
            yield result, chosen


def _shape(value: Value) -> Given:
    shape = callees.shape_of(value.type)
    shape.constant = value.text in ("1", "1.0", "zeroinitializer")
    return shape


def _text(family: str, name: str, result: Value, operands: list[Value], mangled: list[Value]) -> bytes:
    suffixes = [
        each.suffix for each in ([result] if result.type.kind != syntax.STRUCT else operands[:1]) if each.suffix
    ]
    callee = name
    if family == "llvm":
        callee = f"llvm.{name}.{'.'.join(suffixes)}"
        if name in ("scmp", "ucmp", "lrint", "llrint", "lround", "llround", "fptosi.sat", "fptoui.sat", "ldexp"):
            callee = f"llvm.{name}.{result.suffix}.{(operands or [I32])[-1 if name == 'ldexp' else 0].suffix}"
        elif name.startswith("vector.reduce") or name in ("is.constant", "is.fpclass"):
            callee = f"llvm.{name}.{(operands or [I32])[-1 if name.startswith('vector') else 0].suffix}"
    elif family == "vendors":
        callee = f"llvm.{name}"
    elif family == "dxil":
        callee = f"dx.op.{callees.operations()[int(name)][0]}.{(suffixes or ['i32'])[0]}"
    elif name not in _UNMANGLED:
        callee = f"_Z{len(name)}{name}{''.join(each.letters for each in mangled) or 'v'}"
    types = ", ".join(each.type.name for each in operands)
    given = ", ".join(f"{each.type.name} {each.text}" for each in operands)
    named = "%r = " if result.type.kind != syntax.VOID else ""
    return f"""@shared = addrspace(3) global [64 x i32] undef
declare {result.type.name} @"{callee}"({types})
define spir_kernel void @main(ptr addrspace(1) %o) !reqd_work_group_size !0 {{
  {named}call {result.type.name} @"{callee}"({given})
  store i32 7, ptr addrspace(1) %o
  ret void
}}
!0 = !{{i32 4, i32 1, i32 1}}
""".encode()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("families", nargs="*", default=FAMILIES)
    options = parser.parse_args()
    return ended(sum(tally(family, cases(family, names_of(family)), "ll") for family in options.families))


__all__ = ["Case", "NOTHING", "Shape", "cases", "names_of"]

if __name__ == "__main__":
    raise SystemExit(main())
