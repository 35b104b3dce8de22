"""`repair`: each way that a use can lose its definition, with the phis that Cytron's construction asks for, by hand."""

from reknit.analysis.manager import Analyses
from reknit.ir import op
from reknit.ir.cursor import after_instr, at_end, at_head, before_instr
from reknit.ir.extract import move
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.tree import Loop
from reknit.ir.verify import verify
from reknit.ir.walk import blocks, constructs
from reknit.passes.contract import Context
from reknit.passes.repair import repair


def read(text: str) -> tuple[Module, Function]:
    module = parse(text)
    assert verify(module) == []
    return module, module.functions[-1]


def value(function: Function, name: str) -> Instr:
    return next(instr for block in blocks(function) for instr in block if instr.name == name and instr.op != op.Phi)


def mend(module: Module, function: Function) -> bool:
    changed = repair(function, Context(module, Analyses(module), {}))
    assert [str(fault) for fault in verify(module)] == []
    return changed


def test_nothing_to_do() -> None:
    module, main = read("func @main(%a: u32) -> void {\n  %x = IAdd %a, %a : u32\n  return\n}\n")
    assert not mend(module, main)


def test_two_joins_on_the_way_have_one_phi_each() -> None:
    module, main = read("""func @main(%c: bool, %a: u32) -> void {
  %x = IAdd %a, 1u : u32
  if %c as @i {
    if %c as @j {
    }
  }
  %y = IAdd %x, 2u : u32
  %z = IAdd %x, 3u : u32
  return
}
""")
    outer, inner = constructs(main)
    x = value(main, "x")
    move(module, before_instr(x), after_instr(x), at_head(inner.regions()[0].entry()))
    assert mend(module, main)
    last = value(main, "y").instr(0)
    assert value(main, "z").operands[0] is last, "one phi for both uses"
    assert last.op == op.Phi and last.block is outer.after()
    first = last.instr(0)
    assert first.op == op.Phi and first.block is inner.after() and first.operands[0] is x
    assert first.operands[2] is last.operands[2] and first.instr(2).op == op.Undef
    assert sum(instr.op == op.Phi for block in blocks(main) for instr in block) == 2


def test_a_use_before_its_definition_in_a_loop_reads_the_iteration_before() -> None:
    module, main = read("""func @main(%c: bool, %a: u32) -> void {
  loop @l {
    %x = IAdd %a, 1u : u32
    %y = IAdd %x, 2u : u32
    if %c as @i {
      break @l
    }
  }
  return
}
""")
    loop = constructs(main)[0]
    assert isinstance(loop, Loop)
    x = value(main, "x")
    move(module, before_instr(x), after_instr(x), after_instr(value(main, "y")))
    assert mend(module, main)
    phi = value(main, "y").instr(0)
    assert phi.op == op.Phi and phi.block is loop.body.entry()
    incoming = dict(zip(phi.operands[1::2], phi.operands[::2], strict=True))
    assert incoming[loop.continuing.end()] is x
    before = incoming[loop.before()]
    assert isinstance(before, Instr) and before.op == op.Undef


def test_a_use_that_comes_first_for_good_is_undefined() -> None:
    module, main = read("""func @main(%a: u32) -> void {
  %x = IAdd %a, 1u : u32
  %y = IAdd %x, 2u : u32
  return
}
""")
    x = value(main, "x")
    move(module, before_instr(x), after_instr(x), at_end(main.entry()))
    assert mend(module, main)
    assert value(main, "y").instr(0).op == op.Undef


def test_a_pointer_is_computed_again() -> None:
    module, main = read("""MemoryModel Logical GLSL450
%words = TypeArray u32, 4u
%out = Variable Private : ptr<Private, %words>

func @main(%c: bool, %a: u32) -> void {
  %at = AccessChain %out, %a : ptr<Private, u32>
  if %c as @i {
  }
  Store %at, 7u
  return
}
""")
    at = value(main, "at")
    move(module, before_instr(at), after_instr(at), at_head(constructs(main)[0].regions()[0].entry()))
    assert mend(module, main)
    store = next(instr for block in blocks(main) for instr in block if instr.op == op.Store)
    again = store.instr(0)
    assert again.op == op.AccessChain and again is not at and again.operands == at.operands
    assert again.block is store.block
