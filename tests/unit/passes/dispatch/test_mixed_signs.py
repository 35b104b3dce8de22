"""Conditions that compare numbers of different signedness choose the type that they choose when they run.

OpIEqual and its kin compare bits: operands may differ in signedness (SPIR-V 1.6, 3.52.15), so -1 : i32 equals
4294967295 : u32, and of the 16 lanes all take the first arm below.
"""

import pytest
from kit.oracles.dispatch_runs import SIZES, after, execute
from kit.programs.dispatch import HEAD, MAIN, METHODS, TABLES, call

# What decides, and whether it is so, by hand.
CONDITIONS = {
    "%c = IEqual -1, 4294967295u : bool": True,
    "%c = INotEqual -1, 4294967295u : bool": False,
    "%d = IAdd 2147483647, 1u : i32\n  %c = IEqual %d, 2147483648u : bool": True,
    "%d = ISub 0u, 1 : u32\n  %c = SLessThan %d, 0 : bool": True,
    "%d = ISub 0, 1u : i32\n  %c = ULessThan %d, 5u : bool": False,
    "%d = IMul -1, 3u : i32\n  %c = IEqual %d, 4294967293u : bool": True,
    "%d = BitwiseXor -1, 1u : u32\n  %c = SGreaterThan %d, 0u : bool": False,
}
ARMS = """  if %c {
  %l1:
    %a = CompositeConstruct %lane : %A
    %ea = MakeExistential %a, %WA : %IFoo
  } else {
  %l2:
    %b = CompositeConstruct %lane, 1000u : %B
    %eb = MakeExistential %b, %WB : %IFoo
  }
  %e = Phi %ea %l1, %eb %l2 : %IFoo
"""
PASSES = "specialize-dispatch, lower-dispatch"


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("loaded", [False, True], ids=["values", "through a variable"])
def test_the_type_is_the_one_that_is_chosen(condition: str, loaded: bool) -> None:
    """A adds the lane's number, B 1000, to 5."""
    expected = [lane + 5 if CONDITIONS[condition] else 1005 for lane in range(16)]
    main = MAIN
    if loaded:  # the first number comes out of a variable, so that it is known on the way only
        first = condition.split("\n")[0].split(" ")[3].rstrip(",")
        type = "u32" if first.endswith("u") else "i32"
        condition = condition.replace(first, "%n", 1)
        main = MAIN.replace("{\n", f"{{\n  %v = Variable Function : ptr<Function, {type}>\n", 1)
        condition = f"Store %v, {first}\n  %n = Load %v : {type}\n  {condition}"
    text = HEAD.replace("LocalSize 64", "LocalSize 16") + TABLES + METHODS + main + f"  {condition}\n" + ARMS
    text += call("%e", "5u", "r") + "  Store %at, %r\n  return\n}\n"
    for size in SIZES:
        assert execute(after(text), size).buffers["out"].words[:16] == expected
        assert execute(after(text, PASSES), size).buffers["out"].words[:16] == expected
