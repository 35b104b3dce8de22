"""Random instructions in random blocks: what is reported of values, phis, conditions and returns can be counted off.

    block b: (opcode, type, result, operands) ...   which words are ids is known here, and need not be read from them

Numbers that are no ids look like ids that would be wrong, so that one taken for the other is found.
"""

import random
from array import array
from typing import NamedTuple

from kit.oracles.rules_by_definition import reach

from reknit.ir import enums, op
from reknit.spirv.rules.finding import MAX_FINDINGS
from reknit.spirv.rules.judge import examine
from reknit.spirv.words import parse

VOID, BOOL, U32, U64, F32, LOCAL, IMAGE, BOOLS, GLSL, DEBUG, NUMBER, TRUE, LONG, HALF, FN, FNV, LAST = range(1, 18)
FIRST = LAST + 1
NOWHERE = 9000  # no id
POINTEE = {LOCAL: U32}
RULES = ("B31", "B32", "B33", "B34")


class Line(NamedTuple):
    """One instruction; `ids` are the words among `words` that are ids of values."""

    code: int
    type: int
    result: int
    words: tuple[int, ...] = ()
    ids: tuple[int, ...] = ()


class Maker:
    """A module of one to three functions. `type_of`, `row_of`, `home` and `at` are by id: its type, the row it is
    defined in, the function and the block (numbers over the whole module) that it is in."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.variable_pointers = self.random.random() < 0.3
        self.logical = self.random.random() < 0.7
        self.rows: list[Line] = []
        self.block: list[int] = []
        self.function: list[int] = []
        self.names: dict[int, Line] = {}
        self.labels: list[int] = []
        self.ways: list[list[int]] = []
        self.firsts: list[int] = []
        self._module()

    def _module(self) -> None:
        chance = self.random
        counts = [chance.randint(1, 4) for _ in range(chance.randint(1, 3))]
        self.pool = FIRST + len(counts) + sum(counts)  # the first id of values
        self.functions = range(FIRST, FIRST + len(counts))
        self.next = self.pool
        for line in _globals():
            self._add(line, -1, -1)
        label = FIRST + len(counts)
        starts = [self.next]
        plans: list[list[list[Line]]] = []
        for count in counts:
            plans.append(self._plan(count))
            starts.append(self.next)
        for number, (function, count) in enumerate(zip(self.functions, counts, strict=True)):
            gives = chance.choice([VOID, U32])
            self.ours = (starts[number], starts[number + 1])  # ids of values of this function
            self._add(Line(op.Function, gives, function, (0, FN if gives == VOID else FNV)), number, -1)
            self._add(Line(op.FunctionParameter, U32, plans[number].pop()[0].result), number, -1)
            self.firsts.append(len(self.labels))
            own = list(range(label, label + count))
            for place in range(count):
                self._block(number, gives, own, place, plans[number][place])
            self._add(Line(op.FunctionEnd, 0, 0), -1, -1)
            label += count
        self._add(Line(op.Constant, U32, LAST, (7,)), -1, -1)

    def _plan(self, count: int) -> list[list[Line]]:
        """The results of each block, and of the parameter, so that operands can be chosen among all of them."""
        found: list[list[Line]] = []
        for block in range(count + 1):
            found.append([])
            for _ in range(self.random.randint(1, 4) if block < count else 1):
                type = self.random.choice([U32, U32, U32, BOOL, F32, LOCAL, IMAGE, U64]) if block < count else U32
                if self.random.random() < 0.02:
                    type = self.random.choice([self.next, self.pool, LAST])
                found[-1].append(Line(0, type, self.fresh()))
                self.names[found[-1][-1].result] = found[-1][-1]
        return found

    def _add(self, line: Line, function: int, block: int) -> None:
        if line.result:
            self.names[line.result] = line
        self.rows.append(line)
        self.function.append(function)
        self.block.append(block)

    def value(self, type: int = 0) -> int:
        """An id: mostly a constant, or a value of this function; else any."""
        chance = self.random
        if chance.random() < 0.03:
            return chance.choice([0, NOWHERE, 0xFFFFFFFF, LAST, self.labels[0] if self.labels else FIRST])
        if chance.random() < 0.45:
            return {BOOL: TRUE, F32: HALF, U64: LONG}.get(type, NUMBER)
        ours = range(*self.ours) if chance.random() < 0.85 else range(self.pool, self.next)
        fits = [id for id in ours if id in self.names and type in (0, self.names[id].type)]
        return chance.choice(fits or [NUMBER])

    def number(self) -> int:
        """A word that is no id."""
        return self.random.choice([NOWHERE, self.next - 1, 0, LAST])

    def _block(self, function: int, gives: int, own: list[int], place: int, plan: list[Line]) -> None:
        chance = self.random
        block = len(self.labels)
        self.labels.append(own[place])
        self._add(Line(op.Label, 0, own[place]), function, block)
        for planned in plan:
            if chance.random() < 0.2:
                self._add(self._effect(), function, block)
            is_phi = chance.random() < (0.6 if planned is plan[0] else 0.15)
            line = self._phi(planned, own) if is_phi else self._result(planned)
            self._add(line, function, block)
        goals = own[1:] or []
        kind = chance.choice(["br", "brc", "brc", "switch", "end", "end"] if goals else ["end"])
        ways = [chance.choice(goals) for _ in range({"br": 1, "brc": 2, "switch": 3, "end": 0}[kind])]
        self.ways.append([block - place + own.index(way) for way in ways])
        if kind == "br":
            line = Line(op.Branch, 0, 0, tuple(ways))
        elif kind == "brc":
            condition = self.value(BOOL)
            weights = chance.choice([(), (), (self.number(), self.number()), (1,)])
            line = Line(op.BranchConditional, 0, 0, (condition, *ways, *weights), (condition,))
        elif kind == "switch":
            selector = self.value(chance.choice([U32, U64, U32, BOOL]))
            high = (self.number(),) if self._type(selector) == U64 else ()
            pairs = [word for literal, way in enumerate(ways[1:]) for word in (literal, *high, way)]
            line = Line(op.Switch, 0, 0, (selector, ways[0], *pairs), (selector,))
        elif chance.random() < (0.8 if gives == VOID else 0.2):
            line = Line(op.Return, 0, 0)
        else:
            value = self.value(chance.choice([U32, U32, F32, LOCAL]))
            line = Line(op.ReturnValue, 0, 0, (value,), (value,))
        self._add(line, function, block)

    def _effect(self) -> Line:
        a, b, c = self.value(), self.value(), self.value()
        n, m = self.number(), self.number()
        return self.random.choice([
            Line(op.Store, 0, 0, (a, b), (a, b)),
            Line(op.Store, 0, 0, (a, b, enums.MemoryAccessAligned, n), (a, b)),
            Line(op.ControlBarrier, 0, 0, (a, b, c), (a, b, c)),
            Line(op.Line, 0, 0, (a, n, m), (a,)),
            Line(op.NoLine, 0, 0),
            Line(op.ExtInst, VOID, self.fresh(), (DEBUG, n, a), (VOID, DEBUG, a)),
            Line(op.ExtInstWithForwardRefsKHR, VOID, self.fresh(), (GLSL, n, NOWHERE), ()),
        ])  # fmt: skip

    def fresh(self) -> int:
        self.next += 1
        return self.next - 1

    def _result(self, planned: Line) -> Line:
        type, result = planned.type, planned.result
        a, b, c = self.value(), self.value(), self.value()
        n, m = self.number(), self.number()
        code, words, ids = self.random.choice([
            (op.IAdd, (a, b), (a, b)),
            (op.IAdd, (a, a), (a,)),
            (op.Select, (a, b, a), (a, b)),
            (op.CompositeExtract, (a, n), (a,)),
            (op.CompositeInsert, (a, b, n, m), (a, b)),
            (op.VectorShuffle, (a, b, n, m), (a, b)),
            (op.CompositeConstruct, (a, b, c), (a, b, c)),
            (op.AccessChain, (a, b, c), (a, b, c)),
            (op.Load, (a,), (a,)),
            (op.Load, (a, enums.MemoryAccessAligned, n), (a,)),
            (op.ExtInst, (GLSL, n, a, b), (GLSL, a, b)),
            (op.FunctionCall, (self.functions[-1], a), (a,)),
            (op.ImageSampleExplicitLod, (a, b, enums.ImageOperandsLod, c), (a, b, c)),
            (op.ImageSampleExplicitLod, (a, b, enums.ImageOperandsLod, c), (a, b, c)),
            (op.GroupNonUniformIAdd, (a, n % 3, b), (a, b)),
            (op.GroupNonUniformIAdd, (a, 3, b, c), (a, b, c)),
        ])  # fmt: skip
        return Line(code, type, result, words, (type, *ids))

    def _phi(self, planned: Line, own: list[int]) -> Line:
        pairs: list[int] = []
        for label in own if self.random.random() < 0.8 else own[:1]:
            if self.random.random() < 0.7:
                parent = label if self.random.random() < 0.95 else self.random.choice([NUMBER, NOWHERE, own[-1]])
                pairs += [self.value(planned.type), parent]
        if self.random.random() < 0.03:
            pairs.append(NUMBER)
        return Line(op.Phi, planned.type, planned.result, tuple(pairs), (planned.type,))

    def words(self) -> bytes:
        out = array("I", [0x07230203, 0x00010600, 0, self.next, 0])

        def add(code: int, *operands: int) -> None:
            out.extend([(len(operands) + 1) << 16 | code, *operands])

        add(op.Capability, enums.CapabilityShader)
        if self.variable_pointers:
            add(op.Capability, enums.CapabilityVariablePointers)
        add(op.ExtInstImport, GLSL, *_text("GLSL.std.450"))
        add(op.ExtInstImport, DEBUG, *_text("OpenCL.DebugInfo.100"))
        add(op.MemoryModel, enums.AddressingModelLogical if self.logical else enums.AddressingModelPhysical64, 1)
        self.before = 4 + self.variable_pointers
        for line in self.rows:
            add(line.code, *[word for word in (line.type, line.result) if word], *line.words)
        return out.tobytes()

    # --- what the rules say -------------------------------------------------------------------------------------------

    def _type(self, value: int) -> int:
        return self.names[value].type if value in self.names else 0

    def expected(self) -> list[tuple[int, str, str]]:
        """(row, rule, message) of every fault, sorted."""
        where = {line.result: row for row, line in enumerate(self.rows) if line.result}
        self.where = {**where, GLSL: -1, DEBUG: -1}
        found: list[tuple[int, str, str]] = []
        for row, line in enumerate(self.rows):
            block = self.block[row]
            if block < 0 or line.code == op.Label:
                continue
            first = self.firsts[self.function[row]]
            self.reached = reach(self.ways, [first])
            if line.code == op.Phi:
                wrong = self._phi_fault(row, line)
                if wrong:
                    found.append((row, "B32", f"phi %{line.result} in %{self.labels[block]}: {wrong}"))
                found += [(row, "B33", text) for text in dict.fromkeys(self._phi_uses(row, line))]
            else:
                texts = [self._use(row, block, value) for value in line.ids]
                found += [(row, "B33", text) for text in dict.fromkeys(texts) if text]
            found += [(row, rule, text) for rule, text in self._end(row, line)]
        return sorted(found)

    def _dominates(self, over: int, block: int) -> bool:
        first = self.firsts[max(at for at, one in enumerate(self.firsts) if one <= block)]
        return over == block or block not in reach(self.ways, [first], over)

    def _use(self, row: int, block: int, value: int) -> str:
        if value not in self.where:
            return f"%{value} is not defined"
        defined = self.where[value]
        line = self.rows[defined] if defined >= 0 else None
        if line is None or line.code == op.Function:
            return ""
        home = self.function[defined]
        if home < 0:
            return f"%{value} is used before it is defined" if defined >= row else ""
        if home != self.function[row]:
            return f"%{value} is defined in another function"
        if line.code == op.Label:
            return ""
        if defined >= row:
            return f"%{value} is used before it is defined"
        source = self.block[defined]
        if source < 0 or block not in self.reached or self._dominates(source, block):
            return ""
        names = self.labels[source], self.labels[block]
        return f"%{value}, defined in %{names[0]}, is used in %{names[1]}, which that does not dominate"

    def _phi_uses(self, row: int, line: Line) -> list[str]:
        texts = [self._use(row, self.block[row], line.type)]
        for value, parent in zip(line.words[::2], line.words[1::2], strict=False):
            if value not in self.where:
                texts.append(f"%{value} is not defined")
                continue
            if parent not in self.labels:
                continue
            defined = self.where[value]
            if defined < 0 or self.block[defined] < 0 or self.rows[defined].code == op.Label:
                home = self.function[defined]
                if home >= 0 and home != self.function[row]:
                    texts.append(f"%{value} is defined in another function")
                continue
            source, end = self.block[defined], self.labels.index(parent)
            if {self.block[row], end} <= self.reached and not self._dominates(source, end):
                how = f"%{value}, defined in %{self.labels[source]}, does not reach the end of %{parent}"
                texts.append(f"{how}, from where phi %{line.result} takes it")
        return [text for text in texts if text]

    def _phi_fault(self, row: int, line: Line) -> str:
        block = self.block[row]
        if block in self.firsts:
            return "the first block of a function has no predecessors"
        before = row - 1
        while self.rows[before].code in (op.Line, op.NoLine) or DEBUG in self.rows[before].words[:1]:
            before -= 1
        if self.rows[before].code not in (op.Phi, op.Label):
            return "it stands after an instruction that is no phi"
        if line.type == LOCAL and self.logical and not self.variable_pointers:
            return "in the Logical addressing model only variable pointers can be phis"
        if line.type == IMAGE:
            return "images and samplers can't be phis"
        if len(line.words) % 2:
            return "its operands don't come in pairs of a value and a label"
        sources = [source for source, ways in enumerate(self.ways) if block in ways]
        named: list[int] = []
        for value, parent in zip(line.words[::2], line.words[1::2], strict=True):
            if value in self.where and self._type(value) != line.type:
                return f"%{value} has another type"
            if parent not in self.labels:
                return f"%{parent} is not a label"
            source = self.labels.index(parent)
            if source not in sources:
                return f"%{parent} does not branch here"
            if source in named:
                return f"%{parent} is named twice"
            named.append(source)
        missing = [self.labels[source] for source in sources if source not in named]
        return f"it has no value for %{missing[0]}" if missing else ""

    def _end(self, row: int, line: Line) -> list[tuple[str, str]]:
        """What is wrong with a condition, a selector or a return."""
        value = line.words[0] if line.words else 0
        type = self._type(value)
        function = self.functions[self.function[row]]
        wanted = self.names[function].type
        if line.code == op.BranchConditional and len(line.words) not in (3, 5):
            return [("B31", f"it has {len(line.words)} operands; a condition and two labels, or weights for both")]
        if line.code == op.BranchConditional and type != BOOL:
            return [("B31", f"the condition %{value} is not a Boolean")]
        if line.code == op.Switch and type not in (U32, U64):
            return [("B31", f"the selector %{value} is not an integer")]
        if line.code == op.Return and wanted != VOID:
            return [("B34", f"OpReturn in function %{function}, which returns a value")]
        if line.code == op.ReturnValue and type in (0, VOID):
            return [("B34", f"%{value} is no value that a function can return")]
        if line.code == op.ReturnValue and type != wanted:
            return [("B34", f"%{value} has another type than function %{function} returns")]
        return []


def _text(name: str) -> list[int]:
    raw = name.encode() + b"\0" * (4 - len(name) % 4)
    return [int.from_bytes(raw[at : at + 4], "little") for at in range(0, len(raw), 4)]


def _globals() -> list[Line]:
    return [
        Line(op.TypeVoid, 0, VOID), Line(op.TypeBool, 0, BOOL), Line(op.TypeInt, 0, U32, (32, 0)),
        Line(op.TypeInt, 0, U64, (64, 0)), Line(op.TypeFloat, 0, F32, (32,)),
        Line(op.TypePointer, 0, LOCAL, (enums.StorageClassFunction, U32)),
        Line(op.TypeImage, 0, IMAGE, (F32, 1, 0, 0, 0, 1, 0)), Line(op.TypeVector, 0, BOOLS, (BOOL, 2)),
        Line(op.Constant, U32, NUMBER, (1,)), Line(op.ConstantTrue, BOOL, TRUE), Line(op.Constant, U64, LONG, (1, 0)),
        Line(op.Constant, F32, HALF, (0x3F000000,)), Line(op.TypeFunction, 0, FN, (VOID, U32)),
        Line(op.TypeFunction, 0, FNV, (U32, U32)),
    ]  # fmt: skip


def test_findings(full: bool) -> None:
    for seed in range(4000 if full else 300):
        made = Maker(seed)
        found = examine(parse(made.words())).out.findings
        if len(found) == MAX_FINDINGS:
            continue  # there may be more
        judged = sorted((one.row - made.before, one.rule, one.message) for one in found if one.rule in RULES)
        expected = made.expected()
        assert judged == expected, seed
