"""Wrong uses of every extended instruction, from the table of their signatures, and whether spirv-val agrees.

cases("GLSL.std.450")   right ones, then with no operand, one less, one more, each operand and the result replaced

PYTHONPATH=tests python -m kit.callees.spirv [SET ...]          through all verbs: how many are refused, and faults
PYTHONPATH=tests python -m kit.callees.spirv --judge [SET ...]  check and spirv-val: where they disagree
"""

import argparse
import struct
from collections import Counter
from collections.abc import Iterator
from typing import Final

from kit.callees.verbs import Case, ended, tally
from kit.oracles import accepts, spirv_val, validate
from reknit.ir import op, opcodes
from reknit.ir.extended import is_judged
from reknit.ir.operands import string_at
from reknit.spirv.asm import assemble
from reknit.spirv.words import parse, words_of

SETS: Final = (
    "GLSL.std.450", "OpenCL.std", "SPV_AMD_gcn_shader", "SPV_AMD_shader_ballot", "SPV_AMD_shader_trinary_minmax",
    "SPV_AMD_shader_explicit_vertex_parameter", "OpenCL.DebugInfo.100", "NonSemantic.Shader.DebugInfo.100",
    "DebugInfo", "NonSemantic.ClspvReflection.5",
)  # fmt: skip
LITERALS: Final = (0, 1, 2, 4, 5, 17, 0xFFFFFFFF)
_SHADER: Final = """
OpCapability Shader
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpCapability InterpolationFunction
EXTENSION%set = OpExtInstImport "SET"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in_f32 %in_v2f %in_v4f
OpExecutionMode %main OriginUpperLeft
OpDecorate %in_f32 Location 0
OpDecorate %in_v2f Location 1
OpDecorate %in_v4f Location 2
"""
_KERNEL: Final = """
OpCapability Kernel
OpCapability Addresses
OpCapability Vector16
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpCapability GenericPointer
EXTENSION%set = OpExtInstImport "SET"
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %main "main"
OpExecutionMode %main LocalSize 1 1 1
"""
_SHADER_TYPES: Final = """
%m2 = OpTypeMatrix %v2f 2
%m3 = OpTypeMatrix %v3f 3
%m23 = OpTypeMatrix %v3f 2
%i32 = OpTypeInt 32 1
%v2i = OpTypeVector %i32 2
%s_fi = OpTypeStruct %f32 %i32
%to_in_f32 = OpTypePointer Input %f32
%to_in_v2f = OpTypePointer Input %v2f
%to_in_v4f = OpTypePointer Input %v4f
%in_f32 = OpVariable %to_in_f32 Input
%in_v2f = OpVariable %to_in_v2f Input
%in_v4f = OpVariable %to_in_v4f Input
"""
_KERNEL_TYPES: Final = """
%v8f = OpTypeVector %f32 8
%v16f = OpTypeVector %f32 16
%v8u = OpTypeVector %u32 8
%to_global_f32 = OpTypePointer CrossWorkgroup %f32
%to_global_f16 = OpTypePointer CrossWorkgroup %f16
%to_global_u32 = OpTypePointer CrossWorkgroup %u32
%to_constant_u8 = OpTypePointer UniformConstant %u8
%to_constant_f16 = OpTypePointer UniformConstant %f16
%five = OpConstant %u32 5
%letters = OpTypeArray %u8 %five
%to_string = OpTypePointer UniformConstant %letters
%nothing = OpConstantNull %letters
%string = OpVariable %to_string UniformConstant %nothing
%global_f32 = OpVariable %to_global_f32 CrossWorkgroup
%global_f16 = OpVariable %to_global_f16 CrossWorkgroup
%global_u32 = OpVariable %to_global_u32 CrossWorkgroup
%one_u8 = OpConstant %u8 1
%constant_u8 = OpVariable %to_constant_u8 UniformConstant %one_u8
%one_f16 = OpConstant %f16 1
%constant_f16 = OpVariable %to_constant_f16 UniformConstant %one_f16
"""
_TYPES: Final = """
%void = OpTypeVoid
%bool = OpTypeBool
%u8 = OpTypeInt 8 0
%u16 = OpTypeInt 16 0
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%v2f = OpTypeVector %f32 2
%v3f = OpTypeVector %f32 3
%v4f = OpTypeVector %f32 4
%v2h = OpTypeVector %f16 2
%v2d = OpTypeVector %f64 2
%v2u = OpTypeVector %u32 2
%v3u = OpTypeVector %u32 3
%v4u = OpTypeVector %u32 4
%v2s = OpTypeVector %u16 2
%v2l = OpTypeVector %u64 2
%v2b = OpTypeVector %bool 2
%s_ff = OpTypeStruct %f32 %f32
%s_fu = OpTypeStruct %f32 %u32
%s_fff = OpTypeStruct %f32 %f32 %f32
%s_v2f = OpTypeStruct %v2f %v2f
%s_v2fu = OpTypeStruct %v2f %v2u
"""
_LOCALS: Final = ("f32", "u32", "f16", "v2f", "v2u", "v4f", "v4u")
_SKELETON: Final = """
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%entry = OpLabel
VARIABLES
OpReturn
OpFunctionEnd
"""


class Bed:
    """A module with a value of each type, in which one instruction is put. `values`, `types` are ids by name."""

    def __init__(self, set_name: str, runs: bool = False) -> None:
        """`runs`: a compute shader, which the simulator runs; the validator wants inputs to be of a fragment shader."""
        self.set_name = set_name
        self.kernel = bed_is_kernel(set_name)
        extension = set_name if set_name.startswith("SPV_") else ""
        if set_name.startswith("NonSemantic"):
            extension = "SPV_KHR_non_semantic_info"
        text = (_KERNEL if self.kernel else _SHADER).replace("SET", set_name)
        text = text.replace("EXTENSION", f'OpExtension "{extension}"\n' if extension else "")
        declared = _TYPES + (_KERNEL_TYPES if self.kernel else _SHADER_TYPES)
        kinds = [line.split()[0][1:] for line in declared.splitlines() if " = OpType" in line]
        kinds = [kind for kind in kinds if not kind.startswith("to_") and kind not in ("void", "letters")]
        for kind in kinds:
            declared += f"%n_{kind} = OpConstantNull %{kind}\n"
        declared += "".join(f"%to_{kind} = OpTypePointer Function %{kind}\n" for kind in _LOCALS)
        variables = "".join(f"%a_{kind} = OpVariable %to_{kind} Function\n" for kind in _LOCALS)
        names = [line.split()[0] for line in (declared + variables).splitlines() if line.startswith("%")]
        named = "".join(f'OpName {name} "{name[1:]}"\n' for name in [*names, "%set"])
        strings = '%text = OpString "text"\n'
        body = _SKELETON.replace("VARIABLES", variables.strip())
        if runs:
            text = text.replace("OpEntryPoint Fragment", "OpEntryPoint GLCompute")
            text = text.replace("OriginUpperLeft", "LocalSize 1 1 1")
        preamble, _, decorations = text.partition("OpDecorate")
        decorations = f"OpDecorate{decorations}" if decorations else ""
        text = preamble + strings + named + 'OpName %text "text"\n' + decorations
        self.data = assemble(text + declared + body, "<bed>")
        if self.kernel:  # of SPIR-V 1.2, as the validator's OpenCL is
            self.data = self.data[:4] + struct.pack("<I", 0x10200) + self.data[8:]
        columns = parse(self.data, "<bed>")
        self.ids: dict[str, int] = {}
        self.type_of: dict[int, int] = {}
        for row, code in enumerate(columns.op):
            words = words_of(columns, row)
            if code == op.Name:
                self.ids[string_at(words, 1, len(words))] = words[0]
            if columns.type[row]:
                self.type_of[int(columns.result[row])] = int(columns.type[row])
            if code == op.Return:
                self.place = 4 * int(columns.at[row])
        self.bound = columns.bound
        self.results = [self.ids[kind] for kind in ("void", *kinds)]
        self.values = [
            value for name, value in self.ids.items() if name.startswith(("n_", "a_", "in_", "global_", "constant_"))
        ]
        self.values += [self.ids[name] for name in ("string", "text", "void", "set") if name in self.ids]

    def binary(self, number: int, result: int, operands: list[int]) -> bytes:
        words = [result, self.bound, self.ids["set"], number, *operands]
        instr = struct.pack(f"<{len(words) + 1}I", (len(words) + 1) << 16 | op.ExtInst, *words)
        head = self.data[:12] + struct.pack("<I", self.bound + 1) + self.data[16 : self.place]
        return head + instr + self.data[self.place :]


def names_of(set_name: str) -> list[str]:
    known = opcodes.ext_set(set_name)
    assert known is not None
    return [inst.name for inst in known.by_number.values()]


def cases(set_name: str, names: list[str], runs: bool = False) -> Iterator[Case]:
    """Of these instructions of a set. What is right is found by asking `check`; that it is right, spirv-val says."""
    bed = Bed(set_name, runs)
    known = opcodes.ext_set(set_name)
    assert known is not None
    for inst in [known.by_name[name] for name in names]:
        specs = [spec for spec in inst.operands if spec.quantifier == ""]
        literal = [spec.form != opcodes.ID for spec in specs]
        found = list(_right(bed, set_name, inst.number, literal))
        yield from (Case(inst.name, "right", bed.binary(inst.number, *use)) for use in found)
        unjudged = bed.ids["void"], [0 if each else bed.ids["n_f32"] for each in literal]
        result, operands = found[0] if found else unjudged
        last = operands[-1] if operands else bed.ids["n_f32"]
        for what, given in (("none", []), ("one less", operands[:-1]), ("one more", [*operands, last])):
            if given != operands:
                yield Case(inst.name, what, bed.binary(inst.number, result, given))
        for place in range(len(operands)):
            for other in LITERALS if literal[place] else bed.values:
                if other != operands[place]:
                    changed = [*operands[:place], other, *operands[place + 1 :]]
                    yield Case(inst.name, f"operand {place + 1}", bed.binary(inst.number, result, changed))
        for other in bed.results:
            if other != result:
                yield Case(inst.name, "result", bed.binary(inst.number, other, operands))
    yield Case("4000", "unknown", bed.binary(4000, bed.ids["f32"], [bed.ids["n_f32"]]))


def _right(bed: Bed, set_name: str, number: int, literal: list[bool]) -> Iterator[tuple[int, list[int]]]:
    """One use a result type, where some values keep the signature: operands are chosen one after the other by the place
    that a fault names."""
    if not is_judged(set_name):
        return
    from kit.callees.choosing import choose

    for result in bed.results:
        operands = choose(bed, set_name, number, result, literal)
        if operands is not None:
            yield result, operands


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--judge", action="store_true")
    options = parser.parse_args()
    if not options.judge:
        return ended(sum(tally(name, cases(name, names_of(name), True), "spv") for name in options.sets))
    for name in options.sets:
        judge(name)
    return 0


def judge(set_name: str) -> None:
    counts: Counter[str] = Counter()
    for case in cases(set_name, names_of(set_name), False):
        counts["inputs"] += 1
        counts["right"] += case.what == "right"
        ours, valid = is_accepted(case.data), validator_accepts(case.data, set_name)
        counts[_verdict(ours, valid)] += 1
        if ours != valid:
            theirs = spirv_val(case.data, "opencl2.2") if bed_is_kernel(set_name) else validate(case.data)
            print(f"{set_name} {case.name}, {case.what}: {said(case.data)}; spirv-val: {theirs[1][:160]}")
    print(set_name, ", ".join(f"{what} {count}" for what, count in counts.items()), flush=True)


def bed_is_kernel(set_name: str) -> bool:
    return set_name.startswith("OpenCL")


def _verdict(ours: bool, valid: bool) -> str:
    if ours == valid:
        return f"{'accepted' if valid else 'refused'} by both"
    return f"refused by {'check' if valid else 'spirv-val'} alone"


def is_accepted(binary: bytes) -> bool:
    return not said(binary)


def said(binary: bytes) -> str:
    import reknit

    return "; ".join(each.message for each in reknit.check(binary) if each.severity == "error")


def validator_accepts(binary: bytes, set_name: str) -> bool:
    return spirv_val(binary, "opencl2.2")[0] if bed_is_kernel(set_name) else accepts(binary)


if __name__ == "__main__":
    raise SystemExit(main())
