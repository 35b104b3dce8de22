"""Pointers, loads, stores and what else touches memory.

    own variable (Function, Private)      what it holds is a value; no other invocation sees it
    read-only memory                      a load is a leaf, by its address
    writable memory                       a load is a term with the events that it may see; a store is an event
    atomics, barriers, image writes, volatile accesses, clocks     events that follow, and are followed by, everything

A pointer is ("p", root, step, ...), or a diagram with such leaves. Which variables may be the same memory says
`analysis.aliasing`; two elements of an array of descriptors may be, too. What is accessed through an address, which is
loaded, computed, or carried by a loop, may be any memory that others see: the address is the first step into all values
of its type.
"""

from typing import Final

from reknit.analysis.layouts import Layouts
from reknit.ir import enums, op, traits
from reknit.ir.instr import Instr, Operand
from reknit.ir.opcodes import opcode_name
from reknit.ir.value import Value
from reknit.proof.normal_form.diagrams import Terms
from reknit.proof.normal_form.events import EVERYTHING, Event, Footprint
from reknit.proof.normal_form.kinds import Kind, count_of
from reknit.proof.normal_form.not_decided import NotDecided
from reknit.proof.normal_form.states import NONE, Name
from reknit.proof.normal_form.table import Key
from reknit.proof.normal_form.values import OWN, Risk, Values
from reknit.source.meter import spend

_READ_ONLY: Final = (
    enums.StorageClassInput, enums.StorageClassUniformConstant, enums.StorageClassPushConstant,
)  # fmt: skip
_HELPER: Final = f"[{enums.DecorationBuiltIn} {enums.BuiltInHelperInvocation}]"
_VOLATILE: Final = enums.MemoryAccessVolatile
_NON_PRIVATE: Final = enums.MemoryAccessNonPrivatePointer
_ADDRESS: Final = "address"
_OBJECTS: Final = Footprint(("ray queries",), (), False)
_FIXED_AT_LAUNCH: Final = (
    enums.BuiltInLaunchIdKHR, enums.BuiltInLaunchSizeKHR, enums.BuiltInWorldRayOriginKHR,
    enums.BuiltInWorldRayDirectionKHR, enums.BuiltInObjectRayOriginKHR, enums.BuiltInObjectRayDirectionKHR,
    enums.BuiltInRayTminKHR, enums.BuiltInInstanceCustomIndexKHR, enums.BuiltInObjectToWorldKHR,
    enums.BuiltInWorldToObjectKHR, enums.BuiltInHitKindKHR, enums.BuiltInPrimitiveId, enums.BuiltInInstanceId,
    enums.BuiltInRayGeometryIndexKHR, enums.BuiltInIncomingRayFlagsKHR,
)  # fmt: skip
"""Built-ins that an invocation repack instruction leaves as they are."""

_SHARED: Final = (enums.StorageClassUniform, enums.StorageClassStorageBuffer)


def _ends_with(root: Key) -> bool:
    """Whether what a read-only variable holds may change where invocations end or are made helpers: HelperInvocation.
    What each invocation was given at its start stays (SPIR-V 1.6, "BuiltIn"). `root` has the decorations as text."""
    text = str(root[3])
    is_plain = f"[{enums.DecorationLocation} " in text or f"[{enums.DecorationBuiltIn} " in text
    return root[1] == enums.StorageClassInput and (not is_plain or _HELPER in text)


def _is_fixed_at_launch(decorations: str) -> bool:
    """Whether what an input holds is the same before and after other shaders ran in the middle of this one."""
    if f"[{enums.DecorationBuiltIn} " not in decorations:
        return True
    return any(f"[{enums.DecorationBuiltIn} {each}]" in decorations for each in _FIXED_AT_LAUNCH)


def _is_of_one(code: int) -> bool:
    """Whether what an effect does is known not to depend on which invocations do it together."""
    if code in traits.REPACKS:
        return True  # each invocation has its own ray, or callable
    if code in traits.TANGLED:
        return False
    return code in traits.STORES or code in traits.ATOMIC or code in traits.READS or code in traits.STAYS


class Memory(Values):
    def pointees(self, value: Value, instr: Instr) -> list[tuple[int, int]]:
        """The pointers that a value may be, each with its condition."""
        assert isinstance(value, Instr)
        return self.pointees_of(self.get(value), value.type, instr)

    def pointees_of(self, pointer: int, type: Instr | None, instr: Instr) -> list[tuple[int, int]]:
        """The same of a term, a value of `type`."""
        terms = self.terms
        pointees: list[tuple[int, int]] = []
        work = [(terms.true, pointer)]
        while work:
            spend(1)
            condition, term = work.pop()
            if term == terms.bottom or condition == terms.false:
                continue
            if terms.top(term) >= 0:
                rest = condition
                for bits, child in terms.edges(term):
                    asked = terms.equals(terms.atom(term), bits)
                    work.append((terms.both(condition, asked), child))
                    rest = terms.both(rest, terms.negate(asked))
                work.append((rest, terms.default(term)))
            elif terms.keys[term][0] == "p":
                pointees.append((condition, term))
            else:
                pointees.append((condition, self._behind(term, type, instr)))
            if len(work) + len(pointees) > 64:
                raise NotDecided(f"{opcode_name(instr.op)} through a pointer with many choices", instr)
        return pointees

    def _behind(self, address: int, type: Instr | None, instr: Instr) -> int:
        """A pointer to what is at an address."""
        if type is None or type.op != op.TypePointer or type.word(0) in OWN:
            raise NotDecided(f"{opcode_name(instr.op)} through a pointer that is computed", instr)
        kinds = self.terms.kinds
        values = kinds.values_of(kinds.all[kinds.layout(type.instr(1))])
        return self.terms.pointer(("global", type.word(0), values.number, "", "", -1, _ADDRESS), (address,))

    def is_address(self, pointer: int) -> bool:
        """Whether a pointer leads to what is at an address, which may be in any variable that others see."""
        root = self.terms.keys[pointer][1]
        assert isinstance(root, tuple)
        return bool(root[-1] == _ADDRESS)

    def chain(self, instr: Instr) -> int:
        """An access chain."""
        steps = tuple([self.consumed(instr.value(at)) for at in range(1, len(instr.operands))])
        pointees = self.pointees(instr.value(0), instr)
        if not all(self.is_known(step) for step in steps):
            self._chain_risks(instr, pointees, steps)
        return self._longer(pointees, steps)

    def _chain_risks(self, instr: Instr, pointees: list[tuple[int, int]], steps: Terms) -> None:
        """An index that is computed: "if indexing into a vector, array, or matrix, with the result type being a logical
        pointer type, causes undefined behavior if not in bounds" (SPIR-V 1.6, OpAccessChain); of a physical one,
        OpInBoundsAccessChain alone says where it leads: "the resulting pointer is known to point within the base
        object"."""
        terms = self.terms
        assert instr.type is not None
        is_logical = self.is_logical(instr.type.word(0))
        for condition, pointer in pointees:
            longer = terms.pointer(terms.keys[pointer][1], (*terms.steps(pointer), *steps))
            if is_logical:
                self.index_risks(instr, longer, condition)
            elif instr.op == op.InBoundsAccessChain:
                operands = tuple([terms.constrain(step, condition) for step in terms.steps(longer)])
                key: Key = (self.state.run.loop, "inside", terms.keys[longer][1], len(operands))
                self.risks.append(Risk(key, operands, terms.within(self.here(), condition), instr))

    def is_logical(self, storage: int) -> bool:
        """Whether pointers of a storage class are no addresses (SPIR-V 1.6, 2.2.1 "Physical Pointer Type")."""
        if self.addressing == enums.AddressingModelLogical:
            return True
        is_physical_buffer = storage == enums.StorageClassPhysicalStorageBuffer
        return self.addressing == enums.AddressingModelPhysicalStorageBuffer64 and not is_physical_buffer

    def stepped_over(self, instr: Instr) -> int:
        """An access chain that steps over whole objects first: to an address."""
        type = instr.instr(0).type
        assert type is not None
        kinds = [self.kind(type), self.kind_of(instr.value(1))]
        operands = (self.get(instr.value(0)), self.get(instr.value(1)))
        address = self.terms.op(instr.op, kinds[0], self.decorations.of(type), operands, kinds)
        steps = tuple([self.consumed(instr.value(at)) for at in range(2, len(instr.operands))])
        return self._longer(self.pointees_of(address, type, instr), steps)

    def _longer(self, pointees: list[tuple[int, int]], steps: Terms) -> int:
        terms = self.terms
        result = terms.bottom
        for condition, pointer in pointees:
            longer = terms.pointer(terms.keys[pointer][1], (*terms.steps(pointer), *steps))
            result = terms.ite(condition, longer, result)
        return result

    def non_uniform(self, instr: Instr, pointer: Value) -> str:
        """Which of an access and its pointer say NonUniform: neither may be lost, since implementations take resources
        to be uniform that don't say so."""
        said = [self.is_non_uniform(each) for each in (instr, pointer)]
        return f" NonUniform {said}" if any(said) else ""

    def own_name(self, pointer: int) -> Name | None:
        """The own variable that a pointer leads into."""
        root = self.terms.keys[pointer][1]
        assert isinstance(root, tuple)
        return root if root[0] != "global" else None

    def storage(self, pointer: int) -> int:
        root = self.terms.keys[pointer][1]
        assert isinstance(root, tuple) and isinstance(root[1], int)
        return root[1]

    def variable_kind(self, name: Name) -> Kind:
        """Of what an own variable holds."""
        variable = name[1]
        assert isinstance(variable, Instr) and variable.type is not None
        return self.kind(variable.type.instr(1))

    def footprint(self, pointer: int) -> Footprint:
        terms = self.terms
        if self.is_address(pointer):
            return EVERYTHING
        root = terms.keys[pointer][1]
        assert isinstance(root, tuple)
        variable = self.named[root]
        place = self.aliasing.places[variable]
        steps = tuple([terms.bits(step) if terms.is_constant(step) else -1 for step in terms.steps(pointer)])
        steps = (*[-1] * min(place.elements, len(steps)), *steps[place.elements :])
        return Footprint(root, steps, variable in self.aliasing.shared, place)

    def is_read_only(self, pointer: int) -> bool:
        """Whether nothing writes what a pointer leads into: NonWritable and Uniform say so of a variable, not of memory
        that another one may be, too."""
        if self.is_address(pointer):
            return False
        root = self.terms.keys[pointer][1]
        assert isinstance(root, tuple)
        if self.storage(pointer) in _SHARED and self.is_written_elsewhere(self.named[root]):
            return False
        assert isinstance(root, tuple) and isinstance(root[2], int)
        if self.repacks and root[1] == enums.StorageClassInput and not _is_fixed_at_launch(str(root[3])):
            return False
        kind = self.terms.kinds.all[root[2]]
        while kind.type.op == op.TypeArray or kind.type.op == op.TypeRuntimeArray:
            kind = kind.element(0)
        storage = self.storage(pointer)
        if storage == enums.StorageClassUniform and f"[{enums.DecorationBufferBlock}]" not in kind.decorations:
            return True
        if storage in _SHARED and self.read_only is not None and self.read_only.has(str(root[3])):
            return True
        if storage in _READ_ONLY or f"[{enums.DecorationNonWritable}]" in str(root[3]):
            return True
        members = range(len(kind.elements) if kind.type.op == op.TypeStruct else 0)
        return bool(members) and all(f"[.{at} {enums.DecorationNonWritable}]" in kind.decorations for at in members)

    def is_written_elsewhere(self, variable: Instr) -> bool:
        """Whether one of the programs may write a variable's memory by another variable, or by an address."""
        if self.read_only is None or not self.read_only.known:
            return variable in self.aliasing.shared or self.aliasing.may_have_address(variable)
        place = self.aliasing.places[variable]
        return self.read_only.elsewhere(self.decorations.of(variable), place)

    def is_volatile(self, instr: Instr, at: int) -> bool:
        """Whether an access says so in its memory operands, from operand `at` on."""
        if len(instr.operands) > at and isinstance(instr.operands[at], int):
            return bool(instr.word(at) & _VOLATILE)
        return False

    def said_of_access(self, instr: Instr, at: int) -> str:
        """Memory operands, from operand `at` on; scopes by what they are, not by what they are called."""
        words = [f"#{self.get(word)}" if isinstance(word, Value) else str(word) for word in instr.operands[at:]]
        return " ".join(words)

    def alignment_risk(self, instr: Instr, pointer: int, kind: Kind, condition: int) -> None:
        """That a load is Aligned is a claim, "this access has a known alignment" (SPIR-V 1.6, "Memory Operands"), which
        the first program makes, too, unless every scalar is. It is one about each part; a larger one holds a smaller
        one."""
        if instr.op != op.Load or len(instr.operands) < 3 or not instr.word(1) & enums.MemoryAccessAligned:
            return
        terms = self.terms
        root = terms.keys[pointer][1]
        parts: list[tuple[int, Kind, list[Operand]]] = [(pointer, kind, [])]
        while parts:
            part, kind, path = parts.pop()
            steps = terms.steps(part)
            for at, inner in enumerate(kind.parts):
                parts.append((terms.pointer(root, (*steps, terms.index(at))), inner, [*path, at]))
            if kind.parts:
                continue
            scalar = kind
            while scalar.elements:
                scalar = scalar.elements[0]
            size = 2 * max(1, scalar.width // 8)
            while size <= (self.alignment(instr, path) if path else instr.word(2)):
                key: Key = (self.state.run.loop, "aligned", size, root, len(steps))
                self.risks.append(Risk(key, steps, terms.within(self.here(), condition), instr))
                size *= 2

    def lengths(self, pointer: int) -> tuple[int, ...]:
        """How many parts there are at each step of a pointer; 0 where the module doesn't say."""
        return tuple([count_of(kind.type) for kind in self.kinds_along(pointer)])

    def kinds_along(self, pointer: int) -> list[Kind]:
        """What each step of a pointer goes into."""
        terms = self.terms
        own = self.own_name(pointer)
        if own is not None:
            kind = self.variable_kind(own)
        else:
            root = terms.keys[pointer][1]
            assert isinstance(root, tuple) and isinstance(root[2], int)
            kind = terms.kinds.all[root[2]]
        along: list[Kind] = []
        for step in terms.steps(pointer):
            along.append(kind)
            kind = self.kind_behind(kind, step)
        return along

    def is_volatile_memory(self, pointer: int) -> bool:
        """Whether a variable is decorated Volatile, or anything in it."""
        root = self.terms.keys[pointer][1]
        assert isinstance(root, tuple) and isinstance(root[2], int)
        return f"[{enums.DecorationVolatile}]" in str(root[3]) or self.terms.kinds.all[root[2]].volatile

    def leads_to_volatile(self, pointer: Value, instr: Instr) -> bool:
        """Whether an access through a pointer is of what is declared Volatile: each is an effect then. What is declared
        may be a variable, a member, or a parameter that the pointer is made of."""
        pointees = [each for _, each in self.pointees(pointer, instr) if self.own_name(each) is None]
        says = bool(pointees) and self.says(pointer, enums.DecorationVolatile)
        return says or any(self.is_volatile_memory(each) for each in pointees)

    def says(self, pointer: Value, decoration: int) -> bool:
        """Whether a pointer, or what it is made of by chains, has a decoration."""
        current = pointer
        while isinstance(current, Instr):
            if self.decorations.has(current, decoration):
                return True
            if current.op not in traits.CHAIN and current.op != op.CopyObject:
                break
            current = current.value(0)
        return False

    def narrowed_steps(self, pointer: int) -> Terms:
        return tuple([self.narrowed(step) for step in self.terms.steps(pointer)])

    def access_risk(self, instr: Instr, pointer: int, condition: int) -> None:
        """An access, where a condition holds, that may leave what it goes into, or race where there was none."""
        terms = self.terms
        steps = terms.steps(pointer)
        own = self.own_name(pointer)
        if own is None and instr.op in traits.STORES:
            return  # it is an event, and compared as such
        if own is not None and not steps:
            return
        if own is not None or self.is_read_only(pointer):
            self.index_risks(instr, pointer, condition)
            return
        lengths = self.lengths(pointer)
        constant = tuple([terms.bits(step) if terms.is_constant(step) else -1 for step in steps])
        operands = tuple([terms.constrain(step, condition) for step in steps if not self.is_known(step)])
        reach = terms.within(self.here(), condition)
        key: Key = (self.state.run.loop, "access", terms.keys[pointer][1], constant, lengths)
        self.risks.append(Risk(key, operands, reach, instr))
        if self.has_private and not (instr.op == op.Load and len(instr.operands) > 1 and instr.word(1) & _NON_PRIVATE):
            # Vulkan, Memory Model: private accesses are in no location-order, so that they race where others don't
            self.risks.append(Risk((*key, "private"), operands, reach, instr))

    def index_risks(self, instr: Instr, pointer: int, condition: int) -> None:
        """Of an access with which nothing races: each index may leave what it goes into. By its length, where the
        module says that, whatever it is; else by how it is reached."""
        terms = self.terms
        lengths = self.lengths(pointer)
        constant: list[int] = []
        dynamic: list[int] = []
        for step, length in zip(terms.steps(pointer), lengths, strict=True):
            constant.append(terms.bits(step) if terms.is_constant(step) else -1)
            known = self.is_known(step)
            if known and constant[-1] < length:
                continue
            if not known:
                dynamic.append(terms.constrain(step, condition))
            key: Key = (self.state.run.loop, "index", length)
            operands = tuple(dynamic[-1:])
            if known or length == 0:
                root: object = "own" if self.own_name(pointer) is not None else terms.keys[pointer][1]
                key = (self.state.run.loop, "access", root, tuple(constant), lengths[: len(constant)])
                operands = tuple(dynamic)
            self.risks.append(Risk(key, operands, terms.within(self.here(), condition), instr))

    # --- loads and stores ---------------------------------------------------------------------------------------------

    def load(self, instr: Instr) -> int:
        terms = self.terms
        kind = self.kind(instr.type)
        result = terms.bottom
        extras = self.said_of_access(instr, 1)
        if self.is_volatile(instr, 1) or self.leads_to_volatile(instr.value(0), instr):
            return self.effect(instr)
        says = self.says_relaxed(instr.value(0))
        for condition, pointer in self.pointees(instr.value(0), instr):
            loaded = self.load_from(pointer, condition, kind, extras, instr)
            if says or self.is_relaxed_memory(pointer, kind):
                loaded = self.relaxed(loaded, kind, instr)
            result = terms.ite(condition, loaded, result)
        mark = self.non_uniform(instr, instr.value(0))
        return terms.marked(mark, result, kind) if mark else result

    def load_from(self, pointer: int, condition: int, kind: Kind, extras: str, instr: Instr) -> int:
        own = self.own_name(pointer)
        if own is not None:
            self.access_risk(instr, pointer, condition)
            return self.part_of_own(own, pointer)
        self.alignment_risk(instr, pointer, kind, condition)
        if not self.is_read_only(pointer):
            return self.read(pointer, condition, kind, extras, instr, [])
        self.access_risk(instr, pointer, condition)
        root = self.terms.keys[pointer][1]
        assert isinstance(root, tuple)
        ended = self.ended if _ends_with(root) else ()
        steps = self.terms.steps(pointer)
        vector = self.kinds_along(pointer)[-1] if steps else kind
        if not steps or vector.type.op != op.TypeVector:
            return self.terms.loaded(root, kind, ended, steps)
        return self.stepped(self.terms.loaded(root, vector, ended, steps[:-1]), steps[-1], vector)

    def read(self, pointer: int, condition: int, kind: Kind, extras: str, instr: Instr, path: list[Operand]) -> int:
        """What is in memory that something may write: all of a composite is all of its parts. `path` leads to this part
        of what is loaded."""
        terms = self.terms
        root = terms.keys[pointer][1]
        if kind.parts:
            parts: list[int] = []
            for at, part in enumerate(kind.parts):
                inside = terms.pointer(root, (*terms.steps(pointer), terms.index(at)))
                parts.append(self.read(inside, condition, part, extras, instr, [*path, at]))
            return terms.composite(tuple(parts))
        if path and len(instr.operands) > 2 and instr.operands[1] == enums.MemoryAccessAligned:
            extras = f"{enums.MemoryAccessAligned} {self.alignment(instr, path)}"
        self.access_risk(instr, pointer, condition)
        reach = self.here()
        address = self.narrowed_steps(pointer)
        seen = self.state.run.before(reach, self.footprint(pointer), terms)
        key: Key = ("read", root, kind.number, extras, len(address), *address, *seen)
        return terms.opaque(key, terms.union((*address, *seen)), kind)

    def alignment(self, load: Instr, path: list[Operand]) -> int:
        """What a load that is Aligned says of a part."""
        assert load.type is not None
        if self.memory_layouts is None:
            self.memory_layouts = Layouts(self.module)
        aligned = self.memory_layouts.alignment(load.word(2), load.type, path)
        return aligned if aligned is not None else load.word(2)

    def part_of_own(self, name: Name, pointer: int) -> int:
        terms = self.terms
        term = self.state.value(name, terms)
        if term == NONE:
            return terms.bottom
        kind = self.variable_kind(name)
        for step in terms.steps(pointer):
            term = self.stepped(term, step, kind)
            kind = self.kind_behind(kind, step)
        return self.narrowed(term)

    def store(self, instr: Instr) -> None:
        if self.is_volatile(instr, 2) or self.leads_to_volatile(instr.value(0), instr):
            self.effect(instr)
            return
        target, new = instr.value(0), instr.value(1)
        value = self.get(new) if self.is_own_pointer(target) else self.consumed(new, "stored")
        extras = self.said_of_access(instr, 2) + self.non_uniform(instr, target)
        says = self.says_relaxed(target)
        kind = self.kind_of(new)
        for condition, pointer in self.pointees(target, instr):
            relaxes = self.own_name(pointer) is not None and (says or self.is_relaxed_memory(pointer, kind))
            self.store_to(pointer, condition, self.relaxed(value, kind, instr) if relaxes else value, extras, instr)

    def says_relaxed(self, pointer: Value) -> bool:
        """Whether a pointer, or a parameter that it leads from, is decorated RelaxedPrecision: all accesses are."""
        while isinstance(pointer, Instr) and self.decorations.relaxed:
            if pointer in self.decorations.relaxed:
                return True
            if pointer.op not in traits.CHAIN and pointer.op != op.CopyObject:
                break
            pointer = pointer.value(0)
        return False

    def is_relaxed_memory(self, pointer: int, kind: Kind) -> bool:
        """Whether a variable, the member of it that a pointer leads to, or one inside is decorated RelaxedPrecision
        (SPIR-V 1.6, 2.14: "all loads and stores from the decorated object may be treated as though they were")."""
        if not self.decorations.relaxed and not self.terms.kinds.relaxes:
            return False
        own = self.own_name(pointer)
        root = self.terms.keys[pointer][1]
        assert isinstance(root, tuple)
        if own is not None and own[1] in self.decorations.relaxed:
            return True
        if own is None and f"[{enums.DecorationRelaxedPrecision}]" in str(root[3]):
            return True
        for step, around in zip(self.terms.steps(pointer), self.kinds_along(pointer), strict=True):
            at = self.terms.bits(step) if self.terms.is_constant(step) else -1
            if f"[.{at} {enums.DecorationRelaxedPrecision}]" in around.decorations:
                return True
        return kind.relaxed

    def store_to(self, pointer: int, condition: int, value: int, extras: str, instr: Instr) -> None:
        terms = self.terms
        self.access_risk(instr, pointer, condition)
        own = self.own_name(pointer)
        if own is not None:
            old = self.state.value(own, terms)
            whole = old if old != NONE else terms.bottom
            new = self.replaced(whole, self.variable_kind(own), list(terms.steps(pointer)), value)
            self.state.changes[own] = terms.ite(condition, new, whole)
            return
        reach = terms.within(self.here(), condition)
        root = terms.keys[pointer][1]
        address = tuple([terms.constrain(step, condition) for step in self.narrowed_steps(pointer)])
        stored = terms.constrain(value, condition)
        what: Key = (op.Store, root, extras, len(address), *address, stored)
        self.event(what, (*address, stored), reach, self.footprint(pointer), instr)

    # --- events -------------------------------------------------------------------------------------------------------

    def event(self, what: Key, inside: Terms, reach: int, footprint: Footprint, instr: Instr | None) -> int:
        """Something happens. `inside` are the terms of `what`."""
        terms = self.terms
        run = self.state.run
        if reach == terms.false:
            return terms.bottom
        self.effect_count += 1
        earlier = run.before(reach, footprint, terms)
        splits = instr is None or not _is_of_one(instr.op)
        tokens = self.state.tokens if splits or not self.is_weak else ()
        self.used.update(dict.fromkeys(tokens))
        key: Key = ("event", run.loop, tokens, self.ended, reach, what, earlier)
        loops = terms.union((reach, *inside, *tokens, *self.ended, *earlier), self.loops_here())
        term = terms.make(key, loops)
        run.add(Event(term, reach, footprint, instr), terms)
        return term

    def effect(self, instr: Instr) -> int:
        """What is in order with everything: atomics, barriers, volatile accesses, writes of images, clocks."""
        terms = self.terms
        reach = self.here()
        what: list[object] = [instr.op, self.decorations.of(instr)]
        inside: list[int] = []
        given: list[tuple[int, int, Kind]] = []  # the own variables that it may write: where, what, of which kind
        footprint = _OBJECTS
        for operand in instr.operands:
            if isinstance(operand, Instr) and operand.type is not None:
                pointees: list[tuple[int, int]] = []
                if self.points(operand):
                    pointees = self.pointees(operand, instr)
                    what.append(self.non_uniform(instr, operand))
                    kind = self.kind(operand.type.instr(1))
                    if kind.type.op != op.TypeRayQueryKHR:
                        footprint = EVERYTHING
                own = [self.own_name(pointer) for _, pointer in pointees]
                for (condition, pointer), name in zip(pointees, own, strict=True):
                    self.access_risk(instr, pointer, condition)
                    if name is not None:
                        held = terms.constrain(self.part_of_own(name, pointer), condition)
                        inside.extend((condition, held))
                        what.extend(("own", condition, held))
                        given.append((condition, pointer, kind))
                if not any(name is not None for name in own):
                    term = self.consumed(operand)
                    inside.append(term)
                    what.append(term)
                elif None in own:
                    raise NotDecided(f"{opcode_name(instr.op)} of a variable that others may see or not", instr)
            elif isinstance(operand, Instr) and operand.op == op.ExtInstImport:
                what.append(str(operand.operands[0]))
            elif isinstance(operand, Instr) and self.terms.kinds.has(operand):
                what.append(("type", self.terms.kinds.layout(operand)))
            elif isinstance(operand, Value):
                raise NotDecided(f"{opcode_name(instr.op)} of what is no value", instr)
            else:
                what.append(str(operand))
        if not given:
            footprint = EVERYTHING
        event = self.event(tuple(what), tuple(inside), reach, footprint, instr)
        if event == terms.bottom:
            return terms.bottom
        for at, (condition, pointer, kind) in enumerate(given):
            left = terms.opaque(("left", event, at, kind.number), terms.loops[event], kind)
            self.store_to(pointer, condition, left, "", instr)
        if instr.type is None or instr.type.op == op.TypeVoid:
            return terms.bottom
        return terms.opaque(("result", event, self.kind(instr.type).number), terms.loops[event], self.kind(instr.type))

    def points(self, value: Instr) -> bool:
        return value.type is not None and value.type.op == op.TypePointer and value.op != op.ImageTexelPointer

    def is_own_pointer(self, value: Value) -> bool:
        type = value.type if isinstance(value, Instr) else None
        return type is not None and type.op == op.TypePointer and type.word(0) in OWN
