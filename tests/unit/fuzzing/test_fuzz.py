"""Fuzzing: honest passes give no failure, a wrong one gives a small program that fails, and how to see it again."""

from pathlib import Path

import pytest
from kit.planted import planted
from kit.programs.miscompiles import plants

from reknit.cli.fuzz import parser, run
from reknit.fuzzing.differential import Difference, Validator
from reknit.fuzzing.features import ALL, features_of
from reknit.fuzzing.fuzz import Fuzzer, own_rules, pipelines, validator_of
from reknit.fuzzing.generate import generate
from reknit.fuzzing.outcome_sets import Outcomes
from reknit.fuzzing.program import Program, all_statements
from reknit.fuzzing.random_pipelines import shorter
from reknit.fuzzing.statements import Meet, Pick
from reknit.fuzzing.to_module import module_of
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.passes.catalog import catalog
from reknit.passes.contract import Context, Pass
from reknit.passes.manager import run_passes
from reknit.passes.pipeline_text import PassSpec, parse_pipeline, pipeline_text
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module


def with_dropped_merges(program: Program, pipeline: str, validate: Validator | None) -> Module:
    """A pipeline of one wrong pass: an if loses its merge."""
    module = module_of(program)
    before = Outcomes(module, program.subgroup_size)
    run_passes(module, [PassSpec(plants()["drop-merge"].transform)])
    for words in Outcomes(module, program.subgroup_size).policies:
        if not before.allows(words):
            raise Difference("after pass 1, drop-merge", "a result that the input does not allow")
    return module


def test_every_pass_is_in_a_pipeline() -> None:
    tried = pipelines()
    assert [name for name in catalog() if not any(name in pipeline for pipeline in [*tried, "reconverge"])] == []
    assert len(set(tried)) == len(tried)


def test_honest_passes_give_no_failure() -> None:
    fuzzer = Fuzzer(validator_of(False))
    assert [fuzzer.check_seed(seed, "reconverge") for seed in range(4)] == [None] * 4
    assert fuzzer.programs == 4


def test_programs_with_features() -> None:
    """Each of these holds what it is asked for, and honest passes give no failure."""
    fuzzer = Fuzzer(validator_of(False), features=features_of("joins,barriers"))
    assert [fuzzer.check_seed(seed, "reconverge") for seed in range(3)] == [None] * 3
    kinds = {type(statement) for seed in range(3) for statement in all_statements(generate(seed, 0, fuzzer.features))}
    assert Pick in kinds and Meet in kinds
    assert features_of("all") == list(ALL) and features_of("") == []
    with pytest.raises(InputError, match="no feature 'x'"):
        features_of("joins,x")


def test_random_pipelines_of_honest_passes_give_no_failure() -> None:
    fuzzer = Fuzzer(validator_of(False))
    assert [fuzzer.check_seed(seed, None) for seed in range(4)] == [None] * 4


def test_a_random_pipeline_is_shortened_with_its_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """It fails where `cse` comes before `dce`: these two are left, in their order, without an option."""

    def wrong(program: Program, pipeline: str, validate: Validator | None) -> Module:
        names = [spec.transform.name for spec in parse_pipeline(pipeline, catalog())]
        if "cse" in names and "dce" in names[names.index("cse") :]:
            raise Difference(f"after pass {names.index('dce') + 1}, dce", "planted")
        return module_of(program)

    text = "promote-variables, inline{limit=3}, cse, fold, dce, licm"
    monkeypatch.setattr("reknit.fuzzing.fuzz.draw_pipeline", lambda rng: parse_pipeline(text, catalog()))
    found = Fuzzer(None, None, wrong).check_seed(0, None)
    assert found is not None
    assert (found.pipeline, found.shortest) == (text, "cse, dce")
    assert (found.stage, found.program.size()) == ("after pass 2, dce", 0)


def test_options_of_a_random_pipeline_go_back_to_their_defaults() -> None:
    text = "eliminate-phis, eliminate-continues, lower-switches{policy=always, exit=sentinel}"
    specs = parse_pipeline(text, catalog())
    left = shorter(specs, lambda some: any(spec.options.get("exit") == "sentinel" for spec in some))
    assert pipeline_text(left) == "eliminate-phis, eliminate-continues, lower-switches{exit=sentinel}"


def test_our_rules_judge_what_is_written() -> None:
    assert own_rules(write_module(module_of(generate(3)))) == ""


def first_failure(fuzzer: Fuzzer) -> int:
    for seed in range(50):
        if fuzzer.fault(generate(seed), "x") is not None:
            return seed
    raise AssertionError("no program of fifty has an if whose merge matters")


def test_a_wrong_pass_is_found_and_the_program_shrunk() -> None:
    fuzzer = Fuzzer(None, None, with_dropped_merges)
    seed = first_failure(fuzzer)
    found = fuzzer.check_seed(seed, "drop-merge")
    assert found is not None
    assert found.stage == "after pass 1, drop-merge"
    assert found.program.size() < found.original.size()
    assert found.program.size() <= 6  # an if with different ways through, and a place behind it that sees them
    assert fuzzer.fault(found.program, "drop-merge") is not None


def test_a_pass_that_fails_is_a_failure_too() -> None:
    def broken(program: Program, pipeline: str, validate: Validator | None) -> Module:
        raise RecursionError("too deep")

    found = Fuzzer(None, None, broken).check_seed(0, "x")
    assert found is not None and found.stage == "a crash" and "RecursionError" in found.what


def test_a_failure_is_written_with_how_to_see_it_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fuzzer = Fuzzer(None, None, with_dropped_merges)
    seed = first_failure(fuzzer)
    options = parser().parse_args(["--seed", str(seed), "--count", "1", "-o", str(tmp_path / "out"), "--quiet"])
    assert run(options, fuzzer, ["drop-merge"]) == 1
    assert capsys.readouterr().out == f"1 program, 1 failure in {tmp_path / 'out'}\n"
    (folder,) = (tmp_path / "out").iterdir()
    assert folder.name == f"seed-{seed}"
    said = (folder / "failure.txt").read_text()
    assert f"reknit fuzz --seed {seed} --count 1 -p drop-merge" in said
    whole, reduced = (parse((folder / name).read_text()) for name in ("program.rk", "reduced.rk"))
    assert len((folder / "reduced.rk").read_text()) < len((folder / "program.rk").read_text())
    assert whole.functions and reduced.functions


def test_an_interrupt_ends_it_with_a_closing_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[int] = []

    def interrupted(program: Program, pipeline: str, validate: Validator | None) -> Module:
        asked.append(program.seed)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return module_of(program)

    options = parser().parse_args(["--count", "9", "-o", str(tmp_path / "out")])
    assert run(options, Fuzzer(None, None, interrupted), ["x"]) == 130
    assert capsys.readouterr().out == "3 programs, 0 failures; interrupted\n"


@pytest.mark.breaks_rules
def test_a_pass_that_breaks_a_rule_of_control_flow_is_found() -> None:
    """Nothing in the results shows that an extension is gone, and no validator is asked: the rules are (M01)."""

    def drop(function: Function, context: Context) -> bool:
        context.module.extensions.clear()
        return True

    with planted(Pass("drop-extensions", "leave out what execution modes need", drop)):
        found = Fuzzer(None).check_seed(3, "drop-extensions, simplify-cfg")
    assert found is not None
    assert "pass 1, drop-extensions, made a module that breaks the rule RK0641" in found.what
