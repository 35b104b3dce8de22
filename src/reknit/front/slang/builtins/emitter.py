"""Where the language's own functions put their instructions, and what they find there.

    WaveActiveSum(f(x))    lowering: v = value of f(x)
                           emit(emitter, call, [INT], [v])  ->  %s = GroupNonUniformIAdd Subgroup Reduce %v : i32

The lowering's state is an `Emitter` (it adds `ir_type` and `refuse`, and its own `field_types` and
`existential_size`). How things look in the IR, for both sides:

    bool, vector<bool,N>       TypeBool, vectors of it; in buffers u32 (0 or 1), vectors of that
    vector<T,1>                T itself
    enum                       its underlying integer
    matrix<T,R,C>              R rows: float, half, double with R, C > 1: TypeMatrix of R columns that are vectors of C
                               (Slang's rows are SPIR-V's columns); others: TypeArray of R vectors (C = 1: of scalars).
                               `m[i]` is CompositeExtract i of either. `shapes.ir_numeric` makes all types up to here.
    struct, Tuple              TypeStruct without offsets; Optional<T>: {T, bool}; arrays: TypeArray without strides
    in buffers                 types of their own, with offsets and strides: `stored.stored_type(emitter, type, rule)`;
                               matrices are arrays of rows there (column_major: of columns). `stored.load` and
                               `stored.store` convert between the two.

    an `in` operand            the value
    out, inout, ref            a pointer to the type of the parameter. out and inout: any pointer to a value that isn't
                               stored (a Function, Private or Workgroup variable; the caller copies back where the place
                               is something else). ref (what atomics work on): the place itself, in whatever storage.
    Atomic<T>                  T itself; as a receiver a pointer to it
    (RW|Append|Consume|RasterizerOrdered)StructuredBuffer<T>    pointer to struct { stored T runtime array }
    (RW)ByteAddressBuffer      pointer to struct { u32 runtime array }
    (RW)Buffer<T>, (RW)Texture...<T>, SamplerState              the loaded image or sampler
    ConstantBuffer<T>, ParameterBlock<T>                pointer to the Uniform block, struct { stored T }

`resources.declared(emitter, type)` gives the storage class and the type of a resource's variable. `buffer[i]` and
`texture[i]` as places: `structured.element_pointer`, `images.read_element`, `images.write_element`.
"""

from typing import final

from mypy_extensions import mypyc_attr

from reknit.front.slang.builtins.kinds import UNIFORM
from reknit.front.slang.layout import DX, SCALAR, STD140, STD430, Contents, Layouts
from reknit.front.slang.types import DataLayout, ResourceType, Type
from reknit.ir import enums, op
from reknit.ir.build import Builder
from reknit.ir.constants import int_constant
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module, annotation
from reknit.ir.types import bool_type, float_type, int_type, pointer_type, vector_type
from reknit.ir.value import Value


@mypyc_attr(allow_interpreted_subclasses=True)
class Emitter(Contents):
    """`builder` stands where code goes on. `buffer_rule` is how (RW)StructuredBuffers are laid out, `uniform_rule` how
    constant buffers are, `pushed_rule` push constants, `bytes_rule` what byte-address buffers' Load<T> and Store<T>
    take apart. `addresses`: pointers are addresses of the device's memory, which may lie in buffers. `layouts`,
    `stored_types` and `inputs` are filled on demand."""

    def __init__(self, module: Module, builder: Builder) -> None:
        self.module = module
        self.builder = builder
        self.hlsl = False
        self.buffer_rule = STD430
        self.uniform_rule = STD140
        self.pushed_rule = STD430
        self.bytes_rule = SCALAR
        self.addresses = False
        self.layouts: dict[str, Layouts] = {}
        self.stored_types: dict[tuple[str, str], Instr] = {}
        self.inputs: dict[int, Instr] = {}
        self.aliases: dict[tuple[Instr, str], Instr] = {}  # variables for a buffer's memory, by what they hold
        self.counters: dict[Instr, Instr] = {}  # of structured buffers
        self.marked: list[Instr] = []  # copies that NonUniformResourceIndex made
        self.glsl: Instr | None = None
        self.stages: dict[str, None] = {}  # of the entry points
        self.u32 = int_type(module, 32, False)
        self.boolean = bool_type(module)
        self._capabilities: dict[int, None] = {}

    def lay_out(self, buffer_layout: str, hlsl: bool) -> None:
        """Choose the rules by one of `layout_options.BUFFER_LAYOUTS`, before anything is emitted. With Direct3D's, push
        constants lie in rows in slangc's modules and by components in DXC's."""
        self.hlsl = hlsl
        self.buffer_rule, self.uniform_rule, self.pushed_rule, self.bytes_rule = {
            "std": (STD430, STD140, STD430, SCALAR),
            "gl": (STD430, STD140, STD430, STD430),
            "scalar": (SCALAR, SCALAR, SCALAR, SCALAR),
            "dx": (SCALAR, DX, SCALAR if hlsl else DX, SCALAR),
        }[buffer_layout]

    def rule_of(self, type: ResourceType) -> str:
        """How the contents of a buffer lie in memory."""
        if isinstance(type.layout, DataLayout) and type.layout.rule:
            return type.layout.rule
        return self.uniform_rule if type.kind in UNIFORM else self.buffer_rule

    # ---- what the lowering adds

    def ir_type(self, type: Type) -> Instr:
        """Of a value. Has no generic parameters left."""
        raise NotImplementedError

    def uses(self, feature: str) -> None:
        """The function has what not every stage has: "derivatives", "discard"."""
        raise NotImplementedError

    def group_size(self) -> list[int]:
        """Of the entry points' workgroups. Raises Unsupported where they differ, or have none."""
        raise NotImplementedError

    def counter(self, buffer: Instr) -> Instr:
        """The variable that holds a structured buffer's counter, at a binding of its own. Raises Unsupported."""
        raise NotImplementedError

    def refuse(self, at: int, message: str) -> None:
        """Report what can't be emitted; the lowering goes on with an undefined value."""
        raise NotImplementedError

    # ---- the module

    def capability(self, number: int) -> None:
        if number not in self._capabilities:
            self._capabilities[number] = None
            if all(have.word(0) != number for have in self.module.capabilities):
                self.module.capabilities.append(annotation(op.Capability, [number]))

    def extension(self, name: str) -> None:
        if all(have.text(0) != name for have in self.module.extensions):
            self.module.extensions.append(annotation(op.Extension, [name]))

    def decorate(self, target: Instr, decoration: int, *literals: int) -> None:
        self.module.decorations.append(annotation(op.Decorate, [target, decoration, *literals]))

    def decorate_member(self, target: Instr, member: int, decoration: int, *literals: int) -> None:
        self.module.decorations.append(annotation(op.MemberDecorate, [target, member, decoration, *literals]))

    def integer(self, width: int, signed: bool) -> Instr:
        if width != 32:
            self.capability({8: enums.CapabilityInt8, 16: enums.CapabilityInt16, 64: enums.CapabilityInt64}[width])
        return int_type(self.module, width, signed)

    def floating(self, width: int) -> Instr:
        if width != 32:
            self.capability({16: enums.CapabilityFloat16, 64: enums.CapabilityFloat64}[width])
        return float_type(self.module, width)

    def vector(self, element: Instr, count: int) -> Instr:
        """One component: the element itself."""
        return element if count == 1 else vector_type(self.module, element, count)

    def pointer(self, storage: int, pointee: Instr) -> Instr:
        return pointer_type(self.module, storage, pointee)

    def word(self, value: int) -> Instr:
        """A u32 constant."""
        return int_constant(self.module, self.u32, value)

    def input(self, builtin: int, count: int = 1, name: str = "") -> Instr:
        """The value of a built-in input: a u32, or a vector of `count`. The variable is one of `module.globals`."""
        type = self.vector(self.u32, count)
        variable = self.inputs.get(builtin)
        if variable is None:
            pointer = self.pointer(enums.StorageClassInput, type)
            variable = Instr(op.Variable, pointer, [enums.StorageClassInput], name)
            self.module.globals.append(variable)
            self.decorate(variable, enums.DecorationBuiltIn, builtin)
            self.inputs[builtin] = variable
        return self.emit(op.Load, type, [variable])

    def string(self, text: str) -> Instr:
        """An OpString."""
        instr = Instr(op.String, None, [text])
        self.module.sources.append(instr)
        return instr

    # ---- code

    def emit(self, code: int, type: Instr, operands: list[Operand], name: str = "") -> Instr:
        return self.builder.emit(code, type, operands, name)

    def effect(self, code: int, operands: list[Operand]) -> Instr:
        return self.builder.effect(code, operands)

    def extended(self, number: int, type: Instr, operands: list[Value]) -> Instr:
        """An instruction of GLSL.std.450."""
        if self.glsl is None:
            for have in self.module.imports:
                if have.text(0) == "GLSL.std.450":
                    self.glsl = have
        if self.glsl is None:
            self.glsl = Instr(op.ExtInstImport, None, ["GLSL.std.450"])
            self.module.imports.append(self.glsl)
        return self.emit(op.ExtInst, type, [self.glsl, number, *operands])


@final
class Unsupported(Exception):
    """Raised while emitting what has no translation: `emit` turns it into `Emitter.refuse` at the call. `message` is a
    sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
