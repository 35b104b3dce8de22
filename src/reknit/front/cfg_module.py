"""A graph made into a shader that says where its lanes came by.

    b:  visit(number of b)                     trace[lane] = count, then the numbers of the blocks it visited
        %d = decide(exit edge of b)            seen[lane]  = the same for the ballot at each visit
        BranchConditional (%d & 1) ...         decisions[lane] = what it decides, word by word

A lane has DECISIONS words. Once they are used up it takes the shortest path to a block that returns, so a run ends
wherever the graph has such a path; in a part of the graph without one a lane goes round for ever, and the run is cut by
its number of steps. VISITS visits are kept, and the last one in the word behind them; `count` goes on. Two modules that
agree on `trace` take every lane along the same path; on `seen`, in the same tangles.
"""

from collections.abc import Sequence
from typing import Final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.constants import int_constant
from reknit.ir.edit import add_block, append, clear_jump, set_jump
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Branch, Exit
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.types import bool_type, int_type

DECISIONS: Final = 64
VISITS: Final = 126
ROW: Final = VISITS + 2  # words of a lane in `trace` and in `seen`

_AROUND: Final = f"""\
Capability Shader
Capability GroupNonUniform
Capability GroupNonUniformBallot
Extension "SPV_KHR_maximal_reconvergence"
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %index %decisions %trace %seen %visits %decided
ExecutionMode @main LocalSize LANES 1 1
ExecutionMode @main MaximallyReconvergesKHR
Decorate %index BuiltIn LocalInvocationIndex
Decorate %plan ArrayStride 4
Decorate %rows ArrayStride 4
MemberDecorate %Plan 0 Offset 0
MemberDecorate %Rows 0 Offset 0
Decorate %Plan Block
Decorate %Rows Block
Decorate %decisions DescriptorSet 0
Decorate %decisions Binding 0
Decorate %trace DescriptorSet 0
Decorate %trace Binding 1
Decorate %seen DescriptorSet 0
Decorate %seen Binding 2
%plan = TypeArray u32 PLANu
%Plan = TypeStruct %plan
%rows = TypeArray u32 ROWSu
%Rows = TypeStruct %rows
%index = Variable Input : ptr<Input, u32>
%decisions = Variable StorageBuffer : ptr<StorageBuffer, %Plan>
%trace = Variable StorageBuffer : ptr<StorageBuffer, %Rows>
%seen = Variable StorageBuffer : ptr<StorageBuffer, %Rows>
%visits = Variable Private : ptr<Private, u32>
%decided = Variable Private : ptr<Private, u32>

func @main() -> void flat {{
  b0:
  return
}}

func @lane() -> u32 {{
  %x = Load %index : u32
  return %x
}}

func @visit(%block: u32) -> void {{
  %lane = FunctionCall @lane : u32
  %row = IMul %lane, {ROW}u : u32
  %before = Load %visits : u32
  %count = IAdd %before, 1u : u32
  Store %visits %count
  %fits = ULessThan %count, {ROW - 1}u : bool
  %place = Select %fits, %count, {ROW - 1}u : u32
  %at = IAdd %row, %place : u32
  %size = AccessChain %trace 0u %row : ptr<StorageBuffer, u32>
  Store %size %count
  %step = AccessChain %trace 0u %at : ptr<StorageBuffer, u32>
  Store %step %block
  %here = GroupNonUniformBallot Subgroup true : vec4<u32>
  %low = CompositeExtract %here 0 : u32
  %company = AccessChain %seen 0u %row : ptr<StorageBuffer, u32>
  Store %company %count
  %others = AccessChain %seen 0u %at : ptr<StorageBuffer, u32>
  Store %others %low
  return
}}

func @decide(%way_out: u32) -> u32 {{
  %lane = FunctionCall @lane : u32
  %row = IMul %lane, {DECISIONS}u : u32
  %k = Load %decided : u32
  %left = ULessThan %k, {DECISIONS}u : bool
  if %left {{
    %next = IAdd %k, 1u : u32
    Store %decided %next
    %at = IAdd %row, %k : u32
    %from = AccessChain %decisions 0u %at : ptr<StorageBuffer, u32>
    %decision = Load %from : u32
    return %decision
  }}
  return %way_out
}}
"""


def module_of_graph(names: Sequence[str], targets: Sequence[Sequence[int]], lanes: int = 32) -> Module:
    """A compute module with a flat `main`: block i is called `names[i]` and goes to `targets[i]`, in whose order a
    condition (first if true) or a switch (first as default) chooses; no targets: return. Block 0 is the entry."""
    text = _AROUND
    for word, number in (("LANES", lanes), ("PLAN", DECISIONS * lanes), ("ROWS", ROW * lanes)):
        text = text.replace(word, str(number))
    module = parse(text, "<graph>")
    main, _, visit, decide = module.functions
    makes = _Maker(module, visit, decide)
    first = main.blocks[0]
    blocks = [Block(name) for name in names]
    if any(0 in row for row in targets):
        clear_jump(first)
        set_jump(first, Branch(Instr(op.Branch, None, [blocks[0]], "", False)))
    else:
        main.blocks = []
    for block in blocks:
        add_block(main, block)
    u32 = makes.u32
    zero = int_constant(module, u32, 0)
    start = main.blocks[0]
    append(start, Instr(op.Store, None, [module_variable(module, "visits"), zero], "", False))
    append(start, Instr(op.Store, None, [module_variable(module, "decided"), zero], "", False))
    toward_exit = exit_targets(targets)
    for index, block in enumerate(blocks):
        makes.fill(block, index, [blocks[target] for target in targets[index]], toward_exit[index])
    return module


def module_variable(module: Module, name: str) -> Instr:
    """The global variable of this name."""
    return next(instr for instr in module.globals if instr.op == op.Variable and instr.name == name)


def exit_targets(targets: Sequence[Sequence[int]]) -> list[int]:
    """By block: which of its targets is on a shortest path to a block without any; 0 where there is no path."""
    sources: list[list[int]] = [[] for _ in targets]
    for block, row in enumerate(targets):
        for target in row:
            sources[target].append(block)
    first = [0] * len(targets)
    work = [block for block, row in enumerate(targets) if not row]
    known: dict[int, None] = dict.fromkeys(work)
    for block in work:  # grows while it is gone through
        for source in sources[block]:
            if source not in known:
                known[source] = None
                first[source] = list(targets[source]).index(block)
                work.append(source)
    return first


class _Maker:
    """Fills blocks."""

    def __init__(self, module: Module, visit: Function, decide: Function) -> None:
        self.module = module
        self.visit = visit
        self.decide = decide
        self.u32 = int_type(module, 32, False)

    def number(self, value: int) -> Instr:
        return int_constant(self.module, self.u32, value)

    def fill(self, block: Block, index: int, targets: list[Block], exit_number: int) -> None:
        append(block, Instr(op.FunctionCall, self.visit.result, [self.visit, self.number(index)]))
        if not targets:
            set_jump(block, Exit(Instr(op.Return, None, [], "", False)))
            return
        if len(targets) == 1:
            set_jump(block, Branch(Instr(op.Branch, None, [targets[0]], "", False)))
            return
        out = self.number(1 - exit_number if len(targets) == 2 else exit_number)
        decision = append(block, Instr(op.FunctionCall, self.u32, [self.decide, out]))
        operands: list[Operand]
        if len(targets) == 2 and targets[0] is not targets[1]:  # those of OpBranchConditional differ
            bit = append(block, Instr(op.BitwiseAnd, self.u32, [decision, self.number(1)]))
            holds = append(block, Instr(op.INotEqual, bool_type(self.module), [bit, self.number(0)]))
            operands = [holds, targets[0], targets[1]]
            set_jump(block, Branch(Instr(op.BranchConditional, None, operands, "", False)))
            return
        chosen = append(block, Instr(op.UMod, self.u32, [decision, self.number(len(targets))]))
        operands = [chosen, targets[0]]
        for literal in range(1, len(targets)):
            operands += [literal, targets[literal]]
        set_jump(block, Branch(Instr(op.Switch, None, operands, "", False)))
