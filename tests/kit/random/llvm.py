"""Random functions in LLVM IR, and what they give natively: LLVM compiles them for this machine, and they are called.

    seed ──▶ define i64 @f(i64 %a, i64 %b, i64 %c) { ... }    integers, floats, vectors, intrinsics, branches, switches
               │──▶ LLVM's own code generator, called with rows of corner cases
               └──▶ a kernel that calls @f for each row: what the project reads, runs and writes

Nothing in them is undefined: shifts are masked, divisors positive, and floats become integers by the saturating
conversions alone. What is not a number is compared as such, by class, since LLVM leaves its bits open.
"""

import ctypes
import random

import llvmlite.binding as llvm

INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("float", "double")
VECTORS = ("<2 x i32>", "<4 x i16>", "<3 x i8>", "<2 x i64>", "<4 x float>")
NAMES = {
    "float": "f32", "double": "f64", "<2 x i32>": "v2i32", "<4 x i16>": "v4i16", "<3 x i8>": "v3i8",
    "<2 x i64>": "v2i64", "<4 x float>": "v4f32",
}  # fmt: skip
TWO = ("umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat")
ONE = ("ctpop", "bitreverse", "bswap")
OVERFLOWS = ("uadd", "usub", "umul", "sadd", "ssub", "smul")
PLAIN = ("add", "sub", "mul", "and", "or", "xor")
PREDICATES = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
ORDERS = ("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno")
FLOAT_TWO = ("minimum", "maximum", "minimumnum", "maximumnum", "copysign")
FLOAT_ONE = ("fabs", "floor", "ceil", "trunc", "rint", "round", "roundeven", "canonicalize")
CORNERS = (
    0, 1, 2, 3, 7, 8, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 32,
    (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 0x123456789ABCDEF0, 0x3F800000, 0xBFC00000, 0x7F800000, 0xFF800000,
    0x7FC00000, 0x00000001, 0x80000000, 0x3FF8000000000000, 0xC0E0000000000000, 0x41E0000000000000, 0x4F000000,
    0x5F000000, 0x7FF0000000000000, 0x7FF8000000000000, 0x3F000000, 0xBF000000, 0x40200000,
)  # fmt: skip


class Function:
    """`text` is the function, with the declarations it needs."""

    def __init__(self, seed: int, steps: int = 14) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.declared: dict[str, None] = {}
        self.count = 0
        self.values: dict[str, list[str]] = {}  # by type
        self.have("i64", "%a")
        self.have("i64", "%b")
        self.have("i64", "%c")
        for type in ("i32", "i16", "i8"):
            self.put(type, f"trunc i64 {self.any('i64')} to {type}")
        self.put("float", f"bitcast i32 {self.any('i32')} to float")
        self.put("double", f"bitcast i64 {self.any('i64')} to double")
        self.put("i1", f"icmp slt i64 {self.any('i64')}, {self.any('i64')}")
        for _ in range(steps):
            self.random.choice((self.integer, self.integer, self.convert, self.real, self.vector, self.branch))()
        result = self.any("i64")
        for type in ("i32", "i16", "i8", "i1", "float", "double"):
            result = self.put("i64", f"xor i64 {result}, {self.as_long(type, self.values[type][-1])}")
        self.lines.append(f"  ret i64 {result}")
        body = "\n".join(self.lines)
        self.text = f"define i64 @f(i64 %a, i64 %b, i64 %c) {{\n{body}\n}}\n" + "".join(self.declared)

    # --- values -------------------------------------------------------------------------------------------------------

    def have(self, type: str, name: str) -> str:
        self.values.setdefault(type, []).append(name)
        return name

    def put(self, type: str, what: str) -> str:
        self.count += 1
        self.lines.append(f"  %v{self.count} = {what}")
        return self.have(type, f"%v{self.count}")

    def any(self, type: str) -> str:
        known = self.values.get(type)
        if known is None:
            return self.build(type)
        return known[-1] if self.random.random() < 0.3 else self.random.choice(known)

    def build(self, type: str) -> str:
        """A vector, component by component."""
        count, element = int(type[1]), type[5:-1]
        made = "poison" if self.random.random() < 0.5 else "zeroinitializer"
        for index in range(count):
            made = self.put(type, f"insertelement {type} {made}, {element} {self.any(element)}, i32 {index}")
            if index < count - 1:
                self.values[type].pop()
        return made

    def call(self, result: str, name: str, *operands: tuple[str, str]) -> str:
        types = ", ".join(type for type, _ in operands)
        self.declared[f"declare {result} @llvm.{name}({types})\n"] = None
        given = ", ".join(f"{type} {value}" for type, value in operands)
        return f"call {result} @llvm.{name}({given})"

    def as_long(self, type: str, value: str) -> str:
        """The bits of a value; of what is not a number always the same."""
        if type in FLOATS:
            width = "i32" if type == "float" else "i64"
            odd = self.put("i1", f"fcmp uno {type} {value}, {value}")
            bits = self.put(width, f"bitcast {type} {value} to {width}")
            value = self.put(width, f"select i1 {odd}, {width} 77, {width} {bits}")
            type = width
        return value if type == "i64" else self.put("i64", f"zext {type} {value} to i64")

    # --- steps --------------------------------------------------------------------------------------------------------

    def integer(self) -> None:
        type = self.random.choice((*INTEGERS, *VECTORS[:4]))
        self.number(type, type.startswith("<"))

    def number(self, type: str, is_vector: bool) -> None:
        element = type[5:-1] if is_vector else type
        width = int(element[1:])
        name = NAMES.get(type, type)
        a, b = self.any(type), self.any(type)

        def splat(number: int) -> str:
            one = f"{element} {number}"
            return f"<{', '.join([one] * int(type[1]))}>" if is_vector else str(number)

        kind = self.random.randrange(12)
        if kind < 3:
            self.put(type, f"{self.random.choice(PLAIN)} {type} {a}, {b}")
        elif kind == 3:
            by = self.put(type, f"and {type} {b}, {splat(width - 1)}")
            word = self.random.choice(("shl", "lshr", "ashr", "ushl.sat", "sshl.sat"))
            if "." in word:
                self.put(type, self.call(type, f"{word}.{name}", (type, a), (type, by)))
            else:
                self.put(type, f"{word} {type} {a}, {by}")
        elif kind == 4:
            low = self.put(type, f"and {type} {b}, {splat((1 << width - 1) - 1)}")
            by = self.put(type, f"or {type} {low}, {splat(1)}")
            self.put(type, f"{self.random.choice(('udiv', 'sdiv', 'urem', 'srem'))} {type} {a}, {by}")
        elif kind == 5:
            one = self.random.choice(ONE if width > 8 else ONE[:2])
            self.put(type, self.call(type, f"{one}.{name}", (type, a)))
        elif kind == 6:
            one = self.random.choice(("ctlz", "cttz", "abs"))
            self.put(type, self.call(type, f"{one}.{name}", (type, a), ("i1", "false")))
        elif kind == 7:
            word = self.random.choice(("fshl", "fshr"))
            self.put(type, self.call(type, f"{word}.{name}", (type, a), (type, b), (type, self.any(type))))
        elif kind == 8 and not is_vector:
            word = self.random.choice(OVERFLOWS)
            pair = f"{{ {type}, i1 }}"
            self.count += 1
            both = f"%v{self.count}"
            self.lines.append(f"  {both} = {self.call(pair, f'{word}.with.overflow.{name}', (type, a), (type, b))}")
            self.put(type, f"extractvalue {pair} {both}, 0")
            self.put("i1", f"extractvalue {pair} {both}, 1")
        elif kind == 9 and not is_vector:
            result = self.random.choice(INTEGERS)
            word = self.random.choice(("scmp", "ucmp"))
            self.put(result, self.call(result, f"{word}.{result}.{name}", (type, a), (type, b)))
        elif kind == 10 and not is_vector:
            truth = self.put("i1", f"icmp {self.random.choice(PREDICATES)} {type} {a}, {b}")
            self.put(type, f"select i1 {truth}, {type} {b}, {type} {self.any(type)}")
        else:
            self.put(type, self.call(type, f"{self.random.choice(TWO)}.{name}", (type, a), (type, b)))

    def convert(self) -> None:
        kind = self.random.randrange(6)
        a, b = sorted(self.random.sample(range(4), 2))
        narrow, wide = INTEGERS[a], INTEGERS[b]
        if kind == 0:
            self.put(narrow, f"trunc {wide} {self.any(wide)} to {narrow}")
        elif kind == 1:
            self.put(wide, f"{self.random.choice(('zext', 'sext'))} {narrow} {self.any(narrow)} to {wide}")
        elif kind == 2:
            self.put(wide, f"{self.random.choice(('zext', 'sext'))} i1 {self.any('i1')} to {wide}")
        elif kind == 3:
            real = self.random.choice(FLOATS)
            word = self.random.choice(("fptosi.sat", "fptoui.sat"))
            self.put(wide, self.call(wide, f"{word}.{wide}.{NAMES[real]}", (real, self.any(real))))
        elif kind == 4:
            real = self.random.choice(FLOATS)
            self.put(real, f"{self.random.choice(('sitofp', 'uitofp'))} {wide} {self.any(wide)} to {real}")
        elif self.random.random() < 0.5:
            self.put("double", f"fpext float {self.any('float')} to double")
        else:
            self.put("i1", f"trunc {wide} {self.any(wide)} to i1")

    def real(self) -> None:
        type = self.random.choice(FLOATS)
        a, b = self.any(type), self.any(type)
        kind = self.random.randrange(8)
        if kind < 2:
            self.put(type, f"{self.random.choice(('fadd', 'fsub', 'fmul', 'fdiv'))} {type} {a}, {b}")
        elif kind == 2:
            self.put(type, self.call(type, f"{self.random.choice(FLOAT_TWO)}.{NAMES[type]}", (type, a), (type, b)))
        elif kind == 3:
            self.put(type, self.call(type, f"{self.random.choice(FLOAT_ONE)}.{NAMES[type]}", (type, a)))
        elif kind == 4:
            mask = self.random.randrange(1, 1024)
            self.put("i1", self.call("i1", f"is.fpclass.{NAMES[type]}", (type, a), ("i32", str(mask))))
        elif kind == 5:
            self.put("i1", f"fcmp {self.random.choice(ORDERS)} {type} {a}, {b}")
        elif kind == 6:
            truth = self.any("i1")
            self.put(type, f"select i1 {truth}, {type} {a}, {type} {b}")
        else:
            self.put(type, f"fneg {type} {a}")

    def vector(self) -> None:
        type = self.random.choice(VECTORS)
        count, element = int(type[1]), type[5:-1]
        whole = self.any(type)
        kind = self.random.randrange(4)
        if kind == 0:
            picks = ", ".join(f"i32 {self.random.randrange(2 * count)}" for _ in range(count))
            self.put(type, f"shufflevector {type} {whole}, {type} {self.any(type)}, <{count} x i32> <{picks}>")
        elif kind == 1 and element != "float":
            word = self.random.choice(("add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"))
            self.put(element, self.call(element, f"vector.reduce.{word}.{NAMES[type]}", (type, whole)))
        elif kind == 2 and element != "float":
            test = f"icmp {self.random.choice(PREDICATES)} {type} {whole}, {self.any(type)}"
            truths = self.put(f"<{count} x i1>", test)
            self.put(type, f"select <{count} x i1> {truths}, {type} {whole}, {type} {self.any(type)}")
        else:
            self.put(element, f"extractelement {type} {whole}, i32 {self.random.randrange(count)}")

    def branch(self) -> None:
        """A diamond, or a switch on any integer type; phis of the values and of constants."""
        self.count += 1
        here = self.count
        type = self.random.choice(INTEGERS)
        targets = ["x", "y", "z"][: self.random.randrange(2, 4)]
        if self.random.random() < 0.4:
            self.lines.append(f"  br i1 {self.any('i1')}, label %x{here}, label %y{here}")
            targets = ["x", "y"]
        else:
            literals = self.random.sample((-128, -1, 0, 1, 2, 77, 127), 3)
            cases = " ".join(
                f"{type} {literal}, label %{self.random.choice(targets)}{here}" for literal in literals
            )
            self.lines.append(f"  switch {type} {self.any(type)}, label %{targets[0]}{here} [ {cases} ]")
            if len([t for t in targets if f"%{t}{here}" in self.lines[-1]]) < len(targets):
                self.lines.pop()
                self.lines.append(f"  br i1 {self.any('i1')}, label %x{here}, label %y{here}")
                targets = ["x", "y"]
        known = {key: list(names) for key, names in self.values.items()}
        ends: list[str] = []
        for name in targets:
            self.lines.append(f"{name}{here}:")
            self.number(type, False)
            ends.append(self.values[type][-1] if self.random.random() < 0.7 else str(self.random.randrange(-9, 99)))
            self.values = {key: list(names) for key, names in known.items()}
            self.lines.append(f"  br label %m{here}")
        self.lines.append(f"m{here}:")
        pairs = ", ".join(f"[ {value}, %{name}{here} ]" for name, value in zip(targets, ends, strict=True))
        self.put(type, f"phi {type} {pairs}")


def rows(seed: int, count: int) -> list[tuple[int, int, int]]:
    """Arguments: corner cases and their neighbours."""
    source = random.Random(seed)

    def one() -> int:
        number = source.choice(CORNERS) if source.random() < 0.8 else source.getrandbits(64)
        return (number << source.choice((0, 0, 0, 32))) + source.choice((0, 0, 1, -1)) & (1 << 64) - 1

    return [(one(), one(), one()) for _ in range(count)]


def native(text: str, given: list[tuple[int, int, int]]) -> list[int]:
    """What LLVM's code for this machine returns."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(text)
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=0)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    call = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)(
        engine.get_function_address("f")
    )
    return [int(call(*row)) for row in given]


def kernel(text: str, count: int) -> str:
    """`count` invocations: each reads three numbers and stores what @f gives for them."""
    return f"""{text}
declare i32 @_Z13get_global_idj(i32)
define spir_kernel void @main(ptr addrspace(1) %in, ptr addrspace(1) %out) !reqd_work_group_size !0 {{
  %i = call i32 @_Z13get_global_idj(i32 0)
  %p = getelementptr [3 x i64], ptr addrspace(1) %in, i32 %i
  %a = load i64, ptr addrspace(1) %p
  %q = getelementptr i64, ptr addrspace(1) %p, i32 1
  %b = load i64, ptr addrspace(1) %q
  %s = getelementptr i64, ptr addrspace(1) %p, i32 2
  %c = load i64, ptr addrspace(1) %s
  %r = call i64 @f(i64 %a, i64 %b, i64 %c)
  %o = getelementptr i64, ptr addrspace(1) %out, i32 %i
  store i64 %r, ptr addrspace(1) %o
  ret void
}}
!0 = !{{i32 {count}, i32 1, i32 1}}
"""
