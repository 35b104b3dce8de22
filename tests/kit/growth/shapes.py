"""Modules and sources of a given size, each with one thing that there is much of.

    SHAPES["nested ifs"](40)  ->  an assembly of 40 ifs, one in the other

What they are written in follows from `FORMAT`. SPIR-V assembly is what most are: as a binary and as .rk the same module
takes other readers, `forms` gives them. All are valid, and those with an entry point can be run.
"""

from collections.abc import Callable
from typing import Final

# ruff: noqa: E501 - a row of a shape is a line

HEAD: Final = """OpCapability Shader
OpCapability GroupNonUniform
OpCapability GroupNonUniformBallot
{capabilities}OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %out{interface}
{entries}OpExecutionMode %main LocalSize 4 1 1
{names}OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
{decorations}%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%uvec4 = OpTypeVector %u32 4
%words = OpTypeRuntimeArray %u32
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_u32 = OpTypePointer StorageBuffer %u32
%local = OpTypePointer Function %u32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c3 = OpConstant %u32 3
%true = OpConstantTrue %bool
%out = OpVariable %to_block StorageBuffer
{types}"""


def assembly(body: str, *, functions: str = "", types: str = "", names: str = "", decorations: str = "", variables: str = "",
             capabilities: str = "", interface: str = "", entries: str = "", end: str = "OpReturn\n") -> str:  # fmt: skip
    """`body` comes after a word is read as %x from %p, its last block ends with `end`."""
    head = HEAD.format(
        types=types, names=names, decorations=decorations, capabilities=capabilities, interface=interface, entries=entries
    )
    return (
        f"{head}{functions}%main = OpFunction %void None %fn\n%entry = OpLabel\n{variables}%p = OpAccessChain %to_u32 %out %c0 %c0\n"
        f"%x = OpLoad %u32 %p\n%b = OpULessThan %bool %x %c3\n{body}{end}OpFunctionEnd\n"
    )


def rows(count: int, row: Callable[[int], str]) -> str:
    return "".join([row(n) for n in range(count)])


def step(n: int | str, value: str = "%x", place: str = "%p") -> str:
    return f"%l{n} = OpLoad %u32 {place}\n%s{n} = OpIAdd %u32 %l{n} {value}\nOpStore {place} %s{n}\n"


def straight(count: int) -> str:
    return assembly(rows(count, step))


def values(count: int) -> str:
    """A long chain of values without memory."""
    return assembly(rows(count, lambda n: f"%s{n} = OpIAdd %u32 {f'%s{n - 1}' if n else '%x'} %x\n") + f"OpStore %p %s{count - 1}\n")


def ifs(count: int) -> str:
    return assembly(rows(count, lambda n: (
        f"OpSelectionMerge %m{n} None\nOpBranchConditional %b %t{n} %m{n}\n%t{n} = OpLabel\n{step(n)}OpBranch %m{n}\n%m{n} = OpLabel\n"
    )))  # fmt: skip


def nested_ifs(count: int) -> str:
    down = rows(count, lambda n: f"OpSelectionMerge %m{n} None\nOpBranchConditional %b %t{n} %m{n}\n%t{n} = OpLabel\n")
    up = "".join([f"{step(n)}OpBranch %m{n}\n%m{n} = OpLabel\n" for n in reversed(range(count))])
    return assembly(down + up)


def else_ifs(count: int) -> str:
    down = rows(count, lambda n: (
        f"%k{n} = OpIEqual %bool %x %n{n}\nOpSelectionMerge %m{n} None\nOpBranchConditional %k{n} %t{n} %e{n}\n"
        f"%t{n} = OpLabel\n{step(n)}OpBranch %m{n}\n%e{n} = OpLabel\n"
    ))  # fmt: skip
    up = "".join([f"OpBranch %m{n}\n%m{n} = OpLabel\n" for n in reversed(range(count))])
    return assembly(down + up, types=numbers(count))


def numbers(count: int) -> str:
    return rows(count, lambda n: f"%n{n} = OpConstant %u32 {n + 100}\n")


def loop(n: int, body: str, before: str) -> str:
    """Twice round at most."""
    return (
        f"OpBranch %h{n}\n%h{n} = OpLabel\n%i{n} = OpPhi %u32 %c0 %{before} %j{n} %c_{n}\nOpLoopMerge %m{n} %c_{n} None\nOpBranch %w{n}\n%w{n} = OpLabel\n"
        f"%k{n} = OpULessThan %bool %i{n} %c1\nOpBranchConditional %k{n} %d{n} %m{n}\n%d{n} = OpLabel\n{body}OpBranch %c_{n}\n"
        f"%c_{n} = OpLabel\n%j{n} = OpIAdd %u32 %i{n} %c1\nOpBranch %h{n}\n%m{n} = OpLabel\n"
    )


def loops(count: int) -> str:
    return assembly(rows(count, lambda n: loop(n, step(n), f"m{n - 1}" if n else "entry")))


def nested_loops(count: int) -> str:
    down, up = "", []
    for n in range(count):
        whole = loop(n, "BODY", f"d{n - 1}" if n else "entry")
        before, after = whole.split("BODY")
        down += before
        up.append(after)
    return assembly(down + step("in") + "".join(reversed(up)))


def breaks(count: int) -> str:
    """One loop, many ways out of it."""
    body = rows(count, lambda n: f"OpSelectionMerge %e{n} None\nOpBranchConditional %b %m0 %e{n}\n%e{n} = OpLabel\n{step(n)}")
    return assembly(loop(0, body, "entry"))


def continues(count: int) -> str:
    body = rows(count, lambda n: f"OpSelectionMerge %e{n} None\nOpBranchConditional %b %c_0 %e{n}\n%e{n} = OpLabel\n{step(n)}")
    return assembly(loop(0, body, "entry"))


def returns(count: int) -> str:
    return assembly(rows(count, lambda n: (
        f"%k{n} = OpIEqual %bool %x %n{n}\nOpSelectionMerge %e{n} None\nOpBranchConditional %k{n} %t{n} %e{n}\n%t{n} = OpLabel\nOpReturn\n%e{n} = OpLabel\n{step(n)}"
    )), types=numbers(count))  # fmt: skip


def falling(count: int) -> str:
    cases = " ".join([f"{n} %k{n}" for n in range(count)])
    blocks = rows(count, lambda n: f"%k{n} = OpLabel\n{step(n)}OpBranch %{f'k{n + 1}' if n + 1 < count else 'after'}\n")
    return assembly(f"OpSelectionMerge %after None\nOpSwitch %x %after {cases}\n{blocks}%after = OpLabel\n")


def falling_ballots(count: int) -> str:
    cases = " ".join([f"{n} %k{n}" for n in range(count)])
    blocks = rows(count, lambda n: (
        f"%k{n} = OpLabel\n%q{n} = OpGroupNonUniformBallot %uvec4 %c3 %true\n%v{n} = OpCompositeExtract %u32 %q{n} 0\n{step(n, f'%v{n}')}"
        f"OpBranch %{f'k{n + 1}' if n + 1 < count else 'after'}\n"
    ))  # fmt: skip
    return assembly(f"OpSelectionMerge %after None\nOpSwitch %x %after {cases}\n{blocks}%after = OpLabel\n")


def wide(count: int) -> str:
    cases = " ".join([f"{n} %k{n}" for n in range(count)])
    blocks = rows(count, lambda n: f"%k{n} = OpLabel\n{step(n)}OpBranch %after\n")
    return assembly(f"OpSelectionMerge %after None\nOpSwitch %x %after {cases}\n{blocks}%after = OpLabel\n")


def phis(count: int) -> str:
    """A join of many, which gives a value of each."""
    cases = " ".join([f"{n} %k{n}" for n in range(count)])
    blocks = rows(count, lambda n: f"%k{n} = OpLabel\n%v{n} = OpIAdd %u32 %x %n{n}\nOpBranch %after\n")
    of = " ".join([f"%v{n} %k{n}" for n in range(count)])
    body = f"OpSelectionMerge %after None\nOpSwitch %x %none {cases}\n{blocks}%none = OpLabel\nOpBranch %after\n%after = OpLabel\n"
    return assembly(f"{body}%chosen = OpPhi %u32 {of} %c0 %none\nOpStore %p %chosen\n", types=numbers(count))


def many_phis(count: int) -> str:
    """A loop that carries many values."""
    carried = rows(count, lambda n: f"%v{n} = OpPhi %u32 %c0 %entry %z{n} %go\n")
    turned = rows(count, lambda n: f"%z{n} = OpIAdd %u32 %v{n} %v{(n + 1) % count}\n")
    return assembly(
        f"OpBranch %head\n%head = OpLabel\n%i = OpPhi %u32 %c0 %entry %j %go\n{carried}OpLoopMerge %after %go None\nOpBranch %test\n%test = OpLabel\n"
        f"%k = OpULessThan %bool %i %c3\nOpBranchConditional %k %go %after\n%go = OpLabel\n{turned}%j = OpIAdd %u32 %i %c1\nOpBranch %head\n"
        f"%after = OpLabel\nOpStore %p %v0\n"
    )


def functions(count: int) -> str:
    bodies = rows(count, lambda n: (
        f"%f{n} = OpFunction %void None %fn\n%fl{n} = OpLabel\n%fp{n} = OpAccessChain %to_u32 %out %c0 %c0\n{step(f'f{n}', f'%n{n}', f'%fp{n}')}OpReturn\nOpFunctionEnd\n"
    ))  # fmt: skip
    return assembly(rows(count, lambda n: f"%y{n} = OpFunctionCall %void %f{n}\n"), functions=bodies, types=numbers(count))


def deep_calls(count: int) -> str:
    bodies = rows(count, lambda n: (
        f"%f{n} = OpFunction %void None %fn\n%fl{n} = OpLabel\n" + (f"%fc{n} = OpFunctionCall %void %f{n - 1}\n" if n else "")
        + "OpReturn\nOpFunctionEnd\n"
    ))  # fmt: skip
    return assembly(f"%y = OpFunctionCall %void %f{count - 1}\n", functions=bodies)


def access_chains(count: int) -> str:
    return assembly(rows(count, lambda n: f"%p{n} = OpAccessChain %to_u32 %out %c0 %n{n}\n{step(n, '%x', f'%p{n}')}"), types=numbers(count))


def variables(count: int) -> str:
    declared = rows(count, lambda n: f"%v{n} = OpVariable %local Function\n")
    body = rows(count, lambda n: f"OpStore %v{n} %x\n") + rows(count, lambda n: step(n, "%x", f"%v{n}"))
    return assembly(body, variables=declared)


def one_variable(count: int) -> str:
    """Assigned in each of many ifs."""
    declared = "%v = OpVariable %local Function %c0\n"
    body = rows(count, lambda n: (
        f"OpSelectionMerge %m{n} None\nOpBranchConditional %b %t{n} %m{n}\n%t{n} = OpLabel\n{step(n, '%x', '%v')}OpBranch %m{n}\n%m{n} = OpLabel\n"
    ))  # fmt: skip
    return assembly(body + "%last = OpLoad %u32 %v\nOpStore %p %last\n", variables=declared)


def structs(count: int) -> str:
    """One of many members, read and written one by one."""
    members = " ".join(["%u32"] * count)
    decorated = rows(count, lambda n: f"OpMemberDecorate %big {n} Offset {4 * n}\n")
    named = rows(count, lambda n: f'OpMemberName %big {n} "m{n}"\n')
    types = f"{numbers(0)}%big = OpTypeStruct {members}\n%to_big = OpTypePointer StorageBuffer %big\n%buffer = OpVariable %to_big StorageBuffer\n"
    types = rows(count, lambda n: f"%at{n} = OpConstant %u32 {n + 1000}\n") + types
    places = rows(count, lambda n: f"%p{n} = OpAccessChain %to_u32 %buffer %n{n}\n{step(n, '%x', f'%p{n}')}")
    index = rows(count, lambda n: f"%n{n} = OpConstant %u32 {n}\n").replace("%n0 = OpConstant %u32 0\n", "").replace("%n1 = OpConstant %u32 1\n", "").replace("%n3 = OpConstant %u32 3\n", "")
    for n in (0, 1, 3):
        places = places.replace(f"%buffer %n{n}\n", f"%buffer %c{n}\n")
    return assembly(
        places, types=index + types, names=named, interface=" %buffer",
        decorations=f"OpDecorate %big Block\n{decorated}OpDecorate %buffer DescriptorSet 0\nOpDecorate %buffer Binding 1\n",
    )  # fmt: skip


def nested_structs(count: int) -> str:
    """Each holds the one before."""
    types = "%t0 = OpTypeStruct %u32\n" + rows(count, lambda n: f"%t{n + 1} = OpTypeStruct %t{n}\n")
    types += f"%to_t = OpTypePointer Function %t{count}\n"
    path = " %c0" * (count + 1)
    return assembly(f"%q = OpAccessChain %local %v{path}\n{step('in', '%x', '%q')}", types=types, variables="%v = OpVariable %to_t Function\n")


def constants(count: int) -> str:
    one = rows(count, lambda n: f"%g{n} = OpConstantComposite %uvec4 %n{n} %c0 %c1 %c3\n")
    body = rows(count, lambda n: f"%e{n} = OpCompositeExtract %u32 %g{n} 0\n%s{n} = OpIAdd %u32 {f'%s{n - 1}' if n else '%x'} %e{n}\n")
    return assembly(f"{body}OpStore %p %s{count - 1}\n", types=numbers(count) + one)


def arrays(count: int) -> str:
    """A constant of many elements, read by a number that is not known."""
    types = f"{numbers(count)}%length = OpConstant %u32 {count}\n%row = OpTypeArray %u32 %length\n%g = OpConstantComposite %row {' '.join([f'%n{n}' for n in range(count)])}\n"
    types += "%to_row = OpTypePointer Function %row\n"
    body = "OpStore %v %g\n%q = OpAccessChain %local %v %x\n" + step("in", "%x", "%q")
    return assembly(body, types=types, variables="%v = OpVariable %to_row Function\n")


def names(count: int) -> str:
    named = rows(count, lambda n: f'OpName %s{n} "a name that is long enough to be one, {n}"\nOpName %l{n} "x"\n')
    return assembly(rows(count, step), names=named)


def decorations(count: int) -> str:
    return assembly(rows(count, step), decorations=rows(count, lambda n: f"OpDecorate %s{n} RelaxedPrecision\nOpDecorate %l{n} RelaxedPrecision\n"))


def lines(count: int) -> str:
    """Where each instruction is in a source that comes along."""
    source = "\\n".join([f"line {n}" for n in range(count)])
    named = f'%file = OpString "a.comp"\nOpSource GLSL 450 %file "{source}"\n'
    return assembly(rows(count, lambda n: f"OpLine %file {n + 1} 1\n{step(n)}"), names=named)


def buffers(count: int) -> str:
    declared = rows(count, lambda n: f"%buf{n} = OpVariable %to_block StorageBuffer\n")
    decorated = rows(count, lambda n: f"OpDecorate %buf{n} DescriptorSet 0\nOpDecorate %buf{n} Binding {n + 1}\n")
    body = rows(count, lambda n: f"%p{n} = OpAccessChain %to_u32 %buf{n} %c0 %c0\n{step(n, '%x', f'%p{n}')}")
    return assembly(body, types=declared, decorations=decorated, interface="".join([f" %buf{n}" for n in range(count)]))


def entry_points(count: int) -> str:
    bodies = rows(count, lambda n: (
        f"%f{n} = OpFunction %void None %fn\n%fl{n} = OpLabel\n%fp{n} = OpAccessChain %to_u32 %out %c0 %c0\n{step(f'f{n}', '%c1', f'%fp{n}')}OpReturn\nOpFunctionEnd\n"
    ))  # fmt: skip
    entries = rows(count, lambda n: f'OpEntryPoint GLCompute %f{n} "entry{n}" %out\n')
    modes = rows(count, lambda n: f"OpExecutionMode %f{n} LocalSize 4 1 1\n")
    return assembly("", functions=bodies, entries=entries + modes)


def types(count: int) -> str:
    return assembly("", types=rows(count, lambda n: (
        f"%n{n} = OpConstant %u32 {n + 100}\n%a{n} = OpTypeArray %u32 %n{n}\n%st{n} = OpTypeStruct %a{n} %u32\n%pt{n} = OpTypePointer Private %st{n}\n"
        f"%pv{n} = OpVariable %pt{n} Private\n"
    )))  # fmt: skip


def ballots(count: int) -> str:
    return assembly(rows(count, lambda n: (
        f"OpSelectionMerge %m{n} None\nOpBranchConditional %b %t{n} %m{n}\n%t{n} = OpLabel\n"
        f"%q{n} = OpGroupNonUniformBallot %uvec4 %c3 %true\n%v{n} = OpCompositeExtract %u32 %q{n} 0\n{step(n, f'%v{n}')}OpBranch %m{n}\n%m{n} = OpLabel\n"
    )))  # fmt: skip


def composites(count: int) -> str:
    """Inserts into a vector, in a row."""
    body = rows(count, lambda n: f"%g{n} = OpCompositeInsert %uvec4 %x {f'%g{n - 1}' if n else '%zero'} {n % 4}\n")
    return assembly(f"{body}%e = OpCompositeExtract %u32 %g{count - 1} 0\nOpStore %p %e\n", types="%zero = OpConstantNull %uvec4\n")


def unstructured(count: int) -> str:
    """No merges: a graph with two ways into each loop."""
    blocks = rows(count, lambda n: (
        f"%k{n} = OpLabel\n{step(n)}%z{n} = OpULessThan %bool %l{n} %n{n}\nOpBranchConditional %z{n} %k{n + 1} %k{max(0, n - 2) if n else 2}\n"
    ))  # fmt: skip
    return assembly(f"OpBranchConditional %b %k0 %k1\n{blocks}%k{count} = OpLabel\n", types=numbers(count))


def ladder(count: int) -> str:
    return "".join([f"b{n} -> b{n + 1} b{n - 2 if n > 2 else n + 2}\n" for n in range(count)]) + f"b{count} -> end\nend ret\n"


def tower(count: int) -> str:
    """Ifs in a row, of which each may go to the end."""
    return "".join([f"s{n} -> t s{n + 1}\n" for n in range(count)]) + f"s{count} -> t\nt ret\n"


BUFFER: Final = "RWStructuredBuffer<int> o;\n"
MAIN: Final = '[shader("compute")] [numthreads(4, 1, 1)]\nvoid main() {\n'


def slang_steps(count: int) -> str:
    return BUFFER + MAIN + rows(count, lambda n: f"    o[{n}] += o[{n}] * {n};\n") + "}\n"


def slang_sum(count: int) -> str:
    """One expression."""
    return BUFFER + MAIN + "o[0] = " + " + ".join([f"o[{n}]" for n in range(count)]) + ";\n}\n"


def slang_blocks(count: int) -> str:
    """Half as many, in each other: the parser takes some sixty."""
    count = count // 2 + 1
    return BUFFER + MAIN + rows(count, lambda n: f"if (o[{n}] > 1) {{ int x{n} = o[{n}];\n") + "o[0] = 1;\n" + "}\n" * count + "}\n"


def slang_functions(count: int) -> str:
    return BUFFER + rows(count, lambda n: f"int f{n}(int x) {{ return x + {n}; }}\n") + MAIN + rows(count, lambda n: f"o[{n}] = f{n}(o[{n}]);\n") + "}\n"


def slang_calls(count: int) -> str:
    chain = rows(count, lambda n: f"int f{n + 1}(int x) {{ return f{n}(x) + 1; }}\n")
    return f"{BUFFER}int f0(int x) {{ return x; }}\n{chain}{MAIN}o[0] = f{count}(o[0]);\n}}\n"


def slang_overloads(count: int) -> str:
    declared = rows(count, lambda n: f"struct S{n} {{ int a; }}\nint f(S{n} x) {{ return x.a + {n}; }}\n")
    return declared + BUFFER + MAIN + rows(count, lambda n: f"S{n} s{n}; s{n}.a = {n}; o[{n}] = f(s{n});\n") + "}\n"


def slang_implementations(count: int) -> str:
    declared = rows(count, lambda n: f"struct S{n} : I {{ int a; int get() {{ return a + {n}; }} }}\n")
    linked = "I i = createDynamicObject<I>(o[0], o[1]);\no[0] = i.get();\n"
    return "interface I { int get(); }\n" + declared + BUFFER + MAIN + linked + "}\n"


def slang_generics(count: int) -> str:
    """One generic, of many types."""
    declared = rows(count, lambda n: f"struct S{n} : I {{ int a; int get() {{ return a + {n}; }} }}\n")
    body = rows(count, lambda n: f"S{n} s{n}; s{n}.a = {n}; o[{n}] = f<S{n}>(s{n});\n")
    return "interface I { int get(); }\nint f<T : I>(T x) { return x.get(); }\n" + declared + BUFFER + MAIN + body + "}\n"


def slang_interfaces(count: int) -> str:
    declared = rows(count, lambda n: f"interface I{n} {{ int get{n}(); }}\nstruct S{n} : I{n} {{ int a; int get{n}() {{ return a + {n}; }} }}\n")
    return declared + BUFFER + MAIN + rows(count, lambda n: f"S{n} s{n}; s{n}.a = {n}; o[{n}] = s{n}.get{n}();\n") + "}\n"


def slang_structs(count: int) -> str:
    members = rows(count, lambda n: f"int m{n};\n")
    body = rows(count, lambda n: f"s.m{n} = {n}; o[{n}] = s.m{n};\n")
    return f"struct S {{\n{members}}}\n{BUFFER}{MAIN}S s;\n{body}}}\n"


def slang_macros(count: int) -> str:
    defined = rows(count, lambda n: f"#define M{n}(x) ((x) + {n})\n#if M{n}(0) > 3\n#define A{n} 1\n#else\n#define A{n} 2\n#endif\n")
    return defined + BUFFER + MAIN + rows(count, lambda n: f"o[{n}] = M{n}(A{n});\n") + "}\n"


def slang_comments(count: int) -> str:
    return rows(count, lambda n: f"// comment {n}\n/* another */ \n") + BUFFER + MAIN + rows(count, lambda n: f"/* here */ o[0] += {n}; // there\n") + "}\n"


def slang_switch(count: int) -> str:
    return BUFFER + MAIN + "switch (o[0]) {\n" + rows(count, lambda n: f"case {n}: o[1] += WaveActiveSum({n});\n") + "}\n}\n"


def slang_loops(count: int) -> str:
    return BUFFER + MAIN + rows(count, lambda n: f"for (int i{n} = 0; i{n} < 2; i{n}++) o[{n}] += i{n};\n") + "}\n"


def slang_constants(count: int) -> str:
    declared = "static const int C0 = 1;\n" + rows(count, lambda n: f"static const int C{n + 1} = C{n} + 1;\n")
    return declared + BUFFER + MAIN + f"int a[] = {{ {', '.join([f'C{n}' for n in range(count)])} }};\no[0] = a[o[1]];\n}}\n"


def slang_extensions(count: int) -> str:
    declared = rows(count, lambda n: f"extension S {{ int g{n}() {{ return a + {n}; }} }}\n")
    return "struct S { int a; }\n" + declared + BUFFER + MAIN + "S s; s.a = 1;\n" + rows(count, lambda n: f"o[{n}] = s.g{n}();\n") + "}\n"


def slang_resources(count: int) -> str:
    return rows(count, lambda n: f"RWStructuredBuffer<int> b{n};\n") + MAIN + rows(count, lambda n: f"b{n}[0] += {n};\n") + "}\n"


def slang_faults(count: int) -> str:
    """A name that is not there in each line."""
    return BUFFER + rows(count, lambda n: f"int name{n} (int x) {{ return x; }}\n") + MAIN + rows(count, lambda n: f"o[{n}] = nmae{n}(1);\n") + "}\n"


LL: Final = "define spir_kernel void @main(ptr addrspace(1) %o) {{\nentry:\n  %x = load i32, ptr addrspace(1) %o\n{body}  ret void\n}}\n"


def ll_steps(count: int) -> str:
    body = rows(count, lambda n: f"  %l{n} = load i32, ptr addrspace(1) %o\n  %s{n} = add i32 %l{n}, %x\n  store i32 %s{n}, ptr addrspace(1) %o\n")
    return LL.format(body=body)


def ll_blocks(count: int) -> str:
    body = rows(count, lambda n: (
        f"  %c{n} = icmp ult i32 %x, {n}\n  br i1 %c{n}, label %t{n}, label %m{n}\nt{n}:\n  %s{n} = add i32 %x, {n}\n"
        f"  store i32 %s{n}, ptr addrspace(1) %o\n  br label %m{n}\nm{n}:\n"
    ))  # fmt: skip
    return LL.format(body=body)


def ll_loops(count: int) -> str:
    body = rows(count, lambda n: (
        f"  br label %h{n}\nh{n}:\n  %i{n} = phi i32 [ 0, %{f'm{n - 1}' if n else 'entry'} ], [ %j{n}, %b{n} ]\n  %c{n} = icmp ult i32 %i{n}, 2\n"
        f"  br i1 %c{n}, label %b{n}, label %m{n}\nb{n}:\n  %j{n} = add i32 %i{n}, 1\n  store i32 %j{n}, ptr addrspace(1) %o\n  br label %h{n}\nm{n}:\n"
    ))  # fmt: skip
    return LL.format(body=body)


def ll_switch(count: int) -> str:
    cases = rows(count, lambda n: f"    i32 {n}, label %k{n}\n")
    blocks = rows(count, lambda n: f"k{n}:\n  store i32 {n}, ptr addrspace(1) %o\n  br label %after\n")
    return LL.format(body=f"  switch i32 %x, label %after [\n{cases}  ]\n{blocks}after:\n")


def ll_phi(count: int) -> str:
    cases = rows(count, lambda n: f"    i32 {n}, label %k{n}\n")
    blocks = rows(count, lambda n: f"k{n}:\n  br label %after\n")
    of = ", ".join([f"[ {n}, %k{n} ]" for n in range(count)])
    return LL.format(body=f"  switch i32 %x, label %none [\n{cases}  ]\nnone:\n  br label %after\n{blocks}after:\n  %v = phi i32 [ 0, %none ], {of}\n  store i32 %v, ptr addrspace(1) %o\n")


def ll_functions(count: int) -> str:
    defined = rows(count, lambda n: f"define i32 @f{n}(i32 %a) {{\n  %r = add i32 %a, {n}\n  ret i32 %r\n}}\n")
    body = rows(count, lambda n: f"  %r{n} = call i32 @f{n}(i32 %x)\n  store i32 %r{n}, ptr addrspace(1) %o\n")
    return defined + LL.format(body=body)


def ll_pointers(count: int) -> str:
    body = rows(count, lambda n: f"  %p{n} = getelementptr i32, ptr addrspace(1) {f'%p{n - 1}' if n else '%o'}, i64 1\n  store i32 %x, ptr addrspace(1) %p{n}\n")
    return LL.format(body=body)


def ll_metadata(count: int) -> str:
    body = rows(count, lambda n: f"  %s{n} = add i32 %x, {n}, !note !{n}\n")
    return LL.format(body=body) + rows(count, lambda n: f"!{n} = !{{!\"text {n}\", !{max(n - 1, 0)}}}\n")


BETWEEN_FILES: Final = "\f"


def files(count: int) -> str:
    """No two are the same: of equal ones, `batch` does one."""
    return BETWEEN_FILES.join([ballots(2).replace("OpConstant %u32 3\n", f"OpConstant %u32 {n + 3}\n") for n in range(count)])


Shape = Callable[[int], str]
ASSEMBLY: Final[dict[str, Shape]] = {
    "straight code": straight, "a chain of values": values, "ifs": ifs, "nested ifs": nested_ifs, "else ifs": else_ifs,
    "loops": loops, "nested loops": nested_loops, "breaks of a loop": breaks, "continues of a loop": continues,
    "returns": returns, "a falling switch": falling, "a falling switch of ballots": falling_ballots,
    "a wide switch": wide, "a phi of many": phis, "many phis of a loop": many_phis, "functions": functions,
    "a chain of calls": deep_calls, "access chains": access_chains, "variables": variables,
    "one variable of many ifs": one_variable, "a wide struct": structs, "nested structs": nested_structs,
    "constants": constants, "a constant array": arrays, "names": names, "decorations": decorations,
    "lines of a source": lines, "buffers": buffers, "entry points": entry_points, "types": types, "ballots": ballots,
    "inserts": composites, "a graph without structure": unstructured,
}  # fmt: skip
SLANG: Final[dict[str, Shape]] = {
    "statements": slang_steps, "a long sum": slang_sum, "nested blocks": slang_blocks, "functions": slang_functions,
    "a chain of calls": slang_calls, "overloads of one name": slang_overloads,
    "implementations of one interface": slang_implementations, "types of one generic": slang_generics,
    "interfaces": slang_interfaces, "a wide struct": slang_structs, "macros": slang_macros, "comments": slang_comments,
    "a falling switch": slang_switch, "loops": slang_loops, "constants": slang_constants,
    "extensions": slang_extensions, "resources": slang_resources, "faults": slang_faults,
}  # fmt: skip
LLVM: Final[dict[str, Shape]] = {
    "statements": ll_steps, "ifs": ll_blocks, "loops": ll_loops, "a wide switch": ll_switch, "a phi of many": ll_phi,
    "functions": ll_functions, "pointers": ll_pointers, "metadata": ll_metadata,
}  # fmt: skip
GRAPHS: Final[dict[str, Shape]] = {"a ladder": ladder, "a tower": tower}
FOLDERS: Final[dict[str, Shape]] = {"many files": files}
COUNTS: Final[dict[str, Shape]] = {"a number": str}
SHAPES: Final[dict[str, dict[str, Shape]]] = {
    "spvasm": ASSEMBLY, "slang": SLANG, "ll": LLVM, "cfg": GRAPHS, "folder": FOLDERS, "count": COUNTS,
}  # fmt: skip


def of_form(form: str) -> dict[str, Shape]:
    """The shapes that can be written in a form: those of assembly also as a binary and as .rk."""
    return SHAPES["spvasm" if form in ("spv", "rk") else form]
