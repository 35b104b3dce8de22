"""Lower the library of front/llvm from its Slang sources to the functions that ship.

    library/integers.slang      public T hadd(T a, T b) { ... }
      -> library/integers.rk    func @hadd_s8(%a: i8, %b: i8) -> i8 { ... }   func @hadd_s16 ...   func @hadd_u64 ...

A source is compiled for each of its types, of which it is told by T and macros. A public function that has T in its
head ships for each type that it is there for, any other once. What it calls goes into it, and variables become values,
so that all of it is one block: what `front.llvm.library` expands.

    python tools/gen_llvm_library.py    (in an environment with reknit)
"""

import re
import sys
from pathlib import Path

from reknit.front.slang.compile import compile_slang
from reknit.front.slang.options import Options
from reknit.front.slang.preprocess import Preprocessor
from reknit.front.slang.report import Reports
from reknit.front.slang.sources import Sources
from reknit.ir import enums, op
from reknit.ir.text.printer import print_function, print_instruction
from reknit.passes.manager import run_passes

LIBRARY = Path(__file__).resolve().parent.parent / "src" / "reknit" / "front" / "llvm" / "library"
PASSES = "inline,scalar-replacement,promote-variables,fold,dce"
WRAPPER = "shipped_"
HEADER = ("Capability Shader", "Capability Linkage")
SHADER = enums.CapabilityShader
NAMES = {
    "s8": "int8_t", "s16": "int16_t", "s32": "int", "s64": "int64_t",
    "u8": "uint8_t", "u16": "uint16_t", "u32": "uint", "u64": "uint64_t",
    "f16": "half", "f32": "float", "f64": "double",
}  # fmt: skip
FRACTIONS = {"f16": 10, "f32": 23, "f64": 52}
SIGNED = ["s8", "s16", "s32", "s64"]
UNSIGNED = ["u8", "u16", "u32", "u64"]
FLOATS = [*FRACTIONS]
TYPES = {
    "integers": [(type, "") for type in SIGNED + UNSIGNED],
    "floats": [(type, "") for type in FLOATS],
    "conversions": [
        *[(type, other) for type in FLOATS for other in SIGNED + UNSIGNED],
        *[("f32", "f16"), ("f64", "f16"), ("f64", "f32")],
    ],
    "dxil": [(type, "") for type in ("f16", "f32", "s16", "s32", "s64", "u16", "u32", "u64")],
}  # fmt: skip
"""For which types a source is compiled: what T is, and what R is."""
PUBLIC = re.compile(r"\bpublic ([\w<> ]+?) (\w+) \( ([^)]*) \)")


def told(type: str, other: str) -> list[str]:
    """What is put before a source: what T and R are."""
    width = int(type[1:])
    is_float = type[0] == "f"
    macros = {"WIDTH": width, "FLOAT": is_float, "SIGNED": type[0] == "s", "FRACTION": FRACTIONS.get(type, 0)}
    aliases = {"T": type, "Bits" if is_float else "U": f"{'s' if is_float else 'u'}{width}"}
    if other:
        macros.update({"R_WIDTH": int(other[1:]), "R_FLOAT": other[0] == "f", "R_SIGNED": other[0] == "s"})
        aliases.update({"R": other, "RBits": f"s{other[1:]}"})
    lines = [f"#define {name} {int(value)}" for name, value in macros.items()]
    return [*lines, *[f"typealias {name} = {NAMES[short]};" for name, short in aliases.items()]]


def public_functions(text: str, told_before: list[str]) -> list[tuple[str, str, list[list[str]]]]:
    """Result, name, and (type, name) of the parameters of each public function that the preprocessor leaves, of this
    file alone."""
    own = [line for line in text.split("\n") if not line.startswith("#include")]
    tokens = Preprocessor(Reports(Sources()), Options(), False).run("library.slang", "\n".join([*told_before, *own]))
    return [
        (result, name, [parameter.split() for parameter in given.split(",")])
        for result, name, given in PUBLIC.findall(" ".join(tokens.texts))
    ]


def composed(path: Path, type: str, other: str) -> str:
    """The source for a type, with a function for each that ships, and an entry point that calls them all."""
    text = path.read_text(encoding="utf-8")
    lines = told(type, other)
    functions: list[str] = []
    calls: list[str] = []
    for result, name, parameters in public_functions(text, lines):
        given = ", ".join(f"{kind} {parameter}" for kind, parameter in parameters)
        is_typed = re.search(r"\b[TR]\b", f"{result} {given}") is not None
        full = "_".join([WRAPPER + name, *([each for each in (type, other) if each] if is_typed else [])])
        arguments = ", ".join(parameter for _, parameter in parameters)
        functions.append(f"{result} {full}({given}) {{ return {name}({arguments}); }}")
        calls.append(f"    {full}({', '.join(f'{kind}(0)' for kind, _ in parameters)});")
    main = ['[shader("compute")] [numthreads(1, 1, 1)] void main()', "{", *calls, "}", ""]
    return "\n".join([*lines, text, *functions, *main])


def lowered(path: Path) -> str:
    """The text that ships for one source."""
    functions: dict[str, str] = {}
    structs: dict[str, str] = {}
    capabilities: dict[str, None] = {}
    for type, other in TYPES[path.stem]:
        module = compile_slang(composed(path, type, other), str(path))
        run_passes(module, PASSES)
        for capability in module.capabilities:
            if capability.operands != [SHADER]:
                capabilities[print_instruction(capability)] = None
        if module.imports:
            module.imports[0].name = "glsl"
        for struct in module.globals:
            if struct.op == op.TypeStruct:
                name, _, argument = struct.name.rstrip(">").partition("<")
                struct.name = f"{name}_{next(short for short, word in NAMES.items() if word == argument)}"
                structs[struct.name] = print_instruction(struct)
        for function in module.functions:
            if function.name.startswith(WRAPPER):
                function.name = function.name.removeprefix(WRAPPER)
                functions[function.name] = print_function(function)
    used = [text for name, text in structs.items() if any(f"%{name}\n" in each for each in functions.values())]
    lines = [f"; made by tools/gen_llvm_library.py from {path.name}", *HEADER, *capabilities]
    lines += ['%glsl = ExtInstImport "GLSL.std.450"', "MemoryModel Logical GLSL450", *used]
    return "\n".join([*lines, "", *functions.values()])


def main() -> int:
    for name in TYPES:
        path = LIBRARY / f"{name}.slang"
        path.with_suffix(".rk").write_text(lowered(path), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
