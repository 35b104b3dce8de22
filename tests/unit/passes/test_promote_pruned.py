"""Variables that are read where they are stored cost no phis, however many blocks their stores meet in; and a variable
that would take more phis than there is room for stays one."""

import pytest

from reknit.analysis.manager import Analyses
from reknit.ir import op
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.verify.run import verify
from reknit.ir.walk import instructions
from reknit.passes.contract import Context
from reknit.passes.manager import run_passes
from reknit.passes.promote_variables import promote


def ladder(rungs: int, readers: int) -> str:
    """Each arm stores a variable of its own and reads it; `readers` of them are read at the end as well."""
    lines = ["Capability Shader", "Capability Linkage", "MemoryModel Logical GLSL450"]
    lines.append("func @f(%c: bool) -> u32 {")
    lines += [f"  %v{rung} = Variable Function : ptr<Function, u32>" for rung in range(rungs)]
    for rung in range(rungs):
        lines += ["  if %c {", f"    Store %v{rung} {rung}u", f"    %x{rung} = Load %v{rung} : u32", "  }"]
    lines.append("  %s0 = IAdd 0u 0u : u32")
    for rung in range(readers):
        lines.append(f"  %y{rung} = Load %v{rung} : u32")
        lines.append(f"  %s{rung + 1} = IAdd %s{rung} %y{rung} : u32")
    lines += [f"  return %s{readers}", "}"]
    return "\n".join(lines) + "\n"


def counts(module: Module) -> tuple[int, int]:
    """(variables, phis)"""
    codes = [instr.op for function in module.functions for instr in instructions(function)]
    return codes.count(op.Variable), codes.count(op.Phi)


def test_only_what_is_read_after_the_join_gets_a_phi() -> None:
    module = parse(ladder(200, 3))
    run_passes(module, "promote-variables")
    assert verify(module) == []
    assert counts(module) == (0, 3)


def nest(depth: int, variables: int) -> str:
    """Every variable is stored in every arm of a row of ifs, and read in the end: a phi for each at each join."""
    lines = ["Capability Shader", "Capability Linkage", "MemoryModel Logical GLSL450"]
    lines.append("func @f(%c: bool) -> u32 {")
    lines += [f"  %v{number} = Variable Function : ptr<Function, u32>" for number in range(variables)]
    for arm in range(depth):
        stores = [f"    Store %v{number} {arm}u" for number in range(variables)]
        lines += ["  if %c {", *stores, "  }"]
    lines.append("  %s0 = IAdd 0u 0u : u32")
    for number in range(variables):
        lines.append(f"  %y{number} = Load %v{number} : u32")
        lines.append(f"  %s{number + 1} = IAdd %s{number} %y{number} : u32")
    lines += [f"  return %s{variables}", "}"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("room", "kept"), [(1000, 0), (25, 3), (5, 5)])
def test_variables_stay_where_phis_would_be_too_many(room: int, kept: int) -> None:
    """Five variables and ten joins: ten phis each, so 25 have room for two."""
    module = parse(nest(10, 5))
    assert promote(module.functions[0], Context(module, Analyses(module), {}), room) is (kept < 5)
    assert verify(module) == []
    assert counts(module) == (kept, 10 * (5 - kept))


def far_apart(arms: int) -> str:
    """A variable that is stored and read inside a deep nest of ifs, and nowhere else; another one that is read behind
    it."""
    lines = ["Capability Shader", "Capability Linkage", "MemoryModel Logical GLSL450", "func @f(%c: bool) -> u32 {"]
    lines += ["  %near = Variable Function : ptr<Function, u32>", "  %far = Variable Function : ptr<Function, u32>"]
    lines += ["  Store %near 0u", "  Store %far 0u"]
    lines += ["  if %c {"] * arms
    lines += ["  Store %near 1u", "  Store %far 1u", "  if %c {", "    Store %near 2u", "  }"]
    lines += ["  %x = Load %near : u32", "  Store %far %x"]
    lines += ["  }"] * arms
    return "\n".join([*lines, "  %y = Load %far : u32", "  return %y", "}"]) + "\n"


@pytest.mark.parametrize("arms", [3, 60, 150])
def test_a_long_frontier_of_what_is_read_nearby_costs_no_phis(arms: int) -> None:
    """By hand: one phi for %near behind the innermost if, one for %far behind each other; as few whether the frontier
    is long enough that it is asked where %near is read, or not."""
    module = parse(far_apart(arms))
    run_passes(module, "promote-variables")
    assert verify(module) == []
    assert counts(module) == (0, 1 + arms)


def test_room_is_counted_after_a_long_frontier() -> None:
    """151 phis are needed: as many are room enough, one less makes the variable stay that takes most."""
    for room, variables, phis in ((151, 0, 151), (150, 1, 1)):
        module = parse(far_apart(150))
        promote(module.functions[0], Context(module, Analyses(module), {}), room)
        assert verify(module) == []
        assert counts(module) == (variables, phis)
