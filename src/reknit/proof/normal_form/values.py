"""What the values of one program are, as terms."""

from typing import Final

from reknit.analysis.aliasing import Aliasing
from reknit.analysis.layouts import Layouts
from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.constant_bits import bits_of
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.opcodes import opcode_name
from reknit.ir.value import Value
from reknit.ir.walk import instructions
from reknit.proof.normal_form.assumptions import SplitKey
from reknit.proof.normal_form.diagrams import ANY, Terms
from reknit.proof.normal_form.events import Run
from reknit.proof.normal_form.frames import Frame
from reknit.proof.normal_form.kinds import PAYLOAD, Kind
from reknit.proof.normal_form.not_decided import NotDecided
from reknit.proof.normal_form.payloads import boxed, unboxed
from reknit.proof.normal_form.program import Program
from reknit.proof.normal_form.states import NONE, Changes, Held, Name, State, narrow, reached
from reknit.proof.normal_form.table import NO_LOOPS, UNFROZEN, Key, Loops

_OF_ONE: Final = (op.TypeCooperativeMatrixKHR, op.TypeCooperativeMatrixNV)
"""Types of which a value is constructed from one operand, which all of its components are."""

_OBJECTS: Final = (op.TypeRayQueryKHR, op.TypeHitObjectNV, op.TypeHitObjectEXT)
"""Types of objects that instructions of their own begin: nothing is asked of them before."""

OWN: Final = (enums.StorageClassFunction, enums.StorageClassPrivate)
_FLUSHING: Final = (op.FMul, op.FAdd, op.FSub)
"""Operations on floats that may be one of their operands, and may flush it."""

_MOVES: Final = traits.CHAIN | {
    op.Phi, op.CompositeExtract, op.CompositeInsert, op.CompositeConstruct, op.VectorShuffle, op.CopyObject,
    op.CopyLogical, op.Select, op.VectorExtractDynamic, op.VectorInsertDynamic, op.Undef, op.FunctionCall,
    op.FunctionParameter, op.Bitcast,
}  # fmt: skip
"""What only passes values on."""

_SPECIALIZED: Final = (op.SpecConstant, op.SpecConstantTrue, op.SpecConstantFalse)


class Risk:
    """An operation that is undefined behaviour for some operands: which invocations execute it, and what it is of."""

    __slots__ = ("key", "operands", "reach", "instr")

    def __init__(self, key: Key, operands: Terms, reach: int, instr: Instr) -> None:
        self.key = key
        self.operands = operands
        self.reach = reach
        self.instr = instr


class Values:
    def __init__(self, program: Program) -> None:
        self.terms = program.terms
        self.module = program.module
        models = [each.word(0) for each in program.module.memory_model]
        self.addressing = models[0] if models else enums.AddressingModelLogical
        self.has_private = any(each.word(1) == enums.MemoryModelVulkan for each in program.module.memory_model)
        self.repacks = any(
            instr.op in traits.REPACKS
            for traversal in program.traversals
            for instr in instructions(traversal)
        )
        self.decorations = program.decorations
        self.after = program.after
        self.united = program.united
        self.meeting = program.meeting
        self.is_weak = program.is_weak
        self.rejoined = program.rejoined
        self.splits: dict[int, tuple[SplitKey, tuple[int, ...]]] = {}  # by token: where it arose, those around it
        self.is_free = program.is_free
        self.plan = program.plan
        self.assumptions = program.assumptions
        self.read_only = program.unwritten
        self.relaxes = program.relaxes
        self.loosened: dict[int, Value] = {}  # terms that RelaxedPrecision may truncate without saying so
        self.eased: dict[Value, None] = {}  # instructions that say so, or what they access does
        self.precise: dict[int, None] = {}  # and those that come from where nothing says it
        self.memory_layouts: Layouts | None = None  # of the module, where something is asked of them
        self.tangled_count = 0
        self.copied = False  # results that may differ from copy to copy have several
        self.effect_count = 0
        self.root = Run(-1, None)
        self.frames: list[Frame] = []
        self.state = State(None, self.terms.true, self.terms.true, self.root)
        self.constants: dict[Value, int] = {}
        self.undefined = 0
        self.met_undefined = False
        self.begun: dict[int, int] = {}  # of undefined values of the first program, the loop that they are of
        self.uses: dict[int, list[tuple[int, int]]] = {}  # of these, the loop and the reach of each consumption
        self.ended: tuple[int, ...] = ()  # events so far that end invocations, or make helpers of them
        self.risks: list[Risk] = []
        self.roots: dict[Instr, Key] = {}
        self.aliasing = program.aliasing if program.aliasing is not None else Aliasing(program.module)
        self.named: dict[Key, Instr] = {}  # the variables by their roots
        self.alike: dict[Key, int] = {}
        self.alike_choices: dict[int, int] = {}
        self.used: dict[int, None] = {}  # what splits invocations beyond their reach, and something depends on
        for variable in self.module.globals:
            if variable.op == op.Variable:
                self._name_root(variable)

    @property
    def frame(self) -> Frame:
        """The call that is being walked."""
        return self.frames[-1]

    def kind(self, type: Instr | None) -> Kind:
        assert type is not None
        return self.terms.kinds.of(type)

    def kind_of(self, value: Value) -> Kind:
        assert isinstance(value, Instr)
        return self.kind(value.type)

    def here(self) -> int:
        """The reach of being here, in this iteration."""
        reach = reached(self.state, self.terms)
        known = self.terms.same.get(reach)
        return known.get(self.terms.true, reach) if known is not None else reach

    def loops_here(self) -> Loops:
        return self.terms.around(self.state.run.loop)

    # --- constants ----------------------------------------------------------------------------------------------------

    def constant(self, instr: Instr) -> int:
        term = self.constants.get(instr)
        if term is None:
            term = self.constants[instr] = self._constant(instr)
        return term

    def _constant(self, instr: Instr) -> int:
        terms = self.terms
        kind = self.kind(instr.type)
        if instr.op == op.ConstantNull:
            return terms.zero(kind)
        if instr.op == op.ConstantComposite or instr.op == op.SpecConstantComposite:
            parts = tuple([self.constant(instr.instr(index)) for index in range(len(instr.operands))])
            if kind.parts:
                return terms.composite(parts)
            return terms.make(("long", kind.number, *parts))
        bits = bits_of(instr)
        if bits is not None:
            return terms.constant(kind, bits[0])
        if instr.op == op.Constant:
            return terms.make(("literal", kind.number, *[str(word) for word in instr.operands]))
        if instr.op in _SPECIALIZED and self.decorations.of(instr):
            default = " ".join([str(word) for word in instr.operands])
            return terms.opaque(("spec", instr.op, kind.number, self.decorations.of(instr), default), NO_LOOPS, kind)
        if instr.op == op.SpecConstantOp:
            return self._specialized(instr, kind)
        raise NotDecided(f"{opcode_name(instr.op)} is no constant that both programs share", instr)

    def _specialized(self, instr: Instr, kind: Kind) -> int:
        """What an operation on specialization constants gives. It is computed whether an invocation needs it or not."""
        terms = self.terms
        code = instr.word(0)
        values: list[int] = []
        kinds: list[Kind] = []
        numbers: list[int] = []
        for operand in instr.operands[1:]:
            if isinstance(operand, Instr):
                if operand.type is None:
                    raise NotDecided(f"{opcode_name(code)} of what is no value", instr)
                values.append(self.constant(operand))
                kinds.append(self.kind(operand.type))
            elif isinstance(operand, int):
                numbers.append(operand)
        operands = tuple(values)
        if code == op.CompositeExtract:
            term, inner = values[0], kinds[0]
            for number in numbers:
                inner = inner.element(number)
                term = terms.part(term, terms.index(number), inner)
            return term
        if numbers or code not in traits.COMPUTES or code in traits.CHAIN or len(values) < len(instr.operands) - 1:
            raise NotDecided(f"{opcode_name(code)} of specialization constants is not followed", instr)
        if not self.is_defined(code, operands, kind.width):
            self.risks.append(Risk((-1, code, "constant"), operands, terms.true, instr))
        if code == op.Select and kinds[0].is_bool():
            return terms.ite(*operands)
        if code == op.Bitcast and kind is kinds[0]:
            return operands[0]
        return terms.op(code, kind, self.decorations.of(instr), operands, kinds)

    def undef(self, kind: Kind) -> int:
        """An undefined value: the first program's is one of its choice, the second one's may be any."""
        self.met_undefined = True
        if self.is_free:
            return self._free(kind)
        if not self.after:
            return self.terms.opaque(("undef", kind.number), NO_LOOPS, kind)
        self.undefined += 1
        return self.terms.opaque(("undef", kind.number, self.undefined), frozenset((UNFROZEN,)), kind)

    def poison(self, instr: Instr) -> int:
        """What depends on poison is poison, whatever else it is computed from; the first program's may be anything."""
        if self.after:
            raise NotDecided("poison, which spreads to all that depends on it", instr)
        return self.undef(self.kind(instr.type))

    def consumed(self, value: Value, at: str = "") -> int:
        """What a value is to an operation, a branch or a store of shared memory. "Each consumption of Result <id>
        yields an arbitrary, possibly different bit pattern" (SPIR-V 1.6, OpUndef): so OpUndef is another value at each
        of these. In the second program it may be any; the first one may choose what that of its like is there."""
        if isinstance(value, Instr) and value.op == op.Undef:
            return self._choice(self.kind(value.type), at if self.is_free else "")
        return self.settled(self.get(value), at)

    def settled(self, term: int, at: str, *apart: int) -> int:
        """A term with what undefined values in it are where it is consumed. `at` and `apart` tell this consumption from
        others here."""
        terms = self.terms
        if not terms.holds_free(term):
            return term

        def choose(leaf: int, kind: Kind, condition: int) -> int:
            if not self.after:
                use = (self.state.run.loop, terms.within(self.here(), condition))
                self.uses.setdefault(leaf, []).append(use)
            return self._choice(kind, at, *apart)

        return terms.chosen(term, choose)

    def _choice(self, kind: Kind, at: str, *apart: int) -> int:
        """What an undefined value of a kind is where it is consumed."""
        terms = self.terms
        if self.is_free and kind.parts:
            return terms.composite(tuple([self._choice(part, at, *apart) for part in kind.parts]))
        reach = self.here()
        key: Key = ("consumed", kind.number, self.state.run.loop, reach, at, *apart)
        number = self.alike[key] = self.alike.get(key, -1) + 1
        return terms.opaque((*key, number), terms.union((reach, *apart), self.loops_here()), kind)

    def _free(self, kind: Kind) -> int:
        """An undefined value. The first program's is one, of its choice, wherever it is used; of the second one each
        use may be another."""
        if self.after:
            return self.terms.free(kind, ANY)
        self.undefined += 1
        known = len(self.terms.keys)
        term = self.terms.free(kind, self.undefined)
        for leaf in range(known, len(self.terms.keys)):
            self.begun[leaf] = self.state.run.loop
        return term

    def uses_once(self) -> bool:
        """Whether no invocation uses an undefined value of the first program twice, so that it may be whatever the
        second one's is there."""
        terms = self.terms
        for leaf, uses in self.uses.items():
            total = terms.false
            for loop, reach in uses:
                if loop != self.begun[leaf] or terms.both(total, reach) != terms.false:
                    return False
                total = terms.either(total, reach)
        return True

    def unwritten(self, variable: Instr) -> int:
        """What a variable holds that nothing was stored to: one value until something is, which is not known. The first
        program may choose it, so that it is that of a variable of the same name in the second."""
        assert variable.type is not None
        kind = self.kind(variable.type.instr(1))
        if kind.type.op in _OBJECTS:
            return self.terms.make(("not begun", kind.number))
        self.met_undefined = True
        if self.is_free:
            return self._free(kind)
        loop = self.state.run.loop
        key: Key = ("unwritten", kind.number, variable.name, loop)
        number = self.alike[key] = self.alike.get(key, -1) + 1
        return self.terms.opaque((*key, number), self.loops_here(), kind)

    # --- values -------------------------------------------------------------------------------------------------------

    def get(self, value: Value) -> int:
        """What a value is here, where it is needed."""
        if isinstance(value, Function):
            return self.function(value)
        assert isinstance(value, Instr)
        terms = self.terms
        if value in self.plan.outlasting:
            term = self.state.value(self.outlasting(value), terms)
            if term != NONE:
                return term
        held = self.frame.values.get(value)
        if held is None:
            if value.op == op.Variable:
                return terms.make(("p", self.root_of(value)))
            if value.op == op.PoisonKHR:
                return self.poison(value)
            if value.op == op.Undef:
                return self.undef(self.kind(value.type))
            if value.block is None and value.op != op.FunctionParameter:
                return self.constant(value)
            return terms.bottom  # its block was not reached
        term = held.term
        run = held.run
        while run is not self.state.run and run.leave != NONE:
            term = terms.last(run.loop, terms.constrain(term, run.leave))
            assert run.parent is not None
            run = run.parent
        term = narrow(term, self.state, held.state if run is held.run else None, held.reach, terms)
        return self.known_as(term) if terms.same else term

    def known_as(self, term: int) -> int:
        """A term, or the one that it was shown to be equal to for the invocations that are here."""
        terms = self.terms
        if terms.keys[term][0] == "m":
            return terms.composite(tuple([self.known_as(part) for part in terms.parts(term)]))
        known = terms.same.get(term)
        if known is None:
            return term
        return known[terms.true] if terms.true in known else known.get(self.here(), term)

    def is_non_uniform(self, value: Value) -> bool:
        return self.decorations.has(value, enums.DecorationNonUniform)

    def function(self, function: Function) -> int:
        """A function as a value."""
        raise NotDecided(f"@{function.name} as a value", function)

    def narrowed(self, term: int) -> int:
        """A term as it is for the invocations that are here."""
        return narrow(term, self.state, None, NONE, self.terms)

    def set(self, instr: Instr, term: int) -> None:
        term = self.narrowed(term)
        if instr in self.decorations.relaxed:
            term = self.relaxed(term, self.kind(instr.type), instr)
        elif self.decorations.relaxed and instr not in self.eased and self.is_source(instr):
            self.precise.update(dict.fromkeys(self.terms.truncated(term)))
        self.frame.values[instr] = Held(term, self.state)
        if instr in self.plan.outlasting:
            self.state.changes[self.outlasting(instr)] = term

    def is_source(self, instr: Instr) -> bool:
        """Whether a value comes from here, and is not just what another one is."""
        if instr.op == op.Load:
            type = instr.instr(0).type
            return type is None or type.word(0) not in OWN
        return instr.op not in _MOVES

    def relaxed(self, term: int, kind: Kind, source: Value) -> int:
        """A value that RelaxedPrecision is said of. Of an operation it is a part of the term; else it may be truncated
        (SPIR-V 1.6, 2.14: "The values that the RelaxedPrecision Decoration refers to can be truncated"). The first
        program need not be; whether the second one is where the first isn't, is asked where all else is the same."""
        if not kind.parts and not kind.is_number():
            return term
        if isinstance(source, Instr):
            self.eased[source] = None
        if self.relaxes:
            return self.terms.relaxed(term, kind)
        for each in self.terms.truncated(term):
            self.loosened.setdefault(each, source)
        return term

    def outlasting(self, instr: Instr) -> Name:
        """A value that is used behind its loop, as what the iteration that was left last gave."""
        return (self.frame.number, instr, "outlasting")

    def phi_values(self, source: Block, target: Block) -> Changes:
        """What the phis of `target` are on the edge from `source`."""
        changes: Changes = {}
        for phi in target.phis():
            value = self.frame.traversal.incoming(phi, source)
            if value is not None:
                changes[self.frame.number, phi] = self.get(value)
        return changes

    def root_of(self, variable: Instr) -> Key:
        """What identifies a variable in both programs."""
        root = self.roots.get(variable)
        return root if root is not None else (self.frame.number, variable)

    def _name_root(self, variable: Instr) -> None:
        """One of the interface by its decorations, another by its name, or how many like it come before."""
        assert variable.type is not None
        storage = variable.word(0)
        if storage == enums.StorageClassPrivate:
            self.roots[variable] = (-1, variable)
            return
        decorations = self.decorations.of(variable)
        start = self.constant(variable.instr(1)) if len(variable.operands) > 1 else -1
        layout = self.terms.kinds.layout(variable.type.instr(1))
        key: Key = ("global", storage, layout, decorations, "" if decorations else variable.name, start)
        number = self.alike[key] = self.alike.get(key, -1) + 1
        self.roots[variable] = (*key, number)
        self.named[*key, number] = variable

    def operands(self, instr: Instr, first: int = 0) -> tuple[Terms, list[Kind], str]:
        """The values among the operands, their kinds, and all else that distinguishes operations."""
        terms: list[int] = []
        kinds: list[Kind] = []
        extras: list[str] = [self.decorations.of(instr)]
        for at, operand in enumerate(instr.operands[first:]):
            if isinstance(operand, Instr) and operand.type is not None:
                terms.append(self.consumed(operand, f"{instr.op} {at}"))
                kinds.append(self.kind(operand.type))
                points = operand.type.op == op.TypePointer
                extras.append("NonUniform" if points and self.is_non_uniform(operand) else "")
            elif isinstance(operand, Function):
                terms.append(self.function(operand))
                kinds.append(self.kind(operand.type))
                extras.append("")
            elif isinstance(operand, Value):
                raise NotDecided(f"{opcode_name(instr.op)} of what is no value", instr)
            else:
                extras.append(str(operand))
        return tuple(terms), kinds, " ".join(extras).strip()

    def pure(self, instr: Instr) -> int:
        """The result of an operation without effect."""
        terms = self.terms
        kind = self.kind(instr.type)
        code = instr.op
        if code == op.CompositeExtract:
            return self._extract(instr)
        if code == op.CompositeInsert:
            steps = [terms.index(instr.word(at)) for at in range(2, len(instr.operands))]
            return self.replaced(self.get(instr.value(1)), kind, steps, self.get(instr.value(0)))
        if code == op.VectorShuffle:
            return self._shuffle(instr, kind)
        operands, kinds, extras = self.operands(instr)
        if code == op.CompositeConstruct and kind.type.op not in _OF_ONE:
            return self._construct(kind, operands)
        if code == op.VectorExtractDynamic:
            self.risky(instr, operands, extras)
            return terms.part(operands[0], operands[1], kind)
        if code == op.VectorInsertDynamic:
            self.risky(instr, operands, extras)
            return terms.with_part(operands[0], operands[2], operands[1], len(kind.parts))
        if code in (op.CopyObject, op.CopyLogical) or (code == op.Bitcast and kind is kinds[0]):
            return operands[0]
        if code == op.Select and kinds[0].is_bool():
            return terms.ite(operands[0], operands[1], operands[2])
        self.risky(instr, operands, extras)
        result = terms.op(code, kind, extras, operands, kinds)
        if result in operands and code in _FLUSHING and not terms.is_constant(result):
            # as `%x * 1.0`: Vulkan, "any denormalized floating-point value [...] may: be flushed to zero"
            self.risks.append(Risk((self.state.run.loop, code, "flushes"), (result,), self.here(), instr))
        return result

    def _extract(self, instr: Instr) -> int:
        term = self.get(instr.value(0))
        kind = self.kind_of(instr.value(0))
        for at in range(1, len(instr.operands)):
            index = instr.word(at)
            kind = kind.element(index)
            term = self.terms.part(term, self.terms.index(index), kind)
        return term

    def _shuffle(self, instr: Instr, kind: Kind) -> int:
        terms = self.terms
        from_all: list[int] = []
        for at in range(2):
            count = len(self.kind_of(instr.value(at)).parts)
            from_all.extend(terms.spread(self.get(instr.value(at)), count))
        picked: list[int] = []
        for at in range(2, len(instr.operands)):
            index = instr.word(at)
            picked.append(from_all[index] if index < len(from_all) else self.undef(kind.element(0)))
        return terms.composite(tuple(picked))

    def _construct(self, kind: Kind, operands: Terms) -> int:
        terms = self.terms
        if not kind.parts:
            return terms.make(("long", kind.number, *operands), terms.union(operands))
        if len(operands) == len(kind.parts):
            return terms.composite(operands)
        parts: list[int] = []  # a vector of scalars and vectors
        for term in operands:
            parts.extend(terms.parts(term) if terms.keys[term][0] == "m" else (term,))
        if len(parts) != len(kind.parts):
            return terms.bottom
        return terms.composite(tuple(parts))

    def replaced(self, whole: int, kind: Kind, steps: list[int], new: int) -> int:
        """`whole` with the part at `steps` replaced."""
        terms = self.terms
        if not all(self.is_known(step) for step in steps):
            whole = self.settled(whole, "indexed")
        wholes = [whole]
        kinds = [kind]
        for step in steps[:-1]:
            wholes.append(self.stepped(wholes[-1], step, kinds[-1]))
            kinds.append(self.kind_behind(kinds[-1], step))
        for at in range(len(steps) - 1, -1, -1):
            if terms.keys[steps[at]][0] == "as":
                new = boxed(terms, new, self.kind_behind(kinds[at], steps[at]))
            else:
                new = terms.with_part(wholes[at], steps[at], new, len(kinds[at].parts))
        return new

    def kind_behind(self, kind: Kind, step: int) -> Kind:
        """The kind of a part, or what a payload is seen as."""
        terms = self.terms
        if terms.keys[step][0] == "as":
            number = terms.keys[step][1]
            assert isinstance(number, int)
            return terms.kinds.all[number]
        return kind.element(terms.bits(step) if terms.is_constant(step) else 0)

    def stepped(self, whole: int, step: int, kind: Kind) -> int:
        """A part of what is of `kind`."""
        inner = self.kind_behind(kind, step)
        if not self.is_known(step):
            whole = self.settled(whole, "indexed")
        if self.terms.keys[step][0] != "as":
            return self.terms.part(whole, step, inner, True)
        if kind.category != PAYLOAD:
            raise NotDecided("a pointer to something that is seen as another type")
        return unboxed(self.terms, whole, inner)

    def is_known(self, step: int) -> bool:
        """Whether an index is not computed when the program runs."""
        return self.terms.is_constant(step) or self.terms.keys[step][0] == "as"

    def risky(self, instr: Instr, operands: Terms, extras: str) -> None:
        """Note what is undefined for some operands: the second program may do it only where the first one does."""
        width = self.kind(instr.type).width if instr.type is not None else 0
        promised = list(self.decorations.nowrap.get(instr, {}))
        if not self.is_defined(instr.op, operands, width):
            promised.append(-1)
        if instr.op == op.FDiv and self.terms.rearranged is not None:
            operands = operands[1:]  # by what is divided is what matters: a / b * c may be c / b * a
        for each in promised:
            self.risks.append(Risk((self.state.run.loop, instr.op, extras, each), operands, self.here(), instr))

    def is_defined(self, code: int, operands: Terms, width: int) -> bool:
        """Whether an operation is defined for these operands, as far as they are known."""
        rule = traits.SPECULATABLE_IF.get(code, "")
        if code in traits.SPECULATABLE or rule == "number":
            return True
        if len(operands) < 2 or not self.terms.is_constant(operands[1]):
            return False
        bits = self.terms.bits(operands[1])
        if rule == "shift":
            return bits < width
        return bits != 0 and (rule == "unsigned-divisor" or (rule == "signed-divisor" and bits != (1 << width) - 1))
