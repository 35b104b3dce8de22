"""What lowering one function knows: its values so far, and how operands become ours.

    %x            the Result that its statement left        i32 7       a constant
    @shared       a Pointer to the global's root            getelementptr (...)   a Pointer
"""

from typing import Final, final

from reknit.front.llvm import syntax
from reknit.front.llvm.access import advanced
from reknit.front.llvm.layout import Layout
from reknit.front.llvm.memory import Root
from reknit.front.llvm.resources import Resource
from reknit.front.llvm.results import Handle, Pieces, Pointer, Result
from reknit.front.llvm.signatures import Element
from reknit.front.llvm.syntax import Operand, Program, Routine, Statement, Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.edit import add_block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.types import pointer_type, storage_of, width_of
from reknit.ir.value import Value
from reknit.source.meter import spend

_THROUGH: Final = ("bitcast", "addrspacecast", "freeze")


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
        "derivatives",
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


@final
class Lowering:
    """One routine as it is lowered into `function`. `users` are the statements that use a local. `blocks` are those
    that the routine's begin as, `ends` those that they end as: a statement may end one and go on in another."""

    __slots__ = (
        "scene", "target", "routine", "function", "values", "definitions", "users", "blocks", "ends", "late",
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
        self.late: list[tuple[Instr, Statement]] = []  # phis, whose operands come when all is there
        for chunk in routine.chunks:
            for statement in chunk.statements:
                if statement.name:
                    self.definitions[statement.name] = statement
                for operand in statement.operands:
                    if operand.kind == syntax.LOCAL:
                        self.users.setdefault(operand.text, []).append(statement)

    # --- operands -----------------------------------------------------------------------------------------------------

    def result(self, operand: Operand) -> Result:
        """Whatever an operand is. Raises Refusal."""
        if operand.kind == syntax.LOCAL:
            if operand.text not in self.values:
                raise Refusal(f"uses %{operand.text}, which no block before it defines")
            return self.values[operand.text]
        if operand.kind == syntax.GLOBAL:
            return Pointer(self.global_root(operand.text), [], 0)
        if operand.kind == syntax.NUMBER:
            return self.target.constant(operand.type, operand.number)
        if operand.type.kind in (syntax.STRUCT, syntax.ARRAY):
            return self.aggregate(operand)
        if operand.kind == syntax.UNDEF:
            return self.target.undefined(operand.type)
        if operand.kind == syntax.ZERO and operand.type.kind != syntax.PTR:
            return self.target.constant(operand.type, 0)
        if operand.kind == syntax.LIST:
            parts = [self.value(part) for part in operand.parts]
            return self.target.module.intern(op.ConstantComposite, self.target.type(operand.type), [*parts])
        if operand.kind == syntax.EXPRESSION and operand.type.kind == syntax.PTR:
            return self.address(operand)
        raise Refusal("has a constant that is not read here")

    def aggregate(self, operand: Operand) -> Pieces:
        """A constant struct or array."""
        type = operand.type
        count = type.count if type.kind == syntax.ARRAY else len(type.parts)
        items: list[Result] = []
        for index in range(count):
            part = type.parts[0] if type.kind == syntax.ARRAY else type.parts[index]
            if operand.kind == syntax.LIST:
                items.append(self.result(operand.parts[index]))
            elif operand.kind == syntax.ZERO:
                items.append(self.result(Operand(syntax.ZERO, part)))
            else:
                items.append(None)
        return Pieces(items)

    def value(self, operand: Operand) -> Value:
        """An operand that is a scalar or vector."""
        result = self.result(operand)
        if isinstance(result, Value):
            return result
        if isinstance(result, Pointer):
            raise Refusal("takes a pointer for a number")
        raise Refusal(f"takes a value of type {operand.type.name}")

    def pointer(self, operand: Operand) -> Pointer:
        result = self.result(operand)
        if not isinstance(result, Pointer):
            raise Refusal("goes through a pointer that leads to no variable, buffer or shared memory known here")
        return result

    def handle(self, operand: Operand) -> Handle:
        result = self.result(operand)
        if not isinstance(result, Handle):
            raise Refusal("uses a handle that comes from no createHandle known here")
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

    def new_block(self) -> Block:
        block = Block("")
        add_block(self.function, block)
        return block

    # --- addresses ----------------------------------------------------------------------------------------------------

    def global_root(self, name: str) -> Root:
        root = self.scene.globals.get(name)
        if root is None:
            raise Refusal(f"uses @{name}, which is no variable read here, or one that is too large")
        return root

    def address(self, operand: Operand) -> Pointer:
        """A constant pointer expression."""
        if operand.text == "getelementptr" and operand.source is not None:
            return self.stepped(self.pointer(operand.parts[0]), operand.source, operand.parts[1:])
        if operand.text in _THROUGH:
            return self.pointer(operand.parts[0])
        raise Refusal("has a pointer made from a number")

    def stepped(self, pointer: Pointer, type: Type, indices: list[Operand]) -> Pointer:
        """getelementptr: the first index steps over whole objects of the type, the others into it."""
        layout = self.scene.layout
        for place, operand in enumerate(indices):
            if place == 0:
                factor = layout.size(type)
            elif type.kind == syntax.STRUCT:
                member = self.number(operand)
                pointer = advanced(pointer, None, 0, layout.offset(type, member))
                type = type.parts[member]
                continue
            elif type.kind in (syntax.ARRAY, syntax.VECTOR):
                inner = type.parts[0]
                factor = layout.size(inner) if type.kind == syntax.ARRAY else layout.stored(inner)
                type = inner
            else:
                raise Refusal(f"steps into the type {type.name}")
            if operand.kind in (syntax.NUMBER, syntax.ZERO):
                pointer = advanced(pointer, None, 0, operand.number * factor)
            else:
                pointer = advanced(pointer, self.distance(operand), factor)
        return pointer

    def distance(self, operand: Operand) -> Value:
        """An index as a u32: addresses here have 32 bits."""
        value = self.value(operand)
        assert isinstance(value, Instr) and value.type is not None
        width = width_of(value.type)
        if width == 32:
            return value
        code = op.UConvert if width > 32 else op.SConvert
        return self.target.emit(code, self.target.u32, [value])

    def root_of(self, operand: Operand) -> Root | None:
        """The object that a pointer leads into, before anything is lowered; None if several or none."""
        common: Root | None = None
        seen: dict[str, None] = {}
        work = [operand]
        while work:
            spend(1)
            at = work.pop()
            root: Root | None = None
            if at.kind == syntax.GLOBAL:
                root = self.scene.globals.get(at.text)
            elif at.kind == syntax.EXPRESSION:
                work.append(at.parts[0])
                continue
            elif at.kind == syntax.LOCAL:
                if at.text in seen:
                    continue
                seen[at.text] = None
                statement = self.definitions.get(at.text)
                if statement is None:
                    root = self.scene.arguments.get((self.routine.name, at.text))
                elif statement.op == "alloca":
                    root = self.scene.allocas.get(statement)
                elif statement.op == "getelementptr" or statement.op in _THROUGH:
                    work.append(statement.operands[0])
                    continue
                elif statement.op in ("phi", "select"):
                    work.extend(statement.operands[0 if statement.op == "phi" else 1 :])
                    continue
            elif at.kind in (syntax.UNDEF, syntax.ZERO):
                continue
            if root is None or (common is not None and root is not common):
                return None
            common = root
        return common

    def set(self, statement: Statement, result: Result) -> None:
        """The result of a statement; an instruction of ours that has no name yet gets LLVM's."""
        if not statement.name:
            return
        self.values[statement.name] = result
        if isinstance(result, Instr) and result.block is not None and not result.name and not statement.name.isdigit():
            result.name = statement.name
