"""The function around a program's code: for each workgroup of a range, its vectors one after the other.

    kernel(low, high, context)      workgroups low .. high - 1
    context   words of 64 bits: the dispatch's size, its first workgroup, the device, how many trips a vector's loops
              may make, where a fault is noted (the workgroup's number, from 1), and of each buffer address and bytes
              (of an image its words, and the table of its sizes)
"""

from collections.abc import Callable, Sequence
from typing import Final

from reknit.ir import enums, op, traits
from reknit.ir.function import Function
from reknit.ir.types import storage_of
from reknit.ir.walk import instructions
from reknit.sim.entry import find_entry, function_of_entry, reached_functions
from reknit.sim.jit.emit import Emitter
from reknit.sim.jit.facts import Facts
from reknit.sim.jit.processor import PLAIN, QUICK, THOROUGH
from reknit.sim.jit.text import FEW_LANES, Refused, Val
from reknit.sim.policy import Policy
from reknit.sim.run import Program
from reknit.sim.texture import Texture

FAULT: Final = 8
BUFFERS: Final = 9
"""Where in the context the fault is, and where the buffers begin."""
WIDEST: Final = 1024
MAX_QUICK: Final = 6_000
"""Lines of LLVM's work, up to which the level is QUICK. LLVM's passes, and what gives registers to values, take time by
the values that are live times the blocks: 6 s for a switch whose 400 cases fall through (20,563 lines), 1.1 s for 200;
2.3 s for calls of 160 functions (12,700 lines), and half a second for 75, at this bound. PLAIN takes 0.3 s for the
largest of these."""
MAX_THOROUGH: Final = 3_000
"""Lines of LLVM's work, up to which the level may be THOROUGH. What LLVM knows of loops (scalar evolution) takes it
quadratic time: 0.3 s for 40 loops one after the other (2,812 lines), 3.6 s for 160."""
SMALL_FRAME: Final = 50_000
"""Lines times lanes, up to which what a vector keeps on the stack is small."""
MAX_SHARED: Final = 1 << 18


PAID: Final = 1.5
"""Lines of LLVM's work that an invocation of a program without loops pays for. LLVM takes 0.25 to 0.4 s for 8,000 to
10,000 lines; the interpreter, in plain Python, runs them for 2,048 invocations in 0.04 s (a switch of 200 cases, of
which a tangle goes into few) to 0.4 s. Loops may take it any time."""


class Kernel:
    """`text` is LLVM's, `work` what that takes it, in lines of 32 lanes; `lanes` of a vector, of which a workgroup has
    `vectors`. For fewer than `least` invocations the interpreter is done before LLVM is."""

    def __init__(
        self, program: Program, preferred: int, half: bool = True, misjudges: bool = False, wide: bool = False,
        is_known: Callable[[str], bool] = bool, textures: Sequence[Texture | None] = (),
    ) -> None:  # fmt: skip
        """`preferred` lanes of a vector; `half`: whether the processor converts 16-bit floats; `misjudges`: whether
        LLVM takes shuffles of selects wrongly for it; `wide`: whether its masks are words; `is_known` says which
        functions of the C library there are; `textures` are those of the program's buffers, with the formats of the
        run. Raises Refused."""
        module = program.module
        entry = function_of_entry(find_entry(module, program.name))
        functions = reached_functions(module, entry)
        size = program.size[0] * program.size[1] * program.size[2]
        width = program.preparation.subgroup_size
        whole = 1 << (size - 1).bit_length() if size > 1 else 1
        codes = {instr.op for function in functions for instr in instructions(function)}
        together = bool(codes & traits.ATOMIC) or op.ControlBarrier in codes and meets(program, functions)
        lanes = max(width, whole if together else min(preferred, whole))
        if lanes > WIDEST:
            raise Refused(f"has atomics or barriers, and workgroups of more than {WIDEST} invocations")
        vectors = -(-size // lanes)
        joins = Policy().joining(module.language) != "never"
        facts = Facts(functions, entry, program.preparation.globals.decorations, width == lanes, joins)
        if facts.split and codes & traits.ATOMIC:
            raise Refused("has atomics, and invocations that part without a merge block")
        if program.preparation.floats.flushed or program.preparation.floats.truncated:
            raise Refused("has execution modes that are about floats")
        self.lanes = lanes
        self.vectors = vectors
        self.alone = not codes & traits.ATOMIC  # workgroups can't tell in which order they run
        writer = Emitter(program, facts, lanes, vectors)
        writer.half = half
        writer.misjudges = misjudges
        writer.wide = wide and lanes % 8 == 0
        writer.is_known = is_known
        writer.textures = list(textures)
        if not is_known("memset"):
            raise Refused("needs functions of the C library that LLVM does not find")
        self.text = self.written(writer, program, size)
        self.large = len(writer.lines) * lanes > SMALL_FRAME
        self.work = writer.work * max(lanes, FEW_LANES) // FEW_LANES
        self.least = 0 if writer.has_loops else int(self.work / PAID)

    def level(self, many: bool) -> int:
        """What LLVM may spend on it; `many`: it will run for so many invocations that better code pays."""
        if self.work > MAX_QUICK:
            return PLAIN
        return THOROUGH if many and self.work <= MAX_THOROUGH else QUICK

    def written(self, writer: Emitter, program: Program, size: int) -> str:
        variables = [instr for instr in program.module.globals if instr.op == op.Variable]
        for variable in variables:
            storage = storage_of(variable.type) if variable.type is not None else -1
            if storage == enums.StorageClassWorkgroup and variable.users:
                writer.place_shared(variable)
                writer.start_shared(variable)
        if writer.shared_bytes > MAX_SHARED:
            raise Refused("has more Workgroup memory than fits on the stack")
        writer.start("%body")
        last = self.lanes if size % self.lanes == 0 else size % self.lanes
        if last != self.lanes:
            places = writer.numbers("i32", list(range(self.lanes)))
            left = Val("i32", writer.let(f"sub i32 {size}, %first_lane"), True)
            writer.every = writer.spread(writer.compare("ult", places, left))
        if program.preparation.may_demote:
            writer.helpers = writer.mask_slot()
        if writer.watched:
            writer.unset = writer.mask_slot()
        for variable in variables:
            storage = storage_of(variable.type) if variable.type is not None else -1
            if storage in (enums.StorageClassPrivate, enums.StorageClassOutput) and variable.users:
                writer.enter_variable(variable)
        entry = writer.facts.entry
        done = writer.function_body(entry, writer.every)
        if done != "gone":
            writer.go("%done")
        return self.around(writer, program)

    def around(self, writer: Emitter, program: Program) -> str:
        buffers = program.preparation.order
        head = [
            "define void @kernel(i64 %low, i64 %high, ptr %context) #0 {", "entry:",
            "  %budget = alloca i64", f"  %shared = alloca i8, i32 {max(writer.shared_bytes, 1)}, align 64",
            *writer.slots,
        ]  # fmt: skip
        for place, name in enumerate(["groups_x", "groups_y", "groups_z", "base_x", "base_y", "base_z", "device"]):
            head += field(name, place)
        head += ["  %trips_at = getelementptr i64, ptr %context, i64 7", "  %trips = load i64, ptr %trips_at"]
        for place in range(len(buffers)):
            at = BUFFERS + 2 * place
            head += [f"  %buffer{place}_at = getelementptr i64, ptr %context, i64 {at}"]
            head += [f"  %buffer{place} = load ptr, ptr %buffer{place}_at"]
            if buffers[place].texture is None:
                head += field(f"size{place}", at + 1)
            else:
                head += [f"  %table{place}_at = getelementptr i64, ptr %context, i64 {at + 1}"]
                head += [f"  %table{place} = load ptr, ptr %table{place}_at"]
        head += [
            "  %groups_x64 = zext i32 %groups_x to i64", "  %groups_y64 = zext i32 %groups_y to i64",
            "  br label %group", "group:",
            "  %group_number = phi i64 [ %low, %entry ], [ %group_next, %group_done ]",
            "  %rest_x = urem i64 %group_number, %groups_x64", "  %over_x = udiv i64 %group_number, %groups_x64",
            "  %rest_y = urem i64 %over_x, %groups_y64", "  %over_y = udiv i64 %over_x, %groups_y64",
            "  %in_x = trunc i64 %rest_x to i32", "  %in_y = trunc i64 %rest_y to i32",
            "  %in_z = trunc i64 %over_y to i32",
            *[f"  %group_{axis} = add i32 %base_{axis}, %in_{axis}" for axis in "xyz"],
        ]  # fmt: skip
        if writer.shared_bytes:
            head += [
                f"  call void @llvm.memset.p0.i64(ptr align 64 %shared, i8 0, i64 {writer.shared_bytes}, i1 false)"
            ]
            writer.declare("void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        head += [
            "  br label %vector", "vector:", "  %first_lane = phi i32 [ 0, %group ], [ %lane_next, %vector_next ]",
            "  store i64 %trips, ptr %budget",
            *[f"  store {writer.mask_type()} zeroinitializer, ptr {slot}" for slot in writer.empty], "  br label %body",
        ]  # fmt: skip
        tail = [
            "done:", *self.judged(writer), f"  %lane_next = add i32 %first_lane, {self.lanes}",
            f"  %more_lanes = icmp ult i32 %lane_next, {self.lanes * self.vectors}",
            "  br i1 %more_lanes, label %vector_next, label %group_done",
            "vector_next:", "  br label %vector",
            "group_done:", "  %group_next = add i64 %group_number, 1",
            "  %more_groups = icmp ult i64 %group_next, %high",
            "  br i1 %more_groups, label %group, label %finish",
            "finish:", "  ret void",
            "fault:", "  %noted = add i64 %group_number, 1",
            f"  %fault_at = getelementptr i64, ptr %context, i64 {FAULT}", "  store i64 %noted, ptr %fault_at",
            "  ret void", "}", "", *writer.declared, "",
            'attributes #0 = { nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" }',
            '!0 = !{!"branch_weights", i32 1, i32 1000000}', "",
        ]  # fmt: skip
        return "\n".join([*head, *writer.lines, *tail])


    def judged(self, writer: Emitter) -> list[str]:
        """A fault where lanes have read what was not written."""
        if not writer.unset:
            return []
        type = writer.mask_type()
        element = type.split()[-1].rstrip(">")
        name = f"@llvm.vector.reduce.or.v{self.lanes}{element}"
        writer.declare(f"{element} {name}({type})")
        return [
            f"  %unset = load {type}, ptr {writer.unset}", f"  %unset_any = call {element} {name}({type} %unset)",
            f"  %is_unset = icmp ne {element} %unset_any, 0",
            "  br i1 %is_unset, label %fault, label %all_set, !prof !0", "all_set:",
        ]  # fmt: skip


def field(name: str, place: int) -> list[str]:
    return [
        f"  %{name}_at = getelementptr i64, ptr %context, i64 {place}", f"  %{name}_64 = load i64, ptr %{name}_at",
        f"  %{name} = trunc i64 %{name}_64 to i32",
    ]  # fmt: skip


def meets(program: Program, functions: list[Function]) -> bool:
    """Whether there is a barrier of the workgroup."""
    values = program.preparation.globals.values
    return any(instr.op == op.ControlBarrier and values.get(instr.value(0)) == enums.ScopeWorkgroup
        for function in functions
        for instr in instructions(function))  # fmt: skip
