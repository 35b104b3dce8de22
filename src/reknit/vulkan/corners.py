"""The vertex shader that gives each corner its position and the values of the fragment shader's inputs.

    %uv : vec2, location 0; corners (0, 0) (1, 0) (0, 1)   ->   const vec2 values[3] = ...; out uv = values[VertexIndex]

The values are constants of the shader, bit by bit, so that nothing is read and nothing converted on their way.
Outputs have the types of the inputs that they feed (Vulkan 1.4, "Interface Matching").
"""

from typing import final

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.sim.globals import Globals
from reknit.sim.locations import Part, Words, length, parts_of, scalars
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.spirv.asm import assemble

HEAD = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %index %position{names}
OpDecorate %index BuiltIn VertexIndex
OpDecorate %position BuiltIn Position
{decorations}
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
%f32 = OpTypeFloat 32
%v4f32 = OpTypeVector %f32 4
%index_at = OpTypePointer Input %i32
%index = OpVariable %index_at Input
%position_at = OpTypePointer Output %v4f32
%position = OpVariable %position_at Output
{declarations}
%main = OpFunction %void None %fn
%entry = OpLabel
{locals}
%at = OpLoad %i32 %index
{stores}
OpReturn
OpFunctionEnd
"""


@final
class Writer:
    """What is written of the shader so far. A type is declared once, and so is a constant."""

    __slots__ = ("globals", "corners", "names", "decorations", "declarations", "locals", "stores", "known")

    def __init__(self, globals: Globals, corners: list[Words]) -> None:
        self.globals = globals
        self.corners = corners
        self.names: list[str] = []
        self.decorations: list[str] = []
        self.declarations: list[str] = []
        self.locals: list[str] = []
        self.stores: list[str] = []
        self.known: dict[str, str] = {"OpTypeVector %f32 4": "%v4f32"}

    def declare(self, instruction: str) -> str:
        """The name of a type or constant."""
        name = self.known.get(instruction)
        if name is None:
            name = f"%d{len(self.known)}"
            self.known[instruction] = name
            self.declarations.append(f"{name} = {instruction}")
        return name

    def type(self, type: Instr) -> str:
        """Types nest a few levels. Raises InputError (RK1108)."""
        if type.op == op.TypeFloat and type.word(0) == 32:
            return "%f32"
        if type.op == op.TypeInt and type.word(0) == 32:
            return "%i32" if type.word(1) else "%u32"
        if type.op in (op.TypeVector, op.TypeMatrix):
            kind = "OpTypeVector" if type.op == op.TypeVector else "OpTypeMatrix"
            return self.declare(f"{kind} {self.type(type.instr(0))} {type.word(1)}")
        if type.op == op.TypeArray:
            element = self.type(type.instr(0))
            return self.array(element, length(self.globals, type))
        if type.op == op.TypeStruct:
            return self.declare(
                "OpTypeStruct " + " ".join([self.type(type.instr(at)) for at in range(len(type.operands))])
            )
        raise InputError(
            [
                Diagnostic(
                    "RK1108",
                    f"an input of type %{type.name or type.id} can't be given to a driver",
                    place_of(type, self.globals.module),
                    help="numbers of 32 bits, and vectors, matrices, arrays and structs of them",
                )
            ]
        )

    def array(self, element: str, count: int) -> str:
        return self.declare(f"OpTypeArray {element} {self.declare(f'OpConstant %u32 {count}')}")

    def constant(self, type: Instr, words: list[int]) -> str:
        """The constant that takes its numbers from the front of `words`, which it takes away."""
        if type.op in (op.TypeFloat, op.TypeInt):
            return self.declare(f"OpConstant {self.type(type)} !{words.pop(0)}")
        if type.op == op.TypeStruct:
            types = [type.instr(at) for at in range(len(type.operands))]
        else:
            count = length(self.globals, type) if type.op == op.TypeArray else type.word(1)
            types = [type.instr(0)] * count
        parts = [self.constant(part, words) for part in types]
        return self.declare(f"OpConstantComposite {self.type(type)} {' '.join(parts)}")

    def chosen(self, type: str, constants: list[str], target: str) -> None:
        """Store the corner's constant to `target`."""
        number = len(self.stores)
        array = self.array(type, len(self.corners))
        table = self.declare(f"OpConstantComposite {array} {' '.join(constants)}")
        self.locals.append(
            f"%t{number} = OpVariable {self.declare(f'OpTypePointer Function {array}')} Function {table}"
        )
        place = self.declare(f"OpTypePointer Function {type}")
        self.stores.append(
            f"%p{number} = OpAccessChain {place} %t{number} %at\n"
            f"%v{number} = OpLoad {type} %p{number}\n"
            f"OpStore {target} %v{number}"
        )

    def part(self, part: Part, target: str) -> None:
        places = scalars(self.globals, part.type, part.location, part.component)
        constants: list[str] = []
        for corner in self.corners:
            words = [corner[location, component] for location, component, _ in places]
            constants.append(self.constant(part.type, words))
        self.chosen(self.type(part.type), constants, target)

    def variable(self, parts: list[Part]) -> None:
        """An output for an input, whole or a member at a time."""
        number = len(self.names)
        name = f"%out{number}"
        self.names.append(name)
        block = parts[0].member >= 0
        if block:
            type = f"%block{number}"
            self.decorations.append(f"OpDecorate {type} Block")
            for at, part in enumerate(parts):
                self.decorations.append(f"OpMemberDecorate {type} {at} Location {part.location}")
                self.decorations.append(f"OpMemberDecorate {type} {at} Component {part.component}")
            self.declarations.append(f"{type} = OpTypeStruct {' '.join([self.type(part.type) for part in parts])}")
        else:
            type = self.type(parts[0].type)
            self.decorations.append(f"OpDecorate {name} Location {parts[0].location}")
            self.decorations.append(f"OpDecorate {name} Component {parts[0].component}")
        self.declarations.append(f"{name} = OpVariable {self.declare(f'OpTypePointer Output {type}')} Output")
        for at, part in enumerate(parts):
            target = name
            if block:
                place = self.declare(f"OpTypePointer Output {self.type(part.type)}")
                target = f"%m{number}_{at}"
                self.stores.append(f"{target} = OpAccessChain {place} {name} {self.declare(f'OpConstant %u32 {at}')}")
            self.part(part, target)


def corner_shader(
    globals: Globals, inputs: list[Instr], positions: list[list[int]], corners: list[Words], sizes: list[int]
) -> bytes:
    """The binary of a vertex shader. `positions` are four words for each of the corners, `sizes` those of points, none
    for triangles; `inputs` are the Input variables of the fragment shader, for which the corners have words. Raises
    InputError (RK1108) for a type that a driver can't be given here."""
    writer = Writer(globals, corners)
    constants: list[str] = []
    for position in positions:
        numbers = [writer.declare(f"OpConstant %f32 !{word}") for word in position]
        constants.append(writer.declare(f"OpConstantComposite %v4f32 {' '.join(numbers)}"))
    writer.chosen("%v4f32", constants, "%position")
    if sizes:
        writer.names.append("%size")
        writer.decorations.append("OpDecorate %size BuiltIn PointSize")
        writer.declarations.append("%size_at = OpTypePointer Output %f32\n%size = OpVariable %size_at Output")
        writer.chosen("%f32", [writer.declare(f"OpConstant %f32 !{word}") for word in sizes], "%size")
    for variable in inputs:
        parts = parts_of(globals, variable)
        if parts:
            writer.variable(parts)
    text = HEAD.format(
        names="".join([f" {name}" for name in writer.names]),
        decorations="\n".join(writer.decorations),
        declarations="\n".join(writer.declarations),
        locals="\n".join(writer.locals),
        stores="\n".join(writer.stores),
    )
    return assemble(text, "<corners>", version=(1, 0))
