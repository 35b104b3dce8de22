"""Types, constants and variables at module level that nothing uses go.

    %f32 = TypeFloat 32                       EntryPoint GLCompute @main "main" %out
    %half = Constant 0.5 : f32           =>
    %kept = Variable Private : ...            no function names one of the three

Kept are what functions, entry points, execution modes and debug information name, with all that these are made of (what
describes a global variable keeps its type, and not the variable); what is exported, constants that are a built-in
(WorkgroupSize), and what dynamic dispatch goes by; and what others give a shader: constants that are specialized and
every variable that is not Private or Workgroup. With `interface=drop` these go, too, but for outputs: what a pipeline
has for them is then used by nothing. Inputs stay whose being there asks for a fragment shader to be executed for each
sample. An entry point no longer lists a variable that goes (from SPIR-V 1.4 on it lists all).

Unlike other passes it edits the module: it is run with the first function that has a body, and passes by the others.
Source: SPIR-V 1.6, 2.4 "Logical Layout of a Module", OpEntryPoint; Vulkan, "Specialization Constants", "Interface
Matching", "Sample Shading".
"""

from collections.abc import Iterable
from typing import Final, final

from reknit.ir import enums, op, opcodes, traits
from reknit.ir.debug import DEBUG_INFO_NONE, GLOBAL_ITSELF, is_global_variable
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module, intern_key
from reknit.ir.tree import If, Switch
from reknit.ir.value import Value
from reknit.ir.walk import blocks, constructs, instruction_list
from reknit.passes.contract import CONTROL_FLOW, Context, Option, Pass
from reknit.source.meter import spend

KEEP: Final = "keep"
DROP: Final = "drop"

_OURS: Final = (enums.StorageClassPrivate, enums.StorageClassWorkgroup)
_BOUND: Final = (
    enums.StorageClassUniformConstant,
    enums.StorageClassUniform,
    enums.StorageClassStorageBuffer,
    enums.StorageClassPushConstant,
)
_EACH_SAMPLE: Final = (enums.BuiltInSampleId, enums.BuiltInSamplePosition)


def drop_declarations(function: Function, context: Context) -> bool:
    """Costs the module, once."""
    module = context.module
    if function is not next((other for other in module.functions if not other.is_declaration()), None):
        return False
    used = _Used(module, context.options["interface"] == DROP).used
    gone: dict[Value, None] = {instr: None for instr in module.globals if instr not in used}
    if not gone:
        return False
    _describe_none(module, gone)
    for instr in module.globals:
        key = intern_key(instr.op, instr.type, instr.operands)
        if instr in gone and module.interned.get(key) is instr:
            del module.interned[key]
    module.globals = [instr for instr in module.globals if instr not in gone]
    for value in gone:
        assert isinstance(value, Instr)
        value.drop_operands()
    module.decorations = [mark for mark in module.decorations if not mark.operands or mark.operands[0] not in gone]
    for entry in module.entry_points:
        entry.operands = [each for each in entry.operands if not isinstance(each, Value) or each not in gone]
    return True


@final
class _Used:
    """The instructions at module level that stay, and those of them that are still to be followed."""

    __slots__ = ("used", "work")

    def __init__(self, module: Module, drops_given: bool) -> None:
        self.used: dict[Value, None] = {}
        self.work: list[Instr] = []
        ours = (*_OURS, *_given(module)) if drops_given else _OURS
        for instr in module.globals:
            if not _may_go(instr, ours):
                self.use(instr)
        for section in (module.sources, module.execution_modes, module.closing):
            self.use_all(section)
        for mark in module.decorations:
            for operand in mark.operands if _is_seen(mark, drops_given) else mark.operands[1:]:
                self.use(operand)
        for function in module.functions:
            self.of_function(function)
        while self.work:
            spend(1)
            self.use_all([self.work.pop()])

    def of_function(self, function: Function) -> None:
        self.use(function.type)
        self.use(function.result)
        for parameter in function.params:
            self.use(parameter.type)
            self.use_all(function.heading.get(parameter, []))
        self.use_all(function.leading)
        self.use_all(function.closing)
        self.use_all(instruction_list(function))
        for block in blocks(function):
            self.use_all(block.leading)
        for construct in constructs(function):
            if isinstance(construct, If):
                self.use(construct.condition)
            elif isinstance(construct, Switch):
                self.use(construct.selector)

    def use(self, value: object) -> None:
        if isinstance(value, Instr) and value.block is None and value not in self.used:
            self.used[value] = None
            self.work.append(value)

    def use_all(self, instrs: Iterable[Instr]) -> None:
        for instr in instrs:
            self.use(instr.type)
            itself = instr.operands[GLOBAL_ITSELF] if is_global_variable(instr) else None
            for operand in instr.operands:
                if operand is not itself:
                    self.use(operand)


def _describe_none(module: Module, gone: dict[Value, None]) -> None:
    """What describes variables that go describes none."""
    nones: dict[Value, Instr] = {}
    described: list[Instr] = []
    for instr in module.globals:
        if is_global_variable(instr) and instr.operands[GLOBAL_ITSELF] in gone:
            imported = instr.value(0)
            if imported not in nones:
                nones[imported] = Instr(op.ExtInst, instr.type, [imported, DEBUG_INFO_NONE])
                described.append(nones[imported])
            instr.set_operand(GLOBAL_ITSELF, nones[imported])
        described.append(instr)
    module.globals = described


def _is_seen(mark: Instr, drops_given: bool) -> bool:
    """Whether others see by this decoration that what bears it is there."""
    if mark.op != op.Decorate:
        return False
    decoration = mark.word(1)
    if not drops_given and decoration == enums.DecorationSpecId:
        return True
    if decoration == enums.DecorationBuiltIn:
        return mark.instr(0).op != op.Variable or not drops_given or mark.word(2) in _EACH_SAMPLE
    return decoration == enums.DecorationLinkageAttributes or decoration == enums.DecorationSample


def _given(module: Module) -> tuple[int, ...]:
    """The storage classes of what others give a shader; inputs are not among them where a block's member is Sample."""
    of_members = [mark.word(2) for mark in module.decorations if mark.op == op.MemberDecorate]
    return _BOUND if enums.DecorationSample in of_members else (*_BOUND, enums.StorageClassInput)


def _may_go(instr: Instr, ours: tuple[int, ...]) -> bool:
    """Whether it is a type, a constant, or a variable of a storage class that may go. What dynamic dispatch has stays:
    a witness table counts by being there."""
    if instr.op >= opcodes.FIRST_OWN:
        return False
    if instr.op == op.Variable:
        return instr.operands[0] in ours
    return (instr.has_result and instr.type is None) or instr.op in traits.CONSTANT


DROP_DECLARATIONS: Final = Pass(
    "drop-declarations",
    "remove types, constants and variables that nothing uses",
    drop_declarations,
    keeps=(*CONTROL_FLOW, "call-graph", "tangled"),
    options=(Option("interface", KEEP, "whether what others give it stays that nothing uses", (KEEP, DROP)),),
)
