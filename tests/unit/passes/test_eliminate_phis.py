"""eliminate-phis: parallel copies, critical edges, phis that stay. Values per lane are worked out by hand."""

from kit import oracles
from kit.random.trees import results
from kit.text.pass_texts import apply, body, main_text

from reknit.ir import enums, op
from reknit.ir.module import Module, annotation
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.walk import instructions
from reknit.passes.eliminate_phis import ELIMINATE_PHIS
from reknit.spirv.write import write_module

SWAP = """pad start:
loop @l {
  head:
  %a = Phi 1u start, %b latch : u32
  %b = Phi 2u start, %a latch : u32
  %i = Phi 0u start, %j latch : u32
  %j = IAdd %i, 1u : u32
  %done = UGreaterThan %i, %lane : bool
  if %done nojoin { break @l }
} continuing {
  pad latch:
}
%tens = IMul %a, 10u : u32
%both = IAdd %tens, %b : u32
Store %slot, %both
return"""


def phis(module: Module) -> int:
    return sum(instr.op == op.Phi for function in module.functions for instr in instructions(function))


def first_lanes(module: Module, count: int) -> list[int]:
    everywhere = {tuple(words[:count]) for _, _, words in results(module)}
    assert len(everywhere) == 1, "no tangled operation is in it"
    return list(everywhere.pop())


def test_nothing_is_stored_where_no_path_leads() -> None:
    """The phi may name %x for `gone` since nothing reaches that block; a store there would use %x above its definition,
    which no module may ("has not been defined"). Lanes 2 and 3 arrive."""
    module = body(
        "%c = ULessThan %lane, 2u : bool\nif %c {\nreturn\npad gone:\n} else {\npad here:\n"
        "%x = IAdd %lane, 5u : u32\n}\npad m:\n%p = Phi %x gone, %x here : u32\nStore %slot, %p\nreturn"
    )
    apply(module, ELIMINATE_PHIS)
    assert phis(module) == 0 and main_text(module).count("Store %p") == 1
    assert first_lanes(parse(print_module(module)), 4) == [0, 0, 7, 8]
    accepted, message = oracles.validate(write_module(module))
    assert accepted, message


def test_a_phi_fed_over_a_conditional_back_edge() -> None:
    """SPIR-V has no block between such a test and the header (2.11: the back-edge block post-dominates the continue
    target), so the store stands before the test. Lane n goes around n + 1 times: it leaves with i = n."""
    module = body(
        "pad start:\nloop @l {\n  %i = Phi 0u start, %j latch : u32\n  %j = IAdd %i, 1u : u32\n} continuing {\n"
        "  %done = UGreaterThan %j, %lane : bool\n  if %done nojoin { break @l }\n  pad latch:\n}\n"
        "Store %slot, %i\nreturn"
    )
    apply(module, ELIMINATE_PHIS)
    text = main_text(module)
    assert phis(module) == 0
    assert text.index("Store %i") < text.index("if %done nojoin")
    assert first_lanes(parse(print_module(module)), 4) == [0, 1, 2, 3]
    accepted, message = oracles.validate(write_module(module))
    assert accepted, message


def test_a_phi_that_lives_on_after_its_loop() -> None:
    """The lost copy: %i is read behind the loop although %j, its next value, is stored into its variable before."""
    lost = SWAP.replace("Store %slot, %both", "%seen = IAdd %i, 100u : u32\nStore %slot, %seen")
    module = body(lost)
    apply(module, ELIMINATE_PHIS)
    assert first_lanes(parse(print_module(module)), 4) == [101, 102, 103, 104]


def test_a_case_reached_by_selector_and_by_fallthrough() -> None:
    """The edge from the switch to case 1 is critical: its source has other successors and its target another source."""
    module = body(
        "pad s:\nswitch %lane { case 0: {\npad a:\nfallthrough\n} case 1: {\n%p = Phi 5u s, 6u a : u32\n"
        "Store %slot, %p\n} default: { } }\nreturn"
    )
    changed, _ = apply(module, ELIMINATE_PHIS)
    assert changed and phis(module) == 0
    assert first_lanes(parse(print_module(module)), 3) == [6, 5, 0]


def pointer_phi(capabilities: list[int]) -> Module:
    module = body(
        "%q = AccessChain %out, 0u, 0u : ptr<StorageBuffer, u32>\n%c = ULessThan %lane, 2u : bool\n"
        "if %c {\npad a:\n} else {\npad b:\n}\npad m:\n%n = Phi 1u a, 2u b : u32\n"
        "%p = Phi %slot a, %q b : ptr<StorageBuffer, u32>\n%k = Phi 3u a, 4u b : u32\n"
        "Store %p, %n\nStore %p, %k\nreturn"
    )
    module.capabilities.extend(annotation(op.Capability, [capability]) for capability in capabilities)
    return module


def test_a_logical_pointer_stays_a_phi() -> None:
    """SPIR-V 1.6, 2.16.1: without variable pointers no variable may hold a pointer. The other phis leave."""
    module = pointer_phi([])
    changed, context = apply(module, ELIMINATE_PHIS)
    assert changed and context.declined
    assert [note.code for note in context.notes] == ["RK2010"]
    assert phis(module) == 1
    merge = [instr for instr in instructions(module.functions[0]) if instr.op == op.Phi][0].block
    assert merge is not None and merge.first is not None and merge.first.op == op.Phi, "phis come first in a block"


def test_variable_pointers_can_be_stored() -> None:
    module = pointer_phi([enums.CapabilityVariablePointersStorageBuffer])
    _, context = apply(module, ELIMINATE_PHIS)
    assert not context.declined
    assert phis(module) == 0


def test_decorations_stay_with_the_value() -> None:
    """A NonUniform phi must go on being NonUniform: the load takes its place as the same value."""
    module = body(
        "%c = ULessThan %lane, 2u : bool\nif %c {\npad a:\n} else {\npad b:\n}\npad m:\n"
        "%p = Phi 7u a, 9u b : u32\nStore %slot, %p\nreturn"
    )
    phi = next(instr for instr in instructions(module.functions[0]) if instr.op == op.Phi)
    module.decorations.append(annotation(op.Decorate, [phi, enums.DecorationNonUniform]))
    apply(module, ELIMINATE_PHIS)
    assert phi.op == op.Load and phi.block is not None
    assert "NonUniform" in print_module(module)
