"""What takes a descriptor that a marked index chooses is decorated NonUniform (SPIR-V 1.6, 3.20).

    uint k = NonUniformResourceIndex(i) + 1;      %m = CopyObject %i                 NonUniform
    textures[k].Sample(s, uv)                     %p = AccessChain %textures %k      NonUniform
                                                  %t = Load %p                       NonUniform
                                                  %b = SampledImage %t %s            NonUniform

A mark goes with a number through what is computed of it, through variables, arguments and results, and where an array
of descriptors is indexed on to pointers and handles. Contents of resources have none. Paths, and the elements of a
variable, are not distinguished: more may be decorated than needs be.
"""

from typing import Final, final

from reknit.front.slang.lower.state import Lowering
from reknit.ir import enums, op, traits
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.types import storage_of
from reknit.ir.value import Value
from reknit.source.meter import spend

_LOCAL: Final = (enums.StorageClassFunction, enums.StorageClassPrivate, enums.StorageClassWorkgroup)
_GOES_ON: Final = (op.Load, op.Phi, op.ExtInst)
"""Beside what only computes: the load is one of a variable."""
_ARRAYS: Final = (op.TypeArray, op.TypeRuntimeArray)
_OF_STORAGE: Final = {
    enums.StorageClassUniform: enums.CapabilityUniformBufferArrayNonUniformIndexing,
    enums.StorageClassStorageBuffer: enums.CapabilityStorageBufferArrayNonUniformIndexing,
}
_READ: Final = 1
"""Of an OpTypeImage: read through a sampler, or fetched from."""


def decorate(low: Lowering) -> None:
    """The whole program is there."""
    if not low.marked:
        return
    low.capability(enums.CapabilityShaderNonUniform)
    low.extension("SPV_EXT_descriptor_indexing")
    marks = _Marks(low)
    for mark in low.marked:
        low.decorate(mark, enums.DecorationNonUniform)
        marks.number(mark)
    marks.follow()
    for descriptor in marks.descriptors:
        low.decorate(descriptor, enums.DecorationNonUniform)


@final
class _Marks:
    """`numbers` have a mark; a pointer among them leads to a variable that may hold such a number. `descriptors` are
    pointers and handles."""

    __slots__ = ("low", "numbers", "descriptors", "stored", "work", "owners", "entries", "keys")

    def __init__(self, low: Lowering) -> None:
        self.low = low
        self.numbers: dict[Instr, None] = {}
        self.descriptors: dict[Instr, None] = {}
        self.stored: dict[Instr, None] = {}  # variables and parameters
        self.work: list[Instr] = []
        self.owners: dict[Value, tuple[Function, int]] = {}
        self.entries: dict[Value, list[Function]] = {}  # of all witness tables, by requirement
        self.keys: dict[Function, list[Value]] = {}  # and the other direction
        for function in low.module.functions:
            for index, param in enumerate(function.params):
                self.owners[param] = (function, index)
        for table in low.module.globals:
            if table.op == op.WitnessTable:
                for index in range(2, len(table.operands) - 1, 2):
                    entry = table.operands[index + 1]
                    if isinstance(entry, Function):
                        self.entries.setdefault(table.value(index), []).append(entry)
                        self.keys.setdefault(entry, []).append(table.value(index))

    def number(self, instr: Instr) -> None:
        if instr not in self.numbers:
            self.numbers[instr] = None
            self.work.append(instr)

    def descriptor(self, instr: Instr) -> None:
        if instr not in self.descriptors:
            self.descriptors[instr] = None
            self.work.append(instr)

    def follow(self) -> None:
        while self.work:
            value = self.work.pop()
            users = [user for user in value.users if isinstance(user, Instr)]
            spend(1 + len(users))
            for user in users:
                if value in self.descriptors:
                    self._of_descriptor(value, user)
                else:
                    self._of_number(value, user)

    def _of_descriptor(self, value: Instr, user: Instr) -> None:
        code = user.op
        is_handle = code == op.Load and user.type is not None and user.type.op in traits.HANDLE
        if is_handle or code in traits.DERIVES:
            self.descriptor(user)

    def _of_number(self, value: Instr, user: Instr) -> None:
        code = user.op
        if code in traits.CHAIN:
            if user.operands[0] is value:
                self.number(user)
            else:
                self._chosen(value, user)
        elif code == op.Store:
            if user.operands[1] is value:
                self._stored(user.value(0))
        elif code == op.FunctionCall or code == op.CallDynamic:
            for callee in self._callees(user):
                for index, param in enumerate(callee.params):
                    if user.operands[index + 1] is value:
                        self.number(param)
        elif code == op.ReturnValue:
            assert user.block is not None and user.block.function is not None
            for call in self._calls(user.block.function):
                self.number(call)
        elif user.type is not None and (code in _GOES_ON or code in traits.COMPUTES or code in traits.TANGLED):
            self.number(user)

    def _chosen(self, index: Instr, chain: Instr) -> None:
        """An element of an array: of one of descriptors?"""
        variable = chain.operands[0]
        if not isinstance(variable, Instr) or variable.op != op.Variable or variable.type is None:
            return
        type = variable.type.instr(1)
        storage = storage_of(variable.type)
        if storage not in _OF_STORAGE and storage != enums.StorageClassUniformConstant:
            return
        chooses = False
        for operand in chain.operands[1:]:
            if type.op in _ARRAYS:
                type = type.instr(0)
                chooses = chooses or operand is index
        if chooses:
            self.descriptor(chain)
            capability = _OF_STORAGE.get(storage) or _of_handles(type)
            if capability:
                self.low.capability(capability)

    def _stored(self, pointer: Value) -> None:
        """A marked number where it leads: in a variable, or in one of each caller."""
        waiting = [pointer]
        while waiting:
            spend(1)
            at = waiting.pop()
            while isinstance(at, Instr) and at.op in traits.CHAIN:
                at = at.value(0)
            if not isinstance(at, Instr) or at in self.stored:
                continue
            self.stored[at] = None
            if at.op == op.Variable and at.word(0) in _LOCAL:
                self.number(at)
            elif at in self.owners:
                self.number(at)
                function, index = self.owners[at]
                waiting.extend([call.value(index + 1) for call in self._calls(function)])

    def _callees(self, call: Instr) -> list[Function]:
        callee = call.operands[0]
        if isinstance(callee, Function):
            return [callee]
        assert isinstance(callee, Instr)
        return self.entries.get(callee.value(1), []) if callee.op == op.LookupWitness else []

    def _calls(self, function: Function) -> list[Instr]:
        """By its name, and through witness tables."""
        calls: list[Instr] = []
        for user in function.users:
            if isinstance(user, Instr) and user.op == op.FunctionCall:
                calls.append(user)
        for key in self.keys.get(function, []):
            for lookup in key.users:
                if isinstance(lookup, Instr) and lookup.op == op.LookupWitness:
                    calls.extend(
                        [user for user in lookup.users if isinstance(user, Instr) and user.op == op.CallDynamic]
                    )
        return calls


def _of_handles(type: Instr) -> int:
    """The capability for arrays of them; 0 where there is none of their own."""
    if type.op == op.TypeSampler or type.op == op.TypeSampledImage:
        return enums.CapabilitySampledImageArrayNonUniformIndexing
    if type.op != op.TypeImage:
        return 0
    read = type.word(5) == _READ
    if type.word(1) == enums.DimSubpassData:
        return enums.CapabilityInputAttachmentArrayNonUniformIndexing
    if type.word(1) == enums.DimBuffer:
        texels = enums.CapabilityUniformTexelBufferArrayNonUniformIndexing
        return texels if read else enums.CapabilityStorageTexelBufferArrayNonUniformIndexing
    sampled = enums.CapabilitySampledImageArrayNonUniformIndexing
    return sampled if read else enums.CapabilityStorageImageArrayNonUniformIndexing
