"""Small inputs that ask for much: each a file by name, the command for it, and what it is to come to.

    BOMBS["macros that double"]  ->  Bomb("a.slang", b"#define ...", ["check"])
"""

import struct
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
        "an endless run": Bomb("bomb.slang", (BUFFER + SLANG + "int n = 0; while (true) { n += 2; if (n == 1) break; } o[0] = n; }").encode(), ["run"]),
        "a run of lanes without end": Bomb("bomb.slang", (BUFFER + SLANG.replace("1, 1, 1", "1024, 1, 1") + "int n = 0; while (true) { n += 2; if (n == 1) break; } o[0] = n; }").encode(), ["run", "--groups", "60000,60000,1"]),
        "outcomes without end": Bomb("bomb.slang", (BUFFER + SLANG.replace("1, 1, 1", "64, 1, 1") + "".join([f"switch (o[{n}]) {{ case 0: o[{n}] += WaveActiveSum(1); default: o[{n}] += WaveActiveSum(2); }}\n" for n in range(40)]) + "}").encode(), ["outcomes", "--limit", "1000000"]),
        "tables in TOML": toml(b"a = " + b"[" * many + b"]" * many),
        "keys in TOML": toml(b"a" + b".a" * many + b" = 1\n"),
        "a number in TOML": toml(b"a = " + b"9" * 1_000_000 + b"\n"),
        "keys that are long in TOML": toml(b"".join([b"[" + b"a." * 400 + b"b%d]\n" % n for n in range(1000)])),
        "brackets in LLVM": Bomb("bomb.ll", ("define void @main() {\n %x = add i32 " + "add (i32 1, i32 " * many + "1" + ")" * many + ", 1\n ret void\n}\n").encode(), ["opt"]),
        "types in LLVM": Bomb("bomb.ll", ("@g = global " + "[2 x " * many + "i32" + "]" * many + " zeroinitializer\ndefine void @main() {\n ret void\n}\n").encode(), ["opt"]),
        "structs in LLVM that double": Bomb("bomb.ll", (doubling("%T0 = type { i32 }\n", "%T{b} = type { %T{a}, %T{a} }\n", 40) + "@g = addrspace(3) global %T40 undef\ndefine void @main() {\n %v = load %T40, ptr addrspace(3) @g\n store %T40 %v, ptr addrspace(3) @g\n ret void\n}\n").encode(), ["opt"]),
        "metadata in LLVM": Bomb("bomb.ll", (doubling("!0 = !{}\n", "!{b} = !{!{a}, !{a}}\n", 2000) + "define void @main() !dbg !2000 {\n ret void\n}\n").encode(), ["opt"]),
    }


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


BOMBS: Final[dict[str, Bomb]] = {**macros(), **includes(), **types(), **literals(), **headers(), **deep()}
