"""The diagnostics of dynamic dispatch, each with Slang's code, in a program of a few lines.

    code    program in Slang, or .rk    ->    [code line:column], in order

Codes, places and words are those that slangc (2026.14) says of the same text, where `SAME`; else the row says why not.
E50104 has no row: it is of targets whose entry points can't take a value of an interface, which a push constant can.
"""

import re
import subprocess
from pathlib import Path
from typing import Final, final

import pytest
from kit import oracles
from kit.text import slang_checks

import reknit
from reknit.analysis.typeflow.notes import notes
from reknit.analysis.typeflow.report import dispatch_sites
from reknit.front.slang.check import Options as CheckOptions
from reknit.front.slang.compile import Settings
from reknit.ir.text.parser import parse
from reknit.passes.manager import run_passes
from reknit.source import explain
from reknit.source.diagnostic import NOTE, Diagnostic, InputError

SAME: Final = ""
"""slangc says the same code at the same place."""

DATA: Final = "RWStructuredBuffer<int> data;\n"
HEAD: Final = (
    DATA + '[shader("compute")] [numthreads(4, 1, 1)] void computeMain(uint3 id : SV_DispatchThreadID)\n'
)
TYPES: Final = (
    "interface I { int get(); }\nstruct A : I { int a; int get() { return 1; } }\n"
    "struct B : I { int b; int get() { return 2; } }\n"
)
EITHER: Final = "I x = A(); if (id.x > 1) x = B();"
"""A value of either type."""


@final
class Row:
    """`said` are codes and places, `differs` why slangc's are others."""

    def __init__(self, text: str, said: list[str], differs: str = SAME, version: int = 2025, part: str = "") -> None:
        self.text = text
        self.said = said
        self.differs = differs
        self.version = version
        self.part = part


ROWS: Final = {
    "E50100, a parameter": Row(
        "interface I { int get(); }\nuniform I f;\n" + HEAD + "{ data[id.x] = f.get(); }\n",
        ["E50100 2:11"],
        "there it has no place",
        part="No type conformances are found for interface 'I'. Code generation for current target requires at least",
    ),
    "E50100, from an id": Row(
        "interface I { int get(); }\n" + HEAD + "{ data[id.x] = createDynamicObject<I>(0, 1).get(); }\n",
        ["E50100 4:38"],
    ),
    "E50101": Row(
        TYPES + HEAD + "{ I x; if (id.x > 1) x = A();\n  data[id.x] = x.get(); }\n",
        ["E50101 7:21"],
        part="Cannot dynamically dispatch on potentially uninitialized interface object 'I'.",
    ),
    "E50102": Row(
        TYPES + HEAD + "{ " + EITHER + "\n  data[id.x] = x.get(); }\n",
        ["E50102 7:21"],
        part="generated dynamic dispatch code for this site. 2 possible types: '",
    ),
    "E50103": Row(
        "interface I { int get<T>(T t); }\nstruct A : I { int get<T>(T t) { return 1; } }\n"
        "struct B : I { int get<T>(T t) { return 2; } }\n"
        + HEAD + "{ " + EITHER + "\n  data[id.x] = x.get<float>(1.0); }\n",
        ["E50103 7:28"],
        part="specialization arguments: 'float'.",
    ),
    "E52008": Row(
        "[Specialize] " + TYPES + HEAD + "{ " + EITHER + "\n  data[id.x] = x.get(); }\n",
        ["E52008 7:21"],
        part="type 'I' is marked for specialization only, but dynamic dispatch is needed for the call.",
    ),
    "E52010, __constref": Row(
        TYPES + "int read(__constref I x) { return x.get(); }\n" + HEAD + "{ " + EITHER + " data[id.x] = read(x); }\n",
        ["E52010 4:23"],
        part="'__constref' parameter of type 'I' cannot be used in a dynamic dispatch context.",
    ),
    "E52010, __ref to a struct with one inside": Row(
        TYPES + "struct Box { I item; }\nint read(__ref Box b) { return b.item.get(); }\n"
        + HEAD + "{ " + EITHER + " Box b; b.item = x; data[id.x] = read(b); }\n",
        ["E52010 5:20"],
        part="'__ref' parameter of type 'Box' cannot be used in a dynamic dispatch context.",
    ),
    "E52012, a property": Row(
        TYPES + "struct H { I i; property I p { get { return i; } ref { return i; } } }\n"
        + HEAD + "{ data[0] = 1; }\n",
        ["E52012 4:50"],
        part="'ref' accessor returning type 'I' is incompatible with dynamic dispatch because interface types require",
    ),
    "E52012, what has one inside": Row(
        TYPES + "struct Box { I item; }\nstruct Gen<T> { T item; }\nstruct H {\n"
        "  Box b; property Box p { ref { return b; } }\n"
        "  I i[2]; __subscript(int n) -> I { ref { return i[n]; } }\n"
        "  property I[2] q { ref { return i; } }\n"
        "  Gen<I> g; property Gen<I> r { ref { return g; } }\n"
        "  Optional<I> o; property Optional<I> s { ref { return o; } }\n"
        "  int n; property int t { ref { return n; } }\n}\n" + HEAD + "{ data[0] = 1; }\n",
        ["E52012 7:27", "E52012 8:37", "E52012 9:21", "E52012 10:33", "E52012 11:43"],
    ),
    "E33180": Row(
        TYPES + "int g<T : I>(T x) { return x.get(); }\n" + HEAD + "{ " + EITHER + "\n  data[id.x] = g<I>(x); }\n",
        ["E33180 8:20"],
        part="All generic arguments must be statically resolvable at compile time.",
    ),
    "E30521": Row(
        TYPES + HEAD + "{\n  I x = {};\n  x = A(); data[id.x] = x.get(); }\n",
        ["E30521 7:9"],
        part="initializing an interface variable with defaults is deprecated",
    ),
    "E30524": Row(
        TYPES + HEAD + "{\n  I x = {};\n  x = A(); data[id.x] = x.get(); }\n", ["E30524 7:9"], version=2026
    ),
    "E41002, E41003": Row(
        "interface I { int get(); }\nstruct A : I { I next; int get() { return 1; } }\n"
        + HEAD + "{ I x = A(); A a; a.next = x; x = a; data[id.x] = x.get(); }\n",
        ["E41003 2:8", "E41002 1:11"],
    ),
    "E41003": Row(
        TYPES + "struct C : I { I next; int get() { return 3; } }\n"
        + HEAD + "{ " + EITHER + " if (id.x > 2) { C c; c.next = x; x = c; } data[id.x] = x.get(); }\n",
        ["E41003 4:8"],
        part="type 'C' contains circular reference through interface 'I'.",
    ),
    "E41014": Row(
        TYPES + "struct C : I { Texture2D t; int get() { return 3; } }\nTexture2D t;\n"
        + HEAD + "{ " + EITHER + " if (id.x > 2) { C c; c.t = t; x = c; } data[id.x] = x.get(); }\n",
        ["E41014 4:8"],
        part="type 'C' contains fields that cannot be packed into ordinary bytes for dynamic dispatch.",
    ),
    "E41019": Row(
        "[anyValueSize(8)] " + TYPES + "struct C : I { int4 v; int get() { return 3; } }\n"
        + HEAD + "{ " + EITHER + " if (id.x > 2) x = C(); data[id.x] = x.get(); }\n",
        ["E41019 4:8"],
        part="type 'C' does not fit in the size required by its conforming interface.",
    ),
    "E41204, to an interface": Row(
        TYPES + HEAD + "{\n  data[id.x] = bit_cast<I>(A()).get(); }\n",
        ["E41204 7:27"],
        part="cannot bit-cast to existential (non-concrete) type",
    ),
    "bits from an interface": Row(
        TYPES + HEAD + "{ " + EITHER + "\n  data[id.x] = bit_cast<int>(x); }\n",
        ["RK0911 7:29"],
        "there it is accepted, and the bits are those of some type",
    ),
    "E55201": Row(
        "interface I { int get(I o, int n); }\n"
        "struct A : I { int get(I o, int n) { return n <= 0 ? 1 : o.get(o, n - 1); } }\n"
        + HEAD + "{ I x = A(); data[id.x] = x.get(x, 3); }\n",
        ["E55201 2:63"],
        part="recursion detected in call to 'get', but the current code generation target does not allow recursion",
    ),
    "E55207": Row(
        TYPES + "struct W<T : I> : I { T t; int get() { return t.get(); } }\n"
        "int f<T : I>(T t, int n) { if (n <= 0) return t.get(); W<T> w; w.t = t; return f<W<T>>(w, n - 1); }\n"
        + HEAD + "{ data[id.x] = f(A(), 3); }\n",
        ["E55207 5:5"],
        "there it is told at the conformance that grows, line 4",
        part="generic specialization for 'f' exceeded the recursive specialization budget (512)",
    ),
    "E36107": Row(
        DATA + '[shader("compute")] [numthreads(4, 1, 1)]\nvoid computeMain(uint3 id : SV_DispatchThreadID)\n'
        "{ data[id.x] = 1; if (id.x > 1) discard; }\n",
        ["E36107 3:6"],
        part="entrypoint 'computeMain' uses features that are not available in 'compute' stage for 'spirv' compilation",
    ),
}  # fmt: skip


def diagnostics(row: Row) -> list[Diagnostic]:
    """All that is said of a program, from reading it to lowering its dispatch."""
    if row.version != 2025:  # an option of the checker alone
        return slang_checks.run(row.text, CheckOptions(version=row.version))[1].diagnostics
    settings = Settings(entries=["computeMain"])
    try:
        module = reknit.load(row.text.encode(), format="slang", settings=settings)
        said = [*module.notes, *notes(dispatch_sites(module))]
        run_passes(module, "specialize-dispatch, lower-dispatch")
    except InputError as refusal:
        return refusal.diagnostics
    return said


def place(one: Diagnostic) -> str:
    assert one.place is not None
    return f"{one.code} {one.place.line}:{one.place.column}"


@pytest.mark.parametrize("name", ROWS)
def test_each_is_told_with_its_code_where_it_is(name: str) -> None:
    row = ROWS[name]
    said = [one for one in diagnostics(row) if one.code != "RK2610"]
    assert [place(one) for one in said] == row.said
    assert row.part in said[0].message


@pytest.mark.parametrize("name", ROWS)
def test_each_has_a_page(name: str) -> None:
    assert all(explain.title(one.split(" ")[0]) for one in ROWS[name].said)


def of_slangc(row: Row, folder: Path) -> list[str]:
    file = folder / "x.slang"
    file.write_text(row.text)
    command = [*oracles.need("slangc"), "-enable-machine-readable-diagnostics", "-report-dynamic-dispatch-sites"]
    command += ["-target", "spirv", "-entry", "computeMain", "-stage", "compute"]
    command += ["-o", str(folder / "x.spv"), str(file)]
    command += ["-std", str(row.version)] if row.version != 2025 else []
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    codes = {one.split(" ")[0] for one in row.said}
    found: list[str] = []
    for line in (done.stdout + done.stderr).splitlines():
        fields = line.split("\t")
        if len(fields) > 5 and fields[0] in codes and re.fullmatch(r"\d+", fields[3]):
            found.append(f"{fields[0]} {fields[3]}:{fields[4]}")
    return found


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.differs == SAME])
def test_slangc_says_it_there_too(name: str, tmp_path: Path) -> None:
    assert list(dict.fromkeys(of_slangc(ROWS[name], tmp_path))) == ROWS[name].said


def test_notes_are_no_errors() -> None:
    row = ROWS["E50102"]
    assert [one.severity for one in diagnostics(row)] == [NOTE]


def test_an_interface_without_types_in_a_buffer_is_told_of_rk_too() -> None:
    text = """Capability Shader
EntryPoint GLCompute @main "main"
%IFoo = TypeInterface "IFoo" 16
%WT = TypeWitnessTable %IFoo
%This = TypeThis %IFoo
%foo = Requirement "foo" : %IFoo
%block = TypeStruct %IFoo
MemberDecorate %block 0 Offset 0
Decorate %block Block
%buffer = Variable StorageBuffer : ptr<StorageBuffer, %block>
func @main() -> void {
  %p = AccessChain %buffer, 0u : ptr<StorageBuffer, %IFoo>
  %e = Load %p : %IFoo
  %w = ExtractExistentialWitnessTable %e : %WT
  %f = LookupWitness %w, %foo : fn(%This) -> u32
  %x = ExtractExistentialValue %e : %This
  %r = CallDynamic %f, %x : u32
  return
}
"""
    module = parse(text, "none.rk")
    with pytest.raises(InputError) as refusal:
        run_passes(module, "specialize-dispatch")
    (only,) = refusal.value.diagnostics
    assert place(only) == "E50100 13:3" and "struct T : IFoo" in only.help
