"""What two modules declare, word by word: equal, or a rule says why a difference can't matter, or named as open.

    section                    consumed where                                         else
    version, generator         always: the number of a specification                  -
    capabilities               after's are before's, implied, or of every device      open: a device may lack it
    extensions                 always: they permit                                    -
    imports                    always: instructions name their set                    -
    memory model               equal                                                  can't be compared (`promises`)
    entry point                same execution model                                   can't be compared
    interface, static use      after's variables are before's                         open
    execution modes            equal, or a promise more (`promises`)                  as there
    names, sources, lines      always: no semantic impact                             -
    decorations, types         as parts of the variables and instructions that have them
    constants                  as parts of those; a SpecId with its type and default  open
    functions                  those that are called: their bodies (`bodies`)         open
    exports                    the same, or proved by terms (`exports`)               open

Sources of the rules, SPIR-V 1.6: 1.3.1 "Minor changes have signified additions, deprecation, and removal of features";
OpCapability "Declare a capability used by this module"; OpExtension "Declare use of an extension to SPIR-V. This allows
validation of additional instructions, tokens, semantics, etc."; OpName, OpSource, OpString, OpLine "This has no
semantic impact and can safely be removed from a module"; 2.2.1 "Non-Semantic Instruction: An instruction that has no
semantic impact, and that can be safely removed from the module". Vulkan, "Static Use": "A specific entry point in a
SPIR-V module is said to statically use that object if that entry point's call tree contains a function containing a
instruction with x as an id operand. A shader entry point also statically uses any variables explicitly declared in its
interface"; "Descriptor Set Interface": "If any shader variable identifying a resource is statically used in a shader,
then the underlying descriptor bound at the declared set and binding must support the declared type in the shader when
the shader executes".
"""

from typing import Final, final

from reknit.ir import enums, op, opcodes, traits
from reknit.ir.debug import is_debug, set_of
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import storage_of
from reknit.ir.walk import instructions
from reknit.proof.frame.bodies import bodies, relaxes
from reknit.proof.frame.exports import exports
from reknit.proof.frame.meanings import Meanings, Note
from reknit.sim.entry import find_entry, function_of_entry, reached_functions
from reknit.source.meter import spend

_NOT_AS_IDS: Final = (
    enums.ExecutionModeLocalSizeHintId, enums.ExecutionModeLocalSizeId, enums.ExecutionModeFPFastMathDefault,
)  # fmt: skip
"""A hint, and modes that are compared as what they come to: the size of a workgroup by the normal form, by certificates
and by runs, the flags by `promises`."""

_OF_AN_INVOCATION: Final = (enums.StorageClassPrivate, enums.StorageClassFunction, enums.StorageClassWorkgroup)
"""Variables that nothing outside of a dispatch names: what they hold is compared by where it is read."""

_EVERYWHERE: Final = (
    enums.CapabilityMatrix, enums.CapabilityShader, enums.CapabilityInputAttachment, enums.CapabilitySampled1D,
    enums.CapabilityImage1D, enums.CapabilitySampledBuffer, enums.CapabilityImageBuffer, enums.CapabilityImageQuery,
    enums.CapabilityDerivativeControl, enums.CapabilityStorageImageExtendedFormats,
)  # fmt: skip
"""Vulkan, "Capabilities": what VK_VERSION_1_0 alone brings, without a feature."""

_PER_SAMPLE: Final = (enums.BuiltInSampleId, enums.BuiltInSamplePosition)
_PLAIN_GLOBALS: Final = (op.Variable, op.Undef, op.TypeForwardPointer, op.Line, op.NoLine, op.String, op.Nop)


@final
class Side:
    """One module and its entry point: the `functions` that it reaches, the variables that it statically uses."""

    __slots__ = ("module", "point", "functions", "used", "meanings", "annotations")

    def __init__(self, module: Module, entry: str, meanings: Meanings) -> None:
        self.module = module
        self.meanings = meanings
        self.annotations = meanings.annotations[module]
        self.point = find_entry(module, entry)
        self.functions: list[Function] = reached_functions(module, function_of_entry(self.point, True))
        self.used: dict[Instr, None] = {}
        for operand in self.point.operands[3:]:
            if isinstance(operand, Instr) and operand.op == op.Variable:
                self.used[operand] = None
        for function in self.functions:
            for instr in instructions(function):
                for operand in instr.operands if not set_of(instr).startswith("NonSemantic.") else ():
                    if isinstance(operand, Instr) and operand.op == op.Variable and operand.block is None:
                        self.used[operand] = None

    def model(self) -> str:
        return opcodes.enum_name("ExecutionModel", self.point.word(0))

    def resources(self) -> dict[int, list[Instr]]:
        """What is used and something outside names, by meaning."""
        by_meaning: dict[int, list[Instr]] = {}
        for variable in self.used:
            if storage_of(_type(variable)) not in _OF_AN_INVOCATION:
                by_meaning.setdefault(self.meanings.of(variable), []).append(variable)
        return by_meaning

    def place(self, variable: Instr) -> str:
        """By what the outside names a variable, in words."""
        storage = storage_of(_type(variable))
        noun = opcodes.enum_name("StorageClass", storage)
        number = self.annotations.number
        if number(variable, enums.DecorationBinding) >= 0:
            set = max(0, number(variable, enums.DecorationDescriptorSet))
            return f"the resource at {set}.{number(variable, enums.DecorationBinding)}"
        if number(variable, enums.DecorationBuiltIn) >= 0:
            name = opcodes.enum_name("BuiltIn", number(variable, enums.DecorationBuiltIn))
            return f"the {noun} built-in {name}"
        if number(variable, enums.DecorationLocation) >= 0:
            component = number(variable, enums.DecorationComponent)
            more = f".{component}" if component > 0 else ""
            return f"the {noun} variable at location {number(variable, enums.DecorationLocation)}{more}"
        if storage == enums.StorageClassPushConstant:
            return "the push constants"
        return f"the {noun} variable %{variable.name or variable.id}"

    def is_dispatched(self, variable: Instr) -> bool:
        """Whether a variable holds something whose type is only known when the program runs."""
        seen: dict[Instr, None] = {}
        work = [_type(variable)]
        while work:
            spend(1)
            type = work.pop()
            if type.op >= opcodes.FIRST_OWN:
                return True
            if type not in seen:
                seen[type] = None
                work.extend([each for each in type.operands if isinstance(each, Instr)])
        return False

    def builtin(self, variable: Instr) -> int:
        return self.annotations.number(variable, enums.DecorationBuiltIn)


@final
class Frame:
    """`apart`: why the two can't be compared; `open`: what no rule consumes, so that nothing is proved; `uncertified`:
    what the normal form follows and certificates don't."""

    __slots__ = ("apart", "open", "uncertified", "meanings", "before", "after")

    def __init__(self, before: Module, after: Module, entry: str) -> None:
        self.apart: list[str] = []
        self.open: list[str] = []
        self.uncertified: list[str] = []
        self.meanings = Meanings()
        self.meanings.read(before)
        self.meanings.read(after)
        self.before = Side(before, entry, self.meanings)
        self.after = Side(after, entry, self.meanings)
        self.capabilities()
        self.entry_points()
        self.modes()
        self.interface()
        self.specialization()
        self.unknown()
        self.aliases()
        self.open.extend(bodies(self.before, self.after))
        if relaxes(self.after):
            self.uncertified.append("RelaxedPrecision is said of what is no operation")
        apart, left = exports(before, after, self.meanings)
        self.apart.extend(apart)
        self.open.extend(left)

    def capabilities(self) -> None:
        """SPIR-V 1.6, 2.1: "A client API is allowed to reject modules declaring capabilities it does not support"."""
        mine, theirs = ([each.word(0) for each in side.module.capabilities] for side in self.sides())
        known = opcodes.with_implied(mine)
        for each in theirs:
            if each not in known and each not in _EVERYWHERE:
                name = opcodes.enum_name("Capability", each)
                self.open.append(f"capability {name} is only after: a device that runs before may lack it")

    def entry_points(self) -> None:
        mine, other = self.before.model(), self.after.model()
        if mine != other:
            self.apart.append(f"OpEntryPoint: the execution model is {mine} before and {other} after")
        params = [[self.meanings.of(param.type) for param in side.functions[0].params] for side in self.sides()]
        if params[0] != params[1]:
            self.apart.append("the kernel has other parameters before and after")

    def sides(self) -> tuple[Side, Side]:
        return self.before, self.after

    def modes(self) -> None:
        """Those with ids for operands, which `promises` shows as names: the same constants, whatever their names."""
        spelled: list[list[str]] = []
        for side in self.sides():
            shown: list[str] = []
            for mode in side.module.execution_modes:
                is_ours = mode.operands[0] is side.point.operands[1] and mode.op == op.ExecutionModeId
                if is_ours and mode.word(1) not in _NOT_AS_IDS:
                    name = opcodes.enum_name("ExecutionMode", mode.word(1))
                    shown.append(f"{name} {[self.meanings.operand(each) for each in mode.operands[2:]]}")
            spelled.append(sorted(shown))
        for text in dict.fromkeys([*spelled[0], *spelled[1]]):
            if spelled[0].count(text) != spelled[1].count(text):
                self.open.append(f"execution mode {text.split(' ')[0]} has other operands before and after")

    def interface(self) -> None:
        mine, theirs = self.before.resources(), self.after.resources()
        lost = [each for meaning, group in mine.items() for each in group[len(theirs.get(meaning, [])) :]]
        gained = [each for meaning, group in theirs.items() for each in group[len(mine.get(meaning, [])) :]]
        places = {self.before.place(variable) for variable in lost}
        changed: dict[str, None] = {}
        for variable in gained:
            place = self.after.place(variable)
            if place in places:
                changed[place] = None
                if any(self.before.place(each) == place and self.before.is_dispatched(each) for each in lost):
                    continue  # a value of an interface, which is a struct of words afterwards: the normal form's kinds
                self.open.append(f"{place} is declared otherwise: {self.difference(place)}")
            else:
                self.open.append(f"{place} is statically used only after")
        for variable in lost:
            if self.before.place(variable) not in changed:
                self.dropped(variable)
        unlisted = self.unlisted(self.before)
        self.open.extend(
            [
                f"{place} is used after and not in its interface"
                for place in self.unlisted(self.after)
                if place not in unlisted
            ]
        )

    def unlisted(self, side: Side) -> list[str]:
        """What of inputs and outputs an entry point uses and doesn't list. SPIR-V 1.6, OpEntryPoint: "The set of
        Interface <id> must be equal to or a superset of the global OpVariable Result <id> referenced by the entry
        point's static call tree"."""
        listed = side.point.operands[3:]
        ports = (enums.StorageClassInput, enums.StorageClassOutput)
        return [side.place(each) for each in side.used if each not in listed and storage_of(_type(each)) in ports]

    def dropped(self, variable: Instr) -> None:
        """What after no longer uses may be gone, but for what is seen by being declared."""
        place = self.before.place(variable)
        model = self.before.point.word(0)
        storage = storage_of(_type(variable))
        notes = self.before.annotations
        if storage == enums.StorageClassOutput:
            if len(variable.operands) > 1:
                self.open.append(f"{place} is only before, which initializes it")
            elif model != enums.ExecutionModelFragment and self.before.builtin(variable) < 0:
                # VUID-RuntimeSpirv-OpEntryPoint-08743: what the next stage reads must be declared by this one
                self.open.append(f"{place} is only before, where the next stage may read it")
        elif storage == enums.StorageClassInput and model == enums.ExecutionModelFragment:
            # Vulkan, SampleId: "Sample Shading is considered enabled with a minSampleShading value of 1.0"
            per_sample = self.before.builtin(variable) in _PER_SAMPLE
            if per_sample or notes.has(variable, enums.DecorationSample):
                self.open.append(f"{place} is only before, where it turns sample shading on")

    def difference(self, place: str) -> str:
        """What of the declaration of a variable differs."""
        sides = [(side, next(each for each in side.used if side.place(each) == place)) for side in self.sides()]
        notes = [{_spelled(note) for note in side.annotations.of(each)} for side, each in sides]
        for at, where in ((0, "only before"), (1, "only after")):
            only = sorted(notes[at] - notes[1 - at])
            if only:
                return f"{', '.join(only)} {where}"
        types = [self.meanings.of(each.type) for _, each in sides]
        if types[0] != types[1]:
            return "its type, or the layout of it"
        return "its initializer"

    def specialization(self) -> None:
        """Vulkan, VkSpecializationMapEntry: the size that is given for a constant must be that of its type, and one
        that a shader doesn't declare is ignored: so after has none that before doesn't have."""
        known: list[dict[int, tuple[int, list[object]]]] = []
        for side in self.sides():
            constants: dict[int, tuple[int, list[object]]] = {}
            for instr in side.module.globals:
                number = side.annotations.number(instr, enums.DecorationSpecId)
                if number >= 0:
                    constants[number] = (self.meanings.of(instr.type), [instr.op, *instr.operands])
            known.append(constants)
        for number, said in known[1].items():
            if number not in known[0]:
                self.open.append(f"specialization constant {number} is only after")
            elif known[0][number] != said:
                self.open.append(f"specialization constant {number} has another type or default before and after")

    def aliases(self) -> None:
        """SPIR-V 1.6, 2.18.2: "behavior is undefined if operations on two distinct memory object declarations
        dynamically access the same memory locations [...] and at least one of the memory object declarations does not
        have the Aliased decoration"."""
        if same_memory(self.after) > same_memory(self.before):
            self.open.append("a call after hands one variable to two parameters that are not both Aliased")

    def unknown(self) -> None:
        """Declarations that no rule knows: the same on both sides."""
        spelled: list[dict[object, str]] = []
        for side in self.sides():
            shown: dict[object, str] = {}
            for instr in [*side.module.globals, *side.module.closing]:
                if instr.op in _PLAIN_GLOBALS or is_debug(instr) or _is_type_or_constant(instr):
                    continue
                if instr.op >= opcodes.FIRST_OWN or set_of(instr).startswith("NonSemantic."):
                    continue  # tables of dynamic dispatch: the instructions that look something up in them are followed
                shown[self.meanings.said(instr)] = opcodes.opcode_name(instr.op)
            spelled.append(shown)
        for at, where in ((0, "before"), (1, "after")):
            for said, name in spelled[at].items():
                if said not in spelled[1 - at]:
                    self.open.append(f"{name} is declared otherwise, or only, {where}")


def same_memory(side: Side) -> int:
    """How many pairs of pointers, of those that a call hands over and its function names, lead to one variable without
    both declarations being Aliased."""
    count = 0
    for function in side.functions:
        for call in instructions(function):
            callee = call.operands[0] if call.op == op.FunctionCall else None
            if not isinstance(callee, Function):
                continue
            named = [(_root(operand), param) for operand, param in zip(call.operands[1:], callee.params, strict=True)]
            named += [(each, each) for each in _accessed(callee)]
            for at, (root, declaration) in enumerate(named):
                for other, beside in named[at + 1 :]:
                    both = all(side.annotations.has(each, enums.DecorationAliased) for each in (declaration, beside))
                    count += root is not None and root is other and declaration is not beside and not both
    return count


def _root(pointer: object) -> Instr | None:
    """The variable or parameter that a pointer leads into; None for what is no pointer, or isn't followed."""
    while isinstance(pointer, Instr) and pointer.op in traits.CHAIN:
        pointer = pointer.operands[0]
    return pointer if isinstance(pointer, Instr) and pointer.op in (op.Variable, op.FunctionParameter) else None


def _accessed(function: Function) -> list[Instr]:
    """The module's variables that a function names."""
    names = [operand for instr in instructions(function) for operand in instr.operands]
    return list(dict.fromkeys([each for each in names if isinstance(each, Instr) and each.op == op.Variable]))


def _spelled(note: Note) -> str:
    _, kind, rest = note
    words = " ".join([str(each) for each in rest if isinstance(each, (int, str))])
    return f"{opcodes.enum_name('Decoration', kind)} {words}".strip()


def _type(variable: Instr) -> Instr:
    assert variable.type is not None
    return variable.type


def _is_type_or_constant(instr: Instr) -> bool:
    info = opcodes.info(instr.op)
    group = info.group if info is not None else ""
    return group in ("Type-Declaration", "Constant-Creation")
