"""Random programs with functions as values: chosen, kept, passed, specialized and called in nested control flow.

    random_callables(7)   ->   .rk text: tables, methods, generics, @main over 16 lanes that stores a checksum

A scope has existentials, functions `fn(u32) -> u32`, and generics `fn(%WT, u32) -> u32`. Everything that is called was
set before. Functions whose name begins with `t` have a ballot in them: who runs those together is seen in the result.
"""

import random

from kit.programs.dispatch import HEAD

BALLOT = "  %m = GroupNonUniformBallot Subgroup true : vec4<u32>\n  %m0 = CompositeExtract %m 0 : u32\n"
MAX_CALLS = 24
"""As many calls a program: each may have some effect on those after it."""


class Scope:
    """The names that may be used at a place."""

    def __init__(self, objects: list[str], functions: list[str], generics: list[str]) -> None:
        self.objects = objects
        self.functions = functions
        self.generics = generics

    def inner(self) -> "Scope":
        return Scope(list(self.objects), list(self.functions), list(self.generics))


class Callables:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.calls = 0
        self.lines: list[str] = []
        self.names: list[str] = []
        self.generics: list[str] = []
        self.last = ""
        self.tables = 0

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"%{prefix}{self.count}"

    def emit(self, prefix: str, code: str) -> str:
        name = self.fresh(prefix)
        self.lines.append(f"  {name} = {code}\n")
        return name

    def text(self) -> str:
        self.tables = self.random.randint(2, 3)
        functions = ""
        for index in range(self.random.randint(2, 4)):
            functions += self.function(f"p{'abcd'[index]}", "%v: u32", index * 7 + 1)
            self.names.append(self.last)
        lines = ""
        for index in range(self.tables):
            lines += f"%T{index} = TypeStruct u32\n"
            own = self.random.choice(self.names)
            methods: list[str] = []
            for key in ("foo", "bar"):
                if methods and self.random.random() < 0.3:
                    methods.append(methods[0])
                    continue
                functions += self.function(f"m{key}{'abc'[index]}", f"%this: %T{index}, %v: u32", index * 100 + 11)
                methods.append(self.last)
            entries = f"%make, @{own}, %foo, @{methods[0]}, %bar, @{methods[1]}"
            lines += f"%W{index} = WitnessTable %T{index} {index} {entries} : %WT\n"
        generics = "".join([self.generic(f"g{'ab'[index]}") for index in range(2)])
        main = self.main()
        return (
            HEAD.replace("LocalSize 64", "LocalSize 16")
            + '%make = Requirement "make" : %IFoo\n%bar = Requirement "bar" : %IFoo\n%F = TypeFunction u32, u32\n'
            + "%G = TypeFunction u32, %WT, u32\n%M = TypeFunction u32, %This, u32\n%pair = TypeArray %F, 2u\n"
            + "%held = TypeStruct u32, %F\n"
            + lines
            + functions
            + generics
            + HELPERS
            + main
        )

    def function(self, name: str, params: str, extra: int) -> str:
        """v * 3 + extra, and for some who is here; `last` is what it is called."""
        tangled = self.random.random() < 0.6
        self.last = ("t" if tangled else "u") + name
        last = "  %r = BitwiseXor %s, %m0 : u32\n" if tangled else "  %r = CopyObject %s : u32\n"
        return f"""
func @{self.last}({params}) -> u32 {{
{BALLOT if tangled else ""}  %c = IMul %v, 3u : u32
  %s = IAdd %c, {extra}u : u32
{last}  return %r
}}
"""

    def generic(self, name: str) -> str:
        tangled = self.random.random() < 0.6
        full = ("t" if tangled else "u") + name
        self.generics.append(full)
        return f"""
func @{full}(%W: %WT, %v: u32) -> u32 {{
{BALLOT if tangled else ""}  %f = LookupWitness %W, %make : %F
  %a = CallDynamic %f, %v : u32
  %n = GetSequentialId %W : u32
  %s = IAdd %a, %n : u32
  %r = {"BitwiseXor %s, %m0" if tangled else "CopyObject %s"} : u32
  return %r
}}
"""

    def main(self) -> str:
        scope = Scope([], ["@" + name for name in self.names], ["@" + name for name in self.generics])
        self.make(scope)
        for place in ("%one", "%two0", "%two1"):
            self.lines.append(f"  Store {place}, {self.random.choice(scope.functions)}\n")
        self.lines.append("  Store %acc, 0u\n")
        self.statements(scope, 3, self.random.randint(6, 12))
        self.call(scope)
        return f"""
func @main() -> void {{
  %acc = Variable Function : ptr<Function, u32>
  %one = Variable Function : ptr<Function, %F>
  %two = Variable Function : ptr<Function, %pair>
  %lane = Load %lane_in : u32
  %low = BitwiseAnd %lane, 1u : u32
  %at = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
  %two0 = AccessChain %two, 0u : ptr<Function, %F>
  %two1 = AccessChain %two, 1u : ptr<Function, %F>
{"".join(self.lines)}  %end = Load %acc : u32
  Store %at, %end
  return
}}
"""

    # --- statements ---------------------------------------------------------------------------------------------------

    def statements(self, scope: Scope, depth: int, count: int) -> None:
        for _ in range(count):
            kind = self.random.randrange(11)
            if kind == 0:
                self.make(scope)
            elif kind == 1:
                self.look_up(scope)
            elif kind == 2:
                self.specialize(scope)
            elif kind == 3:
                self.select(scope)
            elif kind == 4:
                self.lines.append(f"  Store {self.place()}, {self.random.choice(scope.functions)}\n")
            elif kind == 5:
                scope.functions.append(self.emit("f", f"Load {self.place()} : %F"))
            elif kind == 6:
                self.pass_on(scope)
            elif kind == 7 and depth > 0:
                self.choice(scope, depth)
            elif kind == 8:
                self.method(scope)
            else:
                self.call(scope)

    def condition(self) -> str:
        bit = self.emit("i", f"BitwiseAnd %lane, {self.random.choice((1, 2, 4, 8))}u : u32")
        return self.emit("t", f"IEqual {bit}, 0u : bool")

    def place(self) -> str:
        if self.random.random() < 0.3:
            return self.emit("q", "AccessChain %two, %low : ptr<Function, %F>")
        return self.random.choice(("%one", "%two0", "%two1"))

    def make(self, scope: Scope) -> None:
        table = self.random.randrange(self.tables)
        value = self.emit("v", f"CompositeConstruct %lane : %T{table}")
        made = self.emit("e", f"MakeExistential {value}, %W{table} : %IFoo")
        if scope.objects and self.random.random() < 0.7:
            test = self.condition()
            made = self.emit("e", f"Select {test}, {made}, {self.random.choice(scope.objects)} : %IFoo")
        scope.objects.append(made)

    def table(self, scope: Scope) -> str:
        return self.emit("w", f"ExtractExistentialWitnessTable {self.random.choice(scope.objects)} : %WT")

    def look_up(self, scope: Scope) -> None:
        scope.functions.append(self.emit("f", f"LookupWitness {self.table(scope)}, %make : %F"))

    def specialize(self, scope: Scope) -> None:
        generic = self.random.choice(scope.generics)
        if self.random.random() < 0.5:
            test = self.condition()
            generic = self.emit("g", f"Select {test}, {generic}, {self.random.choice(scope.generics)} : %G")
            scope.generics.append(generic)
        scope.functions.append(self.emit("f", f"Specialize {generic}, {self.table(scope)} : %F"))

    def select(self, scope: Scope) -> None:
        test = self.condition()
        first, second = self.random.choice(scope.functions), self.random.choice(scope.functions)
        scope.functions.append(self.emit("f", f"Select {test}, {first}, {second} : %F"))

    def pass_on(self, scope: Scope) -> None:
        first, second = self.random.choice(scope.functions), self.random.choice(scope.functions)
        if self.random.random() < 0.5:
            test = self.condition()
            scope.functions.append(self.emit("f", f"FunctionCall @choose {first}, {second}, {test} : %F"))
        elif self.calls < MAX_CALLS:
            self.add(self.emit("r", f"FunctionCall @apply {first}, {self.last_value()} : u32"))

    def choice(self, scope: Scope, depth: int) -> None:
        test = self.condition()
        self.lines.append(f"  if {test} {{\n")
        yes, no = self.fresh("b"), self.fresh("b")
        arms: list[str] = []
        for label in (yes, no):
            inner = scope.inner()
            self.statements(inner, depth - 1, self.random.randint(1, 4))
            self.lines.append(f"  {label}:\n" + ("  } else {\n" if label == yes else "  }\n"))
            arms.append(f"{self.random.choice(inner.functions)} {label}")
        scope.functions.append(self.emit("f", f"Phi {arms[0]}, {arms[1]} : %F"))

    def method(self, scope: Scope) -> None:
        """One of two methods of an object, called with the object."""
        e = self.random.choice(scope.objects)
        w = self.emit("w", f"ExtractExistentialWitnessTable {e} : %WT")
        x = self.emit("x", f"ExtractExistentialValue {e} : %This")
        first = self.emit("f", f"LookupWitness {w}, %foo : %M")
        second = self.emit("f", f"LookupWitness {w}, %bar : %M")
        test = self.condition()
        chosen = self.emit("f", f"Select {test}, {first}, {second} : %M")
        if self.calls < MAX_CALLS:
            self.add(self.emit("r", f"CallDynamic {chosen}, {x}, {self.last_value()} : u32"))

    def call(self, scope: Scope) -> None:
        if self.calls < MAX_CALLS:
            function = self.random.choice(scope.functions)
            if self.random.random() < 0.3:
                held = self.emit("h", f"CompositeConstruct 5u, {function} : %held")
                function = self.emit("f", f"CompositeExtract {held} 1 : %F")
            self.add(self.emit("r", f"CallDynamic {function}, {self.last_value()} : u32"))

    def last_value(self) -> str:
        return self.emit("k", "Load %acc : u32")

    def add(self, value: str) -> None:
        self.calls += 1
        mixed = self.emit("s", f"IAdd {value}, %lane : u32")
        self.lines.append(f"  Store %acc, {mixed}\n")


HELPERS = """
func @choose(%a: %F, %b: %F, %which: bool) -> %F {
  %c = Select %which, %a, %b : %F
  return %c
}

func @apply(%c: %F, %v: u32) -> u32 {
  %r = CallDynamic %c, %v : u32
  return %r
}
"""


def random_callables(seed: int) -> str:
    return Callables(seed).text()
