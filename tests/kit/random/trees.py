"""Random control-flow trees whose every step is recorded: what passes must not change.

    Each lane folds into out[lane] the ballot of every point it comes by, so two programs that agree on `out` ran every
    recorded point with the same lanes, in the same order per lane.

Loops run at most three times. Jumps go to any enclosing construct; dead code stands behind some of them.
"""

import random

from kit.random.constructs import counted_loop, fill_cases

from reknit.ir import enums, op
from reknit.ir.build import Builder, new_block, new_function
from reknit.ir.constants import bool_constant, int_constant
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module, annotation
from reknit.ir.tree import Case, Construct, Loop, Region
from reknit.ir.types import bool_type, int_type, pointer_type, vector_type
from reknit.ir.value import Value
from reknit.passes.variables import local_variable
from reknit.sim.policy import Policy
from reknit.sim.run import run

LANES = 32
SUBGROUP_SIZES = (4, 8, 32, 64)
POLICIES = (("label", "never"), ("value", "never"), ("label", "always"))


def shell(lanes: int = LANES) -> tuple[Module, Function, Builder, Instr, Instr]:
    """A compute shader with a buffer `out` of words: (module, main, builder at its start, lane, the lane's word)."""
    module = Module()
    u32 = int_type(module, 32, False)
    for capability in (
        enums.CapabilityShader,
        enums.CapabilityGroupNonUniform,
        enums.CapabilityGroupNonUniformBallot,
    ):
        module.capabilities.append(annotation(op.Capability, [capability]))
    module.memory_model.append(annotation(op.MemoryModel, [0, 1]))
    array = module.intern(op.TypeRuntimeArray, None, [u32])
    struct = module.intern(op.TypeStruct, None, [array])
    out = Instr(op.Variable, pointer_type(module, enums.StorageClassStorageBuffer, struct), [12], "out")
    lane_id = Instr(op.Variable, pointer_type(module, enums.StorageClassInput, u32), [1], "lane_id")
    module.globals += [out, lane_id]
    module.decorations += [
        annotation(op.Decorate, [array, enums.DecorationArrayStride, 4]),
        annotation(op.MemberDecorate, [struct, 0, enums.DecorationOffset, 0]),
        annotation(op.Decorate, [struct, enums.DecorationBlock]),
        annotation(op.Decorate, [out, enums.DecorationDescriptorSet, 0]),
        annotation(op.Decorate, [out, enums.DecorationBinding, 0]),
        annotation(op.Decorate, [lane_id, enums.DecorationBuiltIn, enums.BuiltInLocalInvocationIndex]),
    ]
    main = new_function(module, "main")
    module.entry_points.append(annotation(op.EntryPoint, [5, main, "main", out, lane_id]))
    module.execution_modes.append(annotation(op.ExecutionMode, [main, 17, lanes, 1, 1]))
    builder = Builder(module, main.body.entry())
    lane = builder.load(u32, lane_id, "lane")
    word = pointer_type(module, enums.StorageClassStorageBuffer, u32)
    slot = builder.emit(op.AccessChain, word, [out, int_constant(module, u32, 0), lane], "slot")
    return module, main, builder, lane, slot


def results(module: Module) -> list[tuple[int, tuple[str, str], list[int]]]:
    """What every lane recorded, at each subgroup size and under each policy."""
    found = []
    for size in SUBGROUP_SIZES:
        for policy in POLICIES:
            result = run(module, subgroup_size=size, policy=Policy(policy[0], policy[1]), max_steps=200_000)
            assert not result.failed(), [str(fault) for fault in result.diagnostics]
            found.append((size, policy, result.buffers["out"].words))
    return found


class Writer:
    """Writes a random body. `wild`: unmerged ifs of which both arms lead on, jumps over any number of levels."""

    def __init__(self, seed: int, statements: int = 48) -> None:
        self.random = random.Random(seed)
        self.module, self.main, self.b, self.lane, self.slot = shell()
        self.u32 = int_type(self.module, 32, False)
        self.bool = bool_type(self.module)
        self.left = statements
        self.sites = 0
        self.variables = [local_variable(self.main, self.module, self.u32, f"v{index}") for index in range(4)]
        for index, variable in enumerate(self.variables[:3]):
            self.b.store(variable, self.b.emit(op.IAdd, self.u32, [self.lane, self.number(index)]))
        self.region(self.main.body, [], 0)
        if self.b.block.jump is None:
            self.b.return_()

    def number(self, value: int) -> Instr:
        return int_constant(self.module, self.u32, value)

    def value(self) -> Value:
        kind = self.random.randrange(8)
        if kind == 0:
            return self.number(self.random.randrange(4))
        if kind < 4:
            return self.lane
        return self.b.load(self.u32, self.random.choice(self.variables[:3]))

    def condition(self) -> Value:
        if self.random.random() < 0.25:
            return bool_constant(self.module, self.random.random() < 0.5)
        bits = self.b.emit(op.BitwiseAnd, self.u32, [self.value(), self.number(self.random.choice((1, 2, 3, 5)))])
        return self.b.emit(op.INotEqual, self.bool, [bits, self.number(0)])

    def record(self) -> None:
        vector = vector_type(self.module, self.u32, 4)
        true = bool_constant(self.module, True)
        ballot = self.b.emit(op.GroupNonUniformBallot, vector, [self.number(enums.ScopeSubgroup), true])
        low = self.b.emit(op.CompositeExtract, self.u32, [ballot, 0])
        self.sites += 1
        old = self.b.load(self.u32, self.slot)
        scaled = self.b.emit(op.IMul, self.u32, [old, self.number(2654435761)])
        mixed = self.b.emit(op.IAdd, self.u32, [scaled, low])
        seen = self.b.emit(op.IAdd, self.u32, [mixed, self.value()])
        self.b.store(self.slot, self.b.emit(op.IAdd, self.u32, [seen, self.number(self.sites)]))

    def region(self, region: Region, around: list[Construct], depth: int) -> None:
        """Statements at the builder's place, to the end of `region`."""
        for _ in range(self.random.randrange(2, 6)):
            if self.left <= 0:
                return
            self.left -= 1
            kind = self.random.randrange(12 if depth < 4 else 4)
            if kind < 1:
                self.record()
            elif kind <= 2:
                target = self.random.choice(self.variables[:3])
                self.b.store(target, self.b.emit(op.IAdd, self.u32, [self.value(), self.value()]))
            elif kind == 3:
                if self.random.random() < 0.5 and self.jump(around):
                    if self.random.random() < 0.5:
                        return
                    self.b.at(new_block(region))
                elif self.random.random() < 0.3:
                    self.b.at(new_block(region, padding=self.random.random() < 0.5))
            elif kind < 7:
                self.choice(around, depth)
            elif kind < 9:
                self.loop(around, depth)
            elif kind < 11:
                self.switch(around, depth)
            else:
                scope = self.b.open_scope(merged=self.random.random() < 0.7)
                self.b.at(scope.body.entry())
                self.region(scope.body, [*around, scope], depth + 1)
                self.b.at(scope.after())
            if kind > 3 and self.random.random() < 0.6:
                self.record()

    def jump(self, around: list[Construct]) -> bool:
        if not around:
            return False
        target = self.random.choice(around)
        kind = self.random.random()
        if kind < 0.05:
            self.b.return_()
        elif isinstance(target, Loop) and kind < 0.5:
            self.b.continue_(target)
        else:
            self.b.break_(target)
        return True

    def choice(self, around: list[Construct], depth: int) -> None:
        construct = self.b.open_if(self.condition(), merged=self.random.random() < 0.7)
        inside = [*around, construct]
        self.b.at(construct.then.entry())
        if self.random.random() < 0.8:
            self.region(construct.then, inside, depth + 1)
        if self.random.random() < 0.5:
            self.b.at(construct.orelse.entry())
            self.region(construct.orelse, inside, depth + 1)
        self.b.at(construct.after())

    def loop(self, around: list[Construct], depth: int) -> None:
        loop = counted_loop(self.module, self.main, self.b, self.random.randrange(4))
        self.region(loop.body, [*around, loop], depth + 1)
        self.b.at(loop.continuing.entry())
        if self.random.random() < 0.4:
            self.record()
        self.b.at(loop.after())

    def switch(self, around: list[Construct], depth: int) -> None:
        if self.random.random() < 0.3:
            selector: Value = self.number(self.random.randrange(4))
        else:
            selector = self.b.emit(op.BitwiseAnd, self.u32, [self.value(), self.number(3)])
        switch = self.b.open_switch(selector)
        labels = [0, 1, 2, 3]
        self.random.shuffle(labels)
        labels = labels[: self.random.randrange(0, 5)]
        default = self.random.randrange(0, len(labels) + 1)
        for index in range(len(labels) + 1):
            mine = [labels[index]] if index < len(labels) else []
            self.b.add_case(switch, mine, index == default or (not mine and default == len(labels)))
        if default < len(labels):
            switch.cases.pop()

        def fill(case: Case) -> None:
            if self.random.random() < 0.8:
                self.region(case.region, [*around, switch], depth + 1)

        fill_cases(switch, self.b, self.random, 0.5, fill)


def program(seed: int, statements: int = 48) -> Module:
    return Writer(seed, statements).module
