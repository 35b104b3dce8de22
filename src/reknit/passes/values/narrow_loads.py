"""Load what is used of a composite, and not all of it.

    %p = AccessChain %buffer, 0u, %i : ptr<StorageBuffer, %Light>
    %l = Load %p : %Light                                             %q = AccessChain %buffer, 0u, %i, 2u, 1u
    %x = CompositeExtract %l 2 1 : f32                          =>    %x = Load %q : f32
    %y = CompositeExtract %l 2 1 : f32                                                               %y: %x

A plain load of a struct, array or matrix of which nothing but parts is used becomes loads of these parts, in its place,
with the alignment that each part has. A part of a part is loaded alone if nothing uses the rest of it. That is done
where at most `share` percent of its numbers are used, or where it takes no more instructions than before.

A chain of a chain that nothing else uses is one chain. What is NonUniform stays so, in parts; loads and chains with
other decorations than that and RelaxedPrecision stay.

No tangle changes: the loads are where the one was, and read a part of what it read.
Source: SPIR-V 1.6, OpLoad, OpAccessChain; SPIRV-Tools' reduce-load-size and combine-access-chains, as rules.
"""

from typing import Final, final

from reknit.analysis.decorations import Decorations
from reknit.analysis.effects import Effects
from reknit.analysis.layouts import Layouts
from reknit.ir import enums, op, traits
from reknit.ir.constants import as_int, int_constant
from reknit.ir.debug import is_debug
from reknit.ir.edit import erase, insert_before, replace_uses, unlink
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.types import int_type, pointee, pointer_type
from reknit.ir.value import Value
from reknit.ir.walk import blocks
from reknit.passes.contract import CONTROL_FLOW, Context, Option, Pass
from reknit.passes.promotable import is_plain
from reknit.source.meter import spend

_WHOLES: Final = (op.TypeStruct, op.TypeArray, op.TypeMatrix)
_KEPT: Final = (enums.DecorationRelaxedPrecision, enums.DecorationNonUniform)
_MANY: Final = 1 << 30


def narrow_loads(function: Function, context: Context) -> bool:
    """Costs the function once, and the size of types."""
    share = context.options["share"]
    assert isinstance(share, int)
    narrow = _Narrow(context, share)
    changed = False
    chains: list[Instr] = []
    for block in blocks(function):
        for instr in block:
            if instr.op == op.Load:
                if instr.type is not None and instr.type.op in _WHOLES and narrow.narrow(instr):
                    changed = True
            elif instr.op in traits.OBJECT_CHAIN and instr.instr(0).op in traits.OBJECT_CHAIN:
                chains.append(instr)
    chains.extend(narrow.chains)
    for chain in chains:
        if _join(chain, narrow.decorations):
            changed = True
    return changed


@final
class _Part:
    """A part of what is loaded, by its indices, and the extractions that give it."""

    __slots__ = ("path", "extracts")

    def __init__(self, path: list[int], extracts: list[Instr]) -> None:
        self.path = path
        self.extracts = extracts


@final
class _Narrow:
    """`sizes` counts the numbers that a type has; `chains` are new."""

    __slots__ = ("context", "decorations", "effects", "share", "sizes", "chains")

    def __init__(self, context: Context, share: int) -> None:
        self.context = context
        self.decorations = context.analyses.of_module(Decorations)
        self.effects = context.analyses.of_module(Effects)
        self.share = share
        self.sizes: dict[Instr, int] = {}
        self.chains: list[Instr] = []

    def narrow(self, load: Instr) -> bool:
        pointer = load.instr(0)
        whole = load.type
        assert whole is not None
        if not is_plain(load, 1) or self.effects.is_volatile(load, 1):
            return False
        if pointer.type is None or pointer.type.op != op.TypePointer:
            return False
        if pointee(pointer.type) is not whole or not self.says_nothing(load, pointer):
            return False
        parts: dict[tuple[int, ...], _Part] = {}
        passed: list[Instr] = []
        if not _find_parts(load, parts, passed) or not parts or not self.is_worth_it(load, parts, len(passed)):
            return False
        alignments: list[int | None] = [self.alignment(load, part) for part in parts.values()]
        if len(load.operands) > 2 and None in alignments:
            return False
        for part, alignment in zip(parts.values(), alignments, strict=True):
            self.load_part(load, part, alignment)
        for extract in reversed(passed):
            _erase(extract)
        _erase(load)
        return True

    def says_nothing(self, load: Instr, pointer: Instr) -> bool:
        said = self.decorations.of(load)
        if pointer.op != op.Variable:
            said = [*said, *self.decorations.of(pointer)]
        return all(decoration in _KEPT for decoration in said)

    def is_worth_it(self, load: Instr, parts: dict[tuple[int, ...], _Part], passed: int) -> bool:
        pointer = load.instr(0)
        extracts = sum(len(part.extracts) for part in parts.values())
        before = 1 + passed + extracts
        after = 2 * len(parts)
        if pointer.op in traits.OBJECT_CHAIN and len(parts) == 1 and len(_users(pointer)) == 1:
            before += 1  # one chain instead of two
        if after <= before:
            return True
        if self.share == 0:
            return False
        whole = load.type
        assert whole is not None
        used = 0
        for part in parts.values():
            type = part.extracts[0].type
            assert type is not None
            used += self.size(type)
        return used * 100 <= self.size(whole) * self.share

    def size(self, type: Instr) -> int:
        """How many numbers a type has."""
        work = [type]
        while work:
            current = work[-1]
            members = self.members(current)
            unknown = [member for member in members if member not in self.sizes]
            if unknown:
                work.extend(unknown)
                continue
            work.pop()
            if current.op == op.TypeStruct:
                total = sum(self.sizes[current.instr(at)] for at in range(len(current.operands)))
            elif members:
                count = current.word(1) if current.op != op.TypeArray else as_int(current.value(1))
                total = self.sizes[members[0]] * (count or 1)
            else:
                total = 1
            self.sizes[current] = min(total, _MANY)
        return self.sizes[type]

    def members(self, type: Instr) -> list[Instr]:
        if type.op == op.TypeStruct:
            return [type.instr(at) for at in range(len(type.operands))]
        if type.op == op.TypeVector or type.op == op.TypeMatrix or type.op == op.TypeArray:
            return [type.instr(0)]
        return []

    def alignment(self, load: Instr, part: _Part) -> int | None:
        """That of a part, where the load says one of the whole."""
        if len(load.operands) < 3:
            return None
        assert load.type is not None
        return self.context.analyses.of_module(Layouts).alignment(load.word(2), load.type, [*part.path])

    def load_part(self, load: Instr, part: _Part, alignment: int | None) -> None:
        """The first extraction of a part is its load now, the others are it."""
        module = self.context.module
        pointer = load.instr(0)
        first = part.extracts[0]
        assert first.type is not None and pointer.type is not None
        index_type = int_type(module, 32, False)
        steps: list[Operand] = [pointer]
        steps.extend([int_constant(module, index_type, index) for index in part.path])
        type = pointer_type(module, pointer.type.word(0), first.type)
        code = pointer.op if pointer.op in traits.OBJECT_CHAIN else op.AccessChain
        chain = insert_before(load, Instr(code, type, steps))
        self.mark(chain, pointer)
        self.chains.append(chain)
        operands: list[Operand] = [chain]
        if alignment is not None:
            operands.extend([enums.MemoryAccessAligned, alignment])
        for extract in part.extracts:
            self.mark(extract, load)
            if extract is not first and self.decorations.of(extract) == self.decorations.of(first):
                replace_uses(extract, first)
                erase(extract)
                continue
            insert_before(load, unlink(extract))
            extract.op = op.Load
            extract.set_operands([*operands])

    def mark(self, new: Instr, old: Instr) -> None:
        """What implementations may not take to be uniform, they may not take so in parts."""
        if enums.DecorationNonUniform in self.decorations.of(old):
            self.decorations.decorate(self.context.module, new, enums.DecorationNonUniform)


def _find_parts(load: Instr, parts: dict[tuple[int, ...], _Part], passed: list[Instr]) -> bool:
    """The parts of a load that are used; `passed` are extractions of which only parts are. False if the whole is used
    otherwise."""
    work: list[tuple[Instr, list[int]]] = [(load, [])]
    while work:
        spend(1)
        value, path = work.pop()
        users = _users(value)
        only_extracts = bool(users)
        for user in users:
            if not isinstance(user, Instr) or user.op != op.CompositeExtract or len(user.operands) < 2:
                only_extracts = False
        if value is load:
            if not only_extracts:
                return False
        elif not users:
            passed.append(value)
            continue
        elif not only_extracts or value.type is None or value.type.op not in _WHOLES:
            known = parts.get(tuple(path))
            if known is None:
                parts[tuple(path)] = _Part(path, [value])
            else:
                known.extracts.append(value)
            continue
        else:
            passed.append(value)
        for user in reversed(users):
            assert isinstance(user, Instr)
            work.append((user, [*path, *[user.word(at) for at in range(1, len(user.operands))]]))
    return True


def _users(value: Value) -> list[Value]:
    """Those that are no debug information in a block."""
    return [
        user for user in value.user_list() if not isinstance(user, Instr) or user.block is None or not is_debug(user)
    ]


def _erase(value: Instr) -> None:
    """Take out a value that debug information at most uses, and that with it."""
    for user in value.user_list():
        assert isinstance(user, Instr)
        erase(user)
    erase(value)


def _join(chain: Instr, decorations: Decorations) -> bool:
    """Let a chain start where the chain that it goes on from starts, if nothing else uses that one."""
    base = chain.instr(0)
    if base.op not in traits.OBJECT_CHAIN or len(_users(base)) != 1:
        return False
    said = decorations.of(chain)
    if any(decoration not in said for decoration in decorations.of(base)):
        return False
    if base.op == op.AccessChain:
        chain.op = op.AccessChain
    operands = [*base.operands, *chain.operands[1:]]
    chain.set_operands(operands)
    _erase(base)
    return True


NARROW_LOADS: Final = Pass(
    "narrow-loads",
    "load what is used of a composite, not all of it",
    narrow_loads,
    keeps=(*CONTROL_FLOW, "call-graph", "tangled", "decorations", "effects", "writes", "layouts"),
    options=(Option("share", 10, "load parts one by one too if they are at most so many percent of the whole"),),
)
