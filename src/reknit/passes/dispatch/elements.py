"""Elements of sets in plain SPIR-V: a number each, as their tags are; calls of them become calls of dispatchers.

    %c = GetElementFromTag %t : %E                      %c is %t
    %r = CallDynamic %c, %x              =>             %r = FunctionCall @dispatch_element %t, %x
    %u = GetTagForSpecializedSet %g, %w                 %u = a number for each pair of numbers

Where only what the program doesn't know can be called, a dispatcher's case for that gives zeros; elsewhere it is
refused.
"""

from typing import Final

from reknit.ir import op
from reknit.ir.build import Builder, new_function
from reknit.ir.callables import (
    Element,
    bound_table,
    callable_set,
    constant_callable,
    element_type,
    identity,
    place_in,
    specialized,
    without_bound,
)
from reknit.ir.dispatch import type_of_table
from reknit.ir.dispatch_sets import elements_of, set_of, tag_type
from reknit.ir.edit import erase, insert_before, replace_uses
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.types import bool_type
from reknit.ir.walk import blocks
from reknit.passes.dispatch.cases import switch_of
from reknit.passes.dispatch.casts import Caster
from reknit.passes.dispatch.results import return_results
from reknit.passes.dispatch.tags import Tags
from reknit.passes.dispatch.unbounded import unbounded_only


def call_elements(module: Module) -> None:
    """Make dispatchers for what is called by its place in a set. Costs the module's instructions."""
    known: dict[tuple[Instr, ...], Function] = {}
    for function in list(module.functions):
        for block in blocks(function):
            for instr in block:
                if instr.op == op.CallDynamic and is_element(instr.operands[0]):
                    _call(module, function, instr, known)


def is_element(operand: Operand) -> bool:
    return isinstance(operand, Instr) and operand.type is not None and operand.type.op == op.TypeElementOfSet


def _call(module: Module, function: Function, call: Instr, known: dict[tuple[Instr, ...], Function]) -> None:
    element = call.instr(0)
    assert element.type is not None and call.type is not None
    members = set_of(element.type)
    callables = [each for each in elements_of(members) if constant_callable(each) is not None]
    unbounded = [each for each in elements_of(members) if each.op == op.WitnessUnbounded]
    if not callables:
        if switch_of(function) is None:
            raise unbounded_only(call, module)
        if call.type.op != op.TypeVoid:
            replace_uses(call, module.intern(op.ConstantNull, call.type, []))
        erase(call)
        return
    assert members.type is not None
    block = call.block
    assert block is not None
    caster = Caster(module, block, call)
    tag = caster.emit(op.GetTagOfElementInSet, tag_type(module, members), [element])
    tag = caster.cast(tag, tag_type(module, callable_set(module, members.type, [*callables, *unbounded])))
    groups: dict[object, list[Instr]] = {}
    for each in callables:
        groups.setdefault(without_bound(each), []).append(each)
    first = [tag]
    if len(groups) < len(callables):
        chosen = callable_set(module, members.type, [*[group[0] for group in groups.values()], *unbounded])
        first = [caster.emit(op.GetTagForGenericSet, tag_type(module, chosen), [tag]), tag]
    arguments = [call.instr(index) for index in range(1, len(call.operands))]
    types = [each.type for each in [*first, *arguments] if each.type is not None]
    signature = (call.type, *types)
    dispatcher = known.get(signature)
    if dispatcher is None:
        dispatcher = _dispatcher(module, call.type, types, len(first), list(groups.values()), bool(unbounded))
        known[signature] = dispatcher
    new = insert_before(call, Instr(op.FunctionCall, call.type, [dispatcher, *first, *arguments], call.name))
    replace_uses(call, new)
    erase(call)


def _dispatcher(
    module: Module, result: Instr, types: list[Instr], first: int, groups: list[list[Instr]], unbounded: bool
) -> Function:
    """`types` are those of the parameters: `first` of them are tags, of the group and of the callable itself."""
    names = [*["tag", "callable"][:first], *[f"p{index}" for index in range(len(types) - first)]]
    function = new_function(module, "dispatch_element", result, list(zip(names, types, strict=True)))
    builder = Builder(module, function.entry())
    switch = builder.open_switch(function.params[0])
    ends: list[Operand] = []
    for place, group in enumerate(groups):
        last = place == len(groups) - 1 and not unbounded
        block = builder.add_case(switch, [] if last else [place], last).region.entry()
        caster = Caster(module, block, None)
        chosen = constant_callable(group[0])
        assert chosen is not None
        bound = [_bound(caster, function.params[first - 1], group, chosen, index) for index in range(len(chosen[2]))]
        value = caster.emit(op.FunctionCall, result, [chosen[1], *bound, *function.params[first:]])
        ends.extend([value, block])
    if unbounded:
        block = builder.add_case(switch, [], True).region.entry()
        ends.extend([module.intern(op.ConstantNull, result, []) if result.op != op.TypeVoid else 0, block])
    return_results(module, function, switch, ends)
    return function


def _bound(caster: Caster, tag: Instr, group: list[Instr], callable: Element, index: int) -> Instr:
    """What a group's function takes for a table that is bound to it: a tag, or an element."""
    wanted = callable[1].params[index].type
    assert wanted is not None
    type = tag_type(caster.module, set_of(wanted))
    if len(group) == 1:
        tag_of = caster.emit(op.GetTagOfElementInSet, type, [callable[2][index]])
    else:
        tag_of = caster.emit(op.GetTagOfBoundTable, type, [tag, index])
    if wanted.op == op.TypeElementOfSet:
        return caster.emit(op.GetElementFromTag, element_type(caster.module, set_of(wanted)), [tag_of])
    return tag_of


# --- numbers ----------------------------------------------------------------------------------------------------------

SAME: Final = (op.GetElementFromTag, op.GetTagOfElementInSet)


def lower_element(tags: Tags, caster: Caster, instr: Instr, values: list[Instr]) -> Instr | None:
    """What stands for an instruction about elements; None for all others. `values` stand for its operands, for a
    tagged union its tag."""
    code = instr.op
    assert instr.type is not None
    if code == op.IsSameType:
        return _same(tags, caster, instr, values)
    given = instr.instr(0).type if isinstance(instr.operands[0], Instr) else None
    if given is None or (code == op.GetTagOfElementInSet and given.op != op.TypeElementOfSet):
        return None
    if code in SAME:
        return values[0]
    if code in (op.GetTagForSpecializedSet, op.Specialize):
        return _specialize(tags, caster, instr, values)
    if code == op.GetTypeTagFromTaggedUnion:
        pairs = tags.led(set_of(given), set_of(instr.type), type_of_table)
        return tags.map(caster, values[0], pairs)
    if code == op.GetTagForGenericSet:
        target = {without_bound(each): place for place, each in enumerate(elements_of(set_of(instr.type)))}
        return tags.map(caster, values[0], tags.led_to(set_of(given), target, without_bound))
    if code == op.GetTagOfBoundTable:
        index = instr.word(1)
        return tags.map(
            caster, values[0], tags.led(set_of(given), set_of(instr.type), lambda each: bound_table(each, index))
        )
    if code == op.LookupWitness:
        return tags.map(caster, values[0], tags.between(set_of(given), set_of(instr.type), instr.value(1)))
    if code == op.GetSequentialId:
        return tags.map(caster, values[0], tags.to_id(set_of(given)))
    return None


def _same(tags: Tags, caster: Caster, instr: Instr, values: list[Instr]) -> Instr:
    """Numbers of one set: that of the second operand as it would be in the first one's."""
    first, second = instr.instr(0), instr.instr(1)
    if first.type is None:
        first, second, values = second, first, values[::-1]
    assert first.type is not None
    members = set_of(first.type)
    places = {identity(each): place for place, each in enumerate(elements_of(members))}
    other = values[1]
    if second.type is None:
        other = tags.number(places.get(second, len(places)))
    elif set_of(second.type) is not members:
        others = elements_of(set_of(second.type))
        pairs = [(at, places.get(identity(each), len(places))) for at, each in enumerate(others)]
        other = tags.map(caster, other, pairs)
    return caster.emit(op.IEqual, bool_type(caster.module), [values[0], other])


def _specialize(tags: Tags, caster: Caster, instr: Instr, values: list[Instr]) -> Instr:
    """One number for the callable and its tables, mapped to the place of what they make."""
    u32 = tags.layouts.u32
    number = values[0]
    combined: list[tuple[Instr, ...]] = [()]
    for index, value in enumerate(values):
        type = instr.instr(index).type
        assert type is not None
        members = elements_of(set_of(type))
        if index:
            scaled = caster.emit(op.IMul, u32, [number, tags.number(len(members))]) if len(members) > 1 else number
            number = caster.emit(op.IAdd, u32, [scaled, value]) if len(members) > 1 else number
        combined = [(*parts, each) for parts in combined for each in members]
    assert instr.type is not None
    places = {identity(each): place for place, each in enumerate(elements_of(set_of(instr.type)))}
    pairs: list[tuple[int, int]] = []
    for at, parts in enumerate(combined):
        place = place_in(places, specialized(parts[0], parts[1:]))
        if place is not None:
            pairs.append((at, place))
    return tags.map(caster, number, pairs or [(0, 0)])
