"""Indices that become known to be below 0 stay valid: the code is there, though nobody may come to it.

SPIRV-Tools: "Index at word 4 may not have a negative value".
"""

import pytest
from kit.oracles import need, validate
from kit.proving import assert_refines
from kit.text.pass_texts import body, main_text

from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.passes.manager import run_passes
from reknit.spirv.write import write_module

UNROLLED = """  %a = Variable Function : ptr<Function, %four>
  before:
  loop @l {
    head:
    %i = Phi -1 before, %n latch : i32
    %go = SLessThan %i, 3 : bool
    if %go nojoin { } else { break @l }
    %in = SGreaterThanEqual %i, 0 : bool
    if %in {
      %p = AccessChain %a, %i : ptr<Function, u32>
      Store %p, 5u
      %got = Load %p : u32
      Store %slot, %got
    }
  } continuing { latch: %n = IAdd %i, 1 : i32 }
  return
"""


@pytest.mark.parametrize("pipeline", ["unroll-loops, fold", "peel-loops, fold"])
def test_what_is_written_is_valid(pipeline: str) -> None:
    need("slang-glslang")
    frame = print_module(body("return")).replace("func @main", "%four = TypeArray u32, 4u\n\nfunc @main", 1)
    head, rest = UNROLLED.split("\n", 1)
    start = frame.rstrip().rstrip("}").rstrip().removesuffix("return")
    module = parse(start.replace("() -> void {\n", "() -> void {\n" + head + "\n", 1) + rest + "}\n")
    assert validate(write_module(module)) == (True, "")
    before = module.copy()
    run_passes(module, pipeline)
    assert validate(write_module(module)) == (True, "")
    assert "CopyObject -1" in main_text(module)
    assert_refines(before, parse(print_module(module)))
