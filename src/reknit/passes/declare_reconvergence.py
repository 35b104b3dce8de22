"""Declare maximal reconvergence, and make all that an entry point calls obey the rules that come with it.

    OpExtension "SPV_KHR_maximal_reconvergence"          scope @j nojoin { if c nojoin { a; break @j } b }  j: ...
    OpExecutionMode %main MaximallyReconvergesKHR    =>  scope @j { if c nojoin { a; break @j } b }  j: ...

The mode holds for the whole call tree (SPV_KHR_maximal_reconvergence, 3.6), also for a function that an entry point
without it shares. There, edges meet at loop headers, merge blocks, continue targets and labels of an OpSwitch only
(2.11, "Structured Control-flow Constructs"), and what is unreachable counts. So a construct gets a merge where edges
meet behind it and nothing else declares that, and where SPIR-V has one in any case; unreachable blocks go. Without the
mode, a merge instruction forbids nothing that was promised: invocations may meet there, or not.

An entry point is left as it is, with the reason (RK2107), where the mode is not allowed: a module without the
capability Shader, a call tree that repacks invocations (VUID-StandaloneSpirv-MaximallyReconvergesKHR-09565), or an
unstructured function in it whose blocks break those rules. One that has the mode stays, too.
"""

from typing import Final

from reknit.analysis.callgraph import CallGraph
from reknit.ir import enums, op, traits
from reknit.ir.block import Block
from reknit.ir.capabilities import declares
from reknit.ir.cfg import successors
from reknit.ir.crossing import have_two, is_declared
from reknit.ir.function import Function
from reknit.ir.jump import Branch
from reknit.ir.module import Module, annotation
from reknit.ir.selections import has_no_exit, is_selection, landing
from reknit.ir.tree import Construct, If, Loop, Scope
from reknit.ir.walk import constructs, instructions
from reknit.passes.contract import SINGLE_LEVEL, Context, Option, Pass
from reknit.passes.structurize.join_ifs import join_ifs
from reknit.passes.tidy.dead import erase_islands
from reknit.passes.tidy.fold_constructs import inline_scope

EXTENSION: Final = "SPV_KHR_maximal_reconvergence"


def declare_on_entry(function: Function, context: Context) -> bool:
    """Give the mode to `function` if it is an entry point."""
    only = context.options["entry"]
    entries = context.analyses.of_module(CallGraph).entry_points
    name = entry_name(function, context.module)
    if function not in entries or (only and name != only):
        return False
    return declare([function], context)


def entry_name(function: Function, module: Module) -> str:
    """What an entry point is called outside; "" for another function."""
    names = [entry.text(2) for entry in module.entry_points if entry.operands[1] is function]
    return names[0] if names else ""


def declare(entries: list[Function], context: Context) -> bool:
    """Give the mode to those of `entries` that lack it and may have it, and make what they reach obey it, with a note
    for each. Whether one got it."""
    module = context.module
    graph = context.analyses.of_module(CallGraph)
    mode = enums.ExecutionModeMaximallyReconvergesKHR
    having = [instr.operands[0] for instr in module.execution_modes if instr.word(1) == mode]
    changed = False
    for entry in entries:
        if entry in having:
            continue
        reached = graph.reachable(entry)
        reason = _obstacle(module, reached)
        if reason:
            help = "structurize gives an unstructured function a tree" if "unstructured" in reason else ""
            message = f"entry point '{entry_name(entry, module)}' can't declare maximal reconvergence: {reason}"
            context.decline("RK2107", message, help, at=entry)
            continue
        module.execution_modes.append(annotation(op.ExecutionMode, [entry, mode]))
        if not any(extension.text(0) == EXTENSION for extension in module.extensions):
            module.extensions.append(annotation(op.Extension, [EXTENSION]))
        bodies = [function for function in reached if function.structured and not function.is_declaration()]
        merges = sum([_obey(function, context) for function in bodies])
        what = f"{merges} constructs in its call tree got" if merges != 1 else "a construct in its call tree got"
        more = f"; {what} a merge" if merges else ""
        name = entry_name(entry, module)
        context.note("RK2106", f"entry point '{name}' declares maximal reconvergence{more}", at=entry)
        changed = True
    return changed


def _obstacle(module: Module, reached: list[Function]) -> str:
    """Why the entry point that reaches these functions can't have the mode; "" if it can."""
    if not declares(module, enums.CapabilityShader):
        return "the mode needs the capability Shader"
    for function in reached:
        for instr in instructions(function):
            if instr.op in traits.REPACKS:
                return f"{_called(function)} repacks invocations, and then Vulkan forbids the mode"
        if not function.structured:
            where = _undeclared(function)
            if where is not None:
                name = f"%{where.name}" if where.name else "a block"
                return f"{_called(function)} is unstructured, and edges meet at {name} without a merge instruction"
    return ""


def _called(function: Function) -> str:
    return f"@{function.name}" if function.name else "a function that it calls"


def _undeclared(function: Function) -> Block | None:
    """A block of an unstructured function at which edges may not meet; or whose two edges may not lead to one."""
    declared: dict[Block, None] = {}
    sources: dict[Block, dict[Block, None]] = {}
    for block in function.blocks:
        jump = block.jump
        if not isinstance(jump, Branch):
            continue
        named = [part for part in (jump.merge.operands if jump.merge is not None else ()) if isinstance(part, Block)]
        if len(named) == 2:
            named.append(block)
        targets = successors(block)
        if jump.instr.op == op.Switch:
            named += targets
        elif jump.instr.op == op.BranchConditional and len(targets) == 1:
            return targets[0]
        for target in named:
            declared[target] = None
        for target in targets:
            sources.setdefault(target, {})[block] = None
    for block, before in sources.items():
        if len(before) > 1 and block not in declared:
            return block
    return None


# --- in a tree --------------------------------------------------------------------------------------------------------


def _obey(function: Function, context: Context) -> int:
    """Let edges meet only where a merge says so; how many constructs got one. Outer ones first, since what they declare
    may be where the edges of an inner one meet."""
    changed = erase_islands(function, context.module)
    merges = 0
    for construct in list(constructs(function)):
        if construct.merged or isinstance(construct, Loop):
            continue
        if not _needs_merge(construct):
            continue
        construct.merged = True
        merges += 1
        if isinstance(construct, Scope):
            join_ifs([construct])
    if merges:
        function.touch()
        for construct in list(constructs(function)):
            if isinstance(construct, Scope) and construct.region is not None:
                inline_scope(construct)
    if merges or changed:
        context.analyses.changed(function, ())
    return merges


def _needs_merge(construct: Construct) -> bool:
    """Whether edges meet behind an unmerged construct where nothing declares it. A switch, and an if of which no path
    only leaves, is written with a merge instruction in any case: also before a loop header or a label of a switch,
    which may be reached by several tangles that stay apart."""
    if isinstance(construct, If) and has_no_exit(construct):
        return True
    end = landing(construct.after())
    if not is_declared(end):
        return have_two(end)
    return is_selection(construct) and not _is_waited_at(end) and have_two(construct.after())


def _is_waited_at(declared: Block) -> bool:
    """Whether a block at which edges may meet is a merge block or a continue target."""
    owner = declared.region.owner if declared.region is not None else None
    return declared.prev is not None or (isinstance(owner, Loop) and declared.region is owner.continuing)


DECLARE_RECONVERGENCE: Final = Pass(
    "declare-reconvergence",
    "declare maximal reconvergence, with the merges that it asks for",
    declare_on_entry,
    loses=(SINGLE_LEVEL,),
    options=(Option("entry", "", "the name of the one entry point to get it; without it all"),),
)
