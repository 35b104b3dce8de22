"""Which elements of its set a tag can be, as far as the code that makes it tells.

%t = GetTagOfElementInSet %WA : tag {WA, WB}          WA
%s = GetTagForSuperSet %t : tag {WA, WB, WC}          WA
%u = MakeTaggedUnion %s, %x; GetTagFromTaggedUnion %u    WA
anything else                                         all of the set that its type has
"""

from reknit.ir import op, traits
from reknit.ir.callables import identity
from reknit.ir.dispatch_sets import elements_of, set_of
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.source.meter import spend


def possible_elements(value: Instr, given: dict[Value, Value]) -> list[Instr]:
    """The elements that `value`, a tag or a tagged union, can have, in the order of its set. `given` has values for
    some: what they are on one path. Costs the instructions that pass the tag on."""
    steps: list[Instr] = []
    while True:
        spend(1)
        instead = given.get(value)
        if isinstance(instead, Instr):
            value = instead
        elif value.op in traits.PASSES_TAG or value.op == op.GetTagForMappedSet:
            steps.append(value)
            value = value.instr(0)
        else:
            break
    assert value.type is not None
    possible = elements_of(set_of(value.type))
    if value.op == op.GetTagOfElementInSet:
        possible = [value.instr(0)]
    for step in reversed(steps):
        possible = _led_to(possible, step)
    return possible


def _led_to(elements: list[Instr], step: Instr) -> list[Instr]:
    """What `elements` are after a step; all of its set where one of them isn't found there."""
    assert step.type is not None
    here = elements_of(set_of(step.type))
    key = step.value(1) if step.op == op.GetTagForMappedSet else None
    wanted = dict.fromkeys([identity(element, key) for element in elements])
    narrowed = [element for element in here if identity(element) in wanted]
    return narrowed if len(narrowed) == len(wanted) or step.op == op.GetTagForSubSet else here
