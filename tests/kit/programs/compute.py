"""Small compute programs for the tests of the machine: a module with a buffer `out`, an entry point and a builder.

    p = Compute(lanes=4)                p.index is the lane, p.out(value) stores value in out[lane]
    p.ballot()                          the first word of a ballot
    p.run(subgroup_size=4)["out"]
"""

from collections.abc import Callable
from typing import Any

from reknit.ir import enums, op
from reknit.ir.build import Builder, new_function
from reknit.ir.constants import bool_constant, int_constant
from reknit.ir.instr import Instr
from reknit.ir.module import Module, annotation
from reknit.ir.types import bool_type, int_type, pointer_type, vector_type
from reknit.ir.value import Value
from reknit.sim.policy import Policy
from reknit.sim.result import Result
from reknit.sim.run import prepare


class Compute:
    """Declares maximal reconvergence, unless told otherwise."""

    def __init__(
        self,
        lanes: int = 4,
        local: tuple[int, int, int] | None = None,
        mode: int | None = enums.ExecutionModeMaximallyReconvergesKHR,
    ) -> None:
        self.module = Module()
        m = self.module
        self.u32 = int_type(m, 32, False)
        self.bool = bool_type(m)
        self.uvec4 = vector_type(m, self.u32, 4)
        self.lanes = lanes
        self.main = new_function(m, "main")
        self.b = Builder(m, self.main.entry())
        size = local if local is not None else (lanes, 1, 1)
        m.entry_points.append(annotation(op.EntryPoint, [enums.ExecutionModelGLCompute, self.main, "main"]))
        m.execution_modes.append(
            annotation(op.ExecutionMode, [self.main, enums.ExecutionModeLocalSize, size[0], size[1], size[2]])
        )
        if mode is not None:
            m.execution_modes.append(annotation(op.ExecutionMode, [self.main, mode]))
        self.buffer = self.array_buffer("out", 0)
        self.index = self.b.load(self.u32, self.builtin(enums.BuiltInLocalInvocationIndex, self.u32), "lane")

    def const(self, value: int) -> Instr:
        return int_constant(self.module, self.u32, value)

    def yes(self, value: bool = True) -> Instr:
        return bool_constant(self.module, value)

    def variable(self, storage: int, type: Instr, name: str = "") -> Instr:
        made = Instr(op.Variable, pointer_type(self.module, storage, type), [storage], name)
        self.module.globals.append(made)
        return made

    def builtin(self, builtin: int, type: Instr) -> Instr:
        made = self.variable(enums.StorageClassInput, type)
        self.module.decorations.append(annotation(op.Decorate, [made, enums.DecorationBuiltIn, builtin]))
        return made

    def array_buffer(self, name: str, binding: int, element: Instr | None = None, stride: int = 4) -> Instr:
        """A storage buffer { element data[]; } at set 0."""
        m = self.module
        array = Instr(op.TypeRuntimeArray, None, [element if element is not None else self.u32])
        m.globals.append(array)
        m.decorations.append(annotation(op.Decorate, [array, enums.DecorationArrayStride, stride]))
        return self.block_buffer(name, binding, [array], [0])

    def block_buffer(self, name: str, binding: int, members: list[Instr], offsets: list[int]) -> Instr:
        m = self.module
        struct = Instr(op.TypeStruct, None, list(members))
        m.globals.append(struct)
        m.decorations.append(annotation(op.Decorate, [struct, enums.DecorationBlock]))
        for index, offset in enumerate(offsets):
            m.decorations.append(annotation(op.MemberDecorate, [struct, index, enums.DecorationOffset, offset]))
        made = self.variable(enums.StorageClassStorageBuffer, struct, name)
        m.decorations.append(annotation(op.Decorate, [made, enums.DecorationDescriptorSet, 0]))
        m.decorations.append(annotation(op.Decorate, [made, enums.DecorationBinding, binding]))
        return made

    def local(self, type: Instr | None = None, name: str = "") -> Instr:
        """A function variable, in the entry block's place where the builder stands. One of u32 starts as 0."""
        pointer = pointer_type(self.module, enums.StorageClassFunction, type if type is not None else self.u32)
        initial: list[Value] = [self.const(0)] if type is None or type is self.u32 else []
        return self.b.emit(op.Variable, pointer, [enums.StorageClassFunction, *initial], name)

    def unset(self, name: str) -> Instr:
        """A function variable of u32 that starts with nothing written."""
        pointer = pointer_type(self.module, enums.StorageClassFunction, self.u32)
        return self.b.emit(op.Variable, pointer, [enums.StorageClassFunction], name)

    def place(self, index: Value, buffer: Instr | None = None) -> Instr:
        pointer = pointer_type(self.module, enums.StorageClassStorageBuffer, self.u32)
        base = buffer if buffer is not None else self.buffer
        return self.b.emit(op.AccessChain, pointer, [base, self.const(0), index])

    def out(self, value: Value, index: Value | None = None) -> None:
        self.b.store(self.place(index if index is not None else self.index), value)

    def op2(self, code: int, a: Value, b: Value) -> Instr:
        return self.b.emit(code, self.u32, [a, b])

    def test(self, code: int, a: Value, b: Value) -> Instr:
        return self.b.emit(code, self.bool, [a, b])

    def ballot(self) -> Instr:
        found = self.b.emit(op.GroupNonUniformBallot, self.uvec4, [self.const(enums.ScopeSubgroup), self.yes()])
        return self.b.emit(op.CompositeExtract, self.u32, [found, 0])

    def add_to(self, variable: Instr, value: Value) -> None:
        self.b.store(variable, self.op2(op.IAdd, self.b.load(self.u32, variable), value))

    def when(self, condition: Value, then: Callable[[], object], orelse: Callable[[], object] | None = None) -> None:
        """if (condition) then() else orelse(), merged; the builder goes on after it."""
        construct = self.b.open_if(condition)
        self.b.at(construct.then.entry())
        then()
        if orelse is not None:
            self.b.at(construct.orelse.entry())
            orelse()
        self.b.at(construct.after())

    def run(self, subgroup_size: int = 4, policy: Policy | None = None, **options: Any) -> Result:
        """Ends main with a return if nothing did."""
        if self.b.block.jump is None:
            self.b.return_()
        chosen = policy or Policy()
        program = prepare(self.module, subgroup_size=subgroup_size, assume=chosen.assume)
        return program.run(chosen, **options)

    def words(self, subgroup_size: int = 4, policy: Policy | None = None, **options: Any) -> list[int]:
        """The words of `out` after a run without diagnostics."""
        result = self.run(subgroup_size, policy, **options)
        assert [str(diagnostic) for diagnostic in result.diagnostics] == []
        return result.buffers["out"].words
