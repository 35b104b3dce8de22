"""Existentials, witness tables and what is looked up in them, lane by lane.

    MakeExistential %a, %WA              (%WA, a)
    ExtractExistentialWitnessTable %e    %WA            0 where there is none: a lookup there is reported
    LookupWitness %w, %foo               (%WA, @A_foo, ())
    Specialize %f, %w                    (.., .., (%WA,))     bound tables are leading arguments, they split no tangle

`sim.machine` makes calls of callables; sets and tags are in `sim.ops.tagged`.
"""

from collections.abc import Callable
from typing import Any

from reknit.ir import op
from reknit.ir.dispatch import NO_ID, conforming_type, entry_of, is_payload, sequential_id
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.sim.existential import NONE
from reknit.sim.kernel import Step
from reknit.sim.ops.elements import element_step
from reknit.sim.ops.tagged import tagged_step
from reknit.sim.ops.undefined import Undefined
from reknit.sim.prepare import Preparation
from reknit.sim.unsupported import Unsupported
from reknit.sim.values import null_value


def callable_column(preparation: Preparation, callable: Value) -> list[Any]:
    """What is called, for each lane."""
    return preparation.column(callable)


def dispatch_step(preparation: Preparation, instr: Instr) -> Step | None:
    """The step of one of our own instructions but CallDynamic."""
    code = instr.op
    if code == op.MakeExistential:
        return pairs(preparation, instr, lambda value, table: (table, value) if table != 0 else 0)
    if code == op.ExistentialNone:
        out = preparation.column(instr)

        def none(lanes: list[int]) -> None:
            for lane in lanes:
                out[lane] = NONE

        return none
    if code == op.ExtractExistentialWitnessTable:
        return single(preparation, instr, lambda e: e[0] if e != 0 else 0)
    if code == op.ExtractExistentialType:
        return single(preparation, instr, lambda e: conforming_type(e[0]) if e not in (0, NONE) else 0)
    if code == op.ExtractExistentialValue:
        return extract_value(preparation, instr)
    if code == op.IsType:
        return pairs(preparation, instr, lambda e, table: 1 if e != 0 and e[0] is table else 0)
    if code == op.ExistentialHasValue:
        return has_value(preparation, instr)
    if code == op.GetSequentialId:
        return single(preparation, instr, lambda table: sequential_id(table) if table != 0 else NO_ID)
    if code == op.LookupWitness:
        return lookup(preparation, instr)
    if code == op.Specialize:
        return specialize(preparation, instr)
    if code == op.CreateExistentialObject:
        return create(preparation, instr)
    return element_step(preparation, instr) or tagged_step(preparation, instr)


def single(preparation: Preparation, instr: Instr, function: Callable[[Any], Any]) -> Step:
    out = preparation.column(instr)
    source = preparation.column(instr.value(0))

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            out[lane] = function(source[lane])

    return run


def pairs(preparation: Preparation, instr: Instr, function: Callable[[Any, Any], Any]) -> Step:
    out = preparation.column(instr)
    first = preparation.column(instr.value(0))
    second = preparation.column(instr.value(1))

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            out[lane] = function(first[lane], second[lane])

    return run


def report(undefined: Undefined, lane: int, message: str) -> None:
    undefined.lane = lane
    undefined.say(message)


def extract_value(preparation: Preparation, instr: Instr) -> Step:
    """As a payload, or as the type that it must then be."""
    out = preparation.column(instr)
    source = preparation.column(instr.value(0))
    undefined = preparation.undefined(instr)
    wanted = instr.type
    opaque = is_payload(wanted)
    null = null_value(preparation.shape(instr))

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            e = source[lane]
            if e in (0, NONE):
                out[lane] = null  # a call with it is reported: it has no table either
            elif opaque or conforming_type(e[0]) is wanted:
                out[lane] = e[1]
            else:
                report(undefined, lane, "the existential holds a value of another type")
                out[lane] = null

    return run


def has_value(preparation: Preparation, instr: Instr) -> Step:
    out = preparation.column(instr)
    source = preparation.column(instr.value(0))
    undefined = preparation.undefined(instr)

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            if source[lane] == 0:
                report(undefined, lane, "OpExistentialHasValue of what was never set")
            out[lane] = 0 if source[lane] in (0, NONE) else 1

    return run


def lookup(preparation: Preparation, instr: Instr) -> Step:
    """A lane without a table gets 0, which can't be called."""
    out = preparation.column(instr)
    tables = preparation.column(instr.value(0))
    key = instr.value(1)
    known: dict[Instr, Any] = {}

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            table = tables[lane]
            if table == 0:
                out[lane] = 0
                continue
            resolved = known.get(table)
            if resolved is None:
                entry = entry_of(table, key)
                resolved = (table, entry, ()) if isinstance(entry, Function) else entry if entry is not None else 0
                known[table] = resolved
            out[lane] = resolved

    return run


def specialize(preparation: Preparation, instr: Instr) -> Step:
    out = preparation.column(instr)
    callable = callable_column(preparation, instr.value(0))
    bound = [preparation.column(instr.value(index)) for index in range(1, len(instr.operands))]

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            target = callable[lane]
            tables = tuple([column[lane] for column in bound])
            out[lane] = 0 if target == 0 or 0 in tables else (target[0], target[1], target[2] + tables)

    return run


def create(preparation: Preparation, instr: Instr) -> Step:
    """The bits of the payload as a value of the type that the id stands for."""
    assert instr.type is not None
    interfaces = preparation.globals.interfaces
    by_id = interfaces.by_id.get(instr.type, {})
    given = instr.instr(1).type
    if given is None or is_payload(given) or interfaces.layout(given).fault is not None:
        raise Unsupported("makes an object from a value that can't be packed")
    source: Instr = given
    out = preparation.column(instr)
    ids = preparation.column(instr.value(0))
    values = preparation.column(instr.value(1))

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            table = by_id.get(ids[lane])
            out[lane] = 0
            if table is not None:
                out[lane] = (table, interfaces.convert(source, values[lane], conforming_type(table)))

    return run
