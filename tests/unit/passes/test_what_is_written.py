"""What passes leave is valid SPIR-V, with and without MaximallyReconvergesKHR, and runs as before.

Each program says which rule the pipeline under it could break. Judges: spirv-val in process and reknit's own rules.
"""

import pytest
from kit.oracles import need, validate
from kit.oracles.graph_runs import by_rules
from kit.proving import assert_refines
from kit.text.pass_texts import body

from reknit.ir import enums, op
from reknit.ir.module import Module, annotation
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.passes.manager import run_passes
from reknit.source.diagnostic import InputError
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

ODD = "%bit = BitwiseAnd %lane, 1u : u32\n%odd = INotEqual %bit, 0u : bool\n"
LOWER = "eliminate-phis, eliminate-multi-level-breaks"
CALL = "loop @l {\n%n = Load %slot : u32\n%c = UGreaterThan %n, 3u : bool\nif %c nojoin {\nbreak @l\n}\n"
CALL += "} continuing {\n%r = FunctionCall @f, %lane : u32\n%k = IAdd %n, %r : u32\nStore %slot, %k\n}\nreturn"

# name: (main, other functions, pipeline)
PROGRAMS = {
    # SPV_KHR_maximal_reconvergence, 2.11: edges meet at a merge block, and b3 is none if the scope's stands at the if
    "a needless break before a block of its own": (
        ODD + "scope @s {\nif %odd nojoin {\nbreak @s\n}\nb3:\nSEE 1\n}\nSEE 2\nreturn",
        "",
        "simplify-cfg",
    ),
    "a needless break at the end of a scope": (
        ODD + "scope @s {\nif %odd nojoin {\nbreak @s\n}\nb3:\n}\nSEE 2\nreturn",
        "",
        "simplify-cfg",
    ),
    # 2.11: of a conditional branch without a merge instruction, one edge leaves a construct
    "a known condition whose if is left from a switch": (
        "if true as @i nojoin {\nswitch %lane {\ncase 2: {\nbreak @i\n}\ndefault: {\n}\n}\nSEE 1\n}\nreturn",
        "",
        f"simplify-cfg, {LOWER}",
    ),
    "a known selector whose switch is left from an if": (
        ODD + "scope {\nswitch 2u as @i nojoin {\ncase 2: {\nif %odd {\nbreak @i\n}\nSEE 1\n}\n"
        "default: {\n}\n}\n}\nreturn",
        "",
        f"simplify-cfg, {LOWER}",
    ),
    # 2.11: a selection is left by structured exits; an if with code in an arm is one, whether it is merged or not
    "a break of an if from an arm with code": (
        ODD + "%c = UGreaterThan %lane, 2u : bool\n"
        "if %odd as @i {\nif %c nojoin {\nSEE 1\nbreak @i\n}\nb3:\nSEE 2\n}\nreturn",
        "",
        LOWER,
    ),
    "the first branch of a scope, left from a loop": (
        f"{ODD}if true {{\nif %odd as @i nojoin {{\nloop @l {{\n%n = Load %slot : u32\n"
        "%c = UGreaterThan %n, 3u : bool\nif %c nojoin {\nbreak @l\n}\nSEE 1\nbreak @i\n}\nSEE 2\n}\n"
        "Store %slot, %bit\n}\nSEE 3\nreturn",
        "",
        f"simplify-cfg, {LOWER}",
    ),
    # 2.11: a header dominates its case constructs, and a case that falls through is listed right before the next one
    "a one-trip region that begins with a jump from a grouping": (
        ODD + "loop @l {\nSEE 1\nscope {\nscope nojoin {\nbreak @l\npad b2:\nSEE 2\n}\nif %odd {\nSEE 3\n}\n}\n"
        "SEE 4\n}\nreturn",
        "",
        LOWER,
    ),
    "cases that fall through and were listed in another order": (
        ODD + "switch %lane as @s targets (0, 1, 2) {\ncase 1, 2, default: {\nif %odd {\nSEE 1\nif %odd nojoin {\n"
        "break @s\n}\nSEE 2\nfallthrough\n}\nb3:\nSEE 3\n}\ncase 0: {\nSEE 4\n}\n}\nreturn",
        "",
        LOWER,
    ),
    "a switch without a merge that is left from an if": (
        ODD + "scope @g nojoin {\nswitch %lane as @s nojoin {\ncase 0, 1: {\nif %odd {\nSEE 1\nbreak @g\n}\nSEE 2\n}\n"
        "case 2: {\nif %odd {\nbreak @s\n}\nSEE 3\n}\ndefault: {\n}\n}\n}\nb9:\nreturn",
        "",
        LOWER,
    ),
    "a scope that begins with a switch without a merge": (
        "scope {\nswitch %lane nojoin {\ncase 0: {\nSEE 1\n}\ndefault: {\nSEE 2\n}\n}\nStore %slot, %lane\n}\nSEE 3\n"
        "return",
        "",
        LOWER,
    ),
    "a default that is not listed between two cases": (
        "switch %lane targets (7, 3) {\ncase 3: {\nSEE 1\nfallthrough\n}\ndefault: {\nSEE 2\nfallthrough\n}\n"
        "case 7: {\nSEE 3\n}\n}\nreturn",
        "",
        LOWER,
    ),
    "a break of an if to where it goes anyway": (
        ODD + "if %odd as @i {\n%c = UGreaterThan %lane, 2u : bool\nif %c {\nSEE 1\nbreak @i\n}\n}\nSEE 2\nreturn",
        "",
        LOWER,
    ),
    # a store for a phi would make a way that only leaves a selection's
    "a phi behind an if that is left from a bare way": (
        ODD + "%c = UGreaterThan %lane, 2u : bool\n"
        "if %odd as @i {\npad b2:\nif %c nojoin {\npad b3:\nbreak @i\n}\npad b4:\nSEE 1\n} else {\npad b5:\n}\n"
        "pad b6:\n%p = Phi 5u b3, 6u b4, 7u b5 : u32\nSEE 2\n%q = Load %slot : u32\n%s = IAdd %q, %p : u32\n"
        "Store %slot, %s\nreturn",
        "",
        "eliminate-phis",
    ),
    "a phi of two bare ways": (
        ODD + "%c = UGreaterThan %lane, 2u : bool\n"
        "if %odd as @i {\npad b2:\nif %c nojoin {\npad b3:\nbreak @i\n} else {\npad b4:\nbreak @i\n}\n"
        "pad b7:\nunreachable\n} else {\npad b5:\n}\n"
        "pad b6:\n%p = Phi 5u b3, 6u b4, 7u b5 : u32\nSEE 2\n%q = Load %slot : u32\n%s = IAdd %q, %p : u32\n"
        "Store %slot, %s\nreturn",
        "",
        "eliminate-phis",
    ),
    "a fallthrough from an arm with code": (
        "switch %lane {\ncase 0: {\n%c = UGreaterThan %lane, 2u : bool\nif %c nojoin {\nSEE 1\nfallthrough\n}\n"
        "b3:\nSEE 2\n}\ncase 1: {\nSEE 3\n}\ndefault: {\n}\n}\nreturn",
        "",
        LOWER,
    ),
    # 2.11: the back edge's block structurally post-dominates the continue target
    "an inlined function that is never left at its end": (
        CALL,
        f"func @f(%lane: u32) -> u32 {{\n{ODD}if %odd {{\nreturn 2u\n}} else {{\nreturn 3u\n}}\nunreachable\n}}",
        "inline",
    ),
    "an inlined function with an unreachable arm": (
        CALL,
        "func @f(%lane: u32) -> u32 {\n%c = UGreaterThan %lane, 900u : bool\nif %c {\nunreachable\n}\nreturn 3u\n}",
        "inline, simplify-cfg",
    ),
    "an inlined void function with an unreachable end": (
        CALL.replace("@f, %lane : u32", "@f, %lane : void").replace("%n, %r", "%n, 2u"),
        f"func @f(%lane: u32) -> void {{\n{ODD}if %odd {{\nreturn\n}} else {{\nreturn\n}}\nunreachable\n}}",
        "inline, simplify-cfg",
    ),
    "an if that nobody leaves in a continuing part": (
        CALL.replace(
            "%r = FunctionCall @f, %lane : u32\n",
            f"{ODD}scope @s {{\nif %odd {{\nbreak @s\n}} else {{\nbreak @s\n}}\nb9:\nSEE 9\nbreak @s\n}}\nb10:\n",
        ).replace("%n, %r", "%n, 1u"),
        "",
        "simplify-cfg",
    ),
}
OPEN = {
    "the first branch of a scope, left from a loop": "OpStore may be executed by other sets of invocations",
    "an inlined function with an unreachable arm": "OpStore is in a loop that differs",
}
"""What the normal form leaves open, so that it is run."""


@pytest.mark.parametrize("maximal", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_valid_and_runs_as_before(name: str, maximal: bool) -> None:
    need("slang-glslang")
    text, functions, pipeline = PROGRAMS[name]
    module = body(text, functions)
    before = module.copy()
    if maximal:
        declare(module)
    run_passes(module, pipeline)
    assert_refines(before, parse(print_module(module)), OPEN.get(name, ""))
    binary = write_module(module)
    assert validate(binary) == (True, "") and by_rules(binary) == (True, "")


def test_edges_that_meet_at_a_loop_header_need_no_merge() -> None:
    """A loop header may have several predecessors under the mode, so no invocations are made to meet before it: what is
    written runs the first iteration apart, as the tree does."""
    need("slang-glslang")
    module = body(
        ODD + "scope {\nif %odd nojoin {\nSEE 1\n} else {\nSEE 2\n}\nloop @l {\nSEE 3\nbreak @l\n}\nSEE 4\n}\nreturn"
    )
    declare(module)
    meant = module.copy()
    binary = write_module(module)
    assert validate(binary) == (True, "") and by_rules(binary) == (True, "")
    assert_refines(meant, read_module(binary))


APART = "if %odd nojoin {\nSEE 1\n}"
"""The invocations with odd numbers go on apart from the others; SPIR-V has a merge instruction at this branch."""


@pytest.mark.parametrize(
    ("behind", "refused"),
    [
        ("SEE 2\nreturn", True),
        ("loop @l {\nSEE 2\nbreak @l\n}\nreturn", True),
        ("Store %slot, %bit\nreturn", False),
        ("%r = FunctionCall @f, %lane : u32\nreturn", True),
    ],
)
def test_invocations_that_would_be_made_to_meet_are_not_written(behind: str, refused: bool) -> None:
    """SPV_KHR_maximal_reconvergence, "Reconvergence": those that reach a merge block and entered its construct together
    are one tangle there. Only what is tangled can tell."""
    see = "func @f(%lane: u32) -> u32 {\n%who = GroupNonUniformBallot 3u, true : vec4<u32>\nreturn %lane\n}"
    module = body(f"{ODD}{APART}\nb9:\n{behind}", see)
    write_module(module)  # without the mode nothing is promised
    declare(module)
    if refused:
        with pytest.raises(InputError, match="execute Op(GroupNonUniformBallot|FunctionCall) together") as fault:
            write_module(module)
        assert fault.value.diagnostics[0].code == "RK0517"
    else:
        write_module(module)


@pytest.mark.parametrize(
    "around",
    [
        f"if %two {{\n{APART}\n}}\nSEE 2",
        f"scope {{\nscope nojoin {{\nif %two nojoin {{\nSEE 3\n}} else {{\n{APART}\n}}\n}}\n}}\nSEE 2",
        f"loop @l {{\n%n = Load %slot : u32\n%c = UGreaterThan %n, 3u : bool\nif %c nojoin {{\nbreak @l\n}}\nSEE 3\n"
        f"{APART}\n}} continuing {{\nSEE 2\n}}",
    ],
)
def test_invocations_that_meet_soon_anyway_are_written(around: str) -> None:
    """Behind a merged construct, and at a continue target, those who entered together meet in any case."""
    need("slang-glslang")
    module = body(f"{ODD}%two = ULessThan %lane, 2u : bool\n{around}\nreturn")
    declare(module)
    meant = module.copy()
    binary = write_module(module)
    assert validate(binary) == (True, "") and by_rules(binary) == (True, "")
    assert_refines(meant, read_module(binary))


def declare(module: Module) -> None:
    mode = enums.ExecutionModeMaximallyReconvergesKHR
    module.execution_modes.append(annotation(op.ExecutionMode, [module.functions[0], mode]))
    module.extensions.append(annotation(op.Extension, ["SPV_KHR_maximal_reconvergence"]))


def test_what_makes_phis_is_not_put_before_what_needs_none() -> None:
    """Returns of several values meet in a phi, which a jump over several constructs can't carry."""
    module = body(ODD + "return")
    with pytest.raises(InputError, match="needs no-phis") as fault:
        run_passes(module, "eliminate-phis, unify-returns, eliminate-multi-level-breaks")
    assert fault.value.diagnostics[0].code == "RK2005"
