"""What becomes of dispatchers once they are plain: inlined by size, uniform inside of a waterfall, selects where short.

Expected facts are those of docs/dispatch.md, C5 and C6, and of the rule at the head of passes/dispatch/inlining.py.
"""

import pytest
from kit.oracles.dispatch_runs import SIZES, WATERFALL, after
from kit.programs.dispatch import END, HEAD, MAIN, PROGRAMS, call

from reknit.analysis.manager import Analyses
from reknit.analysis.uniformity.uniformity import Uniformity
from reknit.ir import op
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.tree import Construct, If, Switch
from reknit.ir.walk import constructs, instructions
from reknit.passes.dispatch.inlining import SMALL
from reknit.sim.run import run


def lowered(text: str, options: str, *then: str) -> Module:
    open = WATERFALL if "waterfall" in options else ""
    return after(text, ", ".join(["specialize-dispatch", f"lower-dispatch{{{options}}}", *then]), open)


def names(module: Module) -> list[str]:
    return [function.name for function in module.functions]


def only(module: Module, name: str) -> Function:
    return next(function for function in module.functions if function.name == name)


def found(function: Function, kind: type[Construct]) -> list[Construct]:
    return [construct for construct in constructs(function) if isinstance(construct, kind)]


def types(count: int, sites: int, extra: int = 0) -> str:
    """`count` types by lane, called `sites` times after each other; foo adds the type's number and takes `extra` more
    instructions for it."""
    text = HEAD
    for n in range(count):
        text += f"%T{n} = TypeStruct u32\n%W{n} = WitnessTable %T{n} {n} %foo, @T{n}_foo : %WT\n"
    for n in range(count):
        text += f"func @T{n}_foo(%this: %T{n}, %v: u32) -> u32 {{\n  %x0 = IAdd %v, {n}u : u32\n"
        text += "".join([f"  %x{k + 1} = BitwiseXor %x{k}, 0u : u32\n" for k in range(extra)])
        text += f"  return %x{extra}\n}}\n"
    text += MAIN + f"  %kind = UMod %lane, {count}u : u32\n  switch %kind {{\n"
    for n in range(count):
        text += f"    {'default' if n == count - 1 else f'case {n}'}: {{\n    %l{n}:\n"
        text += f"      %o{n} = CompositeConstruct %lane : %T{n}\n"
        text += f"      %e{n} = MakeExistential %o{n}, %W{n} : %IFoo\n    }}\n"
    text += f"  }}\n  %e = Phi {', '.join([f'%e{n} %l{n}' for n in range(count)])} : %IFoo\n"
    for site in range(sites):
        text += call("%e", f"%r{site - 1}" if site else "0u", f"r{site}")
    return text + END.replace("%r\n", f"%r{sites - 1}\n")


# --- by size ----------------------------------------------------------------------------------------------------------


def test_a_dispatcher_that_is_called_once_is_inlined_however_large_it_is() -> None:
    """16 types take more than SMALL instructions; their methods are short and called once, and go too."""
    module = lowered(types(16, 1), "")
    assert names(module) == ["main"]
    assert len([case for switch in found(only(module, "main"), Switch) for case in switch.regions()]) == 2 * 16


def test_a_short_dispatcher_is_inlined_at_each_site() -> None:
    """Two types: a comparison, for each an unpacked payload and a call, a phi, a return."""
    module = lowered(types(2, 3), "inline=never")
    size = len(list(instructions(only(module, "dispatch_foo"))))
    assert size <= SMALL
    module = lowered(types(2, 3), "")
    assert names(module) == ["T0_foo", "T1_foo", "main"]
    calls = [instr.operands[0] for instr in instructions(only(module, "main")) if instr.op == op.FunctionCall]
    assert calls == [only(module, "T0_foo"), only(module, "T1_foo")] * 3


def test_a_long_dispatcher_with_several_sites_stays_one_function() -> None:
    module = lowered(types(8, 128), "")
    assert names(module) == ["main", "dispatch_foo"]  # the methods are called there alone, and went into it
    calls = [instr for instr in instructions(only(module, "main")) if instr.op == op.FunctionCall]
    assert len(calls) == 128


def test_a_long_method_stays_where_it_is() -> None:
    module = lowered(types(2, 1, extra=SMALL), "")
    assert names(module) == ["T0_foo", "T1_foo", "main"]


def test_what_says_dont_inline_stays() -> None:
    head = "func @T0_foo(%this: %T0, %v: u32) -> u32 "
    text = types(2, 1).replace(head, f"{head}control DontInline ")
    assert "DontInline" in text
    for options in ("", "inline=always"):
        assert names(lowered(text, options)) == ["T0_foo", "main"]


def test_always_and_never() -> None:
    text = types(8, 3, extra=SMALL)
    assert names(lowered(text, "inline=always")) == ["main"]
    kept = names(lowered(text, "inline=never"))
    assert kept == [*[f"T{n}_foo" for n in range(8)], "main", "dispatch_foo"]


@pytest.mark.parametrize("options", ["", "inline=always", "mode=waterfall", "mode=waterfall,inline=always"])
def test_values_stay(options: str) -> None:
    """Each of three sites adds the type's number."""
    for count in (2, 3, 8):
        module = lowered(types(count, 3), options)
        for size in SIZES:
            result = run(module, subgroup_size=size, buffers={"out": [0] * 64})
            assert result.diagnostics == []
            assert result.buffers["out"].words == [3 * (lane % count) for lane in range(64)]


# --- a waterfall's inner branch ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 5])
@pytest.mark.parametrize("inline", ["never", "auto", "always"])
def test_the_branch_inside_a_waterfall_is_uniform(inline: str, count: int) -> None:
    """The selector is what the first lane holds. In a switch without a waterfall it is each lane's own."""
    for mode, uniform in (("waterfall", True), ("switch", False)):
        module = lowered(types(count, 2), f"mode={mode},inline={inline}")
        answers = Analyses(module).of_module_with(Uniformity, "subgroup")
        seen = []
        for function in module.functions:
            for choice in constructs(function):
                if isinstance(choice, If | Switch) and dispatches(choice):
                    seen.append(answers.of(function).branches_uniformly(choice))
        assert seen and seen == [uniform] * len(seen), mode


def dispatches(choice: If | Switch) -> bool:
    """Whether it chooses what is called: not what is made for a lane, nor whether it is its turn."""
    condition = choice.condition if isinstance(choice, If) else choice.selector
    return condition.name not in ("kind", "same")


# --- selects ----------------------------------------------------------------------------------------------------------


def test_short_methods_become_selects() -> None:
    """Two types, each with one addition: no branch is left but the one that makes the object."""
    module = lowered(types(2, 1), "", "simplify-ifs{limit=8}")
    main = only(module, "main")
    assert names(module) == ["main"]
    assert len(constructs(main)) == 1 and len(found(main, Switch)) == 1
    assert len([instr for instr in instructions(main) if instr.op == op.Select]) == 1
    for size in SIZES:
        assert run(module, subgroup_size=size, buffers={"out": [0] * 64}).buffers["out"].words == [
            lane % 2 for lane in range(64)
        ]


@pytest.mark.parametrize(
    "body",
    [
        "  %m = GroupNonUniformBallot Subgroup true : vec4<u32>\n  %r = CompositeExtract %m 0 : u32\n",
        "  %r = GroupNonUniformIAdd Subgroup Reduce %v : u32\n",
        "  %r = UDiv 100u, %v : u32\n",
        "  %p = AccessChain %out, 0u, %v : ptr<StorageBuffer, u32>\n  %r = Load %p : u32\n",
    ],
    ids=["ballot", "add of the tangle", "undefined for some operands", "memory"],
)
def test_what_is_tangled_or_may_not_run_for_all_stays_in_its_arm(body: str) -> None:
    text = types(2, 1).replace("  %x0 = IAdd %v, 1u : u32\n  return %x0\n", body + "  return %r\n")
    assert body in text
    module = lowered(text, "", "simplify-ifs{limit=100}")
    assert len(found(only(module, "main"), If)) == 1


def test_the_tangle_of_a_method_is_what_it_was() -> None:
    """B's ballot sees B's lanes alone, after all that may be done to the dispatch of it: the values are those of the
    program's table."""
    text, expected = PROGRAMS["ballot"]
    for options in ("", "inline=always", "mode=waterfall,inline=always"):
        module = lowered(text, options, "simplify-ifs{limit=100}", "simplify-cfg", "cse", "dce")
        for size in SIZES:
            result = run(module, subgroup_size=size, buffers={"out": [0] * 64})
            assert result.buffers["out"].words == [expected(lane, size) for lane in range(64)]
