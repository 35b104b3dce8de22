"""sink: what its document doesn't show: a deep nest, islands, random programs."""


from kit.programs.values import add_redundant, run_on_random
from kit.text.pass_texts import apply, body, main_text

from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.ir.instr import Instr
from reknit.passes.manager import run_passes
from reknit.passes.values.sink import SINK

KEEP = "Store %slot, %lane\n"  # the shader's own %slot stays where it is
C = "%c = ULessThan %lane, 2u : bool\n"
K = "%k = IMul %lane, 7u : u32\n"
USE = "Store %slot, %k\n"


def test_values_go_all_the_way_into_a_deep_nest() -> None:
    """Values of the outermost block that the innermost one of 800 needs: deeper than Python's own stack."""
    depth = 800
    values = "".join(f"%v{n} = IAdd %lane, {n}u : u32\n" for n in range(depth))
    stores = "".join(f"Store %slot, %v{n}\n" for n in range(depth))
    module = body(KEEP + C + values + "if %c {\n" * depth + stores + "}\n" * depth + "return")
    assert apply(module, SINK)[0]
    inner = [instr.block for instr in module.functions[0].instructions() if instr.name == "v0"]
    assert inner[0] is not None and next(iter(inner[0])).name == "v0"


def test_what_debug_information_describes_and_what_an_island_needs_stays() -> None:
    text = KEEP + C + K + "if %c {\n" + USE + "}\nreturn\nislands\nb9:\nStore %slot, %k\nreturn"
    module = body(text)
    apply(module, SINK)
    assert main_text(module) == main_text(body(text))


def test_it_is_what_a_value_needs_that_counts() -> None:
    module = body(KEEP + K + "%dead = IAdd %k, 1u : u32\n" + C + "if %c {\n}\nreturn")
    assert not apply(module, SINK)[0], "what nobody uses is for dce"
    assert isinstance(next(module.functions[0].instructions()), Instr)


def test_random_programs(full: bool) -> None:
    """With values computed long before they are needed: all outcomes stay, and something moves in most."""
    seeds = range(9600, 10_000 if full else 9612)
    run_on_random(SINK, seeds)
    moved = 0
    for seed in seeds:
        module = module_of(generate(seed))
        run_passes(module, "promote-variables")
        add_redundant(module, seed)
        moved += bool(run_passes(module, "sink").passes[0].changed)
    assert moved > len(seeds) // 2, moved
