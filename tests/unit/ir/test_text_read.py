"""Text read by hand: what each notation means, checked on the module it gives."""

import pytest

from reknit.ir import enums, op
from reknit.ir.block import Block
from reknit.ir.cfg import predecessors
from reknit.ir.constants import as_int, literal_bits
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough
from reknit.ir.module import Module
from reknit.ir.text.parser import parse, parse_document
from reknit.ir.text.printer import print_module
from reknit.ir.tree import If, Loop, Scope, Switch
from reknit.ir.verify import verify
from reknit.source.diagnostic import Diagnostic, InputError

SHADER = """; a comment at the top
Capability Shader
Capability GroupNonUniformBallot
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %gid
ExecutionMode @main LocalSize 64 1 1
Decorate %gid BuiltIn GlobalInvocationId
%gid = Variable Input : ptr<Input, vec3<u32>>

func @main() -> void {
  %k3 = Load %gid : vec3<u32>
  %k = CompositeExtract %k3 0 : u32
  %even = IEqual %k, 0u : bool
  switch %k as @s {
    case 0, 2: { %b = GroupNonUniformBallot Subgroup true : vec4<u32>   ; tangle: {0,1,4}
                 if %even { break @s }   fallthrough }
    case 1:    { loop @l { if %even { continue @l } break @l } continuing { } }
    default:   { }
  }
  scope @x { break @x }
  return
}
"""


def only(module: Module) -> list[object]:
    """The nodes of the last function's body that are no blocks."""
    return [node for node in module.functions[-1].body if not isinstance(node, Block)]


def codes(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        parse(text)
    return [fault.code for fault in caught.value.diagnostics]


def faults(text: str) -> list[Diagnostic]:
    with pytest.raises(InputError) as caught:
        parse(text, "a.rk")
    return caught.value.diagnostics


def constant(text: str) -> Instr:
    """The operand of a `CopyObject` in a function."""
    module = parse(f"func @f() {{\n%x = CopyObject {text} : void\nreturn\n}}\n")
    copied = module.functions[0].entry().first
    assert copied is not None
    return copied.instr(0)


def test_the_tree_of_the_design_document() -> None:
    module = parse(SHADER)
    assert verify(module) == []
    assert [instr.op for instr in module.capabilities] == [op.Capability] * 2
    gid = module.globals[[instr.op for instr in module.globals].index(op.Variable)]
    assert gid.name == "gid"
    assert module.decorations[0].operands == [gid, enums.DecorationBuiltIn, enums.BuiltInGlobalInvocationId]
    main = module.functions[0]
    assert module.entry_points[0].operands == [enums.ExecutionModelGLCompute, main, "main", gid]
    assert not main.entry().padding
    switch, scope = only(module)
    assert isinstance(switch, Switch) and isinstance(scope, Scope)
    assert [[literal for literal, case in switch.targets if case is one] for one in switch.cases] == [[0, 2], [1], []]
    assert switch.default is switch.cases[2]
    first, choice, rest = switch.cases[0].region
    assert isinstance(first, Block) and isinstance(choice, If) and isinstance(rest, Block)
    assert first.padding and first.first is not None and first.first.op == op.GroupNonUniformBallot
    assert as_int(first.first.instr(0)) == enums.ScopeSubgroup
    broken = choice.then.entry().jump
    fallen = rest.jump
    assert isinstance(broken, Break) and broken.target is switch
    assert isinstance(fallen, Fallthrough) and fallen.target is switch.cases[1]
    _, loop, _ = switch.cases[1].region
    assert isinstance(loop, Loop)
    _, condition, _ = loop.body
    assert isinstance(condition, If)
    again = condition.then.entry().jump
    assert isinstance(again, Continue) and again.target is loop
    assert isinstance(main.body.end().jump, Exit)


def test_comments_come_with_what_they_stand_behind() -> None:
    document = parse_document(SHADER, "a.rk")
    assert [(comment.text, comment.place.line) for comment in document.comments] == [
        ("a comment at the top", 1),
        ("tangle: {0,1,4}", 15),
    ]
    subject = document.comments[1].subject
    assert document.comments[0].subject is None
    assert isinstance(subject, Instr) and subject.name == "b"


def test_a_comment_behind_a_label_is_about_the_block() -> None:
    document = parse_document("func @f() {\nb1:   // ; dominates: b4 b5\nreturn\n}\n")
    assert document.comments[0].text == "dominates: b4 b5"
    assert document.comments[0].subject is document.module.functions[0].entry()


@pytest.mark.parametrize(
    ("text", "width", "signed", "value"),
    [
        ("7u", 32, 0, 7),
        ("-3", 32, 1, -3),
        ("0x10u", 32, 0, 16),
        ("7i8", 8, 1, 7),
        ("-128i8", 8, 1, -128),
        ("18446744073709551615u64", 64, 0, (1 << 64) - 1),
        ("5i", 32, 1, 5),
    ],
)
def test_integers(text: str, width: int, signed: int, value: int) -> None:
    instr = constant(text)
    assert instr.type is not None
    assert (instr.type.operands, as_int(instr)) == ([width, signed], value)


# IEEE 754 bits by hand: 1.5 = 1.1b * 2^0; -0; the smallest subnormal is one unit in the last place
@pytest.mark.parametrize(
    ("text", "width", "bits"),
    [
        ("1.5f", 32, 0x3FC00000),
        ("1.5h", 16, 0x3E00),
        ("1.5d", 64, 0x3FF8000000000000),
        ("-0.0f", 32, 0x80000000),
        ("1f", 32, 0x3F800000),
        ("1.401298464324817e-45f", 32, 1),
        ("f32(0x7fc00001)", 32, 0x7FC00001),
        ("f16(0x7c00)", 16, 0x7C00),
    ],
)
def test_floats(text: str, width: int, bits: int) -> None:
    instr = constant(text)
    assert instr.type is not None and instr.type.op == op.TypeFloat
    assert (instr.type.word(0), literal_bits(instr)) == (width, bits)


def test_types_are_made_once_in_the_order_of_their_mention() -> None:
    types = "ptr<Uniform, mat2x3<f32>>, array<u32, 4>, array<f32>, fn(u32) -> void, vec3<f32>, null<u32>"
    module = parse(f"declare {types}\n")
    assert [instr.op for instr in module.globals] == [
        op.TypeFloat,
        op.TypeVector,
        op.TypeMatrix,
        op.TypePointer,
        op.TypeInt,
        op.Constant,
        op.TypeArray,
        op.TypeRuntimeArray,
        op.TypeVoid,
        op.TypeFunction,
        op.ConstantNull,
    ]
    vector, matrix = module.globals[1:3]
    assert vector.operands == [module.globals[0], 3]
    assert matrix.operands == [vector, 2]
    assert as_int(module.globals[6].instr(1)) == 4


def test_labels_tell_real_blocks_from_padding() -> None:
    module = parse("func @f() {\nif true {\nb1:\n} else {\npad b2:\n}\nb3:\nreturn\n}\n")
    choice = only(module)[0]
    assert isinstance(choice, If)
    assert (choice.then.entry().padding, choice.orelse.entry().padding, choice.after().padding) == (False, True, False)


def test_a_label_after_a_block_opens_another() -> None:
    module = parse("func @f() {\n%x = IAdd 1, 2 : i32\nb1:\npad b2:\nreturn\n}\n")
    assert [block.padding for block in module.functions[0].body if isinstance(block, Block)] == [False, False, True]


def test_attributes() -> None:
    text = (
        "func @f(%k: i32) control Inline {\n"
        "if true nojoin control Flatten weights (3, 4) {\n}\n"
        "loop control DependencyLength(8) {\n}\n"
        "return\n}\n"
    )
    module = parse(text)
    choice, loop = only(module)
    assert isinstance(choice, If) and isinstance(loop, Loop)
    assert (choice.merged, choice.control, choice.weights) == (False, [1], [3, 4])
    assert (loop.merged, loop.control) == (True, [8, 8])
    assert module.functions[0].control == enums.FunctionControlInline


def test_case_literals_are_the_selectors_bits() -> None:
    module = parse("func @f(%k: i8) {\nswitch %k {\ncase -1: {\n}\ncase 3, default: {\n}\n}\nreturn\n}\n")
    switch = only(module)[0]
    assert isinstance(switch, Switch)
    assert [literal for literal, _ in switch.targets] == [255, 3]
    assert switch.default is switch.cases[1]


def test_targets_may_have_another_order_than_the_cases() -> None:
    cases = "case 1: {\n}\ncase 9, default: {\n}\n"
    module = parse(f"func @f(%k: u32) {{\nswitch %k targets (9, 1) {{\n{cases}}}\nreturn\n}}\n")
    switch = only(module)[0]
    assert isinstance(switch, Switch)
    assert [(literal, switch.cases.index(case)) for literal, case in switch.targets] == [(9, 1), (1, 0)]


def test_a_fallthrough_may_leave_an_inner_switch() -> None:
    text = """func @f(%k: u32) {
switch %k as @outer {
case 1: {
switch %k {
case 5, default: {
fallthrough @outer
}
}
}
default: {
}
}
return
}
"""
    module = parse(text)
    outer = only(module)[0]
    assert isinstance(outer, Switch)
    assert len(outer.cases[1].fallthroughs) == 1
    assert verify(module) == []
    assert "fallthrough @outer" in print_module(module)


def test_phis_name_blocks_that_come_later() -> None:
    text = """func @f(%c: bool) {
loop @l {
pad b1:
%i = Phi 0u b0, %next b2 : u32
if %c { break @l }
} continuing {
pad b2:
%next = IAdd %i, 1u : u32
}
return
}
""".replace("{\nloop", "{\nb0:\nloop", 1)
    module = parse(text)
    loop = only(module)[0]
    assert isinstance(loop, Loop)
    phi = loop.body.entry().first
    assert phi is not None and phi.op == op.Phi
    assert phi.operands[1::2] == predecessors(loop.body.entry())
    assert phi.operands[2] is loop.continuing.entry().first
    assert verify(module) == []


def test_flat_functions() -> None:
    text = """func @f(%c: bool) flat {
b1:
SelectionMerge b3 None
BranchConditional %c, b2, b3
b2:
Branch b3
b3:
return
}
"""
    module = parse(text)
    function = module.functions[0]
    assert not function.structured
    jump = function.blocks[0].jump
    assert isinstance(jump, Branch) and jump.merge is not None
    assert jump.merge.operands == [function.blocks[2], 0]
    assert jump.instr.operands[1:] == function.blocks[1:]
    assert verify(module) == []


def test_ids_are_kept() -> None:
    module = parse("func @f(%x: u32) {\n%7 = IAdd %x, 1u : u32\nreturn\nids 12 %x\n}\nids 3 u32 1u @f\n")
    function = module.functions[0]
    first = function.entry().first
    assert first is not None
    assert [first.id, function.params[0].id, function.id] == [7, 12, 5]
    assert [instr.id for instr in module.globals[:2]] == [3, 0]
    assert module.bound == 13


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("%x = Nonsense %a : u32", "RK0302"),
        ("%x = IAdd %a : u32", "RK0305"),
        ("%x = IAdd %a, %a, %a : u32", "RK0305"),
        ("%x = IAdd %a, %a", "RK0305"),
        ("%x = Store %p, %a", "RK0305"),
        ("Store %p, %a Misaligned", "RK0305"),
        ("%x = IAdd %a, 300u8 : u32", "RK0306"),
        ("%x = IAdd %a, 2147483648 : u32", "RK0306"),
        ("%x = FAdd 1.5, 1.5f : f32", "RK0306"),
        ("%x = FAdd 1e39f, 1.5f : f32", "RK0306"),
        ("%x = CopyObject %a : u99999", "RK0311"),
        ("%x = CopyObject %a : vec4", "RK0301"),
        ("break @s", "RK0307"),
        ("fallthrough", "RK0308"),
        ("case 1: {", "RK0310"),
        ("SelectionMerge b1 None", "RK0310"),
        ("else {", "RK0310"),
        ("if %c as @x { loop @x {", "RK0304"),
        ("ids x", "RK0306"),
    ],
)
def test_a_fault_has_its_code(statement: str, code: str) -> None:
    text = f"func @f(%a: u32, %c: bool, %p: ptr<Function, u32>) {{\n{statement}\nreturn\n}}\n"
    assert code in codes(text)


def test_a_fault_points_at_what_is_wrong() -> None:
    first, second = faults("Capability Shader\nfunc @f() {\n  %x = IAdd 1u, %nothing : u32\n  break @s\n  return\n}\n")
    assert (first.code, str(first.place), first.place.length if first.place else 0) == ("RK0303", "a.rk:3:17", 8)
    assert (second.code, str(second.place)) == ("RK0307", "a.rk:4:9")


def test_many_faults_in_one_run_and_none_that_only_follows() -> None:
    text = """func @f(%a: u32) {
  %x = IAdd %a : u32
  %y = IAdd %x, %x : u32
  if %a as {
    %z = IMul %x, %y : u32
    break @nowhere
  } else {
    %w = Nonsense
  }
  %v = ISub %z, %y : u23z
  return
}
"""
    assert [(fault.code, fault.place.line if fault.place else 0) for fault in faults(text)] == [
        ("RK0305", 2),
        ("RK0301", 4),
        ("RK0311", 10),
    ]


def test_help_names_what_was_meant() -> None:
    assert "IAdd" in faults("func @f() {\n%x = IAd 1u, 2u : u32\nreturn\n}\n")[0].help
    assert "IAdd" in faults("func @f() {\n%x = OpIAdd 1u, 2u : u32\nreturn\n}\n")[0].help
    assert "Shader" in faults("Capability Shade\n")[0].help


def test_names_of_different_functions_may_be_the_same() -> None:
    module = parse("func @f(%x: u32) {\nreturn\n}\nfunc @g(%x: u32) {\nreturn\n}\n")
    assert [function.params[0].name for function in module.functions] == ["x", "x"]
    assert codes("func @f(%x: u32) {\nreturn\n}\nfunc @g(%x: u32) {\nreturn\n}\nDecorate %x Restrict\n") == ["RK0303"]


def test_types_do_not_nest_without_end() -> None:
    assert "RK0311" in codes("declare " + "ptr<Function, " * 5000 + "u32" + ">" * 5000 + "\n")
