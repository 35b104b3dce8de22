"""Where edges only cross, no pass puts anything: a label there would be a join that no merge instruction declares.

Under maximal reconvergence only loop headers, merge blocks, continue targets and labels of OpSwitch have several
predecessors (SPV_KHR_maximal_reconvergence, "Structured control flow"). Each text is valid as it stands, and is after
every pass; all lanes see what they saw.
"""

import pytest
from kit.oracles import need, validate
from kit.proving import assert_refines
from kit.text.pass_texts import body

from reknit.analysis.manager import Analyses
from reknit.ir import enums, op
from reknit.ir.crossing import is_crossing
from reknit.ir.edit import prepend, unlink
from reknit.ir.module import Module, annotation
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.ir.walk import blocks
from reknit.passes.contract import Context
from reknit.passes.demote import repair_dominance
from reknit.passes.manager import Hooks, run_passes
from reknit.sim.run import run
from reknit.spirv.rules.judge import judge
from reknit.spirv.words import parse as parse_words
from reknit.spirv.write import write_module

# The scope's merge instruction is that of the if: both arms branch to the scope's merge block, not to each other.
FUSED = """
  %v = Variable Function : ptr<Function, u32>
  Store %v, 5u
  %bit = BitwiseAnd %lane, 1u : u32
  %odd = INotEqual %bit, 0u : bool
  scope {
    if %odd nojoin {
      Store %v, 7u
    pad a:
    } else {
      Store %v, 9u
    pad b:
    }
  pad j:
  }
  %got = Load %v : u32
  Store %slot, %got
  SEE 1
  return
"""

# Two branches enter the loop by themselves, so there is no block before it for what could be computed once.
ENTERED = """
  %v = Variable Function : ptr<Function, u32>
  %n = Variable Function : ptr<Function, u32>
  Store %n, 0u
  %bit = BitwiseAnd %lane, 1u : u32
  %odd = INotEqual %bit, 0u : bool
  scope {
    if %odd nojoin {
      Store %v, 7u
    } else {
      Store %v, 9u
    }
  pad j:
    loop @l {
      %i = Load %n : u32
      %more = ULessThan %i, 3u : bool
      if %more nojoin {
      } else {
        break @l
      }
      %once = IMul %lane, 3u : u32
      %old = Load %v : u32
      %sum = IAdd %old, %once : u32
      Store %v, %sum
      %next = IAdd %i, 1u : u32
      Store %n, %next
      SEE 1
    }
  }
  %got = Load %v : u32
  Store %slot, %got
  return
"""

PIPELINES = (
    "promote-variables",
    "promote-variables, eliminate-phis",
    "promote-variables, lcssa",
    "licm",
    "promote-variables, licm, eliminate-phis",
    "promote-variables, sink",
    "promote-variables, peel-loops",
    "promote-variables, unroll-loops",
    "promote-variables, simplify-cfg",
)


def declared(text: str) -> Module:
    """The shader with the mode."""
    module = body(text)
    module.extensions.append(annotation(op.Extension, ["SPV_KHR_maximal_reconvergence"]))
    main = module.functions[0]
    for variable in [instr for instr in main.entry() if instr.op == op.Variable]:
        prepend(main.entry(), unlink(variable))
    module.execution_modes.append(annotation(op.ExecutionMode, [main, enums.ExecutionModeMaximallyReconvergesKHR]))
    return module


def assert_valid(module: Module) -> None:
    binary = write_module(module)
    assert [str(finding.message) for finding in judge(parse_words(binary))] == []
    assert validate(binary) == (True, "")


@pytest.mark.parametrize("text", [FUSED, ENTERED], ids=["fused", "entered"])
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_a_pass_leaves_them_free(text: str, pipeline: str) -> None:
    need("slang-glslang")
    module = declared(text)
    assert_valid(module)
    before = module.copy()
    run_passes(module, pipeline, Hooks(verify_each=True))
    assert_valid(module)
    assert_refines(before, parse(print_module(module)))


def test_a_value_that_is_repaired_is_loaded_before_edges_cross() -> None:
    """%x doesn't dominate the edge to its phi, which is two that cross; by hand, each lane stores its number plus 7."""
    choice = "if %odd nojoin {\nSEE 1\npad a:\n} else {\nSEE 2\npad b:\n}"
    text = "%bit = BitwiseAnd %lane, 1u : u32\n%odd = INotEqual %bit, 0u : bool\n"
    text += f"if true {{\nb1:\n%x = IAdd %lane, 7u : u32\n}}\nscope {{\n{choice}\npad j:\npad l:\n}}\n"
    module = body(f"{text}b9:\n%p = Phi %x l : u32\nStore %slot, %p\nreturn")
    assert [fault.code for fault in verify(module)] == ["RK0410"]
    module.extensions.append(annotation(op.Extension, ["SPV_KHR_maximal_reconvergence"]))
    function = module.functions[0]
    module.execution_modes.append(annotation(op.ExecutionMode, [function, enums.ExecutionModeMaximallyReconvergesKHR]))
    crossings = [block for block in blocks(function) if is_crossing(block)]
    assert [block.name for block in crossings] == ["j", "l"]
    assert repair_dominance(function, Context(module, Analyses(module), {}))
    assert verify(module) == []
    assert [block for block in blocks(function) if is_crossing(block)] == crossings
    assert_valid(module)
    assert run(module).buffers["out"].words == [lane + 7 for lane in range(32)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("if %b nojoin { } else { }\npad j:\nb2:\nreturn", ["j"]),
        ("if %b nojoin { } else { }\npad j:\npad k:\nb2:\nreturn", ["j", "k"]),
        ("if %b { } else { }\npad j:\nb2:\nreturn", []),  # a merge block
        ("if %b nojoin { } else { return }\npad j:\nb2:\nreturn", []),  # one edge comes here
        ("if %b nojoin { } else { }\npad j:\nSEE 1\nb2:\nreturn", []),  # it has a label
        ("scope nojoin { if %b nojoin { }\npad j:\n}\npad k:\nb2:\nreturn", ["j", "k"]),
    ],
)
def test_what_a_crossing_is(text: str, names: list[str]) -> None:
    module = body(f"%c = BitwiseAnd %lane, 1u : u32\n%b = IEqual %c, 0u : bool\n{text}")
    assert [block.name for block in blocks(module.functions[0]) if is_crossing(block)] == names
