"""Which rows of the ledger of freedoms an entry point brings in, and where.

    entry point, the functions it reaches  ──one walk──▶  rows by name: first place, how many places
                                                          unknown: what the ledger does not mention

A row applies unless its conditions fail (a fragment shader, rules of reconvergence ...), or a mode of the entry point
or a decoration closes it. What shows in a run alone (`Freedom.seen`) comes from the runs. `tools/freedoms.toml` is the
table; docs/freedoms.md shows it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from reknit.analysis.decorations import decorations_of
from reknit.analysis.effects import is_volatile
from reknit.analysis.tangles.rules import MAXIMAL
from reknit.ir import enums, freedoms, op, opcodes, traits
from reknit.ir.debug import EXT_INSTS, set_of
from reknit.ir.freedoms import FREEDOMS, Freedom, Treatment
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.tree import Loop, Switch
from reknit.ir.types import is_type, storage_of, width_of
from reknit.ir.value import Value
from reknit.ir.walk import constructs, instructions

GRAPHICS: Final = (
    enums.ExecutionModelVertex,
    enums.ExecutionModelTessellationControl,
    enums.ExecutionModelTessellationEvaluation,
    enums.ExecutionModelGeometry,
    enums.ExecutionModelFragment,
)
OWN: Final = (
    enums.StorageClassFunction,
    enums.StorageClassPrivate,
    enums.StorageClassInput,
    enums.StorageClassOutput,
    enums.StorageClassPushConstant,
)
"""Storage classes that no other invocation writes."""
OUTSIDE: Final = (
    enums.StorageClassInput,
    enums.StorageClassUniform,
    enums.StorageClassStorageBuffer,
    enums.StorageClassPushConstant,
)
"""Storage classes whose floats come from outside of the invocation: their loads are not part of an expression."""
WRITTEN: Final = (enums.StorageClassStorageBuffer, enums.StorageClassPhysicalStorageBuffer)
"""Storage classes of buffers that invocations of a graphics stage may write. Uniform is one for BufferBlock blocks."""
_PRESERVED: Final = {
    "denormals-preserved": enums.ExecutionModeDenormPreserve,
    "signs-preserved": enums.ExecutionModeSignedZeroInfNanPreserve,
}
COPIES: Final = (op.Load, op.Store, op.Select)
"""What moves floats as they are, but for what may be ignored of infinities, NaNs and zeros."""
_WIDE_FORMATS: Final = ("Rgba32f", "Rg32f", "R32f")
_CHAINS: Final = (op.AccessChain, op.InBoundsAccessChain, op.UntypedAccessChainKHR, op.UntypedInBoundsAccessChainKHR)
_CHOICES: Final = (op.Select, op.Phi)
_HANDLES: Final = (op.Load, op.SampledImage, op.Image, op.CopyObject)
_PARTS: Final = (op.CompositeExtract, op.CompositeConstruct, op.VectorShuffle, op.CopyObject, op.AccessChain)
_LEAVES: Final = (op.ConvertSToF, op.ConvertUToF, op.Bitcast, op.Undef, op.ImageFetch, op.ImageRead)
NON_SEMANTIC: Final = "NonSemantic."

Seen = dict[str, dict[Instr, None]]
"""What runs saw: a word of `Freedom.seen` -> the instructions that it happened to."""

EVENTS: Final = ("outside", "undefined", "undefined-way", "not-uniform", "conflict", "unfinished", "undetermined")
"""Words of `Freedom.seen` that happen to a run, at whichever instruction; others are about an instruction's values."""

CLOSED: Final = ("enumerated", "symbolic", "given", "input")
"""Treatments with which a verdict leaves nothing open."""

TOLERATED: Final = "tolerated"
"""The treatment that leaves nothing open for `compare`, which takes the bounds of the row's sentence."""

BOUNDED: Final = "bounded"
"""The treatment that leaves nothing open where what floats may be is known (`sim.float_bounds`)."""


@dataclass(slots=True)
class Applied:
    """A row that applies. `places` are the instructions, variables, decorations or modes that bring it in."""

    freedom: Freedom
    places: dict[Instr, None] = field(default_factory=dict)
    instead: Treatment | None = None

    def treatment(self, verb: str) -> Treatment:
        """`instead`, of a verb that was asked for more than it does by itself; else what the table says."""
        return self.instead if self.instead is not None else self.freedom.treatments[verb]


@dataclass(slots=True)
class Ledger:
    """What an entry point leaves open: rows in the order of the table; as "decoration FooEXT" with one place each, what
    reknit has no model of, and what the table doesn't mention, such as an opcode of a newer grammar."""

    module: Module
    applied: dict[str, Applied]
    unmodelled: dict[str, Instr]
    unknown: dict[str, Instr]

    def open(self, verb: str, loose: "set[Instr] | None" = None) -> "list[Open]":
        """What `verb` neither goes through nor was given: a verdict of it is up to these. Where floats have bounds,
        `loose` are the instructions from which what has none comes to a result."""
        listed: list[Open] = []
        closed = (*CLOSED, TOLERATED) if verb == "compare" else CLOSED
        for row in self.applied.values():
            word = row.treatment(verb).word
            places = list(row.places)
            if word == BOUNDED and loose is not None:
                places = [place for place in places if place in loose]
            if word not in closed and (places or not row.places):
                listed.append(Open(row.freedom.name, row.freedom.title, self.shown(places)))
        for what, place in [*self.unmodelled.items(), *self.unknown.items()]:
            listed.append(Open("unknown", f"what {what} may do", self.shown([place])))
        return listed

    def enumerated(self, verb: str) -> "list[Open]":
        """What `verb` goes through the choices of, as far as it gets."""
        rows = [row for row in self.applied.values() if row.treatment(verb).word == "enumerated"]
        return [Open(row.freedom.name, row.freedom.title, self.shown(list(row.places))) for row in rows]

    def tolerated(self, verb: str) -> "list[Open]":
        """What `verb` lets values differ by, within the bounds of the row's sentence."""
        rows = [row for row in self.applied.values() if row.treatment(verb).word == TOLERATED]
        return [Open(row.freedom.name, row.freedom.title, self.shown(list(row.places))) for row in rows]

    def bounded(self, verb: str, loose: set[Instr]) -> "list[Open]":
        """What lets the floats of a result be others, within bounds that are known."""
        listed: list[Open] = []
        for row in self.applied.values():
            places = [place for place in row.places if place not in loose]
            if row.treatment(verb).word == BOUNDED and places:
                listed.append(Open(row.freedom.name, row.freedom.title, self.shown(places)))
        return listed

    def untried(self) -> list[str]:
        """The titles of those of `alike` that runs can't show: each run makes the same choice."""
        rows = [row.freedom for row in self.applied.values() if row.freedom.seen not in EVENTS]
        return [freedom.title for freedom in rows if freedom.treatments["prove"].word == "alike"]

    def alike(self) -> list[str]:
        """The titles of rows that two versions are taken to decide alike, for equal operands."""
        rows = [row.freedom for row in self.applied.values()]
        return [freedom.title for freedom in rows if freedom.treatments["prove"].word == "alike"]

    def given(self, verb: str) -> list[str]:
        """What the question of `verb` fixed, as it reads on after "given"."""
        treatments = [row.treatment(verb) for row in self.applied.values()]
        return list(dict.fromkeys([each.text for each in treatments if each.word == "given"]))

    def shown(self, places: list[Instr]) -> "list[Shown]":
        return [Shown(name_of(place), place_of(place, self.module).line) for place in places]


@dataclass(frozen=True, slots=True)
class Shown:
    """A place for a reader: `%sum`, or an opcode, and its line in the text, 0 if none is known."""

    name: str
    line: int

    def __str__(self) -> str:
        return f"{self.name}, line {self.line}" if self.line > 0 else self.name


@dataclass(frozen=True, slots=True)
class Open:
    """A freedom that a verdict is up to. `freedom` is the row's name, "unknown" for what has none."""

    freedom: str
    title: str
    places: list[Shown]

    def __str__(self) -> str:
        """`the rounding of floats (%half, line 12, and 3 more)`."""
        if not self.places:
            return self.title
        more = f", and {len(self.places) - 1} more" if len(self.places) > 1 else ""
        return f"{self.title} ({self.places[0]}{more})"

    def to_json(self) -> dict[str, object]:
        return {
            "freedom": self.freedom,
            "title": self.title,
            "places": [{"name": place.name, "line": place.line} for place in self.places],
        }


def ledger(
    module: Module,
    point: Instr,
    functions: Iterable[Function],
    rules: str,
    *,
    invocations: int = 0,
    seen: Seen | None = None,
) -> Ledger:
    """The rows that the entry point `point` brings in, whose code is in `functions`, judged by `rules`.

    `invocations` is how many run, 0 if any number may. `seen` is what all runs saw; without it, what a row says is
    taken for seen, as it must be where every input is spoken of.
    """
    walk = _Walk(module, point, list(functions), rules, invocations, seen)
    walk.declarations()
    for function in walk.functions:
        for instr in instructions(function):
            walk.instruction(instr)
        for construct in constructs(function):
            if isinstance(construct, Switch):
                walk.switch(construct)
    walk.events()
    order = {name: number for number, name in enumerate(FREEDOMS)}
    applied = dict(sorted(walk.rows.items(), key=lambda item: order[item[0]]))
    return Ledger(module, applied, walk.unmodelled, walk.unknown)


class _Walk:
    def __init__(
        self, module: Module, point: Instr, functions: list[Function], rules: str, invocations: int, seen: Seen | None
    ) -> None:
        self.module = module
        self.point = point
        self.functions = functions
        self.seen = seen
        self.rows: dict[str, Applied] = {}
        self.unmodelled: dict[str, Instr] = {}
        self.unknown: dict[str, Instr] = {}
        self.modes, self.wide_modes = modes_and_widths(module, point.operands[1])
        self.decorated = decorations_of(module)
        self.chained: dict[Instr, bool] = {}
        model = point.word(0)
        code = [instr for function in functions for instr in instructions(function)]
        self.holds: dict[str, bool] = {
            "fragment": model == enums.ExecutionModelFragment,
            "graphics": model in GRAPHICS,
            "shader": model != enums.ExecutionModelKernel,
            "maximal": rules == MAXIMAL,
            "weaker": rules != MAXIMAL,
            "several": invocations != 1,
            "unstructured": not all(function.structured for function in functions),
            "returns": returns_apart(point.operands[1]),
            "demotes": any(instr.op == op.DemoteToHelperInvocation for instr in code),
        }
        written: tuple[int, ...] = WRITTEN
        if any(enums.DecorationBufferBlock in each for each in self.decorated.values()):
            written = (*WRITTEN, enums.StorageClassUniform)
        self.has_tangled = any(instr.op in traits.TANGLED for instr in code)
        self.loads_written = any(loads_from(instr, written) for instr in code)

    def declarations(self) -> None:
        """Modes of the entry point, variables that its functions use, and what decorates them or their results."""
        for mode in self.module.modes_of(self.point.operands[1]):
            self.bring("modes", "execution mode ", "ExecutionMode", mode.word(1), mode)
        for variable in self.variables():
            if variable.type is None:
                continue
            storage = storage_of(variable.type)
            self.bring("storage", "storage class ", "StorageClass", storage, variable)
            if storage == enums.StorageClassInput and enums.DecorationBuiltIn not in self.decorated.get(variable, {}):
                self.add("interpolation", variable)
            self.decorations(variable)
            for type in types_in(variable.type):
                self.decorations(type)
        for function in self.functions:
            for parameter in function.params:
                self.decorations(parameter)

    def variables(self) -> list[Instr]:
        """The module's variables that the functions use."""
        used: dict[Instr, None] = {}
        for function in self.functions:
            for instr in instructions(function):
                for operand in instr.operands:
                    if isinstance(operand, Instr) and operand.op in (op.Variable, op.UntypedVariableKHR):
                        used[operand] = None
        return [variable for variable in self.module.globals if variable in used]

    def instruction(self, instr: Instr) -> None:
        if instr.op in EXT_INSTS:
            self.extended(instr)
        else:
            rows = freedoms.BY_OPCODES.get(instr.op, ())
            if not rows and instr.op not in freedoms.DETERMINED_OPCODES:
                self.miss(instr.op in freedoms.UNMODELLED_OPCODES, opcodes.opcode_name(instr.op), instr)
            for row in rows:
                self.add(row, instr)
        if is_volatile(instr):
            self.add("volatile", instr)
        if orders_subgroup(instr):
            self.add("subgroup-size", instr)
            self.add("subgroup-mapping", instr)
        for operand in instr.operands:
            if isinstance(operand, Instr) and operand.op == op.Undef:
                self.add("undefined-value", operand)
        self.decorations(instr)

    def switch(self, switch: Switch) -> None:
        """A switch has no instruction in the tree: its selector stands for it, the entry point where that is none."""
        if not self.has_tangled:
            return
        for row in freedoms.BY_OPCODES.get(op.Switch, ()):
            if row != "fallthrough" or any(case.fallthroughs for case in switch.cases):
                self.add(row, switch.selector if isinstance(switch.selector, Instr) else self.point)

    def extended(self, instr: Instr) -> None:
        title = set_of(instr)
        number = instr.word(1)
        imported = opcodes.ext_set(title)
        if title.startswith(NON_SEMANTIC):
            return  # SPV_KHR_non_semantic_info: such instructions have no semantic impact
        known = opcodes.ext_inst(title, number)
        key = (title if imported is not None else "", number)
        rows = freedoms.BY_INSTRUCTIONS.get(key, ())
        if not rows and key not in freedoms.DETERMINED_INSTRUCTIONS:
            name = known.name if known is not None else str(number)
            self.miss(key in freedoms.UNMODELLED_INSTRUCTIONS, f"{title} {name}", instr)
        for row in rows:
            self.add(row, instr)

    def decorations(self, target: Value) -> None:
        for number, (decoration, builtin) in self.decorated.get(target, {}).items():
            self.bring("decorations", "decoration ", "Decoration", number, decoration, target)
            if number == enums.DecorationBuiltIn and builtin >= 0:
                self.bring("builtins", "built-in ", "BuiltIn", builtin, decoration, target)

    def bring(self, what: str, title: str, kind: str, number: int, place: Instr, target: Value | None = None) -> None:
        by, determined, unmodelled = _TABLES[what]
        rows = by.get(number, ())
        if not rows and number not in determined:
            self.miss(number in unmodelled, title + opcodes.enum_name(kind, number), place)
        for row in rows:
            self.add(row, target if isinstance(target, Instr) else place)

    def miss(self, unmodelled: bool, what: str, place: Instr) -> None:
        """Something that no row speaks of."""
        (self.unmodelled if unmodelled else self.unknown).setdefault(what, place)

    def add(self, name: str, place: Instr) -> None:
        freedom = FREEDOMS[name]
        if (
            freedom.seen
            and self.seen is not None
            and (freedom.seen in EVENTS or place not in self.seen.get(freedom.seen, {}))
        ):
            return
        if not all(self.is_so(condition, place) for condition in freedom.conditions):
            return
        if any(mode in self.modes for mode in freedom.closing_modes):
            return
        widths = float_widths(place) if freedom.closing_widths else ()
        if widths and all(any((mode, width) in self.wide_modes for mode in freedom.closing_widths) for width in widths):
            return
        if any(number in self.decorated.get(place, {}) for number in freedom.closing_decorations):
            return
        self.rows.setdefault(name, Applied(freedom)).places[place] = None

    def events(self) -> None:
        """Rows that happened to a run, wherever."""
        seen = self.seen if self.seen is not None else {}
        for name, freedom in FREEDOMS.items():
            happened = freedom.seen in EVENTS and freedom.seen in seen
            if happened and all(self.holds.get(condition, True) for condition in freedom.conditions):
                self.rows[name] = Applied(freedom, dict(seen[freedom.seen]))

    def is_so(self, condition: str, place: Instr) -> bool:
        if condition == "wide":
            return 64 in float_widths(place)
        if condition == "floats":
            return moves_floats(place)
        if condition == "varying":
            return self.varies(place)
        if condition == "shared":
            return is_shared(place)
        if condition == "chained":
            return is_chained(place, self.chained)
        if condition == "repeats":
            return place.op in traits.ATOMIC or (self.loads_written and is_shared(place))
        if condition == "indexed":
            return is_indexed(place)
        if condition in _PRESERVED:
            mode = _PRESERVED[condition]
            return any((mode, width) in self.wide_modes for width in float_widths(place))
        if condition == "normalized":
            return is_normalized(place)
        if condition == "converted":
            return is_converted(place)
        return self.holds[condition]

    def varies(self, place: Instr) -> bool:
        """Whether it is a variable of which a fragment shader gets a value for each fragment, or asks about one."""
        if place.op != op.Variable:
            return True
        return place.type is not None and storage_of(place.type) == enums.StorageClassInput


def modes_and_widths(module: Module, function: object) -> tuple[set[int], set[tuple[int, int]]]:
    """The execution modes of an entry point's function, and with each its first number (a width of floats)."""
    modes: set[int] = set()
    widths: set[tuple[int, int]] = set()
    for mode in module.modes_of(function):
        number = mode.word(1)
        modes.add(number)
        first = mode.operands[2] if len(mode.operands) > 2 else None
        if isinstance(first, int):
            widths.add((number, first))
    return modes, widths


def is_shared(instr: Instr) -> bool:
    """Whether it accesses memory that other invocations see and may write."""
    at = traits.LOADS.get(instr.op, traits.STORES.get(instr.op, -1))
    pointer = instr.operands[at] if 0 <= at < len(instr.operands) else None
    if not isinstance(pointer, Instr) or pointer.type is None or pointer.type.op != op.TypePointer:
        return True
    return storage_of(pointer.type) not in OWN


def returns_apart(function: object) -> bool:
    """Whether an invocation can return from an entry point's function earlier than another: it has a loop, several
    returns, or no structure."""
    if not isinstance(function, Function) or not function.structured:
        return True
    returns = [instr for instr in instructions(function) if instr.op in (op.Return, op.ReturnValue)]
    return len(returns) > 1 or any(isinstance(each, Loop) for each in constructs(function))


def loads_from(instr: Instr, storage: tuple[int, ...]) -> bool:
    """Whether it loads from one of these storage classes, or may, or from a storage image."""
    if instr.op == op.ImageRead:
        return True
    at = traits.LOADS.get(instr.op, -1)
    pointer = instr.operands[at] if 0 <= at < len(instr.operands) else None
    if not isinstance(pointer, Instr) or pointer.type is None:
        return False
    return pointer.type.op != op.TypePointer or storage_of(pointer.type) in storage


def is_indexed(instr: Instr) -> bool:
    """Whether the image or sampler that an instruction samples is chosen by an index that is no constant."""
    work = [operand for operand in instr.operands[:1] if isinstance(operand, Instr)]
    seen: dict[Instr, None] = {}
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen[value] = None
        if value.op in _CHOICES:
            return True
        if value.op in _CHAINS:
            if any(isinstance(index, Instr) and index.op not in traits.CONSTANT for index in value.operands[1:]):
                return True
            work.extend([operand for operand in value.operands[:1] if isinstance(operand, Instr)])
        elif value.op in _HANDLES:
            work.extend([operand for operand in value.operands if isinstance(operand, Instr)])
    return False


def is_converted(instr: Instr) -> bool:
    """Whether it writes floats to an image whose format does not hold every 32-bit float, or that names no format."""
    image = instr.operands[0] if instr.operands else None
    type = image.type if isinstance(image, Instr) else None
    if type is None or type.op != op.TypeImage:
        return True
    sampled = type.operands[0]
    integers = isinstance(sampled, Instr) and sampled.op == op.TypeInt
    return not integers and opcodes.enum_name("ImageFormat", type.word(6)) not in _WIDE_FORMATS


def is_normalized(instr: Instr) -> bool:
    """Whether it reads an image of floats whose format is of normalized integers, or that names no format."""
    image = instr.operands[0] if instr.operands else None
    type = image.type if isinstance(image, Instr) else None
    if type is None or type.op != op.TypeImage:
        return True
    sampled = type.operands[0]
    if isinstance(sampled, Instr) and sampled.op == op.TypeInt:
        return False
    return not opcodes.enum_name("ImageFormat", type.word(6)).endswith("f")


def moves_floats(copy: Instr) -> bool:
    """Whether there are floats in what a load, a store or a selection moves."""
    value = copy.operands[1] if copy.op == op.Store else copy
    type = value.type if isinstance(value, Instr) else None
    return type is not None and any(part.op == op.TypeFloat for part in types_in(type))


def orders_subgroup(instr: Instr) -> bool:
    """Whether it is a barrier or an atomic whose scope is the subgroup: which invocations it orders depends on how
    they are mapped to subgroups."""
    at = (0, 1) if instr.op == op.ControlBarrier else (0,) if instr.op == op.MemoryBarrier else ()
    if instr.op in traits.ATOMIC:
        at = (1,)
    for number in at:
        scope = instr.operands[number] if number < len(instr.operands) else None
        if isinstance(scope, Instr) and scope.op == op.Constant and scope.word(0) == enums.ScopeSubgroup:
            return True
    return False


def is_chained(instr: Instr, known: dict[Instr, bool] | None = None) -> bool:
    """Whether an operand may be the result of another float operation: it is not a constant, a conversion of an integer
    or a value from outside. `known` keeps the answers for values, for the next question."""
    answers: dict[Instr, bool] = {} if known is None else known
    from_where: dict[Instr, Instr | None] = {}
    work: list[tuple[Instr, Instr | None]] = [(each, None) for each in instr.operands if isinstance(each, Instr)]
    while work:
        value, user = work.pop()
        if value in from_where or value.type is None or not float_widths(value):
            continue
        from_where[value] = user
        parts = None if answers.get(value, False) else [] if value in answers else _passed_on(value)
        if parts is None:
            current: Instr | None = value
            while current is not None:
                answers[current] = True
                current = from_where[current]
            return True
        work.extend([(part, value) for part in parts])
    answers.update(dict.fromkeys(from_where, False))
    return False


def _passed_on(value: Instr) -> list[Instr] | None:
    """What a float value is one or a part of; None if it is what an operation gives, or that isn't known."""
    if value.op == op.Load:
        return [] if is_outside(value) else stored_in(value.operands[0])
    if value.op in _PARTS or value.op in _CHOICES:
        return [operand for operand in value.operands if isinstance(operand, Instr)]
    return [] if value.op in _LEAVES or value.op in traits.CONSTANT else None


def stored_in(pointer: object) -> list[Instr] | None:
    """What may be stored in a variable of one invocation, from which a pointer leads; None where that isn't known."""
    while isinstance(pointer, Instr) and pointer.op in _CHAINS:
        pointer = pointer.operands[0]
    if not isinstance(pointer, Instr) or pointer.op != op.Variable or pointer.type is None:
        return None
    if storage_of(pointer.type) not in (enums.StorageClassFunction, enums.StorageClassPrivate):
        return None
    stored = [operand for operand in pointer.operands[1:] if isinstance(operand, Instr)]
    work = [pointer]
    while work:
        place = work.pop()
        for user in place.users:
            if not isinstance(user, Instr):
                return None
            if user.op == op.Store and user.operands[0] is place and isinstance(user.operands[1], Instr):
                stored.append(user.operands[1])
            elif user.op in _CHAINS and user.operands[0] is place:
                work.append(user)
            elif user.op not in (op.Load, op.Name, op.Decorate, op.EntryPoint):
                return None
    return stored


def is_outside(load: Instr) -> bool:
    """Whether a load is of an input or a buffer."""
    pointer = load.operands[0]
    type = pointer.type if isinstance(pointer, Instr) else None
    return type is not None and type.op == op.TypePointer and storage_of(type) in OUTSIDE


def name_of(instr: Instr) -> str:
    """`%sum`, the opcode of what has no name or number."""
    if instr.has_result and (instr.name or instr.id):
        return f"%{instr.name or instr.id}"
    return opcodes.opcode_name(instr.op)


def types_in(type: Instr) -> list[Instr]:
    """A type and the types that it is made of, each once."""
    parts: dict[Instr, None] = {type: None}
    work = [type]
    while work:
        for part in work.pop().operands:
            if isinstance(part, Instr) and is_type(part) and part not in parts:
                parts[part] = None
                work.append(part)
    return list(parts)


def float_widths(instr: Instr) -> tuple[int, ...]:
    """The widths of the floats that an instruction takes or gives, or a variable holds; ascending."""
    widths: set[int] = set()
    types = [instr.type, *[operand.type for operand in instr.operands if isinstance(operand, Instr)]]
    for type in types:
        while type is not None and type.op in (op.TypeVector, op.TypeMatrix, op.TypePointer):
            inner = type.operands[1 if type.op == op.TypePointer else 0]
            type = inner if isinstance(inner, Instr) else None
        if type is not None and type.op == op.TypeFloat:
            widths.add(width_of(type))
    return tuple(sorted(widths))


_TABLES: Final = {
    "decorations": (freedoms.BY_DECORATIONS, freedoms.DETERMINED_DECORATIONS, freedoms.UNMODELLED_DECORATIONS),
    "modes": (freedoms.BY_MODES, freedoms.DETERMINED_MODES, freedoms.UNMODELLED_MODES),
    "builtins": (freedoms.BY_BUILTINS, freedoms.DETERMINED_BUILTINS, freedoms.UNMODELLED_BUILTINS),
    "storage": (freedoms.BY_STORAGE, freedoms.DETERMINED_STORAGE, freedoms.UNMODELLED_STORAGE),
}
