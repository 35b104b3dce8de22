"""Arguments of the API's functions that are not what their names say: an InputError names function and argument."""

import inspect
import math
from pathlib import Path
from typing import Any

import pytest
from kit.programs.compute import Compute

import reknit
from reknit.arguments import KINDS, shown

VERBS = [name for name in reknit.__all__ if name[0].islower() and name not in ("batch", "edit")]
TAKEN = [(verb, name) for verb in VERBS for name in inspect.signature(getattr(reknit, verb)).parameters]


def module() -> reknit.Module:
    p = Compute(lanes=4)
    p.out(p.index)
    p.b.return_()
    return p.module


def given(verb: str) -> dict[str, Any]:
    """Arguments that are right, for those without a default."""
    right: dict[str, Any] = {"code": "RK1006", "source": b"", "path": "x.spv", "interesting": lambda one: True}
    right |= {"vertices": [], "size": (4, 4)}
    needed = inspect.signature(getattr(reknit, verb)).parameters.values()
    return {each.name: right.get(each.name, module()) for each in needed if each.default is each.empty}


@pytest.mark.parametrize(("verb", "name"), TAKEN)
def test_every_argument_is_judged(verb: str, name: str) -> None:
    for wrong in (object(), {None: None}):
        if name == "certificate":
            with pytest.raises(reknit.InputError, match="a certificate is text"):
                reknit.prove(module(), module(), certificate=wrong)  # type: ignore[arg-type]
            continue
        with pytest.raises(reknit.InputError) as caught:
            getattr(reknit, verb)(**given(verb) | {name: wrong})
        assert [fault.code for fault in caught.value.diagnostics] == ["RK0010"]
        assert f"{verb}({name}={shown(wrong)}): it is " in str(caught.value)
        assert f"{verb}.{name}" in KINDS or name in KINDS


@pytest.mark.parametrize(
    ("verb", "wrong"),
    [
        ("run", {"subgroup_size": "4"}),
        ("run", {"subgroup_size": 4.0}),
        ("run", {"groups": (1,)}),
        ("run", {"groups": (1, 1, "1")}),
        ("run", {"groups": (0, 1, 1)}),
        ("run", {"groups": (10**6, 10**6, 10**6)}),
        ("run", {"max_steps": 0}),
        ("run", {"max_steps": 10**30}),
        ("run", {"policy": "lifo"}),
        ("run", {"trace": "no"}),
        ("run", {"spec": {1: None}}),
        ("run", {"push_constants": "abc"}),
        ("outcomes", {"limit": 0}),
        ("prove", {"after": None}),
        ("prove", {"domains": {"out": range(10**12)}}),
        ("prove", {"domains": {"out": []}}),
        ("prove", {"subgroup_sizes": []}),
        ("compare", {"on": [1]}),
        ("compare", {"ulp": -1}),
        ("reduce", {"seconds": math.nan}),
        ("fuzz", {"count": 0}),
        ("compile", {"passes": ["dce", 3]}),
    ],
)
def test_what_is_of_the_wrong_kind_is_refused(verb: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(reknit.InputError) as caught:
        getattr(reknit, verb)(**given(verb) | wrong)
    assert [fault.code for fault in caught.value.diagnostics] == ["RK0010"]
    assert f"{verb}({next(iter(wrong))}=" in str(caught.value)


def test_a_batch_has_a_recipe_and_paths(tmp_path: Path) -> None:
    (tmp_path / "x.rk").write_text(reknit.text(module()))
    assert len(list(reknit.batch("lint", tmp_path.glob("*.rk"), jobs=1))) == 1  # type: ignore[arg-type]
    for wrong in (
        {"exclude": "*.rk"},
        {"reports": "r.html"},
        {"jobs": "2"},
        {"limits": 3},
        {"subgroup_size": "4"},
        {"include": "x"},
        {"defines": ["A"]},
        {"conformance": [("A", "B")]},
        {"stage": 3},
        {"out": "a\0"},
        {"state": "a\0"},
        {"reports": ["a\0.csv"]},
    ):
        with pytest.raises(reknit.InputError, match=rf"RK0010.*batch\({next(iter(wrong))}="):
            reknit.batch("run", tmp_path, **wrong)
    for recipe, inputs in ((None, "x.rk"), ("check", None), ("check", []), ("check", [3]), ("check", module())):
        with pytest.raises(reknit.InputError, match=r"RK0010.*batch\((recipe|inputs)="):
            reknit.batch(recipe, inputs)  # type: ignore[arg-type]


def test_what_no_worker_can_be_sent(tmp_path: Path) -> None:
    with pytest.raises(reknit.InputError, match="RK0010.*can't be sent to a worker"):
        reknit.batch("run", tmp_path, buffers={"out": object()})


@pytest.mark.parametrize("roots", ["shaders", 3, [3], {"a": 1}])
def test_roots_are_a_list(roots: object) -> None:
    """Of a str each letter would be a folder."""
    with pytest.raises(reknit.InputError, match="RK0010.*roots="):
        reknit.Limits(roots=roots)  # type: ignore[arg-type]


def test_a_domain_is_of_numbers_that_an_element_can_be() -> None:
    """A number that would be cut off makes another domain than the one that a verdict names."""
    text = reknit.text(module()).replace("ExecutionMode", "ExecutionMode", 1)
    one = reknit.load(text.encode(), format="rk")
    for wrong, why in ((1 << 32, "does not fit"), (-(1 << 31) - 1, "does not fit"), (0.5, "no whole number")):
        with pytest.raises(reknit.InputError, match=why) as caught:
            reknit.prove(module(), one, domains={"out": [0, wrong]}, runs=True)  # type: ignore[list-item]
        assert caught.value.diagnostics[0].code == "RK1004"


def test_none_is_what_a_default_says() -> None:
    assert reknit.run(module(), None, subgroup_size=None, policy=None, spec=None).finished
    with pytest.raises(reknit.InputError, match="subgroup_size=None"):
        reknit.outcomes(module(), subgroup_size=None)  # type: ignore[arg-type]


def test_contents_without_an_end_are_refused() -> None:
    with pytest.raises(reknit.InputError, match="more than 67108864 words"):
        reknit.run(module(), buffers={"out": range(10**12)})


def test_a_built_in_variable_of_another_type_is_refused() -> None:
    """Vulkan, "Built-In Variables": "The variable decorated with GlobalInvocationId must be declared as a
    three-component vector of 32-bit integer values"."""
    for decoration, type, wanted in (
        ("LocalInvocationIndex", "vec3<u32>", "a 32-bit integer"),
        ("GlobalInvocationId", "u32", "a vector of 3 32-bit integers"),
        ("SubgroupEqMask", "u32", "a vector of 4 32-bit integers"),
        ("HelperInvocation", "u32", "a boolean"),
    ):
        wrong = f"""Capability Shader
Capability GroupNonUniformBallot
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %given
ExecutionMode @main LocalSize 4 1 1
Decorate %given BuiltIn {decoration}
declare void, fn() -> void, u32, vec3<u32>, ptr<Input, {type}>
%given = Variable Input : ptr<Input, {type}>

func @main() -> void {{
  %value = Load %given : {type}
  return
}}
"""
        with pytest.raises(reknit.InputError, match=f"its BuiltIn is {wanted}"):
            reknit.run(reknit.load(wrong.encode(), format="rk"), subgroup_size=4)
