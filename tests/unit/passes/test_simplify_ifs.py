"""simplify-ifs: what its document doesn't show, that the order of a pipeline is checked."""

import pytest
from kit.proving import assert_refines
from kit.text.pass_texts import body

from reknit.ir.text.printer import print_module
from reknit.passes.manager import Hooks, run_passes
from reknit.source.diagnostic import InputError


def test_values_that_two_returns_give_meet_in_a_phi() -> None:
    """So the pass says that it may make phis, and the order check knows."""
    arms = "if %c { Store %p, 5u\nreturn 1u } else { Store %p, 6u\nreturn 2u }\nunreachable"
    callee = f"func @f(%c: bool, %p: ptr<StorageBuffer, u32>) -> u32 {{ {arms} }}\n"
    main = "%odd = INotEqual %lane, 1u : bool\n%x = FunctionCall @f, %odd, %slot : u32\nStore %slot, %x\nreturn"
    module = body(main, callee)
    before = module.copy()
    run_passes(module, "eliminate-phis, simplify-ifs", Hooks(verify_each=True))
    assert "Phi" in print_module(module)
    assert_refines(before, module)
    with pytest.raises(InputError, match="simplify-ifs undoes no-phis|needs no-phis"):
        run_passes(module, "eliminate-phis, simplify-ifs, eliminate-multi-level-breaks")
