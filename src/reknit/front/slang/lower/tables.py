"""Witness tables: which there are, and what is in them.

    MakeExistential(a, A : IFoo)      table(A : IFoo)
    t.foo(v)  through a table         key(IFoo.foo): every table of IFoo has an entry, an instance for its type

Tables and keys appear while functions are lowered, and each pair of a table and a key of its interface is filled in as
soon as both are there. What comes from `outside` may be of any type that conforms, or that options name.
"""

from collections.abc import Callable
from typing import final

from reknit.front.slang.lower.program import ProgramState, is_inlined
from reknit.front.slang.lower.resolve import Resolver, joined, key_of
from reknit.front.slang.substitute import (
    Substitution,
    assoc_witness,
    associated,
    base_witness,
    composed,
    filled,
    substitute_witness,
)
from reknit.front.slang.symbols import Conformance, Requirement
from reknit.front.slang.symbols import Function as FunctionSymbol
from reknit.front.slang.types import (
    ArrayType,
    InterfaceType,
    MatrixType,
    OptionalType,
    StructType,
    TupleType,
    Type,
)
from reknit.front.slang.witnesses import ConformanceWitness, Witness
from reknit.ir import op
from reknit.ir.dispatch import NO_ID, witness_table_type
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.value import Value
from reknit.source.diagnostic import Note
from reknit.source.meter import spend

NO_CONFORMANCE = "E50100"

METHOD = "method"
BASE = "base"
TYPE = "type"
BOUND = "bound"
CONSTANT = "constant"


@final
class Key:
    """What is looked up. `bound` is the interface of a table that is looked up, `substitution` a generic method's."""

    __slots__ = ("kind", "instr", "requirement", "bound", "substitution", "text")

    def __init__(
        self,
        kind: str,
        instr: Instr,
        requirement: Requirement | None,
        bound: InterfaceType | None,
        substitution: Substitution | None,
        text: str,
    ) -> None:
        self.kind = kind
        self.instr = instr
        self.requirement = requirement
        self.bound = bound
        self.substitution = substitution
        self.text = text


@final
class Table:
    __slots__ = ("witness", "instr", "entries")

    def __init__(self, witness: ConformanceWitness, instr: Instr) -> None:
        self.witness = witness
        self.instr = instr
        self.entries: list[tuple[Instr, Value]] = []


@final
class Tables:
    """`by_interface` and `keys` are by the interface's key, in order of appearance. `constants` makes the functions
    that give constants."""

    def __init__(self, program: ProgramState) -> None:
        self.program = program
        self.low = program.low
        self.tables: dict[str, Table] = {}
        self.by_interface: dict[str, list[Table]] = {}
        self.keys: dict[str, dict[str, Key]] = {}
        self.work: list[tuple[Table, Key]] = []
        self.constants: Callable[[ConformanceWitness, Requirement], Function | None] | None = None
        self.open: dict[tuple[str, bool], None] = {}  # types of which values come from outside

    # ---- tables

    def table(self, witness: ConformanceWitness, seen: InterfaceType | None = None) -> Instr:
        """`seen` is the interface as it is known where the table is looked up: ISerializer<T.Data> for one of
        ISerializer<float>."""
        as_interface = seen if seen is not None else witness.interface
        identity = f"{witness.key} {as_interface.key}"
        table = self.tables.get(identity)
        if table is None:
            low = self.low
            interface = low.interface(as_interface)
            operands: list[Operand] = [low.ir_type(witness.subject), NO_ID]
            name = f"{witness.subject} : {as_interface}"
            instr = Instr(op.WitnessTable, witness_table_type(low.module, interface), operands, name)
            table = Table(witness, instr)
            self.tables[identity] = table
            self.by_interface.setdefault(as_interface.key, []).append(table)
            for key in self.keys.get(as_interface.key, {}).values():
                self.work.append((table, key))
        return table.instr

    def outside(self, type: Type, at: int) -> None:
        """Values of `type` come from outside: so do those of the interfaces in it, and of what is in their values."""
        work = [(type, False)]
        while work:
            spend(1)
            now, packed = work.pop()
            if (now.key, packed) in self.open:
                continue
            self.open[now.key, packed] = None
            inside: list[Type] = []
            if isinstance(now, InterfaceType):
                inside = self._all_of(now, at)
                packed = True
            elif isinstance(now, MatrixType) and packed and not now.row_major:
                self.low.refuse(at, f"'{now}' by columns can't lie in an interface value that comes from outside")
            elif isinstance(now, (ArrayType, OptionalType)):
                inside = [now.element]
            elif isinstance(now, (StructType, TupleType)):
                inside = self.low.field_types(now)
            work.extend([(part, packed) for part in reversed(inside)])

    def _all_of(self, interface: InterfaceType, at: int) -> list[Type]:
        """The types that values of the interface from outside may be of, each with its table: those that options name
        for it, or, if they name none, all types of the program that conform."""
        conforming = [
            conformance
            for conformance in self.program.program.conformances
            if conformance.interface.key == interface.key and not conformance.environment.params
        ]
        named = [conformance for conformance in conforming if conformance.sequential_id >= 0]
        conforming = named or conforming
        taken = {conformance.sequential_id: None for conformance in conforming}
        number = 0
        for conformance in conforming:
            if conformance.sequential_id < 0:
                while number in taken:
                    number += 1
                taken[number] = None
                conformance.sequential_id = number
            self.table(plain_witness(conformance))
        if not conforming:
            message = (
                f"No type conformances are found for interface '{interface}'. Code generation for current target "
                "requires at least one implementation type present in the linkage."
            )
            notes = [Note(f"values of '{interface}' come from outside here, and no type of the program is one")]
            help = f"declare a type that conforms to it: struct T : {interface} {{ ... }}"
            self.low.reports.error(NO_CONFORMANCE, at, message, notes, help=help)
        return [conformance.subject for conformance in conforming]

    # ---- keys

    def key(
        self,
        kind: str,
        interface: InterfaceType,
        requirement: Requirement | None,
        bound: InterfaceType | None = None,
        substitution: Substitution | None = None,
    ) -> Key:
        name = requirement.name if requirement is not None else "base"
        if bound is not None:
            name = f"{name}:{bound}"
        text = key_of(substitution) if substitution is not None else ""
        known = self.keys.setdefault(interface.key, {})
        number = requirement.number if requirement is not None else 0
        identity = f"{kind} {number} {bound.key if bound is not None else ''} {text}"
        key = known.get(identity)
        if key is None:
            before = "get " if kind == CONSTANT else ""
            unique = f"{before}{name}<{text}>" if text else f"{before}{name}"
            instr = self.low.key(interface, requirement, unique, f"{before}{name}{shown_arguments(substitution)}")
            key = Key(kind, instr, requirement, bound, substitution, f"*{interface.key}/{identity}")
            known[identity] = key
            for table in self.by_interface.get(interface.key, []):
                self.work.append((table, key))
        return key

    def fill(self) -> bool:
        """Fill in what is missing. False: nothing was."""
        if not self.work:
            return False
        work, self.work = self.work, []
        for table, key in work:
            entry = self.entry(table, key)
            if entry is not None:
                table.entries.append((key.instr, entry))
        return True

    def entry(self, table: Table, key: Key) -> Value | None:
        witness = table.witness
        requirement = key.requirement
        if key.kind == BASE and key.bound is not None:
            direct = base_witness(witness, key.bound)
            base = (
                direct
                if isinstance(direct, ConformanceWitness)
                else self._alike(filled(witness.conformance).bases, witness, key.bound)
            )
            return self.table(base, key.bound) if isinstance(base, ConformanceWitness) else None
        assert requirement is not None
        if key.kind == BOUND and key.bound is not None:
            direct = assoc_witness(witness, requirement, key.bound)
            base = (
                direct
                if isinstance(direct, ConformanceWitness)
                else self._alike(filled(witness.conformance).type_witnesses.get(requirement, []), witness, key.bound)
            )
            return self.table(base, key.bound) if isinstance(base, ConformanceWitness) else None
        if key.kind == TYPE:
            return self.low.ir_type(associated(witness, requirement))
        if key.kind == METHOD:
            return self._method(witness, key)
        assert self.constants is not None
        return self.constants(witness, requirement)

    def _alike(self, have: list[Witness], witness: ConformanceWitness, bound: InterfaceType) -> Witness | None:
        """That of the same generic interface, whose arguments are only known here."""
        for candidate in have:
            if candidate.interface.interface is bound.interface:
                return substitute_witness(candidate, witness.arguments)
        return None

    def _method(self, witness: ConformanceWitness, key: Key) -> Value | None:
        assert key.requirement is not None
        method = method_of(witness, key.requirement, key.substitution)
        if method is None:
            return None
        symbol, substitution = method
        if is_inlined(self.low, symbol, Resolver(substitution)):
            message = (
                f"'{symbol.name}' of '{witness.subject}' takes or gives resources, and is called through "
                f"'{witness.interface}': which function is called must be known when the shader is compiled"
            )
            self.low.reports.error("E41014", symbol.at, message)
            return None
        instance, _ = self.program.instance(symbol, substitution)
        self.program.entries.setdefault(key.text, []).append(instance.key)
        return instance.function

    def finish(self) -> None:
        """The tables become globals of the module, with all their entries."""
        for table in self.tables.values():
            sequential = table.witness.conformance.sequential_id
            number = NO_ID if sequential < 0 else sequential
            operands: list[Operand] = [table.instr.value(0), number]
            for key, entry in table.entries:
                operands.append(key)
                operands.append(entry)
            table.instr.set_operands(operands)
            self.low.module.globals.append(table.instr)


def plain_witness(conformance: Conformance) -> ConformanceWitness:
    return ConformanceWitness(conformance, Substitution(), conformance.subject, conformance.interface)


def method_of(
    witness: ConformanceWitness, requirement: Requirement, own: Substitution | None
) -> tuple[FunctionSymbol, Substitution] | None:
    """The function that meets a requirement, and its arguments; `own` are those of the requirement's generics."""
    method = filled(witness.conformance).methods.get(requirement)
    if method is None:
        return None
    symbol, inner = method
    given = own if own is not None else Substitution()
    arguments = composed(inner, joined(witness.arguments, given)).copy()
    for param, type in given.types.items():
        arguments.types.setdefault(param, type)
    for constraint, other in given.witnesses.items():
        arguments.witnesses.setdefault(constraint, other)
    if symbol is requirement.function:  # the default body
        arguments.this_type = witness.subject
        arguments.this_witness = witness
    return symbol, arguments


def shown_arguments(substitution: Substitution | None) -> str:
    """`<K, int>`: the types that a generic requirement is asked with."""
    if substitution is None or not substitution.types:
        return ""
    params = sorted(substitution.types, key=lambda param: param.number)
    return f"<{', '.join([str(substitution.types[param]) for param in params])}>"
