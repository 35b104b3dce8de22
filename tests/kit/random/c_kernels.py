"""Random kernels in C, which a compiler takes as OpenCL C for a GPU and as C for this machine.

    seed ──▶ kernel void k(global uint *in, global uint *out, uint n, Pair given) { ... }
               │──▶ clang -x cl -target spir64 -O0 ... -O2 ──▶ LLVM IR: what the project reads, runs and writes
               └──▶ clang -x c, called once an invocation: what it means

Nothing in them is undefined, and all arithmetic wraps: shifts are masked, divisors odd, indices within their arrays,
floats are whole numbers that fit. What they are made of is what Clang leaves in place: private arrays, structs by
value, unions, pointers to one of several objects, pointers in arrays and in structs, bytes of words, vectors of any
length, switches that fall through, loops that are left in the middle, and builtins of the compiler.
"""

import random

UNSIGNED = {"char": "uchar", "short": "ushort", "int": "uint", "long": "ulong"}
INTEGERS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")
BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
VECTORS = (("uint", 4), ("uint", 2), ("uchar", 8), ("short", 4), ("int", 3), ("uint", 8), ("ulong", 2), ("uchar", 16))
NUMBERS = (0, 1, 2, 3, 5, 7, 31, 100, 127, 128, 255, 1000, 65535, 305419896, -1, -2)
LANES = 4
GIVEN = 8
"""Words that an invocation reads."""
MADE = 6
"""Words that it writes."""

HEAD = """
typedef struct { uint a; short b; uchar c; } Part;
typedef struct { ulong wide; Part part; uint row[3]; } Whole;
typedef struct { int x; int y; } Pair;
typedef union { uint word; uchar bytes[4]; ushort halves[2]; float real; } Bits;
typedef struct { PRIVATE uint *at; uint step; } Cursor;
CONSTANT uint TABLE[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
CONSTANT Part PARTS[3] = { { 1, -2, 3 }, { 40000, 5, 6 }, { 7, 8, 250 } };
"""
NATIVE = """
typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned int uint; typedef unsigned long ulong;
#define kernel
#define ATTRIBUTES
#define global
#define PRIVATE
#define CONSTANT static const
#define VEC(t, n) typedef t t##n __attribute__((ext_vector_type(n)));
VEC(uint, 4) VEC(uint, 2) VEC(uchar, 8) VEC(short, 4) VEC(int, 3) VEC(uint, 8) VEC(ulong, 2) VEC(uchar, 16)
static uint here;
#define get_global_id(axis) here
"""
OPENCL = """
typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned int uint; typedef unsigned long ulong;
#define PRIVATE private
#define ATTRIBUTES __attribute__((reqd_work_group_size(4, 1, 1)))
#define CONSTANT constant
#define VEC(t, n) typedef t t##n __attribute__((ext_vector_type(n)));
VEC(uint, 4) VEC(uint, 2) VEC(uchar, 8) VEC(short, 4) VEC(int, 3) VEC(uint, 8) VEC(ulong, 2) VEC(uchar, 16)
ulong __attribute__((overloadable, const)) get_global_id(uint axis);
"""


class Kernel:
    """`opencl` and `native` are the sources. Native has `void run(uint lane, uint *in, uint *out, uint n)`."""

    def __init__(self, seed: int, steps: int = 12) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.depth = 0
        self.inside = False  # a function that the kernel calls
        self.scalars: dict[str, list[str]] = {"uint": ["n"], "int": ["given.x", "given.y"]}
        self.arrays: list[tuple[str, str, int]] = []  # name, element, length: a power of two
        self.wholes: list[str] = []
        self.vectors: list[tuple[str, str, int]] = []
        self.bits: list[str] = []
        self.functions: list[str] = []
        self.callable: list[str] = []
        self.frozen: list[str] = []
        body = self.opening()
        for _ in range(steps):
            body += self.statement()
        body += self.closing()
        self.source = (
            HEAD
            + "".join(self.functions)
            + "ATTRIBUTES kernel void k(global uint *in, global uint *out, uint n, Pair given) {\n"
            + "".join("  " + line + "\n" for line in body)
            + "}\n"
        )
        call = "{ here = lane; Pair p = { 7, -9 }; k(in, out, n, p); }"
        self.opencl = OPENCL + self.source
        self.native = NATIVE + self.source + f"void run(uint lane, uint *in, uint *out, uint n) {call}\n"

    def name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def pick(self, *given: str) -> str:
        return self.random.choice(given)

    def maybe(self, share: float) -> bool:
        return self.random.random() < share

    # --- expressions --------------------------------------------------------------------------------------------------

    def expr(self, type: str, depth: int = 3) -> str:
        """Of an integer type."""
        if depth <= 0 or self.maybe(0.2):
            return self.leaf(type)
        kind = self.random.randrange(11)
        a = self.expr(type, depth - 1)
        if kind < 4:
            return f"({type})({a} {self.pick('+', '-', '*', '^', '&', '|')} {self.expr(type, depth - 1)})"
        if kind == 4:
            return f"({type})({a} {self.pick('<<', '>>')} ({self.expr('uint', depth - 2)} & {BITS[type] - 1}))"
        if kind == 5:
            unsigned = type if type.startswith("u") else UNSIGNED[type]
            return f"({type})(({unsigned}){a} {self.pick('/', '%')} ({unsigned})({self.expr(unsigned, depth - 2)} | 1))"
        if kind == 6:
            return f"({self.truth(depth - 1)} ? {a} : {self.expr(type, depth - 1)})"
        if kind == 7:
            other = self.pick(*INTEGERS)
            return f"({type}){self.expr(other, depth - 1)}"
        if kind == 8:
            return self.builtin(type, a, depth)
        if kind == 9:
            return f"({type})({self.pick('~', '-', '!')}{a})"
        if self.callable and self.maybe(0.7):
            return f"({type}){self.called(depth - 1)}"
        return f"({type})({a} % 7)" if type.startswith("u") else f"({type})({a} / 5)"

    def builtin(self, type: str, a: str, depth: int) -> str:
        a, b = f"({type}){a}", f"({type}){self.expr(type, depth - 1)}"
        kind = self.random.randrange(8)
        if kind == 0:
            return f"({type})__builtin_popcountl((ulong){a})"
        if kind == 1:
            return f"({type})__builtin_{self.pick('clz', 'ctz')}((uint){a} | 64)"
        if kind == 2:
            return f"({type})__builtin_elementwise_{self.pick('max', 'min')}({a}, {b})"
        if kind == 3:
            return f"({type})__builtin_elementwise_{self.pick('add_sat', 'sub_sat')}({a}, {b})"
        if kind == 4:
            return f"({type})__builtin_bswap32((uint){a})"
        if kind == 5:
            return f"({type})__builtin_rotateleft{BITS[type]}({a}, {b})"
        if kind == 6:
            return f"({type})__builtin_bitreverse{BITS[type]}({a})"
        return f"({type})__builtin_elementwise_abs((int){a})"

    def truth(self, depth: int = 2) -> str:
        type = self.pick(*INTEGERS)
        test = f"({self.expr(type, depth)} {self.pick('<', '<=', '==', '!=', '>', '>=')} {self.expr(type, depth - 1)})"
        return f"({test} {self.pick('&&', '||')} {self.truth(depth - 1)})" if depth > 0 and self.maybe(0.2) else test

    def leaf(self, type: str) -> str:
        kind = self.random.randrange(12)
        if kind < 5 and self.scalars.get(type):
            return self.pick(*self.scalars[type])
        if kind == 5 and not self.inside:
            return f"({type})in[g * {GIVEN} + ({self.random.randrange(GIVEN)})]"
        if kind == 6 and self.arrays:
            name, _, length = self.random.choice(self.arrays)
            return f"({type}){name}[{self.index(length)}]"
        if kind == 7 and self.wholes:
            return f"({type}){self.pick(*self.wholes)}.{self.field()}"
        if kind == 8 and self.vectors:
            name, _, length = self.random.choice(self.vectors)
            return f"({type}){name}[{self.index(length)}]" if length & 1 == 0 else f"({type}){name}.{self.pick(*'xyz')}"
        if kind == 9:
            part = self.pick("a", "b", "c")
            return f"({type}){self.pick(f'TABLE[{self.index(8)}]', f'PARTS[(uint)n % 3].{part}')}"
        if kind == 10 and self.bits:
            name = self.pick(*self.bits)
            return f"({type}){name}.{self.pick('word', f'bytes[{self.index(4)}]', f'halves[{self.index(2)}]')}"
        return f"({type})({self.random.choice(NUMBERS)})"

    def index(self, length: int) -> str:
        if self.maybe(0.4):
            return str(self.random.randrange(length))
        return f"({self.pick(*self.scalars['uint'], *self.scalars['int'])}) & {length - 1}"

    def field(self) -> str:
        return self.pick("wide", "part.a", "part.b", "part.c", f"row[{self.random.randrange(3)}]")

    def called(self, depth: int) -> str:
        name = self.pick(*self.callable)
        if name.startswith("by"):
            whole = self.pick(*self.wholes)
            return f"{name}({whole}, {self.expr('uint', depth - 1)})" if "value" in name else f"{name}(&{whole}, n)"
        array = next((array for array in self.arrays if array[1] == "uint"), None)
        assert array is not None
        return f"{name}({array[0]} + ({self.index(array[2] // 2)}), {self.expr('int', depth - 1)})"

    # --- statements ---------------------------------------------------------------------------------------------------

    def opening(self) -> list[str]:
        lines = ["uint g = get_global_id(0);", "uint u = in[g * 8] + g;", "int i = (int)in[g * 8 + 1] - 3;"]
        lines.append("ulong acc = g;")
        self.scalars["uint"] += ["g", "u"]
        self.scalars["int"].append("i")
        self.scalars.setdefault("ulong", []).append("acc")
        self.frozen += ["g", "n", "given.x", "given.y"]
        lines += ["uint base[8] = { 0 };", "for (uint z = 0; z < 8; z++) base[z] = in[g * 8 + z] ^ z;"]
        self.arrays.append(("base", "uint", 8))
        lines += ["Whole w = { u, { 1, 2, 3 }, { 4, 5, n } };"]
        self.wholes.append("w")
        for _ in range(self.random.randrange(1, 4)):
            self.function()
        return lines

    def function(self) -> None:
        saved = self.scalars, self.arrays, self.wholes, self.vectors, self.bits, self.callable, self.frozen
        self.scalars, self.arrays, self.wholes, self.vectors, self.bits = {"uint": ["n"], "int": []}, [], [], [], []
        self.frozen = ["n"]
        self.callable = []
        kind = self.random.randrange(4)
        if kind == 0:
            name, head = self.name("byvalue"), "(Whole s, uint n)"
            self.wholes = ["s"]
        elif kind == 1:
            name, head = self.name("byaddress"), "(PRIVATE Whole *s, uint n)"
            self.wholes = ["(*s)"]
        else:
            name, head = self.name("over"), "(PRIVATE uint *p, int n)"
            self.scalars = {"uint": ["p[0]", "p[1]"], "int": ["n"]}
        result = "uint" if kind != 3 else "long"
        marked = self.pick("static ", "__attribute__((noinline)) static ", "static inline ")
        self.inside = True
        body: list[str] = []
        for _ in range(self.random.randrange(1, 4)):
            body += self.simple()
        if self.maybe(0.5):
            body.append(f"if ({self.truth(1)}) return {self.expr(result, 1)};")
        body.append(f"return {self.expr(result, 2)};")
        self.inside = False
        text = "".join(f"  {line}\n" for line in body)
        self.functions.append(f"{marked}{result} {name}{head} {{\n{text}}}\n")
        self.scalars, self.arrays, self.wholes, self.vectors, self.bits, self.callable, self.frozen = saved
        self.callable.append(name)

    def targets(self) -> list[tuple[str, str]]:
        return [(type, name) for type, names in self.scalars.items() for name in names if name not in self.frozen]

    def simple(self) -> list[str]:
        """A line that assigns or declares."""
        kind = self.random.randrange(6)
        targets = self.targets()
        if kind < 2 and targets:
            type, name = self.random.choice(targets)
            return [f"{name} {self.pick('=', '+=', '^=')} {self.expr(type)};"]
        if kind == 2 and self.arrays:
            name, type, length = self.random.choice(self.arrays)
            return [f"{name}[{self.index(length)}] {self.pick('=', '+=')} {self.expr(type)};"]
        if kind == 3 and self.wholes:
            return [f"{self.pick(*self.wholes)}.{self.field()} = {self.expr('uint')};"]
        type = self.pick(*INTEGERS)
        name = self.name("v")
        lines = [f"{type} {name} = {self.expr(type)};"]
        if self.depth == 0:
            self.scalars.setdefault(type, []).append(name)
        return lines

    def statement(self) -> list[str]:
        kinds = [self.simple, self.simple, self.array, self.pointer, self.aggregate, self.vector, self.choice]
        kinds += [self.loop, self.cases, self.cursors, self.pun, self.whole_numbers, self.overflow]
        return self.random.choice(kinds)()

    def block(self) -> list[str]:
        self.depth += 1
        lines: list[str] = []
        for _ in range(self.random.randrange(1, 4)):
            lines += self.simple() if self.depth > 2 or self.maybe(0.6) else self.statement()
        self.depth -= 1
        return ["  " + line for line in lines]

    def array(self) -> list[str]:
        type, length, name = self.pick(*INTEGERS), self.random.choice((2, 4, 8, 16)), self.name("a")
        values = ", ".join(self.expr(type, 1) for _ in range(self.random.randrange(1, length + 1)))
        if self.depth == 0:
            self.arrays.append((name, type, length))
        return [f"{type} {name}[{length}] = {{ {values} }};"]

    def pointer(self) -> list[str]:
        """To one of several objects, and what is done through it."""
        p, q = self.name("p"), self.name("q")
        places = ["&u", f"&base[{self.index(8)}]", "w.row", "&w.part.a", f"base + ({self.index(4)})"]
        lines = [f"PRIVATE uint *{p} = {self.truth(1)} ? {self.pick(*places)} : {self.pick(*places)};"]
        lines.append(f"*{p} {self.pick('=', '+=')} {self.expr('uint', 2)};")
        if self.maybe(0.5):
            lines.append(f"PRIVATE uint *{q}[2] = {{ {p}, {self.pick(*places)} }};")
            lines.append(f"*{q}[{self.index(2)}] ^= {self.expr('uint', 1)};")
        if self.maybe(0.5):
            lines.append(f"acc += {p} == {self.pick(*places)};")
        if self.maybe(0.5):
            lines.append(f"PRIVATE uint *{q}d = base + ({self.index(8)}); acc = acc * 5 + (ulong)({q}d - base);")
        if self.maybe(0.3):
            lines.append(f"if ({self.truth(1)}) {p} = 0; if ({p}) acc ^= *{p};")
        return lines

    def aggregate(self) -> list[str]:
        name = self.name("w")
        kind = self.random.randrange(4)
        if kind == 0:
            lines = [f"Whole {name} = {self.pick(*self.wholes)};"]
        elif kind == 1:
            lines = [f"Whole {name} = {self.truth(1)} ? {self.pick(*self.wholes)} : {self.pick(*self.wholes)};"]
        elif kind == 2:
            lines = [f"Whole {name}[2] = {{ w, w }};"]
            lines.append(f"{name}[{self.index(2)}].{self.field()} = {self.expr('uint', 2)};")
            lines.append(f"w = {name}[{self.index(2)}];")
            return lines
        else:
            lines = [f"Whole {name} = {{ 0 }};", f"{name}.part = PARTS[{self.pick('u', 'n', 'g')} % 3];"]
        if self.depth == 0:
            self.wholes.append(name)
        return lines

    def vector(self) -> list[str]:
        type, length = self.random.choice(VECTORS)
        known = [name for name, other, count in self.vectors if (other, count) == (type, length)]
        name = self.name("x")
        values = ", ".join(self.expr(type, 1) for _ in range(length))
        lines = [f"{type}{length} {name} = {{ {values} }};"]
        for other in known[:2]:
            lines.append(f"{name} = {name} {self.pick('+', '-', '*', '^', '&')} {other};")
        if self.maybe(0.4):
            by = self.random.randrange(BITS[type])
            lines.append(f"{name} = {name} {self.pick('>>', '<<')} ({type}{length})({by});")
        if self.maybe(0.4) and length in (2, 4):
            order = self.pick("yx", "xx") if length == 2 else self.pick("wzyx", "xxzw", "yzwx")
            lines.append(f"{name} = {name}.{order};")
        if self.maybe(0.4) and length & 1 == 0:
            lines.append(f"{name}[{self.index(length)}] = {self.expr(type, 1)};")
        if self.maybe(0.3) and known:
            compared = f"{name} {self.pick('<', '==', '>')} {known[0]}"
            lines.append(f"{name} ^= __builtin_convertvector({compared}, {type}{length});")
        if self.maybe(0.3):
            lines.append(f"{name} = __builtin_elementwise_max({name}, ({type}{length})({self.expr(type, 0)}));")
        if self.maybe(0.3):
            lines.append(f"acc += (ulong)__builtin_reduce_{self.pick('add', 'xor', 'max')}({name});")
        if self.depth == 0:
            self.vectors.append((name, type, length))
        return lines

    def choice(self) -> list[str]:
        lines = [f"if ({self.truth()}) {{", *self.block()]
        return [*lines, "} else {", *self.block(), "}"] if self.maybe(0.5) else [*lines, "}"]

    def loop(self) -> list[str]:
        z = self.name("z")
        turns = self.random.randrange(1, 9)
        bound = str(turns) if self.maybe(0.5) else f"({self.expr('uint', 1)} & {turns})"
        inner = self.block()
        if self.maybe(0.4):
            left = f"  if ({self.truth(1)}) {self.pick('break', 'continue')};"
            inner.insert(self.random.randrange(len(inner) + 1), left)
        if self.maybe(0.3):
            return [f"for (uint {z} = 0, {z}e = {bound}; {z} < {z}e; {z}++) acc += {z} * {self.expr('uint', 0)};"]
        if self.maybe(0.3):
            return [f"{{ uint {z} = 0; while ({z}++ < {turns}) {{", *inner, "} }"]
        return [f"for (uint {z} = 0; {z} < {bound} && {z} < 9; {z}++) {{", f"  acc = acc * 31 + {z};", *inner, "}"]

    def cases(self) -> list[str]:
        lines = [f"switch ({self.expr('uint', 2)} {self.pick('% 5', '& 7')}) {{"]
        numbers = self.random.sample(range(8), self.random.randrange(2, 6))
        for number in numbers:
            lines += [f"case {number}:", *self.block()]
            if self.maybe(0.7):
                lines.append("  break;")
        return [*lines, "default:", *self.block(), "}"]

    def cursors(self) -> list[str]:
        """A pointer in a struct, that goes through an array."""
        name = self.name("c")
        lines = [f"Cursor {name} = {{ base, {self.random.randrange(1, 3)} }};"]
        lines.append(f"if ({self.truth(1)}) {name}.at = w.row;")
        lines.append(f"for (uint z = 0; z < 2; z++) {{ acc += *{name}.at; {name}.at += {name}.step & 1; }}")
        return lines

    def pun(self) -> list[str]:
        name = self.name("b")
        lines = [f"Bits {name}; {name}.word = {self.expr('uint', 2)};"]
        part = self.pick(f"bytes[{self.index(4)}]", f"halves[{self.index(2)}]")
        lines.append(f"{name}.{part} = {self.expr('uchar', 1)};")
        lines.append(f"((PRIVATE uchar *)base)[{self.index(32)}] += {self.expr('uchar', 1)};")
        if self.depth == 0:
            self.bits.append(name)
        return lines

    def whole_numbers(self) -> list[str]:
        """Floats, as whole numbers that they hold exactly."""
        name = self.name("f")
        type = self.pick("float", "double")
        lines = [f"{type} {name} = ({type})({self.expr('short', 2)});"]
        lines.append(f"{name} = {name} {self.pick('+', '-')} ({type})({self.expr('uchar', 1)}) * 2;")
        lines.append(f"if ({name} {self.pick('<', '>', '==')} 100) {name} = -{name};")
        lines.append(f"acc += (ulong)(long){name};")
        return lines

    def overflow(self) -> list[str]:
        name = self.name("o")
        type = self.pick("int", "uint", "long", "ulong")
        operation = self.pick("add", "sub", "mul")
        lines = [f"{type} {name};"]
        lines.append(f"acc += __builtin_{operation}_overflow({self.expr(type, 1)}, {self.expr(type, 1)}, &{name});")
        lines.append(f"acc ^= (ulong){name};")
        return lines

    def closing(self) -> list[str]:
        lines: list[str] = []
        for type, names in self.scalars.items():
            lines += [f"acc = acc * 31 + (ulong){name};" for name in names if type != "ulong"]
        for name, _, length in self.arrays:
            lines.append(f"for (uint z = 0; z < {length}; z++) acc = acc * 31 + (ulong){name}[z];")
        for name in self.wholes:
            lines.append(f"acc = acc * 31 + {name}.wide + {name}.part.a * 3 + (ulong){name}.part.b + {name}.part.c;")
            lines.append(f"for (uint z = 0; z < 3; z++) acc = acc * 31 + {name}.row[z];")
        for name, _, length in self.vectors:
            lines += [f"acc = acc * 31 + (ulong){name}[{index}];" for index in range(length)]
        lines += [f"acc = acc * 31 + {name}.word;" for name in self.bits]
        lines += [f"out[g * {MADE}] = (uint)acc;", f"out[g * {MADE} + 1] = (uint)(acc >> 32);"]
        lines += [f"out[g * {MADE} + 2] = u;", f"out[g * {MADE} + 3] = (uint)i;", f"out[g * {MADE} + 4] = base[n & 7];"]
        return [*lines, f"out[g * {MADE} + 5] = (uint)w.wide;"]
