"""Dynamic dispatch: what is known of an existential as terms, at each of its levels.

    MakeExistential %a, %WA                       (WA, any a)
    GetTagOfElementInSet %WA, PackUnion %a        the same: a tag is its element, a union is what it was packed from
    LookupWitness %w, %foo                        WA's entry where %w is WA, WB's where it is WB
    CallDynamic %f, %x                            a call for each element that %f can be: `walk` makes them

A call splits its tangle by the element, also where two tables have one function; what a callable has bound to it splits
none. Elements of both programs are the same term if they have the same name, which only decides what is compared with
what: each program looks up in its own tables.
"""

from typing import Final

from reknit.ir import op
from reknit.ir.dispatch import NO_ID, entries_of, entry_of, sequential_id
from reknit.ir.dispatch_sets import elements_of, set_of
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.opcodes import opcode_name
from reknit.ir.value import Value
from reknit.proof.normal_form.diagrams import Terms
from reknit.proof.normal_form.frames import Target
from reknit.proof.normal_form.kinds import PAYLOAD, Kind
from reknit.proof.normal_form.memory import Memory
from reknit.proof.normal_form.not_decided import NotDecided
from reknit.proof.normal_form.payloads import (
    Mapped,
    boxed,
    cases_of,
    is_element,
    number_of,
    same_element,
    unboxed,
)
from reknit.proof.normal_form.program import Program
from reknit.proof.normal_form.table import Key

_SPECIAL: Final = {op.WitnessNone: "none", op.WitnessUninitialized: "unset", op.WitnessUnbounded: "unbounded"}
_ELEMENTS: Final = (op.WitnessTable, op.LookupWitness, op.Specialize)
_SAME_VALUE: Final = (op.GetTagForSuperSet, op.GetTagForSubSet, op.GetElementFromTag, op.ReinterpretUnion)


class Dispatch(Memory):
    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.elements: dict[int, Value] = {}  # by its term: a table, a function or a type
        self.mapped: dict[Key, Mapped] = {}
        for table in self.module.globals:  # what a loop carries may be one of them before it is made
            if table.op == op.WitnessTable:
                term = self.element(table)
                self.element(table.value(0))
                for requirement in entries_of(table):
                    self._entry(term, requirement)

    def function(self, function: Function) -> int:
        return self.element(function)

    def _constant(self, instr: Instr) -> int:
        if instr.op in _ELEMENTS or instr.op in _SPECIAL:
            return self.element(instr)
        return super()._constant(instr)

    # --- elements -----------------------------------------------------------------------------------------------------

    def element(self, value: Value) -> int:
        """What stands in the module: a table, a type, a callable, or what a set has for none."""
        if isinstance(value, Function):
            return self._named(("fn", -1, value.name), value)
        assert isinstance(value, Instr)
        if value.op in _SPECIAL:
            return self.terms.make(("table", _SPECIAL[value.op]))
        if value.op == op.LookupWitness:
            return self._entry(self.element(value.value(0)), value.value(1))
        if value.op == op.Specialize:
            bound = [self.element(value.value(at)) for at in range(1, len(value.operands))]
            return self._bound(self.element(value.value(0)), tuple(bound))
        if value.op == op.WitnessTable:
            assert value.type is not None
            return self._named(("table", value.type.instr(0).text(0), value.name, sequential_id(value)), value)
        return self._named(("type", self.kind(value).number, value.name), value)

    def _named(self, key: Key, value: Value) -> int:
        """The term of an element; of two that look alike, each has its own."""
        number = 0
        term = self.terms.make((*key, number))
        while self.elements.setdefault(term, value) is not value:
            number += 1
            term = self.terms.make((*key, number))
        return term

    def operand_element(self, value: Value) -> int:
        """An operand that is an element: of the module, or computed."""
        if isinstance(value, Function):
            return self.element(value)
        assert isinstance(value, Instr)
        is_element = value.op in _ELEMENTS or value.op in _SPECIAL or value.type is None
        return self.element(value) if value.block is None and is_element else self.get(value)

    def _map(self, name: Key, term: int) -> int:
        """What is said of each element that a value can be: `name` is ("entry", key) or ("generic",) and the like."""
        job = self.mapped.get(name)
        if job is None:
            job = self.mapped[name] = Mapped(self.terms, lambda leaf: self._leaf(name, leaf))
        return self.terms.leafwise(job, (term,))

    def _leaf(self, name: Key, leaf: int) -> int:
        terms = self.terms
        key = terms.keys[leaf]
        what = name[0]
        if what == "entry" and leaf in self.elements:
            requirement = name[1]
            assert isinstance(requirement, Value)
            return self._entry(leaf, requirement)
        if what == "type" and leaf in self.elements:
            table = self.elements[leaf]
            if isinstance(table, Instr) and table.op == op.WitnessTable:
                return self.element(table.value(0))
        if what == "id" and is_element(terms, leaf):
            known = self.elements.get(leaf)
            number = sequential_id(known) if isinstance(known, Instr) and known.op == op.WitnessTable else NO_ID
            return terms.constant(self._words(), number)
        if what == "generic" and key[0] == "bound":
            base = key[1]
            assert isinstance(base, int)
            return base
        if what == "table" and key[0] == "bound":
            at = name[1]
            assert isinstance(at, int)
            bound = key[at + 2]
            assert isinstance(bound, int)
            return bound
        if is_element(terms, leaf):
            return leaf  # none, never set, not known: as such, whatever is asked
        return terms.make(("led", self.after, *name, leaf), terms.loops[leaf])

    def id_of(self, element: int) -> int:
        """The sequential id of an element."""
        return self._map(("id",), element)

    def _words(self) -> Kind:
        return self.terms.kinds.number(op.TypeInt, 32)

    def _entry(self, table: int, requirement: Value) -> int:
        """What a table has for a requirement; a function is that table's, also where another one has it, too."""
        instr = self.elements.get(table)
        if not isinstance(instr, Instr) or instr.op != op.WitnessTable:
            return table
        entry = entry_of(instr, requirement)
        if entry is None:
            return self.terms.make(("table", "unset"))
        if isinstance(entry, Function):
            return self._named(("fn", table, entry.name), entry)
        return self.element(entry)

    def _bound(self, callable: int, tables: Terms) -> int:
        name: Key = ("bind", *tables)
        job = self.mapped.get(name)
        if job is None:

            def bind(leaf: int) -> int:
                key = self.terms.keys[leaf]
                if key[0] == "table":
                    return leaf
                earlier = key[2:] if key[0] == "bound" else ()
                base = key[1] if key[0] == "bound" else leaf
                all_bound: list[int] = [each for each in (*earlier, *tables) if isinstance(each, int)]
                return self.terms.make(("bound", base, *all_bound), self.terms.union((leaf, *all_bound)))

            job = self.mapped[name] = Mapped(self.terms, bind)
        return self.terms.leafwise(job, (callable,))

    def targets(self, call: Instr) -> list[Target]:
        """The calls that a dynamic call is: one for each element, what is bound to it aside."""
        terms = self.terms
        callable = self.narrowed(self.operand_element(call.value(0)))
        grouped: dict[int, list[tuple[int, Terms]]] = {}
        for condition, leaf in cases_of(terms, callable):
            key = terms.keys[leaf]
            base = key[1] if key[0] == "bound" else leaf
            assert isinstance(base, int)
            if not isinstance(self.elements.get(base), Function):
                raise NotDecided("a call of what no witness table that is known has", call)
            bound = tuple([each for each in key[2:] if isinstance(each, int)]) if key[0] == "bound" else ()
            grouped.setdefault(base, []).append((condition, bound))
        targets: list[Target] = []
        for base, group in grouped.items():
            function = self.elements[base]
            assert isinstance(function, Function)
            total, first = group[0]
            tables = list(first)
            for condition, bound in group[1:]:
                tables = [terms.ite(condition, new, old) for new, old in zip(bound, tables, strict=True)]
                total = terms.either(total, condition)
            table = terms.keys[base][1]
            assert isinstance(table, int)
            targets.append((total, function, self.elements.get(table), tuple(tables)))
        return targets

    # --- values -------------------------------------------------------------------------------------------------------

    def selected(self, selector: Value) -> int:
        """What a switch selects by: of a tag, the place of its element."""
        assert isinstance(selector, Instr)
        term = self.consumed(selector)
        if selector.type is None or selector.type.op != op.TypeSetTag:
            return term
        return number_of(self.terms, term, self._places(set_of(selector.type)), self._words())

    def _places(self, members: Instr) -> dict[int, int]:
        places: dict[int, int] = {}
        for place, each in enumerate(elements_of(members)):
            places.setdefault(self.element(each), place)
        return places

    def converted(self, term: int, source: Kind, target: Kind) -> int:
        """A value of one kind where another one is expected: one of the two is a payload."""
        if source is target:
            return term
        if target.category == PAYLOAD:
            return boxed(self.terms, term, source)
        if source.category == PAYLOAD:
            return unboxed(self.terms, term, target)
        raise NotDecided("values that are passed as another type")

    def argument(self, term: int, given: Value, param: Instr, call: Instr) -> int:
        """What a parameter of a method is: a payload is the value that it takes, also behind a pointer."""
        if isinstance(given, Function):
            return term
        assert isinstance(given, Instr) and given.type is not None and param.type is not None
        if param.type.op != op.TypePointer:
            return self.converted(term, self.kind(given.type), self.kind(param.type))
        source, target = self.kind(given.type.instr(1)), self.kind(param.type.instr(1))
        if source is target:
            return term
        terms = self.terms
        result = terms.bottom
        for condition, pointer in self.pointees_of(term, given.type, call):
            step = terms.make(("as", target.number))
            result = terms.ite(condition, terms.pointer(terms.keys[pointer][1], (*terms.steps(pointer), step)), result)
        return result

    def dispatched(self, instr: Instr) -> int:
        """The value of one of the instructions about dispatch."""
        terms = self.terms
        code = instr.op
        kind = self.kind(instr.type)
        if code == op.ExistentialNone:
            return terms.composite((terms.make(("table", "none")), terms.make(("null", -1))))
        if code == op.GetTagOfElementInSet or code == op.CastInterfaceToTaggedUnionPtr:
            return self.operand_element(instr.value(0))
        if code == op.LookupWitness or code == op.GetTagForMappedSet:
            return self._map(("entry", instr.value(1)), self.operand_element(instr.value(0)))
        if code == op.Specialize or code == op.GetTagForSpecializedSet:
            bound = [self.operand_element(instr.value(at)) for at in range(1, len(instr.operands))]
            return self._bound(self.operand_element(instr.value(0)), tuple(bound))
        first = self.operand_element(instr.value(0))
        if code in _SAME_VALUE:
            return first
        if code == op.MakeExistential:
            payload = self.converted(first, self.kind_of(instr.value(0)), terms.kinds.payload(instr))
            return terms.composite((self.operand_element(instr.value(1)), payload))
        if code == op.MakeTaggedUnion:
            return terms.composite((first, self.get(instr.value(1))))
        if code == op.PackUnion or code == op.UnpackUnion:
            return self.converted(first, self.kind_of(instr.value(0)), kind)
        if code == op.GetTagForGenericSet:
            return self._map(("generic",), first)
        if code == op.GetTagOfBoundTable:
            return self._map(("table", instr.word(1)), first)
        if code == op.TagIsElement:
            return same_element(terms, first, self.element(instr.value(1)))
        if code == op.GetSequentialId or code == op.GetSequentialIdFromTag:
            return self.id_of(first)
        return self._opened(instr, first, kind)

    def _opened(self, instr: Instr, existential: int, kind: Kind) -> int:
        """What is asked of an existential, or of a tagged union."""
        terms = self.terms
        code = instr.op
        if self.kind_of(instr.value(0)).category != "existential":
            raise NotDecided(f"{opcode_name(code)} is not followed", instr)
        element, payload = terms.spread(existential, 2)
        if code == op.ExtractExistentialWitnessTable or code == op.GetTagFromTaggedUnion:
            return element
        if code == op.ExtractExistentialType:
            return self._map(("type",), element)
        if code == op.ExtractExistentialValue or code == op.GetValueFromTaggedUnion:
            return self.converted(payload, terms.kinds.payload(instr), kind)
        if code == op.IsType:
            return same_element(terms, element, self.operand_element(instr.value(1)))
        if code == op.ExistentialHasValue:
            return terms.negate(same_element(terms, element, terms.make(("table", "none"))))
        raise NotDecided(f"{opcode_name(code)} is not followed", instr)
