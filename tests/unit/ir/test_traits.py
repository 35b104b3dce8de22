"""What tools/ops.toml says of opcodes: the generated file has it, the table doesn't contradict itself, and the
grammar agrees. tests/unit/sim/test_traits_of_values.py asks the simulator about the rest.
"""

import re

import gen_grammar
import gen_traits
import pytest

from reknit.ir import op, opcodes, traits


def name(code: int) -> str:
    info = opcodes.info(code)
    assert info is not None
    return info.name


def group(code: int) -> str:
    info = opcodes.info(code)
    assert info is not None
    return info.group


# --- the file ---------------------------------------------------------------------------------------------------------


def test_the_generated_file_is_current() -> None:
    assert gen_traits.TARGET.read_text() == gen_traits.traits_module(), "run python tools/gen_traits.py"


def test_the_enumerants_are_those_that_code_names() -> None:
    generated = gen_grammar.enums_module(gen_traits.opcodes())
    assert (gen_grammar.HERE / "enums.py").read_text() == generated, "run python tools/gen_grammar.py"


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ('IAdd = "commutes commutes"', "commutes is said twice"),
        ('IAdd = "comutes"', "[words] has no comutes"),
        ('IAddd = "commutes"', "the grammar has no such instruction"),
        ('ISub = "commutes=x"\nIAdd = "commutes"', "it has a value for some opcodes only"),
        ('ISub = ""', "no opcode has it"),
    ],
)
def test_a_table_that_contradicts_itself_is_refused(row: str, fault: str) -> None:
    with pytest.raises(ValueError, match=re.escape(fault)):
        gen_traits.table(f'[words]\ncommutes = "..."\n["a family"]\n{row}\n', gen_traits.grammar())


def test_an_opcode_has_one_family() -> None:
    with pytest.raises(ValueError, match=r"it is in \[one\] already"):
        gen_traits.table('[words]\nw = "..."\n[one]\nIAdd = "w"\n[two]\nIAdd = "w"\n', gen_traits.grammar())


# --- words that exclude or include each other -------------------------------------------------------------------------


def test_effects_exclude_each_other() -> None:
    kinds = [traits.COMPUTES, traits.READS, traits.SHARES, traits.STAYS]
    assert sum(len(kind) for kind in kinds) == len(frozenset().union(*kinds))


def test_what_sees_its_tangle_computes_nothing_alone() -> None:
    tangled = frozenset(traits.TANGLED)
    assert not tangled & (traits.COMPUTES | traits.SAME | traits.SPECULATABLE)
    assert tangled >= traits.SHARES and frozenset(traits.GROUP) <= tangled and tangled >= traits.BARRIER


def test_the_scope_of_a_tangled_operation_is_where_the_grammar_has_one() -> None:
    """But for quads, whose scope is that of the operation around them, and for what computes from ballots."""
    by_operand = {code for code, among in traits.TANGLED.items() if among == "scope"}
    others = {code for code, among in traits.TANGLED.items() if among in ("quad", "bits")}
    assert by_operand == (frozenset(traits.TANGLED) & traits.SCOPED) - others


def test_only_what_computes_can_be_speculated_or_changed_over() -> None:
    speculatable = traits.SPECULATABLE | frozenset(traits.SPECULATABLE_IF)
    assert speculatable | traits.COMMUTES | traits.UNDOES_ITSELF <= traits.COMPUTES
    assert not traits.SPECULATABLE & frozenset(traits.SPECULATABLE_IF)


def test_memory_is_read_and_written_through_operands_that_are_pointers() -> None:
    """By the grammar an IdRef called Pointer, Target or Source (3.52.8 "Memory", 3.52.18 "Atomic Instructions")."""
    for code, at in [*traits.LOADS.items(), *traits.STORES.items()]:
        info = opcodes.info(code)
        assert info is not None
        assert info.operands[at].kind == "IdRef" and info.operands[at].name in ("Pointer", "Target", "Source"), (
            info.name
        )
    assert {code for code in opcodes.all_codes() if group(code) == "Atomic"} == traits.ATOMIC
    assert frozenset(traits.LOADS) | frozenset(traits.STORES) >= traits.ATOMIC


def test_terminators_are_the_grammars() -> None:
    """SPIR-V 1.6, 2.2.4 "Termination Instruction"; those that declare merges stand before one."""
    ends = traits.EXITS | traits.BRANCHES
    plain = {code for code in opcodes.all_codes() if group(code) == "Control-Flow"}
    others = {op.Phi, op.Label, op.LifetimeStart, op.LifetimeStop, op.DemoteToHelperInvocation}
    assert plain == (ends & plain) | traits.MERGES | others
    assert {name(code) for code in ends - plain} == {"IgnoreIntersectionKHR", "TerminateRayKHR", "EmitMeshTasksEXT"}


def test_what_the_grammar_files_under_computation_computes() -> None:
    """Classes of 3.52 that have neither effects nor tangles, but for what only one vendor describes and for matrices
    that are spread over lanes."""
    classes = ("Arithmetic", "Bit", "Relational_and_Logical", "Composite", "Conversion", "Dispatch")
    vendors = ("INTEL", "QCOM", "Cooperative")
    expected = {
        code
        for code in opcodes.all_codes()
        if group(code) in classes and not any(part in name(code) for part in vendors)
    }
    assert expected <= traits.COMPUTES
    # A pointer to what each lane has for itself is another number in each lane.
    assert expected - traits.SAME == {op.ConvertPtrToU}


def test_what_the_grammar_files_under_groups_is_tangled() -> None:
    for code in opcodes.all_codes():
        if group(code) in ("Group", "Non-Uniform", "Derivative"):
            assert code in traits.TANGLED, name(code)


def test_ray_tracing_that_packs_invocations_anew_is_tangled() -> None:
    """SPV_KHR_ray_tracing: a shader call executes other invocations, and those that come back may be packed anew."""
    assert {code for code, among in traits.TANGLED.items() if among == "packs"} >= traits.REPACKS
