"""All rules, in the stages in which they run.

    label and layout ─▶ merge blocks, order, values ─▶ back edges ─▶ dominance ─▶ exits and entries, cases ─▶ selections

A stage relies on what earlier ones checked. B and M rules are those of SPIR-V 1.6 and of SPV_KHR_maximal_reconvergence,
S of SPV_KHR_subgroup_uniform_control_flow, Q of SPV_KHR_quad_control, X what reading blocks needs besides, D what
front-ends may get wrong in what they declare.
"""

from collections.abc import Callable
from typing import Final, final

from reknit.spirv.rules import (
    cases,
    exits,
    interfaces,
    labels,
    layout,
    limits,
    loops,
    memory,
    merges,
    modes,
    operands,
    phis,
    reconvergence,
    selections,
    stages,
    uses,
)
from reknit.spirv.rules.subject import Subject

Check = Callable[[Subject], None]


@final
class Rule:
    """One rule: its id, the code of its diagnostics, what it says, where that is written, and what looks for faults."""

    __slots__ = ("id", "code", "says", "source", "checks")

    def __init__(self, id: str, code: str, says: str, source: str, *checks: Check) -> None:
        self.id = id
        self.code = code
        self.says = says
        self.source = source
        self.checks: tuple[Check, ...] = checks


LAYOUT = "SPIR-V 1.6, 2.4"
STRUCTURED = "SPIR-V 1.6, 2.11"
VALIDATION = "SPIR-V 1.6, 2.16.1"
MAXIMAL = "SPV_KHR_maximal_reconvergence"

STAGES: Final[tuple[tuple[Rule, ...], ...]] = (
    (Rule("X01", "RK0661", "a function is whole blocks", LAYOUT, layout.blocks_are_whole),),
    (
        Rule(
            "B02", "RK0602", "branches name labels of their function", "SPIR-V 1.6, 3.3.17", labels.targets_are_labels
        ),
        Rule("B01", "RK0601", "nothing branches to a function's first block", LAYOUT, labels.first_block_is_no_target),
        Rule(
            "B04",
            "RK0604",
            "a merge instruction stands right before its branch",
            "SPIR-V 1.6, OpSelectionMerge, OpLoopMerge",
            layout.merges_precede_branches,
        ),
        Rule(
            "B09",
            "RK0609",
            "a loop's merge block is not its continue target",
            STRUCTURED,
            loops.merge_is_not_continue_target,
        ),
        Rule("B10", "RK0610", "a loop's merge block is not its header", STRUCTURED, loops.loop_is_not_its_own_merge),
        Rule(
            "B26",
            "RK0626",
            "switch pairs that name one label stand together",
            STRUCTURED,
            cases.same_labels_are_consecutive,
        ),
        Rule(
            "B29",
            "RK0629",
            "from SPIR-V 1.6 on, the two targets of a condition differ",
            "SPIR-V 1.6, OpBranchConditional",
            selections.labels_differ,
        ),
        Rule("B30", "RK0630", "the literals of a switch are unique", "SPIR-V 1.6, OpSwitch", cases.literals_are_unique),
        Rule(
            "B31",
            "RK0631",
            "a condition is a Boolean, a selector an integer",
            "SPIR-V 1.6, OpBranchConditional, OpSwitch",
            operands.conditions_have_their_types,
        ),
        Rule(
            "B34",
            "RK0634",
            "a return fits the function's type",
            "SPIR-V 1.6, OpReturn, OpReturnValue",
            operands.returns_fit_the_function,
        ),
        Rule(
            "B36",
            "RK0636",
            "terminators of one stage stay in it",
            "SPIR-V 1.6, OpKill, OpTerminateInvocation",
            stages.terminators_fit_the_stage,
        ),
        Rule(
            "M01",
            "RK0641",
            "MaximallyReconvergesKHR is declared with all it needs",
            MAXIMAL,
            reconvergence.mode_is_declared,
        ),
        Rule(
            "M03",
            "RK0643",
            "under maximal reconvergence the two targets of a condition differ",
            MAXIMAL,
            reconvergence.labels_differ_under_the_mode,
        ),
        Rule(
            "M05",
            "RK0645",
            "under maximal reconvergence invocations are not repacked",
            "VUID-StandaloneSpirv-MaximallyReconvergesKHR-09565",
            reconvergence.invocations_are_not_repacked,
        ),
        Rule(
            "S01",
            "RK0651",
            "SubgroupUniformControlFlowKHR is declared with all it needs",
            "SPV_KHR_subgroup_uniform_control_flow",
            modes.subgroup_uniform_is_declared,
        ),
        Rule(
            "Q01",
            "RK0652",
            "quad control is declared with all it needs",
            "SPV_KHR_quad_control",
            modes.quad_control_is_declared,
        ),
        Rule("X02", "RK0662", "variables come first in a function", LAYOUT, layout.variables_come_first),
        Rule("X04", "RK0664", "no function calls itself", VALIDATION, stages.calls_do_not_recurse),
        Rule(
            "X05",
            "RK0665",
            "lifetimes are of the function's own variables",
            "SPIR-V 1.6, OpLifetimeStart",
            operands.lifetimes_are_of_local_variables,
        ),
        Rule(
            "X03",
            "RK0663",
            "a loop control does not contradict itself",
            "SPIR-V 1.6, 3.23",
            operands.loop_controls_agree,
        ),
        Rule("D01", "RK0671", "an array has elements", "SPIR-V 1.6, OpTypeArray", memory.arrays_have_elements),
        Rule(
            "D02",
            "RK0672",
            "an entry point has one variable of a built-in, and of a location",
            "VUID-StandaloneSpirv-OpEntryPoint-09658, -09659, -08721, -08722",
            interfaces.interfaces_do_not_repeat,
        ),
        Rule(
            "D03",
            "RK0673",
            "atomics of shaders are of memory that invocations share",
            "SPIR-V 1.6, 2.16.2",
            memory.atomics_are_of_shared_memory,
        ),
        Rule(
            "D04",
            "RK0674",
            "images, samplers and acceleration structures are not stored",
            "VUID-StandaloneSpirv-OpTypeImage-06924",
            memory.opaque_objects_are_not_stored,
        ),
    ),
    (
        Rule(
            "B05",
            "RK0605",
            "a block is the merge block of one header at most",
            STRUCTURED,
            merges.merge_blocks_are_unique,
        ),
        Rule("B03", "RK0603", "a block stands after those that dominate it", VALIDATION, layout.dominators_come_first),
        Rule(
            "B32", "RK0632", "a phi has a value for each predecessor", "SPIR-V 1.6, OpPhi", phis.phis_match_predecessors
        ),
        Rule("B33", "RK0633", "a definition dominates its uses", VALIDATION, uses.definitions_dominate_uses),
        Rule(
            "B35",
            "RK0635",
            "control flow stays within the limits",
            "SPIR-V 1.6, 2.17",
            limits.control_flow_stays_within_limits,
        ),
    ),
    (
        Rule("B07", "RK0607", "a back edge leads to a loop header", STRUCTURED, loops.back_edges_go_to_loop_headers),
        Rule("B08", "RK0608", "one block branches back to a loop header", STRUCTURED, loops.loops_have_one_back_edge),
        Rule(
            "B37",
            "RK0637",
            "a continue target that is not reached branches back too",
            STRUCTURED,
            loops.unreachable_continues_still_loop,
        ),
    ),
    (
        Rule(
            "B18",
            "RK0618",
            "a construct that holds a header holds its merge block",
            STRUCTURED,
            merges.constructs_hold_merge_blocks,
        ),
        Rule("B06", "RK0606", "a header dominates its merge block", STRUCTURED, merges.headers_dominate_merge_blocks),
        Rule(
            "B11",
            "RK0611",
            "a loop header dominates its continue target",
            STRUCTURED,
            loops.headers_dominate_continue_targets,
        ),
        Rule(
            "B12",
            "RK0612",
            "a continue target dominates the block that branches back",
            STRUCTURED,
            loops.continue_targets_dominate_latches,
        ),
        Rule(
            "B13",
            "RK0613",
            "the block that branches back post-dominates the continue target",
            STRUCTURED,
            loops.latches_post_dominate_continue_targets,
        ),
    ),
    (
        Rule("B20", "RK0620", "a switch dominates its cases", STRUCTURED, cases.cases_are_dominated),
        Rule(
            "B14", "RK0614", "a selection is left by structured exits", STRUCTURED, exits.selections_are_left_by_exits
        ),
        Rule(
            "B15",
            "RK0615",
            "a loop is left to its merge block or continue target",
            STRUCTURED,
            exits.loops_are_left_by_exits,
        ),
        Rule(
            "B16",
            "RK0616",
            "a continue construct is left to the loop's header or merge block",
            STRUCTURED,
            exits.continues_are_left_by_exits,
        ),
        Rule(
            "B17",
            "RK0617",
            "a continue target is entered from its loop",
            STRUCTURED,
            exits.continues_are_entered_from_loops,
        ),
        Rule(
            "B19", "RK0619", "a construct is entered at its header", STRUCTURED, exits.constructs_are_entered_at_headers
        ),
        Rule(
            "B21",
            "RK0621",
            "a case is left to another case or out of the switch",
            STRUCTURED,
            exits.cases_are_left_by_exits,
            cases.cases_go_to_cases,
        ),
        Rule("B22", "RK0622", "a case falls through to one other at most", STRUCTURED, cases.cases_fall_into_one),
        Rule(
            "B23",
            "RK0623",
            "a case is reached by fallthrough from one other at most",
            STRUCTURED,
            cases.cases_are_fallen_into_by_one,
        ),
        Rule(
            "B24",
            "RK0624",
            "a case that falls through to another is listed right before it",
            STRUCTURED,
            cases.falling_cases_are_listed_in_order,
        ),
        Rule(
            "B25",
            "RK0625",
            "falling through the default keeps the order of the list",
            STRUCTURED,
            cases.falling_through_default_keeps_order,
        ),
    ),
    (
        Rule("B27", "RK0627", "a switch has a merge instruction", STRUCTURED, selections.switches_have_merges),
        Rule("B28", "RK0628", "a selection has a merge instruction", STRUCTURED, selections.selections_are_structured),
        Rule(
            "M02",
            "RK0642",
            "under maximal reconvergence branches meet only where declared",
            MAXIMAL,
            reconvergence.branches_meet_where_declared,
        ),
        Rule(
            "M04",
            "RK0644",
            "branches that are not reached count as meeting too",
            MAXIMAL,
            reconvergence.unreached_predecessors_count,
        ),
    ),
)


def by_id() -> dict[str, Rule]:
    """The rules by their ids."""
    return {rule.id: rule for stage in STAGES for rule in stage}
