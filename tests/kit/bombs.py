"""Small inputs that ask for much: each a file by name, the command for it, and what it is to come to.

    BOMBS["macros that double"]  ->  Bomb("a.slang", b"#define ...", ["check"])
"""

import io
import struct
import tarfile
import zipfile
from typing import Final, NamedTuple

# ruff: noqa: E501 - a bomb is a line

HEAD: Final = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
"""
BODY: Final = """%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
"""
TEXT: Final = """Capability Shader
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main"
ExecutionMode @main LocalSize 1 1 1
"""
SLANG: Final = '[shader("compute")] [numthreads(1, 1, 1)]\nvoid main() {'
BUFFER: Final = "RWStructuredBuffer<int> o;\n"
IN_TIME: Final = ("--max-seconds", "8")
"""Given with what has no end, or one that is far: a run ends by itself after --max-steps instructions, which is a minute
or two."""


class Bomb(NamedTuple):
    """`name` is the file's, `files` are those beside it; it stands at `at` in the command, whose exit code is one of
    `codes`."""

    name: str
    data: bytes
    command: list[str]
    files: dict[str, bytes] = {}
    at: int = 1
    codes: tuple[int, ...] = (0, 1, 3)


def slang(text: str, *options: str, **files: str) -> Bomb:
    beside = {name.replace("_", "."): contents.encode() for name, contents in files.items()}
    return Bomb("bomb.slang", text.encode(), ["opt", *options], beside)


def toml(data: bytes) -> Bomb:
    return Bomb("reknit.toml", data, ["lint", "shader.spvasm", "--config"], {"shader.spvasm": (HEAD + BODY).encode()}, 3, (0, 1, 2, 3))


def spirv(*words: int) -> bytes:
    return struct.pack(f"<{len(words)}I", *[word & 0xFFFFFFFF for word in words])


def instruction(opcode: int, *operands: int) -> list[int]:
    return [(len(operands) + 1) << 16 | opcode, *operands]


def module(bound: int, *more: list[int]) -> bytes:
    """A binary with the header and main's declarations, in which id 1 is void, 2 its function type, 3 main."""
    words = [0x07230203, 0x00010600, 0, bound, 0]
    words += instruction(17, 1) + instruction(14, 0, 1)
    words += instruction(15, 5, 3, 0x6E69616D, 0) + instruction(16, 3, 17, 1, 1, 1)
    words += instruction(19, 1) + instruction(33, 2, 1)
    for one in more:
        words += one
    words += instruction(54, 1, 3, 0, 2) + instruction(248, 4) + instruction(253) + instruction(56)
    return spirv(*words)


def doubling(first: str, row: str, count: int) -> str:
    """The first row, and `count` more, with {a} as the number of the one before and {b} as their own."""
    return first + "".join([row.replace("{a}", str(n)).replace("{b}", str(n + 1)) for n in range(count)])


def macros() -> dict[str, Bomb]:
    return {
        "macros that double": slang(
            doubling("#define M0 1 +\n", "#define M{b} M{a} M{a}\n", 60) + BUFFER + SLANG + "o[0] = M60 1; }"
        ),
        "macros of macros with arguments": slang(
            doubling("#define F0(x) x x\n", "#define F{b}(x) F{a}(F{a}(x))\n", 40) + BUFFER + SLANG + "F40(;) }"
        ),
        "pasting that doubles": slang(
            doubling("#define P(a, b) a##b\n#define N0 x\n", "#define N{b} Q(N{a}, N{a})\n", 60)
            + "#define Q(a, b) P(a, b)\n" + SLANG + "int N60; }"
        ),
        "nested ##": slang(
            "#define P(a, b) a##b\n#define D(x) P(x, x)\n" + SLANG + "int " + "D(" * 90 + "a" + ")" * 90 + "; }"
        ),
        "a macro with a million arguments": slang("#define V(...) __VA_ARGS__\n" + SLANG + "V(" + "1," * 1_000_000 + "1) }"),
        "a condition of a hundred thousand brackets": slang("#if " + "(" * 100_000 + "1" + ")" * 100_000 + "\n#endif\n" + SLANG + "}"),
        "conditions nested a hundred thousand deep": slang("#if 1\n" * 100_000 + SLANG + "}"),
        "a shift of a billion bits in a condition": slang("#if 1 << 1000000000 << 1000000000\n#endif\n" + SLANG + "}"),
        "names that came out of many macros": slang(
            "".join([f"#define A{n} A{(n + 1) % 3000} A{(n + 2) % 3000}\n" for n in range(3000)]) + SLANG + "A0 }"
        ),
    }


def includes() -> dict[str, Bomb]:
    return {
        "a chain of includes that doubles": slang(
            '#include "i0.h"\n' + SLANG + "}",
            **{f"i{n}_h": f'#include "i{n + 1}.h"\n' * 2 for n in range(60)},
            i60_h="",
        ),
        "a file that includes itself": slang('#include "bomb.slang"\n' + SLANG + "}"),
        "a device": slang('#include "/dev/zero"\n' + SLANG + "}"),
        "modules that import each other": slang(
            "import m0;\n" + SLANG + "}",
            **{f"m{n}_slang": f"import m{(n + 1) % 200};\nimport m{(n * 7) % 200};\n" for n in range(200)},
        ),
    }


def types() -> dict[str, Bomb]:
    return {
        "aliases that double": slang(
            "struct P<A, B> { A a; B b; }\n"
            + doubling("typealias T0 = int;\n", "typealias T{b} = P<T{a}, T{a}>;\n", 60) + SLANG + "T60 x; }"
        ),
        "structs that double": slang(
            doubling("struct S0 { int x; }\n", "struct S{b} { S{a} x; S{a} y; }\n", 60)
            + BUFFER + SLANG + "S60 s; o[0] = s" + ".x" * 61 + "; }"
        ),
        "structs that double, in a buffer": slang(
            doubling("struct S0 { int x; }\n", "struct S{b} { S{a} x; S{a} y; }\n", 40)
            + "RWStructuredBuffer<S40> o;\n" + SLANG + "o[0] = o[1]; }"
        ),
        "structs that double, zeroed": slang(
            doubling("struct S0 { int x; }\n", "struct S{b} { S{a} x; S{a} y; }\n", 26)
            + BUFFER + SLANG + "S26 s = {}; o[0] = s" + ".x" * 27 + "; }"
        ),
        "an array of a billion, zeroed": slang(BUFFER + SLANG + "int a[1000000000] = {}; o[0] = a[5]; }"),
        "an array of arrays of arrays": slang(BUFFER + SLANG + "int a[65535][65535][65535][65535]; o[0] = a[0][0][0][0]; }"),
        "generics that instantiate themselves": slang(
            "struct W<T> { T x; }\nint f<T>(T x) { W<T> w; return f<W<T>>(w); }\n" + BUFFER + SLANG + "o[0] = f<int>(1); }"
        ),
        "generics that instantiate two of themselves": slang(
            "struct A<T> { T x; }\nstruct B<T> { T x; }\n"
            "int f<T>(int n) { return n == 0 ? 0 : f<A<T>>(n - 1) + f<B<T>>(n - 1); }\n"
            + BUFFER + SLANG + "o[0] = f<int>(1); }"
        ),
        "generics by a number that halves": slang(
            "int f<let N : int>() { return f<N + 1>() + f<N + 2>(); }\n" + BUFFER + SLANG + "o[0] = f<1>(); }"
        ),
        "functions that call two each": slang(
            doubling("[ForceInline] int f0(int x) { return x; }\n",
                     "[ForceInline] int f{b}(int x) { return f{a}(x) + f{a}(x + 1); }\n", 40)
            + BUFFER + SLANG + "o[0] = f40(1); }"
        ),
        "interfaces that constrain each other": slang(
            "".join([f"interface I{n} : I{(n + 1) % 60}, I{(n + 2) % 60} {{ int m{n}(); }}\n" for n in range(60)]) + SLANG + "}"
        ),
        "a constant that grows": slang(
            doubling("static const int C0 = 3;\n", "static const int C{b} = C{a} * C{a};\n", 60) + BUFFER + SLANG + "o[0] = C60; }"
        ),
        "constants that call each other": slang(
            doubling("static const int C0 = 3;\n", "static const int C{b} = C{a} + C{a};\n", 60) + BUFFER + SLANG + "int a[C60]; o[0] = a[0]; }"
        ),
        "a loop that is unrolled for ever": slang(BUFFER + SLANG + "[unroll] for (int i = 0; i < 2000000000; i++) o[i] = i; }", "-p", "unroll-loops"),
    }


def literals() -> dict[str, Bomb]:
    digits = "9" * 1_000_000
    return {
        "a number of a million digits in Slang": slang(BUFFER + SLANG + f"o[0] = {digits}; }}"),
        "a number of a million digits in a condition": slang(f"#if {digits}\n#endif\n" + SLANG + "}"),
        "a float of a million digits in Slang": slang(BUFFER + SLANG + f"o[0] = int({digits}.0); }}"),
        "a float with a huge exponent": slang(BUFFER + SLANG + "o[0] = int(1e999999999); }"),
        "a number of a million hexadecimal digits": slang(BUFFER + SLANG + f"o[0] = 0x{digits}; }}"),
        "a number of a million digits in .rk": Bomb("bomb.rk", (TEXT + f"%a = Constant {digits}u : u32\n").encode(), ["check"]),
        "an id of a million digits": Bomb("bomb.rk", (TEXT + f"func @main() -> void {{\n%e:\n  return\n  ids {digits} %e\n}}\n").encode(), ["check"]),
        "an array of a million digits in .rk": Bomb("bomb.rk", (TEXT + f"%a = Variable Private : ptr<Private, u32[{digits}]>\n").encode(), ["check"]),
        "a number of a million digits in assembly": Bomb("bomb.spvasm", (HEAD + f"%c = OpConstant %u32 {digits}\n" + BODY).encode(), ["check"]),
        "a raw word of a million digits": Bomb("bomb.spvasm", (HEAD + f"%c = OpConstant %u32 !{digits}\n" + BODY).encode(), ["check"]),
        "an integer of sixteen million bits": Bomb("bomb.spvasm", (HEAD + "%i = OpTypeInt 16777216 0\n%c = OpConstant %i 5\n" + BODY).encode(), ["check"]),
        "a float with a huge exponent in assembly": Bomb("bomb.spvasm", (HEAD + "%f = OpTypeFloat 32\n%c = OpConstant %f 0x1p+99999999999\n" + BODY).encode(), ["check"]),
        "a float of a million digits in .rk": Bomb("bomb.rk", (TEXT + f"%a = Constant {digits}.5f : f32\n").encode(), ["check"]),
        "a number of a million digits in LLVM": Bomb("bomb.ll", f"define void @main() {{\n %x = add i32 {digits}, 1\n ret void\n}}\n".encode(), ["opt"]),
        "an integer of eight million bits in LLVM": Bomb("bomb.ll", b"define void @main() {\n %x = shl i8388607 1, 8388606\n %y = mul i8388607 %x, %x\n ret void\n}\n", ["opt"]),
        "a constant of a billion in LLVM": Bomb("bomb.ll", b"@a = global [1000000000 x i32] zeroinitializer\n@b = global [3000000000 x [3000000000 x i64]] undef\ndefine void @main() {\n %x = load [1000000000 x i32], ptr @a\n store [1000000000 x i32] %x, ptr @a\n ret void\n}\n", ["opt"]),
        "a number of a million digits in Amber": Bomb("bomb.amber", f"#!amber\nBUFFER b DATA_TYPE uint32 SIZE {digits} FILL 0\n".encode(), ["run"]),
        "a buffer of a trillion in Amber": Bomb("bomb.amber", b"#!amber\nBUFFER b DATA_TYPE uint32 SIZE 1000000000000 FILL 0\n", ["run"]),
        "a series of a billion in Amber": Bomb("bomb.amber", b"#!amber\nBUFFER b DATA_TYPE uint32 SIZE 4000000000 SERIES_FROM 0 INC_BY 1\n", ["run"]),
        "an image of a trillion in Amber": Bomb("bomb.amber", b"#!amber\nIMAGE i DATA_TYPE uint32 DIM_2D WIDTH 4000000000 HEIGHT 4000000000 FILL 0\n", ["run"]),
        "a buffer of a trillion in VkScript": Bomb("bomb.vkscript", b"[test]\nssbo 0 1000000000000\nssbo 0 subdata uint 999999999996 5\ncompute 1 1 1\n", ["run"]),
        "a graph of a number": Bomb("bomb.cfg", f"a{digits} -> b\nb -> a{digits}\n".encode(), ["opt"]),
    }


def headers() -> dict[str, Bomb]:
    array = [*instruction(21, 5, 32, 0), *instruction(43, 5, 6, 0xFFFFFFFF)]
    return {
        "an id bound of 2^32 - 1": Bomb("bomb.spv", module(0xFFFFFFFF), ["check"]),
        "an id bound of 2^32 - 1, rewritten": Bomb("bomb.spv", module(0xFFFFFFFF), ["compile", "-o", "out.spv"]),
        "an id of 2^32 - 2": Bomb("bomb.spv", module(0xFFFFFFFF, instruction(21, 0xFFFFFFFE, 32, 0)), ["compile", "-o", "out.spv"]),
        "an id of 2^22, linted": Bomb("bomb.spv", module(1 << 22, instruction(21, (1 << 22) - 1, 32, 0)), ["lint"]),
        "a type of 2^32 elements of 2^32": Bomb("bomb.spv", module(40, array, *[instruction(28, n + 1, n, 6) for n in range(7, 30)][1:], instruction(28, 8, 5, 6)), ["check"]),
        "arrays of arrays of 2^32 - 1": Bomb("bomb.spv", module(40, array, instruction(28, 8, 5, 6), *[instruction(28, n + 1, n, 6) for n in range(8, 30)], instruction(46, 30, 31)), ["opt", "-p", "fold,dce"]),
        "a version of 2^32 - 1": Bomb("bomb.spv", spirv(0x07230203, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF), ["check"]),
        "an instruction of no words": Bomb("bomb.spv", module(8) + spirv(0, 0, 0, 0), ["check"]),
        "a DXIL container of 2^32 - 1 parts": Bomb("bomb.dxil", b"DXBC" + bytes(16) + spirv(1, 0xFFFFFFFF, 0xFFFFFFFF), ["check"]),
        "a DXIL part of 2^32 - 1 bytes": Bomb("bomb.dxil", b"DXBC" + bytes(16) + spirv(1, 60, 1, 36) + b"DXIL" + spirv(0xFFFFFFFF, 0, 0xFFFFFFFF, 0x4C495844, 0, 0xFFFFFFFF, 0xFFFFFFFF), ["check"]),
        "a DXIL container of parts in parts": Bomb("bomb.dxil", b"DXBC" + bytes(16) + spirv(1, 32 + 4 * 200000, 200000) + spirv(*([32] * 200000)), ["check"]),
        "bitcode of ones": Bomb("bomb.bc", b"BC\xc0\xde" + b"\xff" * 100_000, ["check"]),
    }


def deep() -> dict[str, Bomb]:
    many = 100_000
    return {
        "brackets in Slang": slang(BUFFER + SLANG + "o[0] = " + "(" * many + "1" + ")" * many + "; }"),
        "minus signs in Slang": slang(BUFFER + SLANG + "o[0] = " + "- " * many + "1; }"),
        "sums in Slang": slang(BUFFER + SLANG + "o[0] = " + "1 + " * many + "1; }"),
        "ternaries in Slang": slang(BUFFER + SLANG + "o[0] = " + "1 ? 2 : " * many + "1; }"),
        "members in Slang": slang(BUFFER + SLANG + "o[0] = o" + ".x" * many + "; }"),
        "indices in Slang": slang(BUFFER + SLANG + "o[0] = " + "o[" * many + "0" + "]" * many + "; }"),
        "arrays in Slang": slang(SLANG + "int a" + "[2]" * many + "; }"),
        "generics in Slang": slang("struct W<T> { T x; }\n" + SLANG + "W<" * many + "int" + ">" * many + " x; }"),
        "blocks in Slang": slang(SLANG + "{" * many + "}" * many + "}"),
        "ifs in Slang": slang(BUFFER + SLANG + "if (o[0] > 1) " * many + "o[0] = 1; }"),
        "else ifs in Slang": slang(BUFFER + SLANG + "if (o[0] > 1) o[1] = 2; else " * 10_000 + "o[0] = 1; }"),
        "structs in Slang": slang("struct A { " * many + "int x;" + "}" * many + SLANG + "}"),
        "attributes in Slang": slang("[a(" * many + "1" + ")]" * many + SLANG + "}"),
        "initializers in Slang": slang(SLANG + "int a[] = " + "{" * many + "1" + "}" * many + "; }"),
        "ifs in .rk": Bomb("bomb.rk", (TEXT + "%c = ConstantTrue : bool\nfunc @main() -> void {\n%e:\n" + "if %c {\n" * 20_000 + "}\n" * 20_000 + "  return\n}\n").encode(), ["check"]),
        "types in .rk": Bomb("bomb.rk", (TEXT + "%v = Variable Private : ptr<Private, " + "struct<" * many + "u32" + ">" * many + ">\n").encode(), ["check"]),
        "arrays in .rk": Bomb("bomb.rk", (TEXT + "%v = Variable Private : ptr<Private, u32" + "[2]" * many + ">\n").encode(), ["check"]),
        "braces in .rk": Bomb("bomb.rk", (TEXT + "{" * many).encode(), ["check"]),
        "types in assembly": Bomb("bomb.spvasm", (HEAD + doubling("%t0 = OpTypeStruct %u32\n", "%t{b} = OpTypeStruct %t{a} %t{a}\n", 20_000) + BODY).encode(), ["opt"]),
        "pointers in assembly": Bomb("bomb.spvasm", (HEAD + doubling("%t0 = OpTypeStruct %u32\n", "%t{b} = OpTypePointer Function %t{a}\n", 20_000) + BODY).encode(), ["opt"]),
        "constants in assembly": Bomb("bomb.spvasm", (HEAD + doubling("%t0 = OpTypeStruct %u32\n%c0 = OpConstantNull %t0\n", "%t{b} = OpTypeStruct %t{a} %t{a}\n%c{b} = OpConstantComposite %t{b} %c{a} %c{a}\n", 40) + BODY).encode(), ["opt", "-p", "fold,cse,dce"]),
        "a null of structs that double": Bomb("bomb.spvasm", (HEAD + doubling("%t0 = OpTypeStruct %u32\n", "%t{b} = OpTypeStruct %t{a} %t{a}\n", 40) + "%c = OpConstantNull %t40\n%p = OpTypePointer Private %t40\n%v = OpVariable %p Private %c\n" + BODY.replace("OpReturn", "%l = OpLoad %t40 %v\nOpStore %v %l\nOpReturn")).encode(), ["run"]),
        "an array of a billion that is run": Bomb("bomb.spvasm", (HEAD + "%n = OpConstant %u32 4000000000\n%t = OpTypeArray %u32 %n\n%p = OpTypePointer Private %t\n%v = OpVariable %p Private\n" + BODY.replace("OpReturn", "%l = OpLoad %t %v\nOpStore %v %l\nOpReturn")).encode(), ["run"]),
        "a local array of a billion that is run": Bomb("bomb.spvasm", (HEAD + "%n = OpConstant %u32 4000000000\n%t = OpTypeArray %u32 %n\n%p = OpTypePointer Workgroup %t\n%v = OpVariable %p Workgroup\n" + BODY.replace("OpReturn", "%l = OpLoad %t %v\nOpStore %v %l\nOpReturn")).encode(), ["run"]),
        "a workgroup of 2^31": Bomb("bomb.spvasm", (HEAD + BODY).replace("LocalSize 1 1 1", "LocalSize 4294967295 4294967295 4294967295").encode(), ["run"]),
        "a chain of blocks": Bomb("bomb.spvasm", (HEAD + "%main = OpFunction %void None %fn\n%b0 = OpLabel\n" + "".join([f"OpBranch %b{n + 1}\n%b{n + 1} = OpLabel\n" for n in range(30_000)]) + "OpReturn\nOpFunctionEnd\n").encode(), ["compile", "-o", "out.spv"]),
        "a chain of selections": Bomb("bomb.spvasm", selections(6000).encode(), ["compile", "-o", "out.spv"]),
        "a nest of selections": Bomb("bomb.spvasm", nest(4000).encode(), ["compile", "-o", "out.spv"]),
        "a nest of loops": Bomb("bomb.spvasm", loops(1500).encode(), ["compile", "-o", "out.spv"]),
        "a graph in which all go to all": Bomb("bomb.cfg", everywhere(150).encode(), ["structurize", "-o", "out.rk"]),
        "a graph that jumps back and forth": Bomb("bomb.cfg", ladder(3000).encode(), ["structurize", "-o", "out.rk"]),
        "functions that are inlined into each other": Bomb("bomb.spvasm", calls(40).encode(), ["opt", "-p", "inline"]),
        "functions that are inlined and folded": Bomb("bomb.spvasm", calls(40).encode(), ["compile", "-p", "inline,reconverge", "-o", "out.spv"]),
        "a phi of many": Bomb("bomb.cfg", "".join([f"s{n} -> t s{n + 1}\n" for n in range(5000)]).encode() + b"s5000 -> t\nt ret\n", ["structurize", "-o", "out.rk"]),
        "an endless run": Bomb("bomb.slang", (BUFFER + SLANG + "int n = 0; while (true) { n += 2; if (n == 1) break; } o[0] = n; }").encode(), ["run", *IN_TIME]),
        "a run of lanes without end": Bomb("bomb.slang", (BUFFER + SLANG.replace("1, 1, 1", "1024, 1, 1") + "int n = 0; while (true) { n += 2; if (n == 1) break; } o[0] = n; }").encode(), ["run", "--groups", "60000,60000,1", *IN_TIME]),
        "outcomes without end": Bomb("bomb.slang", (BUFFER + SLANG.replace("1, 1, 1", "64, 1, 1") + "".join([f"switch (o[{n}]) {{ case 0: o[{n}] += WaveActiveSum(1); default: o[{n}] += WaveActiveSum(2); }}\n" for n in range(40)]) + "}").encode(), ["outcomes", "--limit", "1000000", *IN_TIME]),
        "tables in TOML": toml(b"a = " + b"[" * many + b"]" * many),
        "keys in TOML": toml(b"a" + b".a" * many + b" = 1\n"),
        "a number in TOML": toml(b"a = " + b"9" * 1_000_000 + b"\n"),
        "keys that are long in TOML": toml(b"".join([b"[" + b"a." * 400 + b"b%d]\n" % n for n in range(1000)])),
        "brackets in LLVM": Bomb("bomb.ll", ("define void @main() {\n %x = add i32 " + "add (i32 1, i32 " * many + "1" + ")" * many + ", 1\n ret void\n}\n").encode(), ["opt"]),
        "types in LLVM": Bomb("bomb.ll", ("@g = global " + "[2 x " * many + "i32" + "]" * many + " zeroinitializer\ndefine void @main() {\n ret void\n}\n").encode(), ["opt"]),
        "structs in LLVM that double": Bomb("bomb.ll", (doubling("%T0 = type { i32 }\n", "%T{b} = type { %T{a}, %T{a} }\n", 40) + "@g = addrspace(3) global %T40 undef\ndefine void @main() {\n %v = load %T40, ptr addrspace(3) @g\n store %T40 %v, ptr addrspace(3) @g\n ret void\n}\n").encode(), ["opt"]),
        "metadata in LLVM": Bomb("bomb.ll", (doubling("!0 = !{}\n", "!{b} = !{!{a}, !{a}}\n", 2000) + "define void @main() !dbg !2000 {\n ret void\n}\n").encode(), ["opt"]),
    }


def buffers(count: int, members: str, body: str = "", more: str = "", struct: str = "%A") -> str:
    """A module with so many storage buffers, each a block of one member; `members` decorates the block."""
    names = [f"%v{n}" for n in range(count)]
    places = "".join([f"OpDecorate {name} DescriptorSet 0\nOpDecorate {name} Binding {n}\n" for n, name in enumerate(names)])
    variables = "".join([f"{name} = OpVariable %pS StorageBuffer\n" for name in names])
    head = HEAD.replace("%void = OpTypeVoid\n", f"OpDecorate %A ArrayStride 4\nOpDecorate %S Block\n{members}{places}%void = OpTypeVoid\n")
    head = head.replace('OpEntryPoint GLCompute %main "main"', 'OpEntryPoint GLCompute %main "main" ' + " ".join(names))
    types = f"{more}%S = OpTypeStruct {struct}\n%pS = OpTypePointer StorageBuffer %S\n%pu = OpTypePointer StorageBuffer %u32\n%c0 = OpConstant %u32 0\n%c1 = OpConstant %u32 1\n"
    body = body or "%q = OpAccessChain %pu %v0 %c0 %c0\n%l = OpLoad %u32 %q\n%k = OpIAdd %u32 %l %c1\nOpStore %q %k\n"
    return (head + types + variables + BODY.replace("OpReturn\n", body + "OpReturn\n"))


def at_offset(offset: int, count: int = 1) -> str:
    return buffers(count, f"OpMemberDecorate %S 0 Offset {offset}\n", "", "%A = OpTypeRuntimeArray %u32\n")


def sized(length: int, stride: int) -> str:
    text = buffers(1, "OpMemberDecorate %S 0 Offset 0\n", "", f"%n = OpConstant %u32 {length}\n%A = OpTypeArray %u32 %n\n")
    return text.replace("ArrayStride 4", f"ArrayStride {stride}")


def asm(text: str, *command: str, **files: str) -> Bomb:
    return Bomb("bomb.spvasm", text.encode(), list(command), {name.replace("_", "."): data.encode() for name, data in files.items()})


def amber(text: str) -> Bomb:
    shader = "SHADER compute c SPIRV-ASM\n" + at_offset(0) + "END\n"
    return Bomb("bomb.amber", ("#!amber\n" + shader + text).encode(), ["run"])


def run_slang(text: str, *options: str, command: str = "run") -> Bomb:
    return Bomb("bomb.slang", text.encode(), [command, *options], codes=(0, 1, 2, 3))


def numbers() -> dict[str, Bomb]:
    """Each number of an input or an option that sizes memory, a loop or a text, as large as it may be written."""
    most = 4294967295
    twice = at_offset(67108864).replace("%k = OpIAdd %u32 %l %c1", "%k = OpIAdd %u32 %c1 %l")
    plain = BUFFER + SLANG + "o[0] += 1; }"
    image = "RWTexture2D<float4> t;\n" + BUFFER + SLANG + "o[0] = int(t[int2(0, 0)].x); }"
    overloads = "".join([f"struct S{n} {{ int a; }}\nint f(S{n} x) {{ return {n}; }}\n" for n in range(1000)])
    calls = "".join([f"S{n} s{n}; s{n}.a = 0; o[{n}] = f(s{n});" for n in range(1000)])
    return {
        "a member at 64 MiB": asm(at_offset(67108864), "run"),
        "a member at 64 MiB, its outcomes": asm(at_offset(67108864), "outcomes"),
        "a member at 64 MiB, proved": Bomb("bomb.spvasm", at_offset(67108864).encode(), ["prove", "other.spvasm"], {"other.spvasm": twice.encode()}),
        "a member at 64 MiB, traced": asm(at_offset(67108864), "trace", "-o", "t.html"),
        "twenty members at 128 MiB": asm(at_offset(134217728, 20), "run"),
        "a member at 4 GiB": asm(at_offset(4294967292), "run"),
        "a stride of 2 GiB": asm(sized(2, 2147483648), "run"),
        "a stride of 2 GiB, proved": Bomb("bomb.spvasm", sized(2, 2147483648).encode(), ["prove", "other.spvasm"], {"other.spvasm": sized(3, 2147483648).encode()}),
        "2^32 elements at one place": asm(sized(most, 0), "run"),
        "2^32 elements at one place, proved": Bomb("bomb.spvasm", sized(most, 0).encode(), ["prove", "other.spvasm"], {"other.spvasm": sized(most - 1, 0).encode()}),
        "2^32 elements at one place, traced": asm(sized(most, 0), "trace", "-o", "t.html"),
        "2^26 elements": asm(sized(1 << 26, 4), "run"),
        "2^24 elements, proved": Bomb("bomb.spvasm", sized(1 << 24, 4).encode(), ["prove", "other.spvasm"], {"other.spvasm": sized(1 << 24, 4).replace("%k = OpIAdd %u32 %l %c1", "%k = OpIAdd %u32 %c1 %l").encode()}),
        "2^24 elements, their outcomes": asm(sized(1 << 24, 4), "outcomes"),
        "a vector of 2^32": asm(HEAD + f"%v = OpTypeVector %u32 {most}\n%z = OpConstantNull %v\n%p = OpTypePointer Private %v\n%x = OpVariable %p Private %z\n" + BODY.replace("OpReturn", "%l = OpLoad %v %x\nOpStore %x %l\nOpReturn"), "run"),
        "a matrix of 2^32": asm(HEAD + f"%f = OpTypeFloat 32\n%v = OpTypeVector %f 4\n%m = OpTypeMatrix %v {most}\n%z = OpConstantNull %m\n%p = OpTypePointer Private %m\n%x = OpVariable %p Private %z\n" + BODY.replace("OpReturn", "%l = OpLoad %m %x\nOpStore %x %l\nOpReturn"), "run"),
        "a private array of a million in each of 1024": asm(HEAD.replace("LocalSize 1 1 1", "LocalSize 1024 1 1") + "%n = OpConstant %u32 1000000\n%t = OpTypeArray %u32 %n\n%p = OpTypePointer Private %t\n%v = OpVariable %p Private\n" + BODY.replace("OpReturn", "%l = OpLoad %t %v\nOpStore %v %l\nOpReturn"), "run"),
        "a local variable of a million in each of 1024": asm(HEAD.replace("LocalSize 1 1 1", "LocalSize 1024 1 1") + "%n = OpConstant %u32 1000000\n%t = OpTypeArray %u32 %n\n%p = OpTypePointer Function %t\n" + BODY.replace("OpReturn", "%v = OpVariable %p Function\n%l = OpLoad %t %v\nOpStore %v %l\nOpReturn"), "run"),
        "a null array of 2^32": asm(HEAD + f"%n = OpConstant %u32 {most}\n%t = OpTypeArray %u32 %n\n%z = OpConstantNull %t\n%p = OpTypePointer Private %t\n%v = OpVariable %p Private %z\n" + BODY, "opt", "-p", "optimize"),
        "descriptors by the billion": run_slang("RWStructuredBuffer<int> b[1000000000];\n" + SLANG + "b[5][0] = 1; }"),
        "descriptors by the million": run_slang("RWStructuredBuffer<int> b[1000000];\n" + SLANG + "b[5][0] = 1; }"),
        "a workgroup of 2^31 in Slang": run_slang(plain.replace("1, 1, 1", "2147483647, 1, 1")),
        "a payload of a billion bytes": run_slang("[anyValueSize(1000000000)] interface I { int f(); }\nstruct A : I { int x; int f() { return x; } }\nstruct B : I { int y; int f() { return y + 1; } }\n" + BUFFER + SLANG + "I i = createDynamicObject<I>(o[0], o[1]); o[0] = i.f(); }", "--conformance", "A:I", "--conformance", "B:I"),
        "a local array of 2^28 in Slang": run_slang(BUFFER + SLANG + "int a[268435456]; a[o[0]] = 1; o[0] = a[5]; }"),
        "a constant array of 2^28 in Slang": run_slang("static const int a[268435456] = {};\n" + BUFFER + SLANG + "o[0] = a[o[0]]; }"),
        "a vector of a billion in Slang": run_slang(BUFFER + SLANG + "vector<int, 1000000000> v = 0; o[0] = v[5]; }"),
        "a loop unrolled a billion times": run_slang(BUFFER + SLANG + "[unroll(1000000000)] for (int i = 0; i < 1000000000; i++) o[0] += i; }", *IN_TIME),
        "a line of 2^64": run_slang("#line 99999999999999999999\n" + BUFFER + SLANG + "o[0] = x; }"),
        "a thousand overloads": run_slang(overloads + BUFFER + SLANG + calls + "}", command="check"),
        "a thousand names that are not there": run_slang("".join([f"struct Name{n} {{}}\n" for n in range(3000)]) + SLANG + "".join([f"Nmae{n} x{n};\n" for n in range(3000)]) + "}", command="check"),
        "2^96 workgroups": run_slang(plain, "--groups", f"{most},{most},{most}"),
        "a billion workgroups": run_slang(plain, "--groups", "1000000000"),
        "a billion workgroups, their outcomes": run_slang(plain, "--groups", "1000000000", command="outcomes"),
        "a buffer of a trillion zeros": run_slang(plain, "--set", "o=zeros:1000000000000"),
        "a buffer of 2^26 zeros": run_slang(plain, "--set", f"o=zeros:{1 << 26}"),
        "an image of 10^10 texels": run_slang(image, "--set", "t=100000x100000:rgba32f:zeros"),
        "an image of 2^28 texels": run_slang(image, "--set", "t=16384x16384:rgba32f:zeros"),
        "an image of a million levels": run_slang(image, "--set", "t=8x8:rgba32f:levels=1000000:zeros"),
        "an image with a million digits": run_slang(image, "--set", "t=" + "9" * 100_000 + "x8:rgba32f:zeros"),
        "a domain of a trillion": Bomb("bomb.slang", plain.encode(), ["prove", "bomb.slang", "--domain", "o=0..1000000000000"], codes=(0, 1, 2, 3)),
        "a sample of a billion": Bomb("bomb.slang", plain.encode(), ["prove", "other.slang", "--runs", "--inputs", "1000000000", *IN_TIME], {"other.slang": plain.replace("+= 1", "+= 2 - 1").encode()}, codes=(0, 1, 2, 3)),
        "a limit of 10^18 outcomes": run_slang(plain, "--limit", str(10**18), command="outcomes"),
        "structs that alternate with arrays": run_slang(doubling("struct S0 { int x[64]; }\n", "struct S{b} { S{a} x[64]; }\n", 8) + "RWStructuredBuffer<S8> s;\n" + BUFFER + SLANG + "o[0] = s[0]" + ".x[1]" * 9 + "; }"),
        "digits of a struct in Amber": Bomb("bomb.amber", ("#!amber\nSTRUCT s\n uint32[" + "9" * 5000 + "] x\nEND\n").encode(), ["run"]),
        "workgroups in Amber": amber(f"BUFFER b DATA_TYPE uint32 SIZE 4 FILL 0\nPIPELINE compute p\n ATTACH c\n BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\nRUN p {most} {most} {most}\n"),
        "repeats in Amber": amber("BUFFER b DATA_TYPE uint32 SIZE 4 FILL 0\nPIPELINE compute p\n ATTACH c\n BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\nREPEAT 1000000000000\nRUN p 1 1 1\nEND\n"),
        "a place far behind in Amber": amber("BUFFER b DATA_TYPE uint32 SIZE 4 FILL 0\nPIPELINE compute p\n ATTACH c\n BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\nRUN p 1 1 1\nEXPECT b IDX 1000000000000 EQ 1\n"),
        "an array of arrays in Amber": Bomb("bomb.amber", ("#!amber\n" + "STRUCT s0\n uint32[1000] x\nEND\n" + "".join([f"STRUCT s{n + 1}\n s{n}[1000] x\nEND\n" for n in range(12)]) + "BUFFER b DATA_TYPE s12 STD430 DATA\n1\nEND\n").encode(), ["run"]),
        "a vector of a billion in LLVM": Bomb("bomb.ll", b"define void @main() {\n %v = alloca <1000000000 x i32>\n %x = load <1000000000 x i32>, ptr %v\n store <1000000000 x i32> %x, ptr %v\n ret void\n}\n", ["opt"]),
        "a local of a billion in LLVM": Bomb("bomb.ll", b"define spir_kernel void @main(ptr addrspace(1) %o) {\n %v = alloca [1000000000 x i32]\n %p = getelementptr i32, ptr %v, i64 999999999\n %x = load i32, ptr %p\n store i32 %x, ptr addrspace(1) %o\n ret void\n}\n", ["run"]),
        "an index of 2^60 in LLVM": Bomb("bomb.ll", b"define spir_kernel void @main(ptr addrspace(1) %o) {\n %p = getelementptr i32, ptr addrspace(1) %o, i64 1152921504606846976\n store i32 1, ptr addrspace(1) %p\n ret void\n}\n", ["run"]),
        "a variable of 2^32 in .rk": Bomb("bomb.rk", (TEXT + "%a = Variable Workgroup : ptr<Workgroup, u32[4294967295]>\nfunc @main() -> void {\n%e:\n  return\n}\n").encode(), ["run"]),
        "a falling switch of 600, shown": asm(falling(600), "show"),
        "a trillion programs": Bomb("bomb.txt", b"", ["generate", "out", "--count", "1000000000000"], at=99, codes=(0, 1, 2, 3)),
        "programs of a billion statements": Bomb("bomb.txt", b"", ["generate", "out", "--count", "1", "--statements", "1000000000"], at=99, codes=(0, 1, 2, 3)),
        "a picture of 2^40 pixels": Bomb("bomb.frag.slang", b'[shader("fragment")] float4 main() : SV_Target { return 1; }', ["run", "--primitive", "full", "--size", "1048576x1048576"], codes=(0, 1, 2, 3)),
        "a picture of 2^26 pixels": Bomb("bomb.frag.slang", b'[shader("fragment")] float4 main() : SV_Target { return 1; }', ["run", "--primitive", "full", "--size", "8192x8192"], codes=(0, 1, 2, 3)),
        "vertices by the billion": Bomb("bomb.slang", b'[shader("vertex")] float4 main(uint v : SV_VertexID) : SV_Position { return float4(v, 0, 0, 1); }', ["run", "--vertices", "4000000000"], codes=(0, 1, 2, 3)),
        "instances by the billion": Bomb("bomb.slang", b'[shader("vertex")] float4 main(uint v : SV_VertexID) : SV_Position { return float4(v, 0, 0, 1); }', ["run", "--vertices", "3", "--instances", "4000000000"], codes=(0, 1, 2, 3)),
    }


def contents() -> dict[str, Bomb]:
    """Numbers and lengths within what is read: words of instructions, strings, members, shifts, calls, scenes, options."""
    most = 4294967295
    long = [0x61616161] * 65000
    members = ", ".join([f"int x{n}" for n in range(2000)]).replace(", ", "; ") + ";"
    wide = "%S0 = OpTypeStruct" + " %u32" * 10_000 + "\n" + "".join([f"%S{n + 1} = OpTypeStruct" + f" %S{n}" * 10_000 + "\n" for n in range(3)])
    frag = b'[shader("fragment")] float4 main(float4 p : SV_Position) : SV_Target { return p; }'
    scene = ["run", "--scene", "scene.json"]

    def drawn(text: str) -> Bomb:
        return Bomb("bomb.frag.slang", frag, scene, {"scene.json": text.encode()}, codes=(0, 1, 2, 3))

    def computed(body: str, types: str = "", command: str = "run") -> Bomb:
        return asm(buffers(1, "OpMemberDecorate %S 0 Offset 0\n", f"%q = OpAccessChain %pu %v0 %c0 %c0\n%l = OpLoad %u32 %q\n{body}OpStore %q %k\n", f"%A = OpTypeRuntimeArray %u32\n{types}"), *command.split())

    triangle = '{"corners": [[0, 0], [9000, 0], [0, 9000]]}'
    return {
        "twenty names of 260 kB": Bomb("bomb.spv", module(40, *[instruction(5, 3, *long, 0) for _ in range(20)]), ["check"]),
        "strings without an end": Bomb("bomb.spv", module(40, *[instruction(5, 3, *long) for _ in range(20)]), ["check"]),
        "sources that go on": Bomb("bomb.spv", spirv(0x07230203, 0x00010600, 0, 40, 0, *instruction(17, 1), *instruction(14, 0, 1), *(instruction(3, 2, 450, 1, *long, 0)), *[word for _ in range(20) for word in instruction(2, *long, 0)]), ["check"]),
        "an interface of 60,000": asm(HEAD.replace('"main"', '"main"' + " %v" * 60_000).replace("%u32 = OpTypeInt 32 0\n", "%u32 = OpTypeInt 32 0\n%p = OpTypePointer Private %u32\n%v = OpVariable %p Private\n") + BODY, "check"),
        "a struct of 10,000 of 10,000 of 10,000": asm(HEAD + wide + "%p = OpTypePointer Private %S3\n%v = OpVariable %p Private\n" + BODY.replace("OpReturn", "%l = OpLoad %S3 %v\nOpStore %v %l\nOpReturn"), "run"),
        "a struct of 10,000 of 10,000, checked": asm(HEAD + wide + "%z = OpConstantNull %S3\n" + BODY, "check"),
        "a struct of 10,000 of 10,000, folded": asm(HEAD + wide + "%z = OpConstantNull %S3\n%p = OpTypePointer Private %S3\n%v = OpVariable %p Private %z\n" + BODY.replace("OpReturn", "%l = OpLoad %S3 %v\nOpStore %v %l\nOpReturn"), "opt", "-p", "optimize"),
        "a switch of 16,000 cases": asm(HEAD + "%x = OpUndef %u32\n%main = OpFunction %void None %fn\n%entry = OpLabel\nOpSelectionMerge %m None\nOpSwitch %x %m" + "".join([f" {n} %b{n}" for n in range(16_000)]) + "\n" + "".join([f"%b{n} = OpLabel\nOpBranch %m\n" for n in range(16_000)]) + "%m = OpLabel\nOpReturn\nOpFunctionEnd\n", "run"),
        "constants that are squared": asm(HEAD + "%c0 = OpSpecConstant %u32 3\n" + "".join([f"%c{n + 1} = OpSpecConstantOp %u32 IMul %c{n} %c{n}\n" for n in range(2000)]) + "%t = OpTypeArray %u32 %c2000\n%p = OpTypePointer Private %t\n%v = OpVariable %p Private\n" + BODY, "run"),
        "a shift by 2^32 - 1": computed("%k = OpShiftLeftLogical %u32 %c1 %s\n", f"%s = OpConstant %u32 {most}\n"),
        "a shift by 2^32 - 1, folded": computed("%k = OpShiftLeftLogical %u32 %c1 %s\n", f"%s = OpConstant %u32 {most}\n", "opt -p optimize"),
        "bits from 2^32 - 1 on": computed("%k = OpBitFieldInsert %u32 %l %c1 %s %s\n", f"%s = OpConstant %u32 {most}\n"),
        "an index of 2^32 - 1": computed("%r = OpAccessChain %pu %v0 %c0 %s\n%k = OpLoad %u32 %r\n", f"%s = OpConstant %u32 {most}\n"),
        "a shift of an integer of 2^20 bits": asm(HEAD + "%i = OpTypeInt 1048576 0\n%c = OpConstant %i 5\n%d = OpSpecConstantOp %i ShiftLeftLogical %c %c\n" + BODY, "opt", "-p", "fold"),
        "a function that calls itself": run_slang(BUFFER + "int f(int n) { return f(n + 1) + 1; }\n" + SLANG + "o[0] = f(0); }"),
        "a module that calls itself": asm(HEAD + "%f = OpFunction %void None %fn\n%fe = OpLabel\n%fx = OpFunctionCall %void %f\nOpReturn\nOpFunctionEnd\n" + BODY.replace("OpReturn", "%x = OpFunctionCall %void %f\nOpReturn"), "run"),
        "calls that double 60 times": asm(calls(60), "run", *IN_TIME),
        "a group of 2^32 - 1 lanes": computed("%e = OpGroupNonUniformIAdd %u32 %c3 ClusteredReduce %l %s\n%k = OpCopyObject %u32 %e\n".replace("OpCopyObject %u32 %e", "OpIAdd %u32 %e %c1"), f"%c3 = OpConstant %u32 3\n%s = OpConstant %u32 {most}\n"),
        "a size by constants of 2^32 - 1": asm((HEAD + f"%n = OpConstant %u32 {most}\n" + BODY).replace("OpExecutionMode %main LocalSize 1 1 1", "OpExecutionModeId %main LocalSizeId %n %n %n"), "run"),
        "shared memory of 2^26 words": run_slang("groupshared int a[67108864];\n" + BUFFER + SLANG + "a[o[0]] = 1; o[0] = a[5]; }"),
        "shared memory of 2^24 words": run_slang("groupshared int a[16777216];\n" + BUFFER + SLANG + "a[o[0]] = 1; o[0] = a[5]; }"),
        "a local array of 2^24 words": run_slang(BUFFER + SLANG + "int a[16777216]; a[o[0]] = 1; o[0] = a[5]; }"),
        "a matrix of a billion in Slang": run_slang(BUFFER + SLANG + "matrix<float, 1000000000, 1000000000> m; o[0] = int(m[0][0]); }"),
        "bits of a billion in Slang": run_slang("struct S { int x : 1000000000; };\n" + BUFFER + SLANG + "S s; s.x = 1; o[0] = s.x; }"),
        "a binding of 2^32 - 1": run_slang("[[vk::binding(4294967295, 4294967295)]] RWStructuredBuffer<int> o;\n" + SLANG + "o[0] = 1; }"),
        "an offset of 2^32 in Slang": run_slang("struct S { [[vk::offset(4294967292)]] int x; };\nConstantBuffer<S> c;\n" + BUFFER + SLANG + "o[0] = c.x; }"),
        "an enum of 2^64": run_slang("enum E { A = 18446744073709551615, B, C = 99999999999999999999999 };\n" + BUFFER + SLANG + "o[0] = int(E.B); }"),
        "a string of a million in Slang": run_slang(BUFFER + SLANG + 'printf("' + "%999999999d" * 10_000 + '", 1); o[0] = 1; }'),
        "a name of a million in Slang": run_slang(BUFFER + SLANG + "int " + "a" * 1_000_000 + " = 1; o[0] = " + "a" * 1_000_000 + "; }"),
        "a comment without an end": run_slang(BUFFER + SLANG + "/*" * 500_000),
        "a struct of 2,000 in arrays of 2,000": run_slang("struct S { " + members + " }\nstruct T { S s[2000]; }\nRWStructuredBuffer<T> t;\n" + BUFFER + SLANG + "o[0] = t[0].s[5].x7; }"),
        "a function of 10,000 parameters": run_slang(BUFFER + "int f(" + ", ".join([f"int a{n}" for n in range(10_000)]) + ") { return a7; }\n" + SLANG + "o[0] = f(" + ", ".join(["1"] * 10_000) + "); }"),
        "a swizzle of a million": run_slang(BUFFER + SLANG + "int4 v = o[0]; o[0] = v." + "x" * 1_000_000 + "; }"),
        "a scene that is nested": drawn("[" * 1_000_000),
        "a scene of a number": drawn('{"size": [4, ' + "9" * 1_000_000 + "]}"),
        "a scene of 2^24 pixels": drawn('{"size": [4096, 4096], "primitives": [' + triangle + "]}"),
        "a scene of 2^24 pixels with samples": drawn('{"size": [4096, 4096], "samples": 16, "primitives": [' + triangle + "]}"),
        "a scene of 10,000 triangles": drawn('{"size": [1024, 1024], "primitives": [' + ", ".join([triangle] * 10_000) + "]}"),
        "a scene of infinities": drawn('{"size": [64, 64], "primitives": [{"corners": [[0, 0], [1e999, 0], [0, 1e308]]}]}'),
        "a layer of 2^40": drawn('{"size": [4, 4], "primitives": [{"corners": [[0, 0], [9, 0], [0, 9]], "layer": 1099511627776, "viewport": 1099511627776}]}'),
        "a sample mask of a million digits": drawn('{"size": [4, 4], "sample_mask": 1' + "0" * 4000 + ', "primitives": [' + triangle + "]}"),
        "a picture of 2^24 pixels": Bomb("bomb.frag.slang", frag, ["run", "--primitive", "full", "--size", "4096x4096"], codes=(0, 1, 2, 3)),
        "vertices by the million": Bomb("bomb.slang", b'[shader("vertex")] float4 main(uint v : SV_VertexID) : SV_Position { return float4(v, 0, 0, 1); }', ["run", "--vertices", "16777216"], codes=(0, 1, 2, 3)),
        "indices by the hundred thousand": Bomb("bomb.slang", b'[shader("vertex")] float4 main(uint v : SV_VertexID) : SV_Position { return float4(v, 0, 0, 1); }', ["run", "--indices", ",".join(["4294967294"] * 10_000)], codes=(0, 1, 2, 3)),
        "16 million workgroups": run_slang(BUFFER + SLANG + "o[0] += 1; }", "--groups", "16777216"),
        "16 million workgroups, native": run_slang(BUFFER + SLANG + "o[0] += 1; }", "--groups", "16777216", "--engine", "jit"),
        "an endless run, native": run_slang(BUFFER + SLANG.replace("1, 1, 1", "1024, 1, 1") + "int n = 0; while (true) { n += 2; if (n == o[1]) break; } o[0] = n; }", "--engine", "jit", "--groups", "4096", *IN_TIME),
        "loops in loops, native": run_slang(BUFFER + SLANG + "".join([f"for (int i{n} = 0; i{n} < 1000; i{n}++) " for n in range(40)]) + "o[0] += 1; }", "--engine", "jit", *IN_TIME),
        "a constant of 10^999 for a specialization": run_slang("[vk::constant_id(0)] const int N = 1;\n" + BUFFER + SLANG + "int a[4]; o[0] = N; }", "--spec", "0=1e999"),
        "subgroups of a million": run_slang(BUFFER + SLANG + "o[0] = 1; }", "--subgroups", ",".join(["0"] * 60_000)),
        "a memset of 2^40 in LLVM": Bomb("bomb.ll", b"declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)\ndefine spir_kernel void @main(ptr addrspace(1) %o) {\n call void @llvm.memset.p1.i64(ptr addrspace(1) %o, i8 0, i64 1099511627776, i1 false)\n ret void\n}\n", ["run"]),
        "a copy of 2^24 in LLVM": Bomb("bomb.ll", b"declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)\ndefine spir_kernel void @main(ptr addrspace(1) %o) {\n call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %o, ptr addrspace(1) %o, i64 16777216, i1 false)\n ret void\n}\n", ["run", *IN_TIME]),
        "a shuffle of a million in LLVM": Bomb("bomb.ll", b"define void @main() {\n %v = shufflevector <1000000 x i32> undef, <1000000 x i32> undef, <1000000 x i32> zeroinitializer\n %x = extractelement <1000000 x i32> %v, i32 5\n ret void\n}\n", ["opt"]),
        "an alloca of 2^60 in LLVM": Bomb("bomb.ll", b"define spir_kernel void @main(ptr addrspace(1) %o) {\n %v = alloca i32, i64 1152921504606846976, align 4294967296\n %x = load i32, ptr %v\n store i32 %x, ptr addrspace(1) %o\n ret void\n}\n", ["run"]),
        "an address space of 2^23 in LLVM": Bomb("bomb.ll", b"@g = addrspace(8388607) global i32 0\ndefine void @main() {\n %x = load i32, ptr addrspace(8388607) @g\n ret void\n}\n", ["opt"]),
        "bitcode whose numbers go on": Bomb("bomb.bc", b"BC\xc0\xde" + bytes(range(256)) * 4000, ["check"]),
        "a block of bitcode of 2^32 words": Bomb("bomb.bc", b"BC\xc0\xde" + spirv(0x00000C21, most, most, most), ["check"]),
        "a DXIL program at 2^32": Bomb("bomb.dxil", b"DXBC" + bytes(16) + spirv(1, 68, 1, 36) + b"DXIL" + spirv(24, 0x60, 6, 0x4C495844, 0x100, most, most), ["check"]),
        "a kernel's argument of 10^12 in Amber": amber("BUFFER b DATA_TYPE uint32 SIZE 4 FILL 0\nPIPELINE compute p\n ATTACH c\n SUBGROUP c\n  REQUIRED_SIZE 1000000000000\n END\n BIND BUFFER b AS storage DESCRIPTOR_SET 1000000000000 BINDING 1000000000000\nEND\nRUN p 1 1 1\n"),
        "a constant of 10^30 in Amber": amber("BUFFER b DATA_TYPE uint32 SIZE 4 FILL 0\nPIPELINE compute p\n ATTACH c SPECIALIZE 1 AS uint32 1" + "0" * 30 + "\n BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\nRUN p 1 1 1\n"),
        "16 million workgroups in Amber": amber("BUFFER b DATA_TYPE uint32 SIZE 4 FILL 0\nPIPELINE compute p\n ATTACH c\n BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\nRUN p 16777216 1 1\n")._replace(command=["run", *IN_TIME]),
        "a framebuffer of 2^32 in Amber": amber("PIPELINE graphics p\n FRAMEBUFFER_SIZE 4294967295 4294967295\nEND\nCLEAR p\n"),
        "an image of 2^26 texels in Amber": Bomb("bomb.amber", b"#!amber\nIMAGE i DATA_TYPE uint32 DIM_2D WIDTH 8192 HEIGHT 8192 FILL 0\n", ["run"]),
        "a buffer of 2^26 in Amber": Bomb("bomb.amber", b"#!amber\nBUFFER b DATA_TYPE uint32 SIZE 67108864 FILL 7\n", ["run"]),
        "a series of 2^26 in Amber": Bomb("bomb.amber", b"#!amber\nBUFFER b DATA_TYPE uint32 SIZE 67108864 SERIES_FROM 0 INC_BY 1\n", ["run"]),
        "a draw of 2^32 in VkScript": Bomb("bomb.vkscript", b"[vertex shader passthrough]\n[fragment shader]\nvoid main() {}\n[test]\ndraw arrays TRIANGLE_LIST 0 4294967295\n", ["run"]),
        "a graph of long names": Bomb("bomb.cfg", "".join([f"{'a' * 100_000}{n} -> {'a' * 100_000}{n + 1}\n" for n in range(20)]).encode() + b"a" * 100_000 + b"20 ret\n", ["structurize", "-o", "out.rk"]),
        "3,125 outcomes of 60,000 words": run_slang("RWStructuredBuffer<uint> o;\n[shader(\"compute\")] [numthreads(3, 1, 1)]\nvoid main(uint3 t : SV_GroupThreadID, uint3 g : SV_GroupID) { uint x = 0; switch (t.x) { case 0: case 1: case 2: x = WaveActiveBallot(true).x; } o[g.x * 3 + t.x] = x; }", "--groups", "5", "--subgroup-size", "4", "--set", "o=zeros:60000", command="outcomes"),
        "a loop of a number in .rk": Bomb("bomb.rk", (TEXT + "%n = Constant 4294967295u : u32\n%v = Variable Workgroup : ptr<Workgroup, u32[4294967295][4294967295]>\n%w = Variable Private : ptr<Private, vec<u32, 4294967295>>\nfunc @main() -> void {\n%e:\n  return\n}\n").encode(), ["run"]),
        "a baseline that is nested": Bomb("base.json", b"[" * 1_000_000, ["lint", "shader.spvasm", "--baseline"], {"shader.spvasm": (HEAD + BODY).encode()}, 3, (0, 1, 2, 3)),
        "a certificate of a million": Bomb("proof.txt", b"reknit certificate 1\n" + b"((((" * 250_000, ["prove", "a.spvasm", "a.spvasm", "--certificate"], {"a.spvasm": (HEAD + BODY).encode()}, 4, (0, 1, 2, 3)),
        "a nest of selections, drawn": asm(nest(900), "show", "-o", "out.svg"),
        "a chain of selections, linted": asm(selections(6000), "lint"),
        "a nest of loops, its outcomes": asm(loops(300), "outcomes"),
    }

def falling(count: int) -> str:
    """A switch in which each case falls into the next."""
    head = HEAD + "%c0 = OpConstant %u32 0\n%c1 = OpConstant %u32 1\n%x = OpUndef %u32\n%main = OpFunction %void None %fn\n%entry = OpLabel\nOpSelectionMerge %m None\n"
    cases = " ".join([f"{n} %b{n}" for n in range(count)])
    blocks = "".join([f"%b{n} = OpLabel\n%s{n} = OpIAdd %u32 %x %c1\nOpBranch %{f'b{n + 1}' if n + 1 < count else 'm'}\n" for n in range(count)])
    return f"{head}OpSwitch %x %m {cases}\n{blocks}%m = OpLabel\nOpReturn\nOpFunctionEnd\n"


def selections(count: int) -> str:
    rows = "".join([
        f"OpSelectionMerge %m{n} None\nOpBranchConditional %true %t{n} %m{n}\n%t{n} = OpLabel\nOpBranch %m{n}\n%m{n} = OpLabel\n"
        for n in range(count)
    ])
    return f"{HEAD}%bool = OpTypeBool\n%true = OpUndef %bool\n%main = OpFunction %void None %fn\n%entry = OpLabel\n{rows}OpReturn\nOpFunctionEnd\n"


def nest(count: int) -> str:
    down = "".join([f"OpSelectionMerge %m{n} None\nOpBranchConditional %true %t{n} %m{n}\n%t{n} = OpLabel\n" for n in range(count)])
    up = "".join([f"OpBranch %m{n}\n%m{n} = OpLabel\n" for n in reversed(range(count))])
    return f"{HEAD}%bool = OpTypeBool\n%true = OpUndef %bool\n%main = OpFunction %void None %fn\n%entry = OpLabel\n{down}{up}OpReturn\nOpFunctionEnd\n"


def loops(count: int) -> str:
    down = "".join([f"OpBranch %h{n}\n%h{n} = OpLabel\nOpLoopMerge %m{n} %c{n} None\nOpBranchConditional %true %b{n} %m{n}\n%b{n} = OpLabel\n" for n in range(count)])
    up = "".join([f"OpBranch %c{n}\n%c{n} = OpLabel\nOpBranch %h{n}\n%m{n} = OpLabel\n" for n in reversed(range(count))])
    return f"{HEAD}%bool = OpTypeBool\n%true = OpUndef %bool\n%main = OpFunction %void None %fn\n%entry = OpLabel\n{down}{up}OpReturn\nOpFunctionEnd\n"


def calls(count: int) -> str:
    functions = "%f0 = OpFunction %void None %fn\n%l0 = OpLabel\nOpReturn\nOpFunctionEnd\n" + "".join([
        f"%f{n} = OpFunction %void None %fn\n%l{n} = OpLabel\n%a{n} = OpFunctionCall %void %f{n - 1}\n%b{n} = OpFunctionCall %void %f{n - 1}\nOpReturn\nOpFunctionEnd\n"
        for n in range(1, count)
    ])
    return HEAD + functions + BODY.replace("OpReturn", f"%x = OpFunctionCall %void %f{count - 1}\nOpReturn")


def everywhere(count: int) -> str:
    return "".join([f"b{n} -> " + " ".join([f"b{m}" for m in range(1, count)]) + "\n" for n in range(count - 1)]) + f"b{count - 1} -> end\nend ret\n"


def ladder(count: int) -> str:
    return "".join([f"b{n} -> b{n + 1} b{max(1, n - 2)}\n" for n in range(count)]) + f"b{count} -> end\nend ret\n"


def natives() -> dict[str, Bomb]:
    """What LLVM is given to make native code of."""
    main = BUFFER + '[shader("compute")] [numthreads(64, 1, 1)] void main(uint3 t : SV_DispatchThreadID) { int a = int(t.x);\n'
    calls = doubling("[noinline] int f0(int x) { return x * 3; }\n", "[noinline] int f{b}(int x) { return f{a}(x) + f{a}(x + {b}); }\n", 60)
    loops = "".join([f"for (int i{n} = 0; i{n} < a % 7; i{n}++) a += o[i{n}];\n" for n in range(1000)])
    cases = "".join([f"case {n}: a += a * {n} + 1;\n" for n in range(1500)])
    divisions = "".join([f"q = q / (q % {n + 2} + 1) + q * {n};\n" for n in range(500)])
    atomics = "".join([f"if (a % {n + 2} == 1) InterlockedAdd(o[{n}], a);\n" for n in range(60)])
    jit = ("--engine", "jit", *IN_TIME)
    return {
        "calls that double, natively": run_slang(calls + main + "o[t.x] = f60(a); }", *jit),
        "a thousand loops, natively": run_slang(main + loops + "o[t.x] = a; }", *jit, "--set", "o=zeros:64"),
        "fifteen hundred cases that fall through, natively": run_slang(main + f"switch (a) {{ {cases} }} o[t.x] = a; }}", *jit),
        "divisions of 64 bits, natively": run_slang(main + "uint64_t q = t.x;" + divisions + "o[t.x] = int(q); }", *jit),
        "atomics of a thousand lanes, natively": run_slang(main.replace("64, 1", "1024, 1") + atomics + "}", *jit),
    }


def archives() -> dict[str, Bomb]:
    """What `batch` unpacks: heads that lie, and members that are many times what they take."""

    def zipped(members: dict[str, bytes]) -> bytes:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 1)
        return file.getvalue()

    def tarred(members: dict[str, bytes]) -> bytes:
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode="w:gz", compresslevel=1) as archive:
            for name, data in members.items():
                about = tarfile.TarInfo(name)
                about.size = len(data)
                archive.addfile(about, io.BytesIO(data))
        return file.getvalue()

    def batch(name: str, data: bytes) -> Bomb:
        return Bomb(name, data, ["batch", "check", "-j1"], {}, 2)

    zeros = bytes(60 << 20)
    many = {f"{at}.spv": zeros for at in range(5)}  # more than any archive may have
    one = zipped({"a.spv": zeros})
    lies = one.replace(len(zeros).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    nested = one
    for _ in range(100):
        nested = zipped({"a.zip": nested})
    return {
        "a zip of zeros": batch("bomb.zip", zipped(many)),
        "a packed tar of zeros": batch("bomb.tgz", tarred(many)),
        "a zip with one member of zeros": batch("bomb.zip", one),
        "a zip whose heads are wrong": batch("bomb.zip", lies),
        "a zip in a zip, a hundred times": batch("bomb.zip", nested),
        "a zip of twenty thousand members": batch("bomb.zip", zipped({f"{at}.txt": b"" for at in range(20_000)})),
        "a packed tar of one member that is too large": batch("bomb.tgz", tarred({"a.spv": bytes(70 << 20)})),
    }


BOMBS: Final[dict[str, Bomb]] = {**macros(), **includes(), **types(), **literals(), **headers(), **deep(), **numbers(), **contents(), **natives(), **archives()}
