"""A merged scope whose merge instruction may stand at its first branch, and one where it may not.

    scope @s { if c nojoin { break @s }  if d { if c nojoin { break @s } } }
                                         ▲ a selection construct of its own, left for the merge block of another

SPIR-V 1.6, 2.11: a selection construct inside another leaves both at once only for the merge block of a switch.
"""

import pytest
from kit import oracles

from reknit.ir import enums, op
from reknit.ir.build import Builder, new_function
from reknit.ir.constants import bool_constant
from reknit.ir.edit import set_jump
from reknit.ir.jump import Break
from reknit.ir.module import Module, annotation
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module


def scoped(inner_merged: bool) -> bytes:
    """The scope above; whether the second `if`, out of which the scope is left, is merged."""
    module = Module()
    module.capabilities.append(annotation(op.Capability, [enums.CapabilityShader]))
    module.capabilities.append(annotation(op.Capability, [enums.CapabilityLinkage]))
    module.memory_model.append(annotation(op.MemoryModel, [0, 1]))
    b = Builder(module, new_function(module, "f").entry())
    yes = bool_constant(module, True)
    scope = b.open_scope("s")
    b.at(scope.body.entry())
    first = b.open_if(yes, merged=False)
    set_jump(first.then.entry(), Break(scope))
    b.at(first.after())
    second = b.open_if(yes, merged=inner_merged)
    b.at(second.then.entry())
    last = b.open_if(yes, merged=False)
    set_jump(last.then.entry(), Break(scope))
    b.at(scope.after())
    b.return_()
    return write_module(module)


@pytest.mark.parametrize(("inner_merged", "switches"), [(False, 0), (True, 1)])
def test_a_scope_left_from_an_inner_selection_is_a_switch(inner_merged: bool, switches: int) -> None:
    data = scoped(inner_merged)
    accepted, message = oracles.spirv_val(data, "spv1.6")
    assert accepted, message
    words = [int.from_bytes(data[at : at + 4], "little") for at in range(20, len(data), 4)]
    found = at = 0
    while at < len(words):
        found += words[at] & 0xFFFF == op.Switch
        at += words[at] >> 16
    assert found == switches
    assert read_module(data).notes == []
