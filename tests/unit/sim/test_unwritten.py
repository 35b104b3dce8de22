"""Reads of what nothing has written. SPIR-V 1.6, OpVariable: without an Initializer the contents are undefined."""

from kit.programs.compute import Compute

from reknit.ir import enums, op
from reknit.ir.build import Builder, new_function
from reknit.ir.instr import Instr
from reknit.ir.types import pointer_type, vector_type
from reknit.sim.policy import Policy
from reknit.sim.run import prepare


def messages(p: Compute) -> list[str]:
    p.b.return_()
    result = prepare(p.module, subgroup_size=4, unwritten=True).run(Policy())
    assert all(found.code == "RK1018" and found.severity == "warning" for found in result.diagnostics)
    return [found.message for found in result.diagnostics]


def array_of(p: Compute, count: int) -> Instr:
    made = Instr(op.TypeArray, None, [p.u32, p.const(count)])
    p.module.globals.append(made)
    return made


def part(p: Compute, variable: Instr, index: Instr, storage: int = enums.StorageClassFunction) -> Instr:
    return p.b.emit(op.AccessChain, pointer_type(p.module, storage, p.u32), [variable, index])


def test_some_lanes_write_and_all_read() -> None:
    p = Compute(4)
    v = p.unset("v")
    p.when(p.test(op.ULessThan, p.index, p.const(2)), lambda: p.b.store(v, p.const(7)))
    p.out(p.b.load(p.u32, v, "read"))
    assert messages(p) == ["OpLoad %read: nothing has written v before (lanes 2-3)"]


def test_an_initializer_writes() -> None:
    p = Compute(4)
    pointer = pointer_type(p.module, enums.StorageClassFunction, p.u32)
    v = p.b.emit(op.Variable, pointer, [enums.StorageClassFunction, p.const(3)], "v")
    p.out(p.b.load(p.u32, v))
    assert messages(p) == []


def test_parts_of_an_array() -> None:
    """Each lane writes part `lane` of two and reads part 1: lane 0 has not written that one; lanes 2 and 3 write out of
    bounds, so only lanes 0 and 1 are asked of here."""
    p = Compute(2)
    v = p.local(array_of(p, 2), "v")
    p.b.store(part(p, v, p.index), p.const(1))
    p.out(p.b.load(p.u32, part(p, v, p.const(1)), "read"))
    assert messages(p) == ["OpLoad %read: nothing has written v[1] before (lane 0)"]


def test_a_whole_array_needs_all_its_parts() -> None:
    p = Compute(4)
    type = array_of(p, 3)
    v = p.local(type, "v")
    p.b.store(part(p, v, p.const(0)), p.const(1))
    p.b.store(part(p, v, p.const(2)), p.const(1))
    p.out(p.b.emit(op.CompositeExtract, p.u32, [p.b.load(type, v, "read"), 0]))
    assert messages(p) == ["OpLoad %read: nothing has written v[1] before (lanes 0-3)"]


def test_a_vector_written_whole_is_read_in_parts() -> None:
    p = Compute(4)
    v = p.local(p.uvec4, "v")
    p.b.store(v, p.b.emit(op.CompositeConstruct, p.uvec4, [p.index, p.index, p.index, p.index]))
    p.out(p.b.load(p.u32, part(p, v, p.const(3))))
    assert messages(p) == []


def test_a_component_that_is_written_leaves_the_others() -> None:
    p = Compute(4)
    v = p.local(vector_type(p.module, p.u32, 2), "v")
    p.b.store(part(p, v, p.const(0)), p.const(1))
    p.out(p.b.load(p.u32, part(p, v, p.const(1)), "read"))
    assert messages(p) == ["OpLoad %read: nothing has written v[1] before (lanes 0-3)"]


def test_shared_memory_is_written_by_any_lane() -> None:
    p = Compute(4)
    shared = p.variable(enums.StorageClassWorkgroup, array_of(p, 4), "shared")
    p.b.store(part(p, shared, p.index, enums.StorageClassWorkgroup), p.index)
    workgroup = p.const(enums.ScopeWorkgroup)
    p.b.effect(op.ControlBarrier, [workgroup, workgroup, p.const(0)])
    other = p.b.emit(op.BitwiseXor, p.u32, [p.index, p.const(1)])
    p.out(p.b.load(p.u32, part(p, shared, other, enums.StorageClassWorkgroup)))
    assert messages(p) == []


def test_a_function_starts_anew_each_time() -> None:
    """The callee reads its variable, then writes it: what the first call wrote is gone in the second."""
    p = Compute(4)
    callee = new_function(p.module, "f", p.u32)
    inner = Builder(p.module, callee.entry())
    v = inner.emit(op.Variable, pointer_type(p.module, enums.StorageClassFunction, p.u32), [7], "v")
    read = inner.load(p.u32, v, "read")
    inner.store(v, p.const(5))
    inner.return_(read)
    p.b.emit(op.FunctionCall, p.u32, [callee])
    p.out(p.b.emit(op.FunctionCall, p.u32, [callee]))
    assert messages(p) == ["OpLoad %read: nothing has written v before (lanes 0-3)"]


def test_through_a_pointer_that_is_passed() -> None:
    p = Compute(4)
    pointer = pointer_type(p.module, enums.StorageClassFunction, p.u32)
    callee = new_function(p.module, "f", p.u32, [("at", pointer)])
    inner = Builder(p.module, callee.entry())
    inner.return_(inner.load(p.u32, callee.params[0], "read"))
    v = p.unset("v")
    p.when(p.test(op.IEqual, p.index, p.const(1)), lambda: p.b.store(v, p.const(7)))
    p.out(p.b.emit(op.FunctionCall, p.u32, [callee, v]))
    assert messages(p) == ["OpLoad %read: nothing has written v before (lanes 0, 2-3)"]
