"""Random programs that set objects under conditions, and call them under others: what is taken calls nothing unset.

    if (b0 && n1 == 2) { f = A(n0); b1 = true; }  while (..) { switch (n0) { .. } }  if (b1) r += f.foo(1);

What `specialize-dispatch{uninitialized=paths}` takes is run as it was: the simulator tells of a call of what was never
set. Afterwards it stores the same. Each lane has its own numbers, so that 64 ways are gone at a time.
"""

from random import Random

import pytest

import reknit
from reknit.ir.module import Module
from reknit.passes.manager import run_passes
from reknit.source.diagnostic import InputError

PASSES = "specialize-dispatch{uninitialized=paths}, lower-dispatch"
LANES = 64
HEAD = """RWStructuredBuffer<int> out;
RWStructuredBuffer<int> data;
interface IFoo { int foo(int v); }
struct A : IFoo { int a; int foo(int v) { return v + a; } }
struct B : IFoo { int b; int foo(int v) { return v * b; } }
bool flip(inout bool b, int n) { b = !b; return n > 1; }
void fill(inout IFoo f, int n) { if (n > 1) f = A(n); }
[shader("compute")] [numthreads(64, 1, 1)]
void main(uint3 tid : SV_DispatchThreadID)
{
    int t = int(tid.x);
    int r = 0;
    int n0 = data[t];
    int n1 = data[t + 64];
    bool b0 = false;
    bool b1 = data[t + 128] > 1;
    bool b2 = false;
    IFoo f;
    IFoo g;
    IFoo h = A(1);
    if (b1) h = B(2);
    r = h.foo(3);
"""
FLAGS = {"f": "b0", "g": "b2"}
END = """    out[t] = r;
}
"""


class Writer:
    """One program. `deep` is how deep statements nest, `loops` how many loops are open."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines: list[str] = []
        self.loops = 0
        self.names = 0

    def program(self) -> str:
        for _ in range(self.random.randrange(3, 8)):
            self.statement(1)
        self.call(1)
        return HEAD + "".join(self.lines) + END

    def line(self, deep: int, text: str) -> None:
        self.lines.append("    " * deep + text + "\n")

    def bool(self) -> str:
        """Least often a flag."""
        return self.random.choice(["b0", "b1", "b1", "b1", "b2"])

    def number(self) -> str:
        return self.random.choice(["n0", "n1"])

    def condition(self, deep: int = 0) -> str:
        kind = self.random.randrange(8 if deep < 2 else 5)
        if kind < 3:
            return self.random.choice(["", "", "!"]) + self.bool()
        if kind < 5:
            compared = self.random.choice(["==", "!=", "<", ">=", ">", "<="])
            return f"({self.number()} {compared} {self.random.randrange(4)})"
        joined = self.random.choice(["&&", "||"])
        return f"({self.condition(deep + 1)} {joined} {self.condition(deep + 1)})"

    def object(self) -> str:
        return self.random.choice(["f", "g"])

    def set(self, deep: int) -> None:
        """An object, and most often its flag with it."""
        changed = self.object()
        self.line(deep, f"{changed} = {self.random.choice('AB')}({self.number()});")
        if self.random.random() < 0.9:
            self.line(deep, f"{FLAGS[changed]} = true;")

    def call(self, deep: int) -> None:
        called = self.object()
        asked = self.condition() if self.random.random() < 0.2 else FLAGS[called]
        asked += f" && {self.condition()}" if self.random.random() < 0.3 else ""
        self.line(deep, f"if ({asked})")
        text = f"r += {called}.foo({self.number()});"
        if self.random.random() < 0.2:
            text = f"r += ({called} is A) ? 1 : 2;"
        self.line(deep + 1, text)

    def block(self, deep: int) -> None:
        for _ in range(self.random.randrange(1, 4)):
            self.statement(deep)

    def statement(self, deep: int) -> None:
        kind = self.random.randrange(16)
        if kind < 4 or deep > 3:
            self.small(deep)
        elif kind < 10:
            self.line(deep, f"if ({self.condition()}) {{")
            self.set(deep + 1)
            if self.random.random() < 0.5:
                self.block(deep + 1)
            if self.random.random() < 0.4:
                self.line(deep, "} else {")
                self.block(deep + 1)
            self.line(deep, "}")
        elif kind < 12:
            self.names += 1
            name = f"i{self.names}"
            self.line(
                deep, f"for (int {name} = 0; {name} < {self.random.choice(['3', '(n0 & 3)', '(n1 & 3)'])}; {name}++) {{"
            )
            self.loops += 1
            self.block(deep + 1)
            self.loops -= 1
            self.line(deep, "}")
        elif kind < 14:
            self.line(deep, f"switch ({self.number()}) {{")
            for label in range(self.random.randrange(1, 4)):
                self.line(deep, f"case {label}:")
                self.block(deep + 1)
                self.line(deep + 1, "break;")
            self.line(deep, "default:")
            self.block(deep + 1)
            self.line(deep + 1, "break;")
            self.line(deep, "}")
        elif kind == 14:
            self.call(deep)
        else:
            self.line(deep, f"if ({self.condition()}) {self.leave()}")

    def leave(self) -> str:
        if self.loops == 0:
            return "{ out[t] = r; return; }"
        return self.random.choice(["break;", "continue;"])

    def small(self, deep: int) -> None:
        random = self.random
        self.line(
            deep,
            random.choice(
                [
                    f"{self.bool()} = {self.condition()};",
                    f"{self.bool()} = {random.choice(['true', 'false'])};",
                    f"{self.number()} = {random.randrange(4)};",
                    f"{self.number()} += 1;",
                    f"{self.number()} = data[t + {64 * random.randrange(3)}];",
                    f"{self.bool()} = flip({self.bool()}, {self.number()});",
                    f"fill({self.object()}, {self.number()});",
                    "r += 1;",
                ]
            ),
        )
        if random.random() < 0.3:
            self.set(deep)


def stored(module: Module, seed: int) -> list[int]:
    random = Random(seed)
    buffers = {"out": [0] * LANES, "data": [random.randrange(4) for _ in range(3 * LANES)]}
    result = reknit.run(module, subgroup_size=32, buffers=buffers)
    assert not result.failed(), [str(one) for one in result.diagnostics]
    assert result.diagnostics == []
    return result.buffers["out"].words


def taken(source: str, passes: str) -> Module | None:
    """The module after `passes`; None if the dispatch in it is refused."""
    module = reknit.load(source.encode(), format="slang")
    try:
        run_passes(module, passes)
    except InputError as error:
        assert {one.code for one in error.diagnostics} == {"E50101"}
        return None
    return module


@pytest.mark.once
def test_what_is_taken_calls_nothing_that_was_never_set(full: bool) -> None:
    counts = {"refused": 0, "by rule": 0, "by paths": 0}
    for seed in range(600 if full else 30):
        source = Writer(seed).program()
        module = taken(source, PASSES)
        if module is None:
            counts["refused"] += 1
            continue
        counts["by paths" if taken(source, "specialize-dispatch") is None else "by rule"] += 1
        before = reknit.load(source.encode(), format="slang")
        for values in range(2):
            assert stored(before, values) == stored(module, values), source
    assert counts["by paths"] >= (100 if full else 3)
    assert counts["refused"] >= (100 if full else 3)
