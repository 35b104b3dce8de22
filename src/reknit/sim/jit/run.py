"""A dispatch by native code.

    buffers' words ──▶ memory of the machine ──▶ workgroups, in their order ──▶ buffers' words

Native code stops at the first fault, of any kind: what it computed is dropped, and the interpreter runs the dispatch
from the start and reports what is wrong.
"""

import os
import sys
from array import array
from collections.abc import Sequence
from typing import Final

from reknit.sim.builtins import Dispatch
from reknit.sim.engine import ENDED, OWN_FAULT
from reknit.sim.fill import ZEROS
from reknit.sim.jit.images import table_of
from reknit.sim.jit.kernel import BUFFERS, Kernel
from reknit.sim.jit.lowering import lowered
from reknit.sim.jit.outside import Code, host, lock, memory
from reknit.sim.jit.processor import THOROUGH, has_half, has_wide_masks, is_known, misjudges, preferred_lanes
from reknit.sim.jit.text import Refused
from reknit.sim.policy import Policy
from reknit.sim.run import Program
from reknit.source.interrupt import look
from reknit.source.resident import Died

AT_ONCE: Final = 1 << 17
"""Invocations of a thread between two looks at whether the user has interrupted."""
MANY: Final = 1 << 16
"""Invocations for which LLVM's whole pipeline pays: 10 to 20 ms more, of which they take a tenth to a third back."""
MAX_BYTES: Final = (1 << 31) - 1
"""Of a buffer: its places are signed words."""
FAULTED: Final = "it comes to a fault"
OTHER_SIZE: Final = "has buffers of a size that native code is not made for"


class Compiled:
    """Native code of a program, or why there is none; `thorough` for many invocations. `settled`: for many there is no
    other. `paying` invocations, where it isn't 0, have to be worth the time; there is none for fewer than `least`."""

    def __init__(self, program: Program, thorough: bool = False, paying: int = 0) -> None:
        textures = [buffer.texture for buffer in program.preparation.order]
        self.settled = thorough
        self.formats = formats_of(program)
        self.refusal = ""
        self.native: Code | None = None
        self.least = 0
        self.alone = False
        self.large = False
        if sys.platform == "win32":
            self.refusal = "native code is for Linux and macOS"
            return
        try:
            processor = host()
            facts = has_half(processor), misjudges(processor), has_wide_masks(processor)
            kernel = Kernel(lowered(program), preferred_lanes(processor), *facts, is_known, textures)
            if 0 < paying < kernel.least:
                self.least = kernel.least
                raise Refused("is small for the code that it has")
            level = kernel.level(thorough)
            self.settled = thorough or kernel.level(True) != THOROUGH
            self.alone = kernel.alone
            self.large = kernel.large
        except Refused as reason:
            self.refusal = f"it {reason}"
            return
        except RuntimeError as error:
            self.refusal = f"llvmlite can't be imported: {error}"
            return
        except (Died, OSError) as reason:
            self.refusal = f"{ENDED}: {reason}"
            return
        try:
            self.native = Code(kernel.text, processor, level)
        except RuntimeError as error:
            lines = str(error).strip().splitlines()
            self.refusal = f"{OWN_FAULT} ({' '.join(lines[:2])})"
        except (Died, OSError) as reason:
            self.refusal = f"{ENDED}: {reason}"

    def is_worth(self, invocations: int, always: bool) -> bool:
        """Whether code that wasn't worth it is now."""
        return self.native is None and self.least > 0 and (always or invocations >= self.least)


def formats_of(program: Program) -> list[str]:
    """Of its images, as the run has them; "" of a buffer."""
    textures = [buffer.texture for buffer in program.preparation.order]
    return [texture.format.name if texture is not None else "" for texture in textures]


def compiled_for(program: Program, invocations: int, always: bool) -> Compiled:
    """What there is, unless it has become another program, or there are so many invocations that it pays to do more."""
    known = program.compiled
    many = invocations >= MANY
    if not isinstance(known, Compiled) or known.formats != formats_of(program) or known.is_worth(invocations, always):
        known = None
    if known is None or (many and not known.settled and known.native is not None):
        known = program.compiled = Compiled(program, many, 0 if always else invocations)
    return known


def run_native(
    program: Program, policy: Policy, dispatch: Dispatch, max_steps: int, trace: bool, always: bool = True
) -> str:
    """Runs all workgroups on what the program's buffers hold, and puts the results there; "" or why it did not: among
    others, unless `always`, because the interpreter takes less time than LLVM."""
    unfit = unfit_for(program, policy, trace)
    if unfit:
        return unfit
    compiled = compiled_for(program, dispatch.count() * dispatch.lanes(), always)
    native = compiled.native
    if native is None:
        return compiled.refusal
    threads = (os.cpu_count() or 1) if compiled.alone else 1
    count = dispatch.count()
    step = max(AT_ONCE // dispatch.lanes(), 1)
    with lock():
        try:
            native.ready()
            placed = Placed(program, dispatch, max_steps)
            for low in range(0, count, step * threads):
                look()
                high = min(low + step * threads, count)
                if native.run(low, high, step, placed.context, placed.places, compiled.large):
                    return FAULTED
        except Refused as reason:
            return f"it {reason}"
        except (Died, OSError, RuntimeError) as reason:  # it would again
            compiled.native = None
            compiled.refusal = f"{ENDED}: {reason}"
            return compiled.refusal
        placed.take_back()
    return ""


class Placed:
    """A program's buffers in the memory of native code; `context` is the kernel's, with places in that memory at
    `places`."""

    def __init__(self, program: Program, dispatch: Dispatch, max_steps: int) -> None:
        """Raises Refused."""
        self.buffers = program.preparation.order
        words: list[Sequence[int]] = []
        for buffer in self.buffers:
            texture = buffer.texture
            held = buffer.words if buffer.alias is None else []
            least = buffer.layout.size if texture is None else 4 * texture.words()
            if 4 * len(held) > MAX_BYTES or 4 * len(buffer.words) < least:
                raise Refused(OTHER_SIZE)
            words += [held, table_of(texture) if texture is not None else []]
        try:
            self.memory, starts = memory([4 * len(each) for each in words])
        except (OSError, ValueError):
            raise Refused(OTHER_SIZE) from None
        self.starts = starts[::2]
        self.words = memoryview(self.memory).cast("I")
        for start, each in zip(starts, words, strict=True):
            self.words[start // 4 : start // 4 + len(each)] = array("I", each)
        self.context = [*dispatch.groups, *dispatch.origin.base, dispatch.origin.device, max_steps, 0]
        self.places: list[int] = []
        for at, buffer in enumerate(self.buffers):
            self.places.append(len(self.context))
            self.context.append(starts[2 * at])
            if buffer.texture is not None:
                self.places.append(len(self.context))
            self.context.append(starts[2 * at + 1] if buffer.texture is not None else 4 * len(words[2 * at]))
        assert len(self.context) == BUFFERS + len(words)

    def take_back(self) -> None:
        """The buffers hold what native code has left."""
        for start, buffer in zip(self.starts, self.buffers, strict=True):
            if buffer.alias is None and buffer.writable:
                buffer.words[:] = self.words[start // 4 : start // 4 + len(buffer.words)].tolist()


def unfit_for(program: Program, policy: Policy, trace: bool) -> str:
    """Why a run is not one for native code, whatever the program is."""
    if str(policy) != str(Policy(kill=policy.kill, assume=policy.assume)) or policy.script is not None:
        return "it is run by another policy than the default one"
    if trace or program.recorder is not None:
        return "its run is traced"
    if program.addresses:
        return "its pointers may be addresses"
    if program.arguments:
        return "its entry point takes arguments"
    preparation = program.preparation
    watches = preparation.unwritten is not None and preparation.unwritten.reports
    if preparation.watch is not None or watches:
        return "its run is watched"
    if preparation.promises:
        return "it has operations that must not wrap"
    return "" if preparation.fill.kind == ZEROS else "undefined values are not taken to be zeros"
