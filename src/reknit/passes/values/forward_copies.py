"""Read from where a copy came, and not from the copy.

    %v = Variable : ptr<Function, array<u32, 64>>
    %a = Load %p : array<u32, 64, stride 4>         %p = AccessChain %buffer, 0u, 3u
    %b = CompositeExtract %a 0 : u32; ...           ...                               for `dce`, as %a and %w
    %w = CompositeConstruct %b, ... : array<u32, 64>
    Store %v, %w                                    (nothing: %v goes)
    %q = AccessChain %v, %i : ptr<Function, u32>    %q = AccessChain %p, %i : ptr<StorageBuffer, u32>
    %x = Load %q : u32                        =>    %x = Load %q : u32

A front-end that loads an array or struct takes it to pieces where the buffer's type has a layout, puts it together
again and stores it, to read one element of it. `promote-variables` makes values of what is read by constant indices;
this pass takes arrays, structs and matrices that a chain with another index leads into, if

    - the variable is stored once, plainly and whole, and all else that uses it is plain loads of it and of chains into
      it, before each of which the store is sure to be executed: it dominates them;
    - what is stored is a copy: a load, a part of a copy, a copy of it with another layout, or made of all parts of one
      copy in order. OpCopyLogical and these have the same parts in the same order, so that the same indices lead to the
      same numbers, whatever the layout;
    - what is loaded stays the same (`constant_loads`), so that a later load through the same pointer gives it again.

The pointer is the one of before: a path from its last execution to the read that avoids the store would be the end of
one from the entry that avoids it. The loads are then in other places, and perhaps executed more often, all of them
behind the first one. An index out of bounds was undefined for the variable and is for the buffer; what a device with
robust accesses reads there may be another number of the same buffer. A load of all of the variable is what was
stored. Loads and chains are NonUniform where those of the copy were. A copy of descriptors stays: an index would choose
among them.

No tangle changes: a load from memory that nothing writes sees no other invocation.
Source: SPIR-V 1.6, OpCopyLogical, OpAccessChain; SPIRV-Tools' copy-propagate-arrays, as a rule.
"""

from typing import Final, final

from reknit.analysis.decorations import Decorations
from reknit.analysis.dominance import Dominance
from reknit.analysis.layouts import Layouts
from reknit.ir import enums, op, traits
from reknit.ir.constants import as_int, int_constant
from reknit.ir.debug import is_declare
from reknit.ir.edit import erase, insert_after, insert_before, replace_uses
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.types import int_type, pointee, pointer_type
from reknit.ir.value import Value
from reknit.passes.contract import CONTROL_FLOW, Context, Pass
from reknit.passes.promotable import is_plain, may_be_split
from reknit.passes.promote_variables import debug_value
from reknit.passes.values.composites import type_at
from reknit.passes.values.constant_loads import Unwritten
from reknit.source.meter import spend

_MAX_DEPTH: Final = 32  # so many indices lead to a part at most
_STEPS: Final = 64  # and so many instructions from a part to what it is a part of
_KEPT: Final = (enums.DecorationRelaxedPrecision, enums.DecorationNonUniform)
_SPIRV_1_4: Final = 0x00010400
_HELD: Final = (op.TypeArray, op.TypeStruct, op.TypeMatrix)


def forward_copies(function: Function, context: Context) -> bool:
    """Costs the function, and the depth of types for each value that a copy is made of."""
    copies = [copied for copied in map(_copied, function.entry()) if copied is not None]
    return _Forward(function, context).run(copies) if copies else False


@final
class _Copied:
    """A variable, what stores to it, and the chains and loads of it, of chains of it and so on."""

    __slots__ = ("variable", "store", "chains", "loads", "declares")

    def __init__(self, variable: Instr) -> None:
        self.variable = variable
        self.store: Instr | None = None
        self.chains: list[Instr] = []
        self.loads: list[Instr] = []
        self.declares: list[Instr] = []


@final
class _Source:
    """The load that gives a copy, and the indices that lead to it in what was loaded."""

    __slots__ = ("load", "path")

    def __init__(self, load: Instr, path: list[int]) -> None:
        self.load = load
        self.path = path

    def is_part(self, index: int, other: "_Source") -> bool:
        """True if `other` is part `index` of this. Loads through one pointer give the same."""
        return self.load.operands[0] is other.load.operands[0] and other.path == [*self.path, index]


def _copied(variable: Instr) -> _Copied | None:
    """What is known of a variable that is stored once and read with an index that is no constant."""
    if variable.op != op.Variable or variable.type is None or variable.type.op != op.TypePointer:
        return None
    whole = pointee(variable.type)
    if whole.op not in _HELD:
        return None
    copied = _Copied(variable)
    by_index = False
    work = [variable]
    while work:
        spend(1)
        pointer = work.pop()
        assert pointer.type is not None
        for user in pointer.user_list():
            if not isinstance(user, Instr) or user.block is None:
                return None
            if user.op in traits.OBJECT_CHAIN and user.operands[0] is pointer:
                by_index = by_index or any(as_int(user.value(at)) is None for at in range(1, len(user.operands)))
                copied.chains.append(user)
                work.append(user)
            elif user.op == op.Load:
                if user.type is not pointee(pointer.type) or not is_plain(user, 1):
                    return None
                copied.loads.append(user)
            elif user.op == op.Store and pointer is variable:
                stored = user.operands[1]
                if copied.store is not None or stored is variable or not is_plain(user, 2):
                    return None
                if not isinstance(stored, Instr) or stored.type is not whole:
                    return None
                copied.store = user
            elif is_declare(user) and pointer is variable:
                copied.declares.append(user)
            else:
                return None
    return copied if by_index and copied.store is not None else None


@final
class _Forward:
    """`sources` has the source of what is made of parts, None for what is none; `loads` what is known of loads; `place`
    numbers instructions in their blocks."""

    __slots__ = ("context", "dominance", "decorations", "unwritten", "sources", "loads", "place")

    def __init__(self, function: Function, context: Context) -> None:
        self.context = context
        self.dominance = context.analyses.ask(Dominance, function)
        self.decorations = context.analyses.of_module(Decorations)
        self.unwritten = Unwritten(context)
        self.sources: dict[Instr, _Source | None] = {}
        self.loads: dict[Instr, bool] = {}
        self.place: dict[Instr, int] = {}
        for block in self.dominance.order.blocks:
            for index, instr in enumerate(block):
                self.place[instr] = index

    def run(self, copies: list[_Copied]) -> bool:
        """A copy of a copy is stored behind it: in the order of the stores."""
        copies.sort(key=self.order)
        changed = False
        for copied in copies:
            store = copied.store
            assert store is not None
            if self.is_read_behind(copied, store) and self.says_nothing(copied):
                source = self.source(store.instr(1))
                if source is not None and self.forward(copied, store, source):
                    changed = True
        return changed

    def order(self, copied: _Copied) -> tuple[int, int]:
        store = copied.store
        assert store is not None and store.block is not None
        return self.dominance.order.number[store.block], self.place[store]

    def is_read_behind(self, copied: _Copied, store: Instr) -> bool:
        """Whether the store dominates all loads."""
        block = store.block
        assert block is not None
        for load in copied.loads:
            assert load.block is not None
            if load.block is block:
                if self.place.get(load, -1) < self.place[store]:
                    return False
            elif not self.dominance.dominates(block, load.block):
                return False
        return True

    def says_nothing(self, copied: _Copied) -> bool:
        """Whether nothing is said of the variable and its chains that the copy's source doesn't know."""
        if not may_be_split(copied.variable, self.decorations):
            return False
        return not any(self.decorations.of(chain) for chain in copied.chains)

    # --- what is a copy of what ---------------------------------------------------------------------------------------

    def source(self, value: Value) -> _Source | None:
        """Where a value was loaded from. What is made of parts waits until they are known."""
        work = [value]
        while work:
            spend(1)
            whole, _ = _origin(work[-1])
            if whole is None or whole.op != op.CompositeConstruct or whole in self.sources:
                work.pop()
                continue
            self.sources[whole] = None
            unknown = [part for part in (_origin(each)[0] for each in whole.operands) if self.is_open(part)]
            if unknown:
                del self.sources[whole]
                work.extend([part for part in unknown if part is not None])
            else:
                self.sources[whole] = self.source_of_parts(whole)
                work.pop()
        return self.known_source(value)

    def is_open(self, part: Instr | None) -> bool:
        return part is not None and part.op == op.CompositeConstruct and part not in self.sources

    def known_source(self, value: Operand) -> _Source | None:
        whole, path = _origin(value)
        if whole is None:
            return None
        if whole.op == op.CompositeConstruct:
            return self.sources.get(whole) if not path else None
        good = self.loads.get(whole)
        if good is None:
            good = self.may_move(whole)
            self.loads[whole] = good
        return _Source(whole, path) if good else None

    def may_move(self, load: Instr) -> bool:
        """Whether parts of what is loaded may be loaded later."""
        pointer = load.instr(0)
        if not self.unwritten.stays_same(load) or _chooses_descriptor(pointer, self.decorations):
            return False
        said = self.decorations.of(load)
        if pointer.op in traits.OBJECT_CHAIN:
            said = [*said, *self.decorations.of(pointer)]
        return all(decoration in _KEPT for decoration in said)

    def source_of_parts(self, whole: Instr) -> _Source | None:
        """That of an OpCompositeConstruct, whose parts are known."""
        type = whole.type
        first = self.known_source(whole.operands[0]) if whole.operands else None
        if type is None or first is None or not first.path or first.path[-1] != 0:
            return None
        source = _Source(first.load, first.path[:-1])
        from_type = type_at(pointee(_type(source.load.instr(0))), source.path)
        if from_type is None or from_type.op != type.op or _parts(from_type) != len(whole.operands):
            return None
        if type.op == op.TypeVector and _parts(type) != len(whole.operands):
            return None  # a part of it is a vector
        for index in range(1, len(whole.operands)):
            part = self.known_source(whole.operands[index])
            if part is None or not source.is_part(index, part):
                return None
        return source

    # --- the rewrite --------------------------------------------------------------------------------------------------

    def forward(self, copied: _Copied, store: Instr, source: _Source) -> bool:
        """Let chains start from where the copy came, and loads of all be what was stored."""
        module = self.context.module
        pointer = source.load.instr(0)
        storage = _type(pointer).word(0)
        root = type_at(pointee(_type(pointer)), source.path)
        if root is None:
            return False
        types: dict[Instr, Instr] = {copied.variable: root}
        alignments: dict[Instr, int] = {}
        whole = self.alignment(source)
        for chain in copied.chains:
            steps = chain.operands[1:]
            before = types[chain.instr(0)]
            type = type_at(before, steps)
            if type is None:
                return False
            types[chain] = type
            if whole is not None:
                around = alignments.get(chain.instr(0), whole)
                part = self.context.analyses.of_module(Layouts).alignment(around, before, steps)
                if part is None:
                    return False
                alignments[chain] = part
        has_copies = module.version >= _SPIRV_1_4
        if any(types[load.instr(0)] is not load.type and not has_copies for load in copied.loads if _is_of_part(load)):
            return False
        start = self.indices(source.path)
        for load in copied.loads:
            base = load.instr(0)
            if base is copied.variable:
                replace_uses(load, store.instr(1))
                erase(load)
                continue
            operands: list[Operand] = [base]
            if base in alignments:
                operands.extend([enums.MemoryAccessAligned, alignments[base]])
            type = types[base]
            if type is load.type:
                load.set_operands(operands)
                self.mark(load, source.load)
            else:
                laid_out = insert_before(load, Instr(op.Load, type, operands))
                self.mark(laid_out, source.load)
                load.op = op.CopyLogical
                load.set_operands([laid_out])
        for chain in copied.chains:
            self.mark(chain, pointer)
            base = chain.instr(0)
            chain.type = pointer_type(module, storage, types[chain])
            if base is copied.variable:
                chain.set_operands([pointer, *start, *chain.operands[1:]])
        for declare in copied.declares:
            insert_after(store, debug_value(declare, store.instr(1)))
            erase(declare)
        erase(store)
        erase(copied.variable)
        return True

    def mark(self, new: Instr, old: Instr) -> None:
        """What implementations may not take to be uniform, they may not take so in another place."""
        if enums.DecorationNonUniform in self.decorations.of(old):
            self.decorations.decorate(self.context.module, new, enums.DecorationNonUniform)

    def alignment(self, source: _Source) -> int | None:
        """Of what a source has in memory, where its load says one."""
        load = source.load
        if len(load.operands) < 3:
            return None
        type = pointee(_type(load.instr(0)))
        return self.context.analyses.of_module(Layouts).alignment(load.word(2), type, [*source.path])

    def indices(self, path: list[int]) -> list[Operand]:
        module = self.context.module
        return [int_constant(module, int_type(module, 32, False), index) for index in path]


def _origin(value: Operand) -> tuple[Instr | None, list[int]]:
    """The load, or what is made of parts, that a value is a part of, and by which indices; None for all else."""
    path: list[int] = []
    for _ in range(_STEPS):
        if not isinstance(value, Instr) or len(path) > _MAX_DEPTH:
            break
        spend(1)
        if value.op == op.Load:
            return value, path
        if value.op == op.CompositeConstruct:
            if not path or value.type is None or value.type.op == op.TypeVector:
                return value, path
            value = value.operands[path.pop(0)]
        elif value.op == op.CompositeExtract:
            path = [*(value.word(at) for at in range(1, len(value.operands))), *path]
            value = value.operands[0]
        elif value.op == op.CopyLogical or value.op == op.CopyObject:
            value = value.operands[0]
        else:
            break
    return None, path


def _parts(type: Instr) -> int | None:
    """How many parts a type has, where that is known."""
    if type.op == op.TypeStruct:
        return len(type.operands)
    if type.op == op.TypeVector or type.op == op.TypeMatrix:
        return type.word(1)
    return as_int(type.value(1)) if type.op == op.TypeArray else None


def _chooses_descriptor(pointer: Instr, decorations: Decorations) -> bool:
    """Whether what a pointer points to is an array of resources: an index into it would need a capability."""
    if pointer.type is None or pointer.type.op != op.TypePointer:
        return True
    if pointer.type.word(0) == enums.StorageClassUniformConstant:
        return True
    type = pointee(pointer.type)
    if type.op != op.TypeArray and type.op != op.TypeRuntimeArray:
        return False
    while type.op == op.TypeArray or type.op == op.TypeRuntimeArray:
        type = type.instr(0)
    said = decorations.of(type)
    return enums.DecorationBlock in said or enums.DecorationBufferBlock in said


def _is_of_part(load: Instr) -> bool:
    return load.instr(0).op in traits.OBJECT_CHAIN


def _type(value: Instr) -> Instr:
    assert value.type is not None
    return value.type


FORWARD_COPIES: Final = Pass(
    "forward-copies",
    "read from where a copy of memory came, not from the copy",
    forward_copies,
    keeps=(*CONTROL_FLOW, "call-graph", "tangled", "decorations", "effects", "writes", "layouts"),
)
