"""Reducing: what is looked for stays, everything else goes, the result verifies, and each run gives the same.

The sizes that are expected are those of the smallest module that can have what the condition asks for, by the
definition of the tree (a construct has its regions, a function its terminator).
"""

import sys
from pathlib import Path

import pytest
from kit.programs.miscompiles import plants, shader

from reknit.files.save import save_bytes
from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.tree import Loop, Switch
from reknit.ir.verify import verify
from reknit.ir.walk import constructs, instructions, nodes_in
from reknit.passes.manager import run_passes
from reknit.passes.pipeline_text import PassSpec
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.reduction.cleanup import size_of
from reknit.reduction.interestingness import Outside
from reknit.reduction.reduce import reduce
from reknit.source.diagnostic import InputError


def ballot_in_switch_in_loop(module: Module) -> bool:
    for function in module.functions:
        for loop in constructs(function):
            if isinstance(loop, Loop):
                switches = [node for node in nodes_in(loop.body) if isinstance(node, Switch)]
                for case in [case for switch in switches for case in switch.cases]:
                    for node in nodes_in(case.region):
                        if isinstance(node, Block) and any(instr.op == op.GroupNonUniformBallot for instr in node):
                            return True
    return False


SEED = 14  # the first whose program has one, among 190 instructions and constructs


def test_one_entry_point_is_left_and_what_it_calls() -> None:
    """A function and its return, of four entry points."""
    entry = """EntryPoint GLCompute @f{n} "f{n}"
ExecutionMode @f{n} LocalSize 1 1 1
func @f{n}() -> void {{
  return
}}
"""
    found = reduce(parse("\n".join([entry.format(n=n) for n in range(4)])), lambda module: True)
    assert found.finished and found.after == 2
    assert len(found.module.entry_points) == len(found.module.functions) == 1


def test_only_what_is_looked_for_is_left() -> None:
    """A function, a loop, a switch, the ballot and how the function ends: 1 + 2 + 2 + 1 + 1."""
    module = module_of(generate(SEED))
    assert ballot_in_switch_in_loop(module) and size_of(module)[0] > 100
    found = reduce(module, ballot_in_switch_in_loop)
    assert found.finished and found.after == size_of(found.module)[0] == 7
    assert verify(found.module) == []
    assert ballot_in_switch_in_loop(found.module)
    kinds = [type(node).__name__ for node in constructs(found.module.functions[0])]
    assert kinds == ["Loop", "Switch"]
    assert [instr.op for instr in instructions(found.module.functions[0])][0] == op.GroupNonUniformBallot


def test_twice_the_same() -> None:
    module = module_of(generate(SEED))
    texts = {print_module(reduce(module, ballot_in_switch_in_loop).module) for _ in range(2)}
    assert len(texts) == 1


def test_the_module_itself_stays() -> None:
    module = module_of(generate(SEED))
    text = print_module(module)
    reduce(module, ballot_in_switch_in_loop)
    assert print_module(module) == text


def test_time_is_kept() -> None:
    module = module_of(generate(SEED))
    found = reduce(module, ballot_in_switch_in_loop, seconds=0.0)
    assert not found.finished
    assert found.before == found.after and print_module(found.module) == print_module(module)


def test_what_does_not_hold_at_first_is_reported() -> None:
    with pytest.raises(InputError) as caught:
        reduce(shader("SEE a"), ballot_in_switch_in_loop)
    assert caught.value.diagnostics[0].code == "RK1312"


def test_a_miscompile_is_reduced_to_what_shows_it() -> None:
    """The continue of `drop-continue` among other things: the loop, the if with the continue, and one ballot stay."""
    entry = plants()["drop-continue"]
    text = print_module(entry.module).replace(
        "  return\n", "  if %odd {\n    Store %i, 3u\n  } else {\n    Store %i, 4u\n  }\n  return\n"
    )
    module = parse(text)
    question = Question(subgroup_sizes=[4], sample=2, max_steps=2000)

    def miscompiled(candidate: Module) -> bool:
        after = parse(print_module(candidate))
        try:
            run_passes(after, [PassSpec(entry.transform)])
            return prove(candidate, after, question).verdict == "refuted"
        except InputError:
            return False  # it has no end then, or nothing to compare

    found = reduce(module, miscompiled)
    assert miscompiled(found.module) and verify(found.module) == []
    assert found.after < found.before / 2
    kinds = [type(node).__name__ for node in constructs(found.module.functions[0])]
    assert kinds.count("Loop") == 1


def test_an_outside_command_is_the_judge(tmp_path: Path) -> None:
    """As reducing on the command line does: the exit code 0 of a program that gets a file."""
    script = tmp_path / "judge.py"
    script.write_text("import sys\nsys.exit(0 if '= GroupNonUniformBallot' in open(sys.argv[1]).read() else 3)\n")
    outside = Outside(f"{sys.executable} {script}", "rk")
    found = reduce(shader("if %odd {\nSEE a\n}\nSEE b"), outside, seconds=60.0)
    assert [instr.op for instr in instructions(found.module.functions[0])] == [op.GroupNonUniformBallot, op.Return]
    assert outside.asked == found.asked


@pytest.mark.parametrize("format", ["spv", "spvasm"])
def test_a_question_that_writes_the_module_ends(format: str) -> None:
    """To write OpSwitch takes a constant of its selector's type, which counts as a part of the module: what is left out
    again each time must not count as progress."""
    module = shader("switch %lane {\ncase 1: {\nSEE a\n}\ndefault: {\n}\n}")

    def has_switch(candidate: Module) -> bool:
        save_bytes(candidate, format)
        return any(isinstance(one, Switch) for function in candidate.functions for one in constructs(function))

    found = reduce(module, has_switch, seconds=20.0)
    assert found.finished and found.after == 4  # the function, the switch, the return


def test_a_command_that_takes_too_long_is_reported_as_that() -> None:
    with pytest.raises(InputError, match=r"the command was ended after 0\.2 s"):
        reduce(shader("SEE a"), Outside(f'{sys.executable} -c "import time; time.sleep(60)" {{}}', "rk", 0.2))


def test_a_command_that_is_not_there_is_reported() -> None:
    with pytest.raises(InputError) as caught:
        Outside("no-such-program-at-all", "rk")(shader("SEE a"))
    assert caught.value.diagnostics[0].code == "RK1311"


def test_many_random_programs_reduce_to_modules_that_verify(full: bool) -> None:
    """Every step verifies by construction; this asks how small it gets when only one opcode is looked for."""
    for seed in range(200 if full else 6):
        module = module_of(generate(seed))

        def has_iadd(candidate: Module) -> bool:
            return any(instr.op == op.IAdd for function in candidate.functions for instr in instructions(function))

        found = reduce(module, has_iadd)
        assert verify(found.module) == []
        assert found.after <= 4, seed  # the function, the addition, its end, and the call that keeps a second function
