"""Lower the library of front/llvm from its Slang source to the functions that ship.

    library/integers.slang      public T hadd<T : IInteger>(T a, T b) { ... }
      -> library/integers.rk    func @hadd_s8(%a: i8, %b: i8) -> i8 { ... }   func @hadd_s16 ...   func @hadd_u64 ...

A public function that is generic is made for every type that has its interface, a public one that is not as it stands.
What it calls goes into it, and variables become values, so that all of it is one block: what
`front.llvm.library` expands.

    python tools/gen_llvm_library.py    (in an environment with reknit)
"""

import re
import sys
from itertools import product
from pathlib import Path

from reknit.front.slang.compile import compile_slang
from reknit.ir import enums, op
from reknit.ir.text.printer import print_function, print_instruction
from reknit.passes.manager import run_passes

LIBRARY = Path(__file__).resolve().parent.parent / "src" / "reknit" / "front" / "llvm" / "library"
NUMBERS = "numbers.slang"
"""What the other sources include."""
PASSES = "inline,scalar-replacement,promote-variables,fold,dce"
WRAPPER = "shipped_"
HEADER = ("Capability Shader", "Capability Linkage")
SHADER = enums.CapabilityShader
SUFFIXES = {
    "int8_t": "s8", "int16_t": "s16", "int": "s32", "int64_t": "s64",
    "uint8_t": "u8", "uint16_t": "u16", "uint": "u32", "uint64_t": "u64",
    "half": "f16", "float": "f32", "double": "f64",
}  # fmt: skip
PUBLIC = re.compile(r"^public (.+?) (\w+)(?:<(.+?)>)?\(([^)]*)\)", re.MULTILINE)
INTERFACE = re.compile(r"^interface (\w+) : (\w+)", re.MULTILINE)
EXTENSION = re.compile(r"^extension (\w+) : (\w+)", re.MULTILINE)


def types_of(text: str) -> dict[str, list[str]]:
    """The types that have each interface."""
    bases = dict(INTERFACE.findall(text))
    types: dict[str, list[str]] = {interface: [] for interface in bases}
    for type, interface in EXTENSION.findall(text):
        while interface in bases:
            if type not in types[interface]:
                types[interface].append(type)
            interface = bases[interface]
    return types


def wrappers(text: str, types: dict[str, list[str]]) -> list[tuple[str, str, list[str]]]:
    """(name, Slang function of that name that calls a public one, its parameters' types)."""
    made: list[tuple[str, str, list[str]]] = []
    for result, name, parameters, given in PUBLIC.findall(text):
        generic = [parameter.split(" : ") for parameter in parameters.split(", ")] if parameters else []
        for chosen in product(*[types[interface] for _, interface in generic]):
            if len(chosen) > len(set(chosen)):
                continue  # of a type to itself nothing is converted
            full = "_".join([name, *[SUFFIXES[type] for type in chosen]])
            arguments = [argument.split(" ") for argument in given.split(", ")]
            types_given = [result, *[type for type, _ in arguments]]
            for (parameter, _), type in zip(generic, chosen, strict=True):
                types_given = [re.sub(rf"\b{parameter}\b", type, each) for each in types_given]
            named = [f"{type} {argument}" for type, (_, argument) in zip(types_given[1:], arguments, strict=True)]
            head = f"{types_given[0]} {WRAPPER}{full}({', '.join(named)})"
            called = name + (f"<{', '.join(chosen)}>" if chosen else "")
            call = f"{called}({', '.join(argument for _, argument in arguments)})"
            made.append((full, f"{head} {{ return {call}; }}", types_given[1:]))
    return made


def composed(path: Path) -> str:
    """The source with a function for each that ships, and an entry point that calls them all."""
    text = path.read_text(encoding="utf-8")
    types = types_of((path.parent / NUMBERS).read_text(encoding="utf-8") + text)
    made = wrappers(text, types)
    calls = "".join(f"    {WRAPPER}{name}({', '.join(f'{type}(0)' for type in given)});\n" for name, _, given in made)
    main = f'[shader("compute")] [numthreads(1, 1, 1)] void main()\n{{\n{calls}}}\n'
    return "\n".join([text, *[function for _, function, _ in made], main])


def lowered(path: Path) -> str:
    """The text that ships for one source."""
    module = compile_slang(composed(path), str(path))
    run_passes(module, PASSES)
    module.imports[0].name = "glsl"
    structs = [type for type in module.globals if type.op == op.TypeStruct]
    for struct in structs:
        name, _, argument = struct.name.rstrip(">").partition("<")
        struct.name = f"{name}_{SUFFIXES[argument]}"
    shipped = [function for function in module.functions if function.name.startswith(WRAPPER)]
    for function in shipped:
        function.name = function.name.removeprefix(WRAPPER)
    functions = [print_function(function) for function in shipped]
    lines = [f"; made by tools/gen_llvm_library.py from {path.name}", *HEADER]
    lines += [print_instruction(capability) for capability in module.capabilities if capability.operands != [SHADER]]
    lines += ['%glsl = ExtInstImport "GLSL.std.450"', "MemoryModel Logical GLSL450"]
    lines += [print_instruction(struct) for struct in structs if any(f"%{struct.name}\n" in each for each in functions)]
    return "\n".join([*lines, "", *functions])


def main() -> int:
    for path in sorted(LIBRARY.glob("*.slang")):
        if path.name != NUMBERS:
            path.with_suffix(".rk").write_text(lowered(path), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
