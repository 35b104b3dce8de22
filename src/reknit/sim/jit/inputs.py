"""Built-in variables, which are computed."""

from dataclasses import replace
from typing import Final

from reknit.ir import enums
from reknit.ir.block import Block
from reknit.sim.builtins import Dispatch, value_of
from reknit.sim.jit.places import Places
from reknit.sim.jit.text import Mask, Refused, Shaped, Val, constant, number
from reknit.sim.pointers import Chain
from reknit.sim.values import null_value

PER_LANE: Final = (
    enums.BuiltInLocalInvocationIndex, enums.BuiltInSubgroupLocalInvocationId, enums.BuiltInSubgroupId,
    enums.BuiltInLocalInvocationId, enums.BuiltInSubgroupEqMask, enums.BuiltInSubgroupGeMask,
    enums.BuiltInSubgroupGtMask, enums.BuiltInSubgroupLeMask, enums.BuiltInSubgroupLtMask,
)  # fmt: skip


class Inputs(Places):
    def input(self, chain: Chain, at: Block | None, mask: Mask) -> Shaped:
        builtin = self.globals.decorations.number(chain.base, enums.DecorationBuiltIn)
        shape = self.globals.shape(chain.pointee())
        if shape is None:
            raise Refused("has a type that native code has no values of")
        if builtin not in self.program.stage.reads():
            value: Shaped = constant(shape, null_value(shape))
        else:
            value = self.builtin(builtin)
        for index in chain.indices:
            which = self.read(index, at)
            if which.uniform and not which.text.startswith("%"):
                value = value[int(which.text)]
            elif isinstance(value[0], Val):
                value = self.picked(value, which, mask)
            else:
                raise Refused("picks a part of a built-in variable by something that is not a constant")
        return value

    def builtin(self, builtin: int) -> Shaped:
        """Of the vector `%vector` of the workgroup `%group_x`, `_y`, `_z`."""
        size = self.program.size
        total = size[0] * size[1] * size[2]
        dispatch = Dispatch(size, (1, 1, 1), self.width)
        if builtin == enums.BuiltInNumWorkgroups:
            return tuple([Val("i32", f"%groups_{axis}", True) for axis in "xyz"])
        if builtin == enums.BuiltInWorkgroupId:
            return tuple([Val("i32", f"%group_{axis}", True) for axis in "xyz"])
        if builtin == enums.BuiltInDeviceIndex:
            return Val("i32", "%device", True)
        if builtin == enums.BuiltInGlobalInvocationId:
            local = self.builtin(enums.BuiltInLocalInvocationId)
            groups = self.builtin(enums.BuiltInWorkgroupId)
            firsts = [self.apply("mul", [groups[at], number("i32", size[at])]) for at in range(3)]
            return tuple([self.sum(local[at], firsts[at]) for at in range(3)])
        if builtin in PER_LANE and self.vectors > 1:
            return self.far_builtin(builtin, size, total)
        values = [value_of(builtin, dispatch, 0, lane) for lane in range(self.lanes)]
        if isinstance(values[0], tuple):
            return tuple([self.known([each[at] for each in values]) for at in range(len(values[0]))])
        return self.known(values)

    def known(self, values: list[int]) -> Val:
        if all(value == values[0] for value in values):
            return number("i32", values[0])
        run = all(value == values[0] + at for at, value in enumerate(values))
        return replace(self.numbers("i32", values), first=str(values[0]) if run else "")

    def far_builtin(self, builtin: int, size: tuple[int, int, int], total: int) -> Shaped:
        """Where a workgroup is several vectors, each of whole subgroups."""
        index = self.sum(self.known(list(range(self.lanes))), Val("i32", "%first_lane", True))
        if builtin == enums.BuiltInLocalInvocationIndex:
            return index
        if builtin == enums.BuiltInSubgroupId:
            within = self.known([lane // self.width for lane in range(self.lanes)])
            before = self.let(f"udiv i32 %first_lane, {self.width}")
            return self.apply("add", [within, Val("i32", before, True)])
        if builtin == enums.BuiltInLocalInvocationId:
            zero = number("i32", 0)
            if size[1] * size[2] == 1:
                return index, zero, zero
            x = self.unsigned_division(index, number("i32", size[0]), True)
            rest = self.unsigned_division(index, number("i32", size[0]), False)
            y = self.unsigned_division(rest, number("i32", size[1]), True)
            return x, y, self.unsigned_division(rest, number("i32", size[1]), False)
        values = [value_of(builtin, Dispatch(size, (1, 1, 1), self.width), 0, lane) for lane in range(self.lanes)]
        if isinstance(values[0], tuple):
            return tuple([self.known([each[at] for each in values]) for at in range(len(values[0]))])
        return self.known(values)
