"""Running a script: its buffers live on between dispatches, and every expectation passes or fails.

Script ── Run ──▶ simulator or device, on the bytes of the buffers that are bound ──▶ bytes put back
       ── Expect ──▶ Check: pass, or what is there instead
"""

import math
from collections.abc import Mapping
from typing import Any, Final, final

from reknit.front.amber.load import module_of
from reknit.front.amber.script import (
    NEAR,
    PUSH,
    SAME_BUFFER,
    Command,
    Copy,
    Expect,
    ExpectBuffer,
    Pipeline,
    Repeat,
    Run,
    Script,
    Store,
    Tolerance,
)
from reknit.front.amber.types import FLOAT, Component
from reknit.ir import enums, op
from reknit.ir.module import Module
from reknit.sim.buffers import position
from reknit.sim.decorations import Decorations
from reknit.sim.policy import Policy
from reknit.sim.result import Result
from reknit.sim.run import MAX_STEPS, run
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place
from reknit.vulkan.interface import Interface, interface_of
from reknit.vulkan.needs import Need
from reknit.vulkan.run import run_on
from reknit.vulkan.target import Target

EXACT: Final = Tolerance(1e-6, True)
"""How far floats may be apart for EQ, in percent: Amber's own epsilon."""

MAX_REASONS: Final = 4
NOT_GIVEN: Final = "RK1108"
NOT_RUN: Final = "RK1001"


@final
class Check:
    """An expectation: `reasons` are what is there instead, none where it passes."""

    __slots__ = ("place", "text", "reasons")

    def __init__(self, place: Place, text: str, reasons: list[str]) -> None:
        self.place = place
        self.text = text
        self.reasons = reasons

    def to_json(self) -> dict[str, object]:
        return {"line": self.place.line, "text": self.text, "pass": not self.reasons, "reasons": self.reasons}


@final
class Surroundings:
    """Where and how dispatches run: on `target`, or on the simulator where it is None."""

    __slots__ = ("target", "subgroup_size", "policy", "max_steps")

    def __init__(
        self,
        target: Target | None = None,
        subgroup_size: int = 0,
        policy: Policy | None = None,
        max_steps: int = MAX_STEPS,
    ) -> None:
        self.target = target
        self.subgroup_size = subgroup_size
        self.policy = policy
        self.max_steps = max_steps


@final
class Runner:
    """A script as it runs. `checks` come in the order of the script, those of a REPEAT once for each time;
    `diagnostics` are what went wrong in dispatches, of which one that `ended` the script leaves the rest unchecked."""

    __slots__ = ("script", "where", "memory", "modules", "checks", "diagnostics", "ended", "on", "subgroup_size")

    def __init__(self, script: Script, where: Surroundings) -> None:
        self.script = script
        self.where = where
        self.memory = {name: bytearray(buffer.data) for name, buffer in script.buffers.items()}
        self.modules: dict[str, Module] = {}
        self.checks: list[Check] = []
        self.diagnostics: list[Diagnostic] = []
        self.ended = False
        self.on = "sim"
        self.subgroup_size = where.subgroup_size or (32 if where.target is None else 0)

    def passed(self) -> bool:
        return not any(check.reasons for check in self.checks) and not self.diagnostics

    def run(self) -> None:
        """All commands; a dispatch that goes wrong ends the script. Raises InputError for what can't be run."""
        work: list[Command] = list(reversed(self.script.commands))
        left: list[tuple[Repeat, int]] = []
        while work:
            command = work.pop()
            if isinstance(command, Repeat):
                times = command.count
                if left and left[-1][0] is command:
                    times = left.pop()[1]
                if times > 0:
                    left.append((command, times - 1))
                    work.append(command)
                    work.extend(reversed(command.commands))
            elif isinstance(command, Run):
                if not self.dispatch(command):
                    self.ended = True
                    return
            elif isinstance(command, Copy):
                self.memory[command.target] = bytearray(self.memory[command.source])
            elif isinstance(command, Store):
                self.store(command)
            elif isinstance(command, Expect):
                self.checks.append(Check(command.place, command.text, self.expect(command)))
            else:
                self.checks.append(Check(command.place, command.text, self.expect_buffer(command)))

    def store(self, command: Store) -> None:
        memory = self.memory[command.buffer]
        memory.extend(bytes(max(0, command.least - len(memory))))
        for at, raw in command.data:
            start = command.offset + at
            memory[start : start + len(raw)] = raw

    # --- dispatches ---------------------------------------------------------------------------------------------------

    def dispatch(self, command: Run) -> bool:
        """False if the shader did something wrong, which is in the diagnostics then."""
        pipeline = self.script.pipelines[command.pipeline]
        module = self.module(pipeline)
        entry = command.entry or pipeline.entry
        spec = known_constants(module, pipeline.spec)
        interface = self.interface(module, entry, spec)
        refuse_shared(pipeline, interface, command.place)
        buffers, push = self.bound(pipeline, interface)
        size = pipeline.subgroup_size or self.where.subgroup_size
        try:
            result = self.run_shader(module, entry, command, size, buffers, push, spec)
        except InputError as error:
            for diagnostic in error.diagnostics:
                diagnostic.place = command.place if diagnostic.place is None else diagnostic.place
            raise
        self.on = result.on
        self.subgroup_size = result.subgroup_size
        self.put_back(pipeline, interface, result)
        wrong = [diagnostic for diagnostic in result.diagnostics if diagnostic.severity == "error"]
        self.diagnostics.extend(wrong)
        return not wrong

    def interface(self, module: Module, entry: str, spec: Mapping[Any, float]) -> Interface:
        """What the shader's resources are. What a driver could not be given is not the simulator's either."""
        try:
            return interface_of(module, entry, spec)
        except InputError as error:
            if self.where.target is None:
                for diagnostic in error.diagnostics:
                    if diagnostic.code == NOT_GIVEN:
                        diagnostic.code = NOT_RUN
                        diagnostic.message = diagnostic.message.replace("to a driver", "to the simulator", 1)
            raise

    def run_shader(
        self,
        module: Module,
        entry: str,
        command: Run,
        size: int,
        buffers: Mapping[str, Any],
        push: bytes | None,
        spec: Mapping[Any, float],
    ) -> Result:
        target = self.where.target
        if target is None:
            return run(
                module,
                entry,
                groups=command.groups,
                subgroup_size=size or 32,
                buffers=buffers,
                push_constants=push,
                spec=spec,
                policy=self.where.policy,
                max_steps=self.where.max_steps,
            )
        asked = [need_of_feature(name) for name in self.script.features]
        return run_on(
            target,
            module,
            entry,
            groups=command.groups,
            subgroup_size=size,
            buffers=buffers,
            push_constants=push,
            spec=spec,
            needs=[need for need in asked if need is not None],
        )

    def module(self, pipeline: Pipeline) -> Module:
        if pipeline.shader not in self.modules:
            self.modules[pipeline.shader] = module_of(self.script, self.script.shaders[pipeline.shader])
        return self.modules[pipeline.shader]

    def bound(self, pipeline: Pipeline, interface: Interface) -> tuple[dict[str, bytes], bytes | None]:
        """The bytes of the bindings that the shader has, by place, and the push constants."""
        places = [position(buffer) for buffer in interface.order]
        contents: dict[str, bytes] = {}
        push: bytes | None = None
        for binding in pipeline.bindings:
            data = bytes(self.memory[binding.buffer])
            if binding.kind == PUSH:
                if interface.push is not None:
                    least = interface.push.layout.size
                    push = data[: -(-least // 4) * 4].ljust(least, b"\0")
                continue
            place = f"{binding.set}.{binding.binding}" + (f"[{binding.element}]" if binding.element else "")
            if place in places:
                end = len(data) if binding.size < 0 else binding.offset + binding.size
                contents[place] = trimmed(data[binding.offset : end], interface, place)
        return contents, push

    def put_back(self, pipeline: Pipeline, interface: Interface, result: Result) -> None:
        """What the shader stored, into the buffers that were bound. Words that none was given are no buffer's."""
        labels: dict[str, str] = {}
        for buffer in interface.order:
            if buffer.writable and buffer.alias is None:
                label = buffer.label()
                labels[position(buffer)] = position(buffer) if label in labels.values() else label
        for binding in pipeline.bindings:
            place = f"{binding.set}.{binding.binding}" + (f"[{binding.element}]" if binding.element else "")
            if binding.kind == PUSH or place not in labels:
                continue
            words = result.buffers[labels[place]].words
            raw = b"".join([word.to_bytes(4, "little") for word in words])
            memory = self.memory[binding.buffer]
            end = len(memory) if binding.size < 0 else min(len(memory), binding.offset + binding.size)
            count = min(len(raw), end - binding.offset)
            memory[binding.offset : binding.offset + count] = raw[:count]

    # --- expectations -------------------------------------------------------------------------------------------------

    def expect(self, command: Expect) -> list[str]:
        memory = self.memory[command.buffer]
        reasons: list[str] = []
        for number, wanted in enumerate(command.values):
            component, at = command.type.place(number)
            start = command.offset + at
            if start + component.bits // 8 > len(memory):
                reasons.append(f"value {number} lies at byte {start} of a buffer of {len(memory)} bytes")
                break
            actual = component.decode(bytes(memory[start : start + component.bits // 8]))
            expected = component.decode(component.encode(wanted))
            tolerance = EXACT
            if command.tolerances:
                rows = len(command.tolerances)
                tolerance = command.tolerances[number % len(command.type.components) % rows]
            if not holds(command.comparator, component, actual, expected, tolerance):
                reasons.append(
                    f"value {number}, byte {start}: {shown(actual)} is not {command.comparator} {shown(expected)}"
                )
        if len(reasons) > MAX_REASONS:
            reasons[MAX_REASONS:] = [f"... {len(reasons) - MAX_REASONS} more"]
        return reasons

    def expect_buffer(self, command: ExpectBuffer) -> list[str]:
        left, right = self.memory[command.left], self.memory[command.right]
        if len(left) != len(right):
            return [f"{command.left} has {len(left)} bytes, {command.right} has {len(right)}"]
        if command.comparator == SAME_BUFFER:
            differ = [at for at in range(len(left)) if left[at] != right[at]]
            if not differ:
                return []
            at = differ[0]
            return [f"{len(differ)} bytes differ, the first at {at}: {left[at]:#04x} and {right[at]:#04x}"]
        type = self.script.buffers[command.left].type
        total = 0.0
        count = 0
        for start in range(0, len(left) - type.extent + 1, type.size):
            for component in type.components:
                at = start + component.offset
                size = component.bits // 8
                difference = component.decode(bytes(left[at : at + size])) - component.decode(
                    bytes(right[at : at + size])
                )
                total += difference * difference
                count += 1
        error = math.sqrt(total / count) if count else 0.0
        return [] if error <= command.tolerance else [f"the error is {error:g}, more than {command.tolerance:g}"]


def refuse_shared(pipeline: Pipeline, interface: Interface, place: Place) -> None:
    """Raises InputError (RK1304) where the shader sees one part of a buffer at two bindings and may write to it: each
    binding has memory of its own here, so that one would miss what the other stores."""
    writable = {position(buffer): buffer.writable for buffer in interface.order}
    seen: list[tuple[str, str, int, float]] = []  # name, place, first byte, end
    for binding in pipeline.bindings:
        here = f"{binding.set}.{binding.binding}" + (f"[{binding.element}]" if binding.element else "")
        if binding.kind == PUSH or here not in writable:
            continue
        end = math.inf if binding.size < 0 else binding.offset + binding.size
        for name, other, first, last in seen:
            overlaps = name == binding.buffer and other != here and binding.offset < last and first < end
            if overlaps and (writable[here] or writable[other]):
                message = (
                    f"buffer {name} is bound at {other} and at {here}, and the shader may write to it: one memory at "
                    "two bindings can't be run"
                )
                help = "bind two buffers, or let the shader declare both variables with one binding"
                raise InputError([Diagnostic("RK1304", message, place, help=help)])
        seen.append((binding.buffer, here, binding.offset, end))


def holds(comparator: str, component: Component, actual: float, wanted: float, tolerance: Tolerance) -> bool:
    """Whether a value is as expected. Floats are equal within Amber's epsilon, and NaN is equal to NaN."""
    if comparator == "LT":
        return actual < wanted
    if comparator == "LE":
        return actual <= wanted
    if comparator == "GT":
        return actual > wanted
    if comparator == "GE":
        return actual >= wanted
    if comparator == NEAR or component.kind == FLOAT:
        same = near(actual, wanted, tolerance)
    else:
        same = actual == wanted
    return same != (comparator == "NE")


def near(actual: float, wanted: float, tolerance: Tolerance) -> bool:
    if math.isnan(actual) or math.isnan(wanted):
        return math.isnan(actual) and math.isnan(wanted)
    if actual == wanted:
        return True
    room = abs(wanted) * tolerance.value / 100 if tolerance.percent else tolerance.value
    return abs(actual - wanted) <= room


def shown(value: float) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def known_constants(module: Module, spec: Mapping[int, float]) -> dict[Any, float]:
    """Those that the module has: a pipeline may set others (Vulkan 1.4, VkSpecializationMapEntry)."""
    names = Decorations(module)
    ids = [
        names.number(instr, enums.DecorationSpecId)
        for instr in module.globals
        if instr.op in (op.SpecConstant, op.SpecConstantTrue, op.SpecConstantFalse)
    ]
    return {number: value for number, value in spec.items() if number in ids}


def trimmed(data: bytes, interface: Interface, place: str) -> bytes:
    """As much as the shader's type holds: a larger buffer may be bound, and a smaller one that is not used up."""
    for buffer in interface.order:
        if position(buffer) == place:
            least = -(-buffer.layout.size // 4) * 4
            return (
                data[:least].ljust(least, b"\0") if buffer.layout.runtime_array() is None else data.ljust(least, b"\0")
            )
    return data


def need_of_feature(name: str) -> Need | None:
    """What DEVICE_FEATURE asks for. Stages are no question for a compute shader."""
    group, _, member = name.rpartition(".")
    if group == "SubgroupSupportedOperations":
        words = {"shuffleRelative": "shuffle relative"}
        return Need(f"DEVICE_FEATURE {name}", [], words.get(member, member))
    if group == "SubgroupSupportedStages":
        return None
    return Need(f"DEVICE_FEATURE {name}", [member])
