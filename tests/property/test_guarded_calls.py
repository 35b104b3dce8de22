"""Random programs that set an object and flags under conditions: a call is taken where no run comes to it unset.

f unset; b0 = 0; n0 = input       every state, at every line: what is set, each flag, each number of 0 .. 3
if n0 == 2 { f = A; b0 = 1 }      a call that the analysis takes      is one that no state comes to unset
if b0 { call f }                  one that no state comes to unset    is taken, but for a few

Some programs have a struct of an object `s` and its flag `sb`, too: it is stored whole or by member, loaded whole, and
given to functions that store to it.
"""

import random
from collections import Counter
from collections.abc import Iterator

from kit.text.dispatch_texts import HEAD, MAKE, METHODS, call

from reknit.analysis.typeflow.context import info_at
from reknit.analysis.typeflow.guarded import Guards
from reknit.analysis.typeflow.guarded_walk import all_set
from reknit.analysis.typeflow.solve import type_flow
from reknit.fuzzing.unstructured import flatten
from reknit.ir import op
from reknit.ir.text.parser import parse
from reknit.ir.verify import verify

State = frozenset[tuple[str, int]]  # of an object whether it is set; of a flag or number what it is
Line = tuple[object, ...]
Condition = tuple[object, ...]

OBJECTS = ("f", "g")
FLAGS = ("b0", "b1")
NUMBERS = ("n0", "n1")
VARIABLES = "".join(
    [f"  %{name} = Variable Function : ptr<Function, %IFoo>\n" for name in OBJECTS]
    + [f"  %{name} = Variable Function : ptr<Function, bool>\n" for name in FLAGS]
    + [f"  %{name} = Variable Function : ptr<Function, u32>\n" for name in NUMBERS]
    + ["  %input = AccessChain %buffer, 0, 0, 1 : ptr<StorageBuffer, u32>\n"]
)
RECORD_TYPE = "%Record = TypeStruct %IFoo, bool\n"
RECORD = """  %record = Variable Function : ptr<Function, %Record>
  %s = AccessChain %record, 0u : ptr<Function, %IFoo>
  %sb = AccessChain %record, 1u : ptr<Function, bool>
"""
FUNCTIONS = f"""func @fill(%place: ptr<Function, %IFoo>) -> void {{
{MAKE}  Store %place, %b
  return
}}
func @maybe(%place: ptr<Function, %IFoo>) -> bool {{
{MAKE}  %input = AccessChain %buffer, 0, 0, 1 : ptr<StorageBuffer, u32>
  %number = Load %input : u32
  %some = IEqual %number, 5u : bool
  if %some {{
    Store %place, %b
  }}
  return %some
}}
func @whole(%place: ptr<Function, %Record>) -> void {{
{MAKE}  %new = CompositeConstruct %c, true : %Record
  Store %place, %new
  return
}}
func @look(%place: ptr<Function, %Record>) -> bool {{
  %old = Load %place : %Record
  %flag = CompositeExtract %old 1 : bool
  return %flag
}}
"""
COMPARISONS = {
    "IEqual": lambda a, b: a == b, "INotEqual": lambda a, b: a != b, "ULessThan": lambda a, b: a < b,
    "UGreaterThan": lambda a, b: a > b, "ULessThanEqual": lambda a, b: a <= b,
    "UGreaterThanEqual": lambda a, b: a >= b, "SLessThan": lambda a, b: a < b, "SGreaterThanEqual": lambda a, b: a >= b,
}  # fmt: skip
CONSTRUCTS = ("if", "loop", "switch", "phi")


class Writer:
    """One program: what `printed` writes and `run` goes through."""

    def __init__(self, seed: int, records: bool) -> None:
        self.chance = random.Random(seed)
        self.names = 0
        self.objects = (*OBJECTS, "s", "s") if records else OBJECTS
        self.flags = (*FLAGS, "sb", "sb") if records else FLAGS
        start: list[Line] = [("flag", name, ("const", 0)) for name in FLAGS]
        start += [("number", name, self.chance.choice([None, None, 0, 1])) for name in NUMBERS]
        start += [("flag", "sb", ("const", 0))] if records else []
        self.body = [*start, *self.lines([], 0), self.guarded([]), self.guarded([])]

    def name(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def lines(self, known: list[str], deep: int) -> list[Line]:
        known = list(known)
        count = self.chance.randint(3, 6) if deep == 0 else self.chance.randint(1, 3)
        found: list[Line] = []
        for _ in range(count):
            found += self.line(known, deep)
        return found

    def condition(self, known: list[str], deep: int = 0) -> Condition:
        kind = self.chance.choice(["flag", "flag", "flag", "compare", "compare", "not", "and", "or", "let", "any"])
        if kind == "let" and known:
            return ("let", self.chance.choice(known))
        if kind in ("and", "or") and deep < 2:
            return (kind, self.condition(known, deep + 1), self.condition(known, deep + 1))
        if kind == "not" and deep < 2:
            return (kind, self.condition(known, deep + 1))
        if kind == "compare":
            name = self.chance.choice(NUMBERS)
            return (kind, self.chance.choice(list(COMPARISONS)), name, self.chance.randrange(4))
        if kind == "any":
            return (kind,)
        return ("flag", self.chance.choice(self.flags))

    def guarded(self, known: list[str]) -> Line:
        """A call, mostly under what was noted when its object was set."""
        which = self.chance.randrange(len(self.objects))
        asked: Condition = ("flag", self.flags[which])
        if self.chance.random() < 0.15:
            asked = self.condition(known)
        if self.chance.random() < 0.2:
            asked = ("and", asked, self.condition(known))
        return ("if", asked, [("call", self.objects[which], self.name())], [])

    def setting(self) -> list[Line]:
        which = self.chance.randrange(len(self.objects))
        changed, flag = self.objects[which], self.flags[which]
        if len(self.objects) > 2 and self.chance.random() < 0.5:
            common: list[list[Line]] = [
                [("fill", changed), ("flag", flag, ("const", 1))], [("whole",)], [("made", self.chance.randrange(2))],
                [("pack", self.chance.choice(OBJECTS))],
            ]  # fmt: skip
            rare: list[list[Line]] = [[("maybe", changed, flag)], [("look", flag)], [("unpack", changed, flag)]]
            return self.chance.choice(common if self.chance.random() < 0.9 else rare)
        lines: list[Line] = [("set", changed)]
        if self.chance.random() < 0.85:
            lines.append(("flag", flag, ("const", 1)))
        return lines

    def line(self, known: list[str], deep: int) -> list[Line]:
        chance = self.chance
        kinds = ["flag", "number", "number", "set", "call", "let"]
        kind = chance.choice([*kinds, *(["if"] * 6), "loop", "switch", "phi"] if deep < 2 else kinds)
        if kind == "flag":
            constant: Condition = ("const", chance.randrange(2))
            return [(kind, chance.choice(self.flags), chance.choice([constant, self.condition(known)]))]
        if kind == "number":
            return [(kind, chance.choice(NUMBERS), chance.choice([None, "xor", "and", *range(4)]))]
        if kind == "set":
            return self.setting()
        if kind == "call":
            return [self.guarded(known)]
        if kind == "let":
            made: Line = (kind, self.name(), self.condition(known))
            known.append(str(made[1]))
            return [made]
        if kind == "phi":
            name = self.name()
            arms = [self.setting(), self.lines(known, 2) if chance.random() < 0.3 else []]
            made = (kind, self.condition(known), *arms, name, chance.randrange(2), chance.randrange(2))
            known.append(name)
            return [made]
        if kind == "if":
            arms = [[*self.setting(), *(self.lines(known, deep + 1) if chance.random() < 0.4 else [])], []]
            if chance.random() < 0.4:
                arms[1] = self.lines(known, deep + 1)
            return [(kind, self.condition(known), *arms)]
        if kind == "loop":
            return [(kind, self.condition(known), self.lines(known, deep + 1), self.name())]
        labels = chance.sample(range(4), chance.randint(1, 3))
        cases = [self.setting() + self.lines(known, deep + 1) for _ in labels]
        return [(kind, chance.choice(NUMBERS), labels, cases, self.lines(known, deep + 1))]


class Printer:
    """The text of lines; each read is a load of its own."""

    def __init__(self) -> None:
        self.count = 0

    def fresh(self) -> str:
        self.count += 1
        return f"%t{self.count}"

    def condition(self, at: Condition) -> tuple[list[str], str]:
        kind, *rest = at
        made = self.fresh()
        if kind == "let":
            return [], f"%{rest[0]}"
        if kind == "const":
            return [], "true" if rest[0] else "false"
        if kind == "flag":
            return [f"{made} = Load %{rest[0]} : bool"], made
        if kind == "any":
            return [f"{made}x = Load %input : u32", f"{made} = IEqual {made}x, 7u : bool"], made
        if kind == "compare":
            compared = f"{made} = {rest[0]} {made}x, {rest[2]}u : bool"
            return [f"{made}x = Load %{rest[1]} : u32", compared], made
        parts = [self.condition(part) for part in rest if isinstance(part, tuple)]
        code = {"not": "LogicalNot", "and": "LogicalAnd", "or": "LogicalOr"}[str(kind)]
        lines = [line for before, _ in parts for line in before]
        return [*lines, f"{made} = {code} {', '.join(name for _, name in parts)} : bool"], made

    def printed(self, lines: object) -> Iterator[str]:
        assert isinstance(lines, list)
        for line in lines:
            yield from self.line(line)

    def line(self, line: Line) -> Iterator[str]:
        kind, *rest = line
        made = self.fresh()
        if kind == "set":
            yield f"Store %{rest[0]}, %a"
        elif kind == "fill":
            yield f"{made} = FunctionCall @fill %{rest[0]} : void"
        elif kind == "maybe":
            yield f"{made} = FunctionCall @maybe %{rest[0]} : bool\nStore %{rest[1]}, {made}"
        elif kind == "whole":
            yield f"{made} = FunctionCall @whole %record : void"
        elif kind == "look":
            yield f"{made} = FunctionCall @look %record : bool\nStore %{rest[0]}, {made}"
        elif kind == "made":
            yield f"{made} = CompositeConstruct %a, {'true' if rest[0] else 'false'} : %Record\nStore %record, {made}"
        elif kind == "pack":
            yield f"{made}o = Load %{rest[0]} : %IFoo\n{made}b = Load %{flag_of(str(rest[0]))} : bool"
            yield f"{made} = CompositeConstruct {made}o, {made}b : %Record\nStore %record, {made}"
        elif kind == "unpack":
            yield f"{made} = Load %record : %Record\n{made}o = CompositeExtract {made} 0 : %IFoo"
            yield f"{made}b = CompositeExtract {made} 1 : bool"
            yield f"Store %{rest[0]}, {made}o\nStore %{rest[1]}, {made}b"
        elif kind == "call":
            yield f"{made} = Load %{rest[0]} : %IFoo"
            yield call(made[1:], str(rest[1]))
        elif kind == "number" and rest[1] in ("xor", "and"):
            code, amount = ("BitwiseXor", 1) if rest[1] == "xor" else ("BitwiseAnd", 2)
            yield f"{made}x = Load %{rest[0]} : u32\n{made} = {code} {made}x, {amount}u : u32\nStore %{rest[0]}, {made}"
        elif kind == "number":
            if rest[1] is None:
                yield f"{made}x = Load %input : u32\n{made} = BitwiseAnd {made}x, 3u : u32"
            yield f"Store %{rest[0]}, " + (made if rest[1] is None else f"{rest[1]}u")
        elif kind == "switch":
            number, labels, cases, default = rest
            assert isinstance(labels, list) and isinstance(cases, list)
            yield f"{made} = Load %{number} : u32\nswitch {made} {{"
            for label, body in zip(labels, cases, strict=True):
                yield f"case {label}: {{"
                yield from self.printed(body)
                yield "}"
            yield "default: {"
            yield from self.printed(default)
            yield "}\n}"
        elif kind == "loop":
            yield f"loop @{rest[2]} {{"
            before, name = self.condition(_condition(rest[0]))
            yield from [*before, f"if {name} {{\nbreak @{rest[2]}\n}}"]
            yield from self.printed(rest[1])
            yield "}"
        else:
            before, name = self.condition(_condition(rest[1] if kind in ("flag", "let") else rest[0]))
            yield from before
            if kind == "flag":
                yield f"Store %{rest[0]}, {name}"
            elif kind == "let":
                yield f"%{rest[0]} = LogicalOr {name}, false : bool"
            else:
                yield from [f"if {name} {{", *self.printed(rest[1]), *([f"%y{rest[3]}:"] if kind == "phi" else [])]
                yield from ["} else {", *self.printed(rest[2]), *([f"%n{rest[3]}:"] if kind == "phi" else []), "}"]
            if kind == "phi":
                words = ["true" if value else "false" for value in rest[4:]]
                yield f"%{rest[3]} = Phi {words[0]} %y{rest[3]}, {words[1]} %n{rest[3]} : bool"


def flag_of(name: str) -> str:
    return FLAGS[OBJECTS.index(name)]


def _condition(at: object) -> Condition:
    assert isinstance(at, tuple)
    return at


# --- every state ------------------------------------------------------------------------------------------------------


def put(state: State, name: str, value: int) -> State:
    return frozenset([item for item in state if item[0] != name] + [(name, value)])


def truths(at: Condition, state: State) -> set[int]:
    """What a condition can be."""
    kind, *rest = at
    of = dict(state)
    if kind in ("let", "flag"):
        return {of[str(rest[0])]}
    if kind == "const":
        return {int(str(rest[0]))}
    if kind == "any":
        return {0, 1}
    if kind == "compare":
        return {int(COMPARISONS[str(rest[0])](of[str(rest[1])], rest[2]))}
    parts = [truths(part, state) for part in rest if isinstance(part, tuple)]
    if kind == "not":
        return {1 - value for value in parts[0]}
    return {a & b if kind == "and" else a | b for a in parts[0] for b in parts[1]}


def run(lines: object, states: set[State], unset: set[str], seen: set[str]) -> set[State]:
    """The states after the lines. `unset` are the calls that some state comes to with what was never set."""
    assert isinstance(lines, list)
    for line in lines:
        states = across(line, states, unset, seen)
    return states


def across(line: Line, states: set[State], unset: set[str], seen: set[str]) -> set[State]:
    kind, *rest = line
    if kind in ("set", "fill"):
        return {put(state, str(rest[0]), 1) for state in states}
    if kind == "maybe":
        left = {put(state, str(rest[1]), 0) for state in states}
        return left | {put(put(state, str(rest[0]), 1), str(rest[1]), 1) for state in states}
    if kind in ("whole", "made"):
        return {put(put(state, "s", 1), "sb", int(str(rest[0])) if rest else 1) for state in states}
    if kind == "look":
        return {put(state, str(rest[0]), dict(state)["sb"]) for state in states}
    if kind == "pack":
        flag = flag_of(str(rest[0]))
        return {put(put(state, "s", dict(state)[str(rest[0])]), "sb", dict(state)[flag]) for state in states}
    if kind == "unpack":
        return {put(put(state, str(rest[0]), dict(state)["s"]), str(rest[1]), dict(state)["sb"]) for state in states}
    if kind == "call":
        bad = {state for state in states if dict(state)[str(rest[0])] == 0}
        seen.update([str(rest[1])] if states else [])
        unset.update([str(rest[1])] if bad else [])
        return states
    if kind in ("flag", "let"):
        return {put(state, str(rest[0]), value) for state in states for value in truths(_condition(rest[1]), state)}
    if kind == "number":
        after: set[State] = set()
        for state in states:
            old = dict(state).get(str(rest[0]), 0)
            values = {"xor": [old ^ 1], "and": [old & 2], "None": range(4)}.get(str(rest[1]))
            for value in values if values is not None else [int(str(rest[1]))]:
                after.add(put(state, str(rest[0]), value))
        return after
    names = {name for state in states for name, _ in state}

    def inside(body: object, given: set[State]) -> set[State]:
        return {frozenset(item for item in state if item[0] in names) for state in run(body, given, unset, seen)}

    if kind == "switch":
        number, labels, cases, default = rest
        assert isinstance(labels, list) and isinstance(cases, list)
        after = inside(default, {state for state in states if dict(state)[str(number)] not in labels})
        for label, body in zip(labels, cases, strict=True):
            after |= inside(body, {state for state in states if dict(state)[str(number)] == label})
        return after
    condition = _condition(rest[0])
    if kind == "loop":
        heads: set[State] = set()
        while states - heads:
            heads |= states
            states = inside(rest[1], {state for state in heads if 0 in truths(condition, state)})
        return {state for state in heads if 1 in truths(condition, state)}
    yes = inside(rest[1], {state for state in states if 1 in truths(condition, state)})
    no = inside(rest[2], {state for state in states if 0 in truths(condition, state)})
    if kind == "phi":
        yes = {put(state, str(rest[3]), int(str(rest[4]))) for state in yes}
        no = {put(state, str(rest[3]), int(str(rest[5]))) for state in no}
    return yes | no


def taken(program: str, flat: bool) -> dict[str, bool]:
    """By call that the analysis sees reached: whether it is taken."""
    module = parse(program, "guarded.rk")
    assert verify(module) == []
    if flat:
        for function in module.functions:
            flatten(function, hints=False)
    flow = type_flow(module)
    guards = Guards(flow)
    found: dict[str, bool] = {}
    for context in flow.contexts:
        for block, env in context.envs.items():
            for instr in block:
                if instr.op == op.ExtractExistentialWitnessTable:
                    source = instr.instr(0)
                    is_set = all_set(flow, source.type, info_at(context, flow.forms, source, env))
                    found[instr.name.removeprefix("w")] = is_set or guards.is_set(context, instr)
    return found


def compare(seed: int, records: bool = False) -> Counter[str]:
    """Every fourth program as blocks with branches."""
    body = Writer(seed, records).body
    lines = "\n".join(Printer().printed(body))
    types, functions, variables = (RECORD_TYPE, FUNCTIONS, VARIABLES + RECORD) if records else ("", "", VARIABLES)
    main = f"func @main() -> void {{\n{variables}{MAKE}{lines}\nreturn\n}}\n"
    found = taken(f"{HEAD}{types}{METHODS}{functions}{main}", seed % 4 == 0)
    unset: set[str] = set()
    seen: set[str] = set()
    run(body, {frozenset({("f", 0), ("g", 0), ("s", 0)})}, unset, seen)
    counts: Counter[str] = Counter()
    for name in sorted({*found, *seen}):
        is_fine = name not in unset
        assert is_fine or not found[name], (seed, name)
        counts["unset" if not is_fine else "taken" if found.get(name, True) else "refused"] += 1
    return counts


def test_calls(full: bool) -> None:
    """Of the first 200 programs 9 calls are refused that no run comes to unset: what numbers are in a range, and that
    a comparison with 0 never holds, is not followed."""
    counts: Counter[str] = Counter()
    for seed in range(3000 if full else 200):
        counts += compare(seed)
    assert counts["refused"] <= (200 if full else 9)
    assert counts["unset"] > 40 and counts["taken"] > 300


def test_a_value_is_remembered_until_it_is_stored() -> None:
    """p = any; f set if p; something else branches; b0 = p; b0 says that f is set."""
    start: list[Line] = [("flag", "b0", ("const", 0)), ("number", "n0", None)]
    noted: list[Line] = [
        *start, ("phi", ("any",), [("set", "f")], [], "p", 1, 0), ("if", ("any",), [("number", "n0", 0)], []),
    ]  # fmt: skip
    calls: list[Line] = [("if", ("flag", "b0"), [("call", "f", "v1")], [])]
    for stored, is_set in ((("let", "p"), True), (("not", ("not", ("let", "p"))), True), (("any",), False)):
        lines = "\n".join(Printer().printed([*noted, ("flag", "b0", stored), *calls]))
        for flat in (False, True):
            found = taken(f"{HEAD}{METHODS}func @main() -> void {{\n{VARIABLES}{MAKE}{lines}\nreturn\n}}\n", flat)
            assert found == {"v1": is_set}, (stored, flat)


def test_calls_of_what_is_in_a_struct(full: bool) -> None:
    """Nor is what is loaded with a whole struct, and what a function returns: 10 calls of the first 150 programs."""
    counts: Counter[str] = Counter()
    for seed in range(3000 if full else 150):
        counts += compare(seed, records=True)
    assert counts["refused"] <= (300 if full else 10)
    assert counts["unset"] > 40 and counts["taken"] > 150
