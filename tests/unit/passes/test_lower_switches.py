"""Lowering switches: what the documents in tests/spec don't show, from widths of selectors to what is declined."""


import pytest
from kit import oracles
from kit.programs.switches import digits, main, shader
from kit.proving import assert_proved

from reknit.ir import enums
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.tree import Switch
from reknit.ir.walk import blocks, constructs
from reknit.passes.crossed import crossed_construct
from reknit.passes.manager import Report, run_passes
from reknit.sim.policy import Policy
from reknit.sim.run import run
from reknit.spirv.write import write_module

LOWER = "eliminate-phis, eliminate-continues, lower-switches"
WRITABLE = LOWER + ", eliminate-multi-level-breaks"
FALLING = """
switch %kind as @s {
  case 0: {
    SEE
    fallthrough
  }
  case 1: {
    SEE
  }
  default: {
  }
}
"""


def lower(module: Module, passes: str = LOWER) -> Report:
    """Run passes, which are proved."""
    before = module.copy()
    report = run_passes(module, passes)
    assert_proved(before, module)
    return report


def codes(module: Module, passes: str) -> list[str]:
    return [note.code for note in lower(module, passes).notes()]


# The two extreme labels of each selector type, which are also the inputs that convert to them. INT_MIN is what the pass
# itself gives the selector of who has no road, INT_MAX the stage of who has left.
SELECTORS = [
    ("i8", "SConvert", -128, 127, "Int8"),
    ("u8", "UConvert", 0, 255, "Int8"),
    ("i16", "SConvert", -32768, 32767, "Int16"),
    ("u16", "UConvert", 0, 65535, "Int16"),
    ("i32", "Bitcast", -(1 << 31), (1 << 31) - 1, ""),
    ("u32", "CopyObject", 0, (1 << 32) - 1, ""),
    ("i64", "SConvert", -(1 << 31), (1 << 31) - 1, "Int64"),
    ("u64", "UConvert", 0, (1 << 32) - 1, "Int64"),
]


@pytest.mark.parametrize("exits", ["merge", "sentinel"])
@pytest.mark.parametrize("type, convert, low, high, capability", SELECTORS)
def test_selectors_of_every_width(type: str, convert: str, low: int, high: int, capability: str, exits: str) -> None:
    body = f"""
    %selector = {convert} %kind : {type}
    switch %selector as @s {{
      case {low}: {{
        SEE
        %quits = IEqual %pick, 1u : bool
        if %quits {{
          break @s
        }}
        fallthrough
      }}
      case {high}: {{
        SEE
      }}
      default: {{
        SEE
      }}
    }}
    """
    module = shader(body)
    text = print_module(module)
    if capability:
        text = f"Capability {capability}\n" + text
    module = parse(text)
    lower(module, WRITABLE.replace("lower-switches", f"lower-switches{{exit={exits}}}"))
    # by hand: columns 0 and 1 run the low case (3), column 1 breaks; column 0 runs the high case with column 2 (5);
    # column 3 is alone in the default (8); then all
    for size in (4, 8, 32, 64):
        assert digits(module, [low, low, high, 5], [0, 1, 0, 0], size) == [["35f", "3f", "5f", "8f"]]
    accepted, message = oracles.validate(write_module(module))
    assert accepted, message


def test_labels_beyond_32_bits() -> None:
    """Two labels that differ in their high words only."""
    body = """
    %wide = UConvert %kind : u64
    %high = ShiftLeftLogical %wide, 32u : u64
    switch %high as @s {
      case 4294967296: {
        SEE
        fallthrough
      }
      case 8589934592: {
        SEE
      }
      default: {
      }
    }
    """
    module = parse("Capability Int64\n" + print_module(shader(body)))
    lower(module, WRITABLE)
    # by hand: kind 1 is the first label, kind 2 the second; columns 1 and 3 (a) fall to column 0 (b)
    assert digits(module, [2, 1, 0, 1], [0] * 4) == [["bf", "abf", "f", "abf"]]


def falling(cases: int) -> Module:
    lines = ["switch %kind as @s {"]
    for number in range(cases):
        lines += [f"case {number}: {{", "SEE", "fallthrough", "}"]
    lines += ["default: {", "SEE", "}", "}"]
    return shader("\n".join(lines))


def size_after(cases: int) -> int:
    module = falling(cases)
    run_passes(module, WRITABLE)
    return sum(1 for block in blocks(main(module)) for _ in block)


def test_ten_times_the_falling_cases_are_ten_times_the_code() -> None:
    """A stage adds its guard and its entry, and nothing of the others: no case is copied. How long it takes is the
    benchmarks' to say."""
    assert size_after(1000) < 10.2 * size_after(100)


def test_the_last_of_a_thousand_falling_cases_runs_with_all() -> None:
    module = falling(1000)
    run_passes(module, WRITABLE)
    result = run(
        module,
        subgroup_size=4,
        policy=Policy("value", "never"),
        buffers={"kinds": [993, 994, 995, 996] * 16, "choices": [0] * 64, "out": [0] * 64},
    )
    # by hand: from case 996 on all four run together, five cases before the end of the switch (996 to 999 and the
    # default) and once after it; column 0 ran case 993 alone, 994 with column 1, 995 with column 2 as well
    # (its nine digits, of which a word holds the last eight)
    seen = [f"{word:x}" for word in result.buffers["out"].words[:4]]
    assert seen == ["37ffffff", "37ffffff", "7ffffff", "ffffff"]


def test_a_group_runs_before_and_after_the_same_at_every_policy() -> None:
    module = shader(FALLING)
    assert digits(module, [0, 1, 0, 1], [0] * 4) == [["55f", "af", "55f", "af"], ["5ff", "ff", "5ff", "ff"]]
    lower(module, LOWER)
    assert digits(module, [0, 1, 0, 1], [0] * 4) == [["5ff", "ff", "5ff", "ff"]]


def test_a_tangled_operation_deep_in_a_later_block_is_found() -> None:
    body = FALLING.replace(
        "case 1: {\n    SEE\n", "case 1: {\n    %c = IEqual %pick, 3u : bool\n    if %c {\n} else {\n      SEE\n}\n"
    )
    assert codes(shader(body), LOWER) == ["RK2101", "RK2106"]


def test_the_mode_and_the_merges_that_come_with_it_are_reported() -> None:
    """With the mode, edges meet behind an if only where it has a merge (2.11): invocations meet there from then on."""
    left = FALLING.replace("SEE\n  }", "SEE\n    break @i\n  }")
    notes = run_passes(shader("if true as @i nojoin {" + left + "}\nSEE"), LOWER).notes()
    assert [note.code for note in notes] == ["RK2101", "RK2106"]
    assert notes[1].message == (
        "entry point 'main' declares maximal reconvergence; a construct in its call tree got a merge"
    )


def test_only_entry_points_that_reach_the_switch_get_the_mode() -> None:
    more = """
    func @other() -> void {
      return
    }
    """
    text = print_module(shader(FALLING, more))
    text = text.replace(
        "ExecutionMode @main LocalSize 64 1 1",
        'EntryPoint GLCompute @other "other"\n'
        "ExecutionMode @main LocalSize 64 1 1\nExecutionMode @other LocalSize 1 1 1",
    )
    module = parse(text)
    for _ in range(2):  # the second time nothing is added
        lower(module, WRITABLE)
        wanted = enums.ExecutionModeMaximallyReconvergesKHR
        named = [mode.operands[0] for mode in module.execution_modes if mode.word(1) == wanted]
        assert named == [main(module)]
        assert [extension.text(0) for extension in module.extensions] == ["SPV_KHR_maximal_reconvergence"]
    accepted, message = oracles.validate(write_module(module))
    assert accepted, message


def test_a_switch_in_a_called_function_gives_the_mode_to_its_caller() -> None:
    more = """
    func @deep(%k: u32) -> void {
      switch %k {
        case 0: {
          %a = FunctionCall @see : void
          fallthrough
        }
        case 1: {
          %b = FunctionCall @see : void
        }
        default: {
        }
      }
      return
    }
    """
    module = shader("%x = FunctionCall @deep, %kind : void", more)
    lower(module, WRITABLE)
    assert [mode.operands[0] for mode in module.execution_modes[1:]] == [main(module)]
    assert digits(module, [0, 1, 2, 3], [0] * 4) == [["13f", "3f", "f", "f"]]


def test_a_value_that_fits_nowhere_is_declined() -> None:
    """A whole struct with offsets: a variable can't hold it, and loading it again might give another."""
    body = """
    switch %kind as @s {
      case 0, 2: {
        %from = AccessChain %lights, 0u, %kind : ptr<StorageBuffer, %Light>
        %light = Load %from : %Light
        SEE
      }
      default: {
        END
        return
      }
    }
    %part = CompositeExtract %light 0 : u32
    NOTE %part
    """
    lights = """
    Decorate %Lights Block
    Decorate %row ArrayStride 8
    MemberDecorate %Lights 0 Offset 0
    MemberDecorate %Light 0 Offset 0
    MemberDecorate %Light 1 Offset 4
    Decorate %lights DescriptorSet 0
    Decorate %lights Binding 3
    %Light = TypeStruct u32 u32
    %row = TypeRuntimeArray %Light
    %Lights = TypeStruct %row
    %lights = Variable StorageBuffer : ptr<StorageBuffer, %Lights>
    """
    module = shader(body, globals=lights)
    before = print_module(module)
    assert codes(module, LOWER) == ["RK2104"]
    assert print_module(module) == before


def test_code_after_a_jump_moves_with_its_case() -> None:
    body = """
    switch %kind as @s {
      case 0: {
        SEE
        fallthrough
      }
      case 1: {
        break @s
      dead:
        SEE
        fallthrough
      }
      default: {
        SEE
      }
    }
    """
    # by hand: column 0 runs case 0 alone and falls through to a break; columns 2 and 3 run the default
    for exits in ("merge", "sentinel"):
        module = shader(body)
        passes = WRITABLE.replace("lower-switches", f"lower-switches{{exit={exits}}}")
        lower(module, passes)
        assert digits(module, [0, 1, 5, 6], [0] * 4) == [["1f", "f", "cf", "cf"]]
        text = print_module(module)
        lower(module, passes)
        assert print_module(module) == text


def test_execution_has_one_selector_value_per_case_and_an_empty_default() -> None:
    module = falling(5)
    lower(module, LOWER)
    roads = [construct for construct in constructs(main(module)) if isinstance(construct, Switch)][-1]
    labels = roads.labels()
    assert [labels[case] for case in roads.cases] == [[0], []]
    assert roads.default is roads.cases[-1]
    assert roads.default.region.entry().is_empty()
    assert not any(case.fallthroughs for case in roads.cases)


def test_every_jump_can_be_written_after_the_last_pass() -> None:
    module = shader(FALLING)
    lower(module, WRITABLE)
    assert [block for block in blocks(main(module)) if crossed_construct(block) is not None] == []
