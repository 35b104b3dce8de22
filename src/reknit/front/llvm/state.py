"""What lowering one function knows: its values so far, and how operands become ours.

    %x            the Result that its statement left        i32 7       a constant
    @shared       a Pointer to the global's root            getelementptr (...)   a Pointer
"""

from typing import Final, final

from reknit.front.llvm import syntax
from reknit.front.llvm.access import moved
from reknit.front.llvm.layout import Layout
from reknit.front.llvm.memory import Root
from reknit.front.llvm.parts import MAX_PARTS, count_of, is_wide, part_of
from reknit.front.llvm.points import Points
from reknit.front.llvm.resources import Resource
from reknit.front.llvm.results import Address, Anywhere, Handle, Opaque, Pieces, Pointer, Result
from reknit.front.llvm.signatures import Element
from reknit.front.llvm.syntax import Operand, Program, Routine, Statement, Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.types import pointer_type, storage_of, width_of
from reknit.ir.value import Value

_THROUGH: Final = ("bitcast", "addrspacecast", "freeze")


TAKES: Final = "takes a "
"""How a refusal begins that is about what an operand is."""


@final
class Port:
    """The variable of an input or output. `component` is the type of what is loaded and stored, `base` its place in an
    array of all components, -1 where rows and columns are indices. `builtin` is a BuiltIn, -1 if it is none."""

    __slots__ = ("variable", "component", "columns", "rows", "base", "builtin", "by_vertex", "element")

    def __init__(self, variable: Instr, component: Instr, columns: int, rows: int) -> None:
        self.variable = variable
        self.component = component
        self.columns = columns
        self.rows = rows
        self.base = -1
        self.builtin = -1
        self.by_vertex = False
        self.element: Element | None = None

    def place(self, target: Target, chain: list[Value]) -> Instr:
        """A pointer to a component, by its indices."""
        if not chain:
            return self.variable
        assert self.variable.type is not None
        pointer = pointer_type(target.module, storage_of(self.variable.type), self.component)
        return target.emit(op.AccessChain, pointer, [self.variable, *chain])


@final
class Scene:
    """What all functions of a module share."""

    __slots__ = (
        "program", "target", "layout", "globals", "allocas", "arguments", "resources", "functions", "unreadable",
        "heap", "size", "stage", "inputs", "outputs", "ports", "builtins", "by_vertex", "modes", "heap_varies",
        "derivatives", "ordered", "variables", "points", "assumed", "exported", "given", "opaque",
        "added",
    )  # fmt: skip

    def __init__(self, program: Program, target: Target) -> None:
        self.program = program
        self.target = target
        self.layout = Layout(program.layout)
        self.globals: dict[str, Root] = {}
        self.allocas: dict[Statement, Root] = {}
        self.arguments: dict[tuple[str, str], Root] = {}  # by routine and parameter: memory a kernel's caller gives
        self.resources: dict[tuple[int, int], Resource] = {}
        self.functions: dict[str, Function] = {}
        self.unreadable: dict[str, Refusal] = {}  # functions that can't be called, and why
        self.heap: dict[tuple[int, int], Resource] = {}
        self.size = [1, 1, 1]  # of a workgroup
        self.stage = ""  # of DXIL: cs, vs, ps
        self.inputs: dict[int, Element] = {}
        self.outputs: dict[int, Element] = {}
        self.ports: dict[tuple[bool, int], Port] = {}  # by whether an output, and the element's number
        self.builtins: dict[tuple[bool, int], Port] = {}  # and the number of a BuiltIn
        self.by_vertex: dict[int, None] = {}  # inputs of which each vertex's value is read
        self.modes: dict[int, list[int]] = {}  # execution modes that what is read asks for
        self.heap_varies = False  # whether an index into the descriptor heap is not constant
        self.derivatives = False  # whether the difference of neighbours is taken
        self.points = Points(program, self.globals)
        self.assumed: list[str] = []  # for notes
        self.exported: dict[str, None] = {}  # functions that nothing leads to, of a module without entry points
        self.given: dict[tuple[str, int, int], Root] = {}  # what `descriptors` are of
        self.ordered = ""  # the function that accesses what pixels access in order
        self.variables: dict[str, Resource] = {}  # of a library: what stands for its resources
        self.opaque: dict[tuple[str, str], Opaque] = {}  # images and samplers, by routine and parameter
        self.added: dict[tuple[str, int, int], Opaque] = {}  # those that calls give

    def added_bindings(self) -> int:
        """The next of the bindings that are for what no argument stands for."""
        known = [*self.opaque.values(), *self.added.values()]
        formats = sum(opaque.format is not None for opaque in dict.fromkeys(known))
        return formats + sum(key[0] == "sampler" and key[2] == 0 for key in self.added)


@final
class Lowering:
    """One routine as it is lowered into `function`. `users` are the statements that use a local. `blocks` are those
    that the routine's begin as, `ends` those that they end as: a statement may end one and go on in another."""

    __slots__ = (
        "scene", "target", "routine", "function", "values", "definitions", "users", "blocks", "ends", "late", "more",
        "chunk",
    )  # fmt: skip

    def __init__(self, scene: Scene, routine: Routine, function: Function) -> None:
        self.scene = scene
        self.target = scene.target
        self.routine = routine
        self.function = function
        self.values: dict[str, Result] = {}
        self.definitions: dict[str, Statement] = {}
        self.users: dict[str, list[Statement]] = {}
        self.blocks: dict[str, Block] = {}
        self.ends: dict[str, Block] = {}
        self.late: list[tuple[Instr, Statement, int]] = []  # phis, whose operands come when all is there; which part
        self.more: dict[str, list[Block]] = {}  # blocks that a chunk has after its first
        self.chunk = ""  # the one that is lowered
        for chunk in routine.chunks:
            for statement in chunk.statements:
                if statement.name:
                    self.definitions[statement.name] = statement
                for operand in statement.operands:
                    if operand.kind == syntax.LOCAL:
                        self.users.setdefault(operand.text, []).append(statement)

    # --- blocks -------------------------------------------------------------------------------------------------------

    def new_block(self, name: str = "") -> Block:
        """One more of the chunk that is lowered."""
        block = Block(name)
        self.more.setdefault(self.chunk, []).append(block)
        block.function = self.function
        return block

    # --- operands -----------------------------------------------------------------------------------------------------

    def result(self, operand: Operand) -> Result:
        """Whatever an operand is. Raises Refusal."""
        if operand.kind == syntax.LOCAL:
            if operand.text not in self.values and "\0" in operand.text:
                return self._part(operand)
            if operand.text not in self.values:
                raise Refusal(f"uses %{operand.text}, which no block before it defines")
            return self.values[operand.text]
        if operand.kind == syntax.GLOBAL:
            return Pointer(self.global_root(operand.text), [], 0)
        if operand.kind == syntax.NUMBER:
            return self.target.constant(operand.type, operand.number)
        if is_wide(operand.type) and operand.kind in (syntax.LIST, syntax.UNDEF, syntax.ZERO):
            if count_of(operand.type) > MAX_PARTS:
                raise Refusal(f"has a constant of type {operand.type.name}")
            return Pieces([self.result(part_of(operand, index)) for index in range(count_of(operand.type))])
        if operand.type.kind == syntax.PTR and operand.kind in (syntax.UNDEF, syntax.ZERO):
            return Anywhere([], self.target.word(0), self.target.word(0))
        if operand.kind == syntax.UNDEF:
            return self.target.undefined(operand.type)
        if operand.kind == syntax.ZERO:
            return self.target.constant(operand.type, 0)
        if operand.kind == syntax.LIST:
            parts = [self.value(part) for part in operand.parts]
            return self.target.module.intern(op.ConstantComposite, self.target.type(operand.type), [*parts])
        if operand.kind == syntax.EXPRESSION and operand.type.kind == syntax.PTR:
            return self.address(operand)
        raise Refusal("has a constant that is not read here")

    def value(self, operand: Operand) -> Value:
        """An operand that is a scalar or vector."""
        result = self.result(operand)
        if isinstance(result, Value):
            return result
        if isinstance(result, Pointer):
            raise Refusal(f"{TAKES}pointer for a number")
        raise Refusal(f"{TAKES}value of type {operand.type.name}")

    def _part(self, operand: Operand) -> Result:
        """A part of a local (`wide`), whose name has its indices behind zeros."""
        name, *indices = operand.text.split("\0")
        result = self.result(Operand(syntax.LOCAL, operand.type, name))
        for index in indices:
            if not isinstance(result, Pieces):
                raise Refusal(f"takes a part of %{name}, which has none here")
            result = result.items[int(index)]
        return result

    def place(self, operand: Operand) -> Address:
        result = self.result(operand)
        if not isinstance(result, Pointer | Anywhere):
            raise Refusal("goes through a pointer that leads to no variable, buffer or shared memory known here")
        return result

    def roots_of(self, operand: Operand) -> list[Root]:
        """The objects that a pointer may lead into, before anything is lowered."""
        return self.scene.points.of(self.routine.name, operand)

    def handle(self, operand: Operand) -> Handle:
        result = self.result(operand)
        if not isinstance(result, Handle):
            raise Refusal("uses a handle that comes from no createHandle known here")
        return result

    def opaque(self, operand: Operand) -> Opaque:
        """An image or sampler."""
        result = self.result(operand)
        if not isinstance(result, Opaque):
            raise Refusal("takes an image or sampler that is no argument of the kernel")
        return result

    def number(self, operand: Operand) -> int:
        """A constant integer operand."""
        if operand.kind == syntax.NUMBER:
            return operand.number
        if operand.kind == syntax.ZERO:
            return 0
        raise Refusal("has a variable where a constant is needed")

    def type(self, statement: Statement) -> Instr:
        return self.target.type(statement.type)

    # --- addresses ----------------------------------------------------------------------------------------------------

    def global_root(self, name: str) -> Root:
        root = self.scene.globals.get(name)
        if root is None:
            raise Refusal(f"uses @{name}, a variable that is too large, another module's or of a kind not read here")
        return root

    def address(self, operand: Operand) -> Address:
        """A constant pointer expression."""
        if operand.text == "getelementptr" and operand.source is not None:
            return self.stepped(self.place(operand.parts[0]), operand.source, operand.parts[1:])
        if operand.text in _THROUGH:
            return self.place(operand.parts[0])
        raise Refusal("has a pointer made from a number")

    def stepped(self, pointer: Address, type: Type, indices: list[Operand]) -> Address:
        """getelementptr: the first index steps over whole objects of the type, the others into it."""
        layout = self.scene.layout
        for place, operand in enumerate(indices):
            if place == 0:
                factor = layout.size(type)
            elif type.kind == syntax.STRUCT:
                member = self.number(operand)
                pointer = moved(self.target, pointer, None, 0, layout.offset(type, member))
                type = type.parts[member]
                continue
            elif type.kind in (syntax.ARRAY, syntax.VECTOR):
                inner = type.parts[0]
                factor = layout.size(inner) if type.kind == syntax.ARRAY else layout.stored(inner)
                type = inner
            else:
                raise Refusal(f"steps into the type {type.name}")
            if operand.kind in (syntax.NUMBER, syntax.ZERO):
                pointer = moved(self.target, pointer, None, 0, operand.number * factor)
            else:
                pointer = moved(self.target, pointer, self.distance(operand), factor)
        return pointer

    def distance(self, operand: Operand) -> Value:
        """An index as a u32: addresses here have 32 bits."""
        value = self.value(operand)
        assert isinstance(value, Instr) and value.type is not None
        width = width_of(value.type)
        if operand.type.width not in (8, 16, 32, 64):
            raise Refusal(f"steps by an index of type {operand.type.name}")
        if width == 32:
            return value
        code = op.UConvert if width > 32 else op.SConvert
        return self.target.emit(code, self.target.u32, [value])

    def set(self, statement: Statement, result: Result) -> None:
        """The result of a statement; an instruction of ours that has no name yet gets LLVM's."""
        if not statement.name:
            return
        self.values[statement.name] = result
        if isinstance(result, Instr) and result.block is not None and not result.name and not statement.name.isdigit():
            result.name = statement.name
