"""What the module reader and writer refuse: each with its code, and for a binary with the word offset of the place."""

import pytest

import reknit
from reknit.ir import op
from reknit.ir.build import Builder, new_function
from reknit.ir.constants import bool_constant, int_constant
from reknit.ir.edit import append
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import int_type
from reknit.source.diagnostic import InputError
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module
from reknit.spirv.words import header
from reknit.spirv.write import write_module

PREFIX = """OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
"""
TYPES = """%void = OpTypeVoid
%uint = OpTypeInt 32 0
%fn = OpTypeFunction %void
"""

# name -> (code, text, words from the start of the module to the faulty word)
# Offsets by hand: header 5, OpCapability 2 each, OpMemoryModel 3, so the text after PREFIX starts at word 12;
# OpTypeVoid 2, OpTypeInt 4, OpTypeFunction 3, so what follows TYPES starts at word 21.
TEXTS = {
    "an operand that nothing defines": ("RK0110", TYPES + "%c = OpConstantComposite %uint %gone", 24),
    "a forward reference between types": ("RK0114", "%s = OpTypeStruct %t\n%t = OpTypeInt 32 0", 12),
    "a type that contains itself": ("RK0114", "%s = OpTypeStruct %s", 12),
    "a result type that is a function": (
        "RK0112",
        TYPES + "%f = OpFunction %void None %fn\n%b = OpLabel\n%x = OpUndef %f\nOpReturn\nOpFunctionEnd",
        29,
    ),
    "a branch to a constant": (
        "RK0112",
        TYPES + "%k = OpConstant %uint 1\n%f = OpFunction %void None %fn\n%b = OpLabel\nOpBranch %k\nOpFunctionEnd",
        32,
    ),
    "a branch into another function": (
        "RK0112",
        TYPES
        + "%f = OpFunction %void None %fn\n%b = OpLabel\nOpBranch %c\nOpFunctionEnd\n"
        + "%g = OpFunction %void None %fn\n%c = OpLabel\nOpReturn\nOpFunctionEnd",
        28,
    ),
    "a block without an end": (
        "RK0113",
        TYPES + "%f = OpFunction %void None %fn\n%b = OpLabel\n%c = OpLabel\nOpReturn\nOpFunctionEnd",
        26,
    ),
    "an instruction between functions": (
        "RK0113",
        TYPES + "%f = OpFunction %void None %fn\nOpFunctionEnd\nOpReturn",
        27,
    ),
    "a label outside of a function": ("RK0113", TYPES + "%b = OpLabel", 21),
    "a function without an end": ("RK0113", TYPES + "%f = OpFunction %void None %fn\n%b = OpLabel\nOpReturn", 21),
    "a capability that depends on a constant": (
        "RK0115",
        "OpConditionalCapabilityINTEL %k Int8\n%bool = OpTypeBool\n%k = OpSpecConstantTrue %bool",
        12,
    ),
    "a merge instruction before a return": (
        "RK0113",
        TYPES + "%f = OpFunction %void None %fn\n%b = OpLabel\nOpSelectionMerge %b None\nOpReturn\nOpFunctionEnd",
        31,
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_fault_has_its_code_and_its_word(name: str) -> None:
    code, text, word = TEXTS[name]
    # A name that the text never defines gets an id of its own all the same: the assembler leaves that to the reader.
    with pytest.raises(InputError) as caught:
        read_module(assemble(PREFIX + text, version=(1, 5)))
    first = caught.value.diagnostics[0]
    assert first.code == code
    assert first.place is not None and first.place.word == word


def test_an_instruction_that_ends_early() -> None:
    """OpTypeInt takes a width and a signedness; this one has two words fewer."""
    words = [*header(0x00010500, 0, 2), 2 << 16 | op.TypeInt, 1]
    with pytest.raises(InputError) as caught:
        read_module(b"".join(word.to_bytes(4, "little") for word in words))
    assert caught.value.diagnostics[0].code == "RK0111"


def test_an_instruction_with_words_too_many() -> None:
    words = [*header(0x00010500, 0, 2), 3 << 16 | op.TypeVoid, 1, 7]
    with pytest.raises(InputError) as caught:
        read_module(b"".join(word.to_bytes(4, "little") for word in words))
    assert caught.value.diagnostics[0].code == "RK0111"


def test_an_opcode_newer_than_the_grammar_is_carried() -> None:
    words = [*header(0x00010500, 0, 1), 3 << 16 | 65000, 1234, 5678]
    data = b"".join(word.to_bytes(4, "little") for word in words)
    assert write_module(read_module(data)) == data


def test_at_most_twenty_faults_are_reported() -> None:
    many = "\n".join(f"%c{at} = OpConstantComposite %uint %gone" for at in range(50))
    with pytest.raises(InputError) as caught:
        read_module(assemble(PREFIX + TYPES + many, version=(1, 5)))
    assert len(caught.value.diagnostics) == 20


def refused(module: Module) -> str:
    with pytest.raises(InputError) as caught:
        write_module(module)
    return caught.value.diagnostics[0].code


def test_a_break_of_two_loops_has_no_branch() -> None:
    """SPIR-V 1.6, 2.11: a loop construct is left to its own merge block or continue target."""
    module = Module()
    function = new_function(module, "f")
    b = Builder(module, function.entry())
    outer = b.open_loop("outer")
    b.at(outer.body.entry())
    inner = b.open_loop("inner")
    b.at(inner.body.entry())
    b.break_(outer)
    b.at(outer.after())
    b.return_()
    assert refused(module) == "RK0510"


def test_a_break_in_continuing_is_its_end() -> None:
    """SPIR-V 1.6, 2.11: the back-edge block post-dominates the continue target, so nothing stands behind the test."""
    module = Module()
    function = new_function(module, "f")
    b = Builder(module, function.entry())
    loop = b.open_loop("l")
    b.at(loop.continuing.entry())
    test = b.open_if(bool_constant(module, True), merged=False)
    b.at(test.then.entry())
    b.break_(loop)
    b.at(test.after())
    b.effect(op.Nop, [])
    b.at(loop.after())
    b.return_()
    assert refused(module) == "RK0510"


def test_a_body_that_ends_without_a_return() -> None:
    module = Module()
    new_function(module, "f")
    assert refused(module) == "RK0511"


def test_an_instruction_of_more_words_than_sixteen_bits_count() -> None:
    """SPIR-V 1.6, 2.3: the word count has 16 bits. A selector, a default and 33,000 pairs are more words than that."""
    module = Module()
    u32 = int_type(module, 32, False)
    function = new_function(module, "f")
    b = Builder(module, function.entry())
    switch = b.open_switch(int_constant(module, u32, 1))
    b.add_case(switch, list(range(33_000)), default=True)
    b.at(switch.after())
    b.return_()
    assert refused(module) == "RK0512"


def test_a_value_that_stands_nowhere() -> None:
    module = Module()
    u32 = int_type(module, 32, False)
    function = new_function(module, "f")
    b = Builder(module, function.entry())
    lost = Instr(op.Undef, u32, [], "lost")
    b.emit(op.IAdd, u32, [lost, lost])
    b.return_()
    assert refused(module) == "RK0513"


def test_a_scope_is_a_switch_with_a_default_alone() -> None:
    """A one-trip region needs a merge block and something to branch from; OpSwitch takes both (SPIR-V 1.6, 2.11)."""
    module = Module()
    function = new_function(module, "f")
    b = Builder(module, function.entry())
    scope = b.open_scope("once")
    b.at(scope.body.entry())
    choice = b.open_if(bool_constant(module, True))
    b.at(choice.then.entry())
    b.break_(scope)
    b.at(scope.after())
    b.return_()
    again = read_module(write_module(module))
    (switch,) = [node for node in again.functions[0].body if node.next is not None and node.prev is not None]
    assert type(switch).__name__ == "Switch"
    assert again.notes == []


def test_names_and_decorations_of_what_is_gone_are_left_out() -> None:
    text = (
        PREFIX
        + 'OpName %gone "gone"\nOpName %uint "kept"\nOpDecorate %gone RelaxedPrecision\n'
        + TYPES
        + "%f = OpFunction %void None %fn\n%b = OpLabel\n%gone = OpUndef %uint\nOpReturn\nOpFunctionEnd"
    )
    module = read_module(assemble(text, version=(1, 5)))
    block = module.functions[0].entry()
    removed = block.first
    assert removed is not None
    block.first = block.last = None
    again = read_module(write_module(module))
    assert [instr.text(1) for instr in again.names] == ["kept"]
    assert again.decorations == []


def test_new_values_with_a_name_get_one() -> None:
    module = Module()
    u32 = int_type(module, 32, False)
    function = new_function(module, "f")
    append(function.entry(), Instr(op.Undef, u32, [], "fresh"))
    Builder(module, function.entry()).return_()
    again = read_module(write_module(module))
    assert [(instr.value(0).name, instr.text(1)) for instr in again.names] == [("f", "f"), ("fresh", "fresh")]



def test_integers_of_no_bits_have_no_constants() -> None:
    """OpTypeInt 0 is not allowed (SPIR-V 1.6, OpTypeInt: "Width"); the constant beside it is refused, not computed."""
    text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%int = OpTypeInt 0 1\n%x = OpConstant %int 0\n"
    with pytest.raises(InputError):
        reknit.load(text.encode(), format="spvasm")


@pytest.mark.parametrize(("first", "code"), [(0xFFFFFFFE, "RK0306"), (0xFFFFFFFF, "RK0306"), (0xFFFFFFFD, "RK0107")])
def test_ids_end_where_a_word_does(first: int, code: str) -> None:
    """%a and its neighbour get ids that `ids` says; what has none gets those behind them, of which none may be left."""
    text = f"Capability Shader\n%a = TypeInt 32 0\n%b = TypeInt 32 1\n%c = TypeFloat 32\nids {first} %a %b\n"
    with pytest.raises(InputError) as refused:
        reknit.to_bytes(reknit.load(text.encode(), format="rk"), check=False)
    assert refused.value.diagnostics[0].code == code
