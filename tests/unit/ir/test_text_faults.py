"""What is wrong with a text is reported at the token that is wrong: its line, its column, its length.

The token stands in marks, `IAdd «300u8»`: they are taken out before the text is read. A mark without a token is the end
of a line, which ends too early. Each text has these faults and no other. What stands next to each limit is right, and
gives the words that docs/text-form.md says.
"""

import pytest

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.value import Value
from reknit.source.diagnostic import Diagnostic, InputError


def without_marks(text: str) -> tuple[str, list[tuple[int, int, int]]]:
    """The text to be read, and the places that are marked in it: line, column and length."""
    places: list[tuple[int, int, int]] = []
    lines: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        while "«" in line:
            start, end = line.index("«"), line.index("»") - 1
            line = line.replace("«", "", 1).replace("»", "", 1)
            places.append((number, start + 1, max(end - start, 1)))
        lines.append(line)
    return "\n".join(lines), places


def faults(text: str) -> list[Diagnostic]:
    with pytest.raises(InputError) as caught:
        parse(text, "a.rk")
    return caught.value.diagnostics


def check(text: str, codes: str) -> list[Diagnostic]:
    plain, places = without_marks(text)
    found = faults(plain)
    seen = [(one.code, one.place.line, one.place.column, one.place.length) for one in found if one.place is not None]
    assert seen == [(code, *place) for code, place in zip(codes.split(), places, strict=True)]
    return found


AT_MODULE_LEVEL = [
    ("«{»\n}", "RK0301"),
    ("«}»", "RK0301"),
    ("in «nowhere» Capability Shader", "RK0310"),
    ("in«»", "RK0301"),
    ("module «1»", "RK0306"),
    ("module «1.256»", "RK0306"),
    ("module «256.0»", "RK0306"),
    ("module «1.6x»", "RK0306"),
    ("module «0255.255»", "RK0306"),
    ("module version «4294967296»", "RK0306"),
    ("module generator «-1»", "RK0306"),
    ("module schema «x»", "RK0306"),
    ("module bound«»", "RK0301"),
    ("func «f»() {\n}", "RK0301"),
    ("func «@»() {\n}", "RK0301"),
    ("func @f(%a: u32 «%b»: u32) {\nreturn\n}", "RK0301"),
    ("func @f(«a»: u32) {\nreturn\n}", "RK0301"),
    ("func @f(«%»: u32) {\nreturn\n}", "RK0301"),
    ("func @f(%a «u32») {\nreturn\n}", "RK0301"),
    ("func @f() «quick» {\nreturn\n}", "RK0301"),
    ("func @f()«»", "RK0301"),
    ("func @f() control «Fast» {\nreturn\n}", "RK0305"),
    ("func @f() {\nreturn\n}\nfunc «@f»(%a: u32) -> void control Pure {\nreturn\n}", "RK0304"),
    ("func @f(%a: u32, «%a»: u32) {\nreturn\n}", "RK0304"),
    ("func @f(%a: u32) {\n«%a» = IAdd 1u, 2u : u32\nreturn\n}", "RK0304"),
    ("func @f() {\nreturn", "RK0312"),
    ("names «x»", "RK0301"),
    ("names «%»", "RK0301"),
    ("names «%x»", "RK0303"),
    ("names «%x», «%y»", "RK0303 RK0303"),
    ("%t = TypeVoid\nnames %t, «5»", "RK0301"),
    ("ids «x» void", "RK0306"),
    ("ids «0» void", "RK0306"),
    ("ids «5u» void", "RK0306"),
    ("ids «4294967296» void", "RK0306"),
    ("ids 5 void «%nothing»", "RK0303"),
    ("declare «nonsense»", "RK0303"),
    ("declare u32, «%nothing», i32", "RK0303"),
    ("declare u32,«»", "RK0301"),
    ("«TypeVoid»", "RK0305"),
    ('«ExtInstImport» "GLSL.std.450"', "RK0305"),
    ("%x = «Capability» Shader", "RK0305"),
    ("%x = «Nonsense»", "RK0302"),
    ("%x = «Op1234567» 5", "RK0302"),
    ("%x = «OpTypeVoid»", "RK0302"),
    ("%v = TypeVoid\n«%v» = TypeBool", "RK0304"),
    ("%s = String «5»", "RK0305"),
    ("Capability «Shade»", "RK0305"),
    ("Decorate «%x» Flat", "RK0303"),
    ("func @f(%x: u32) {\nreturn\n}\nfunc @g(%x: u32) {\nreturn\n}\nDecorate «%x» Restrict", "RK0303"),
    ("leading «Nonsense»", "RK0302"),
    ("closing «Nonsense»", "RK0302"),
]


@pytest.mark.parametrize(("text", "codes"), AT_MODULE_LEVEL)
def test_at_module_level(text: str, codes: str) -> None:
    if codes == "RK0312":  # the brace that is never closed is in line 1
        assert [(one.code, one.place and one.place.line) for one in faults(text)] == [(codes, 1)]
    else:
        check(text + "\n", codes)


PARTS = [
    ("vec4«»", "RK0301"),
    ("«u0»", "RK0311"),
    ("«i1025»", "RK0311"),
    ("«f0»", "RK0311"),
    ("ptr<«Nowhere», u32>", "RK0305"),
    ("ptr<Function«>»", "RK0301"),
    ("array<u32, 4«»", "RK0301"),
    ("array<u32, «%n»>", "RK0303"),
    ("fn(u32 «u32») -> void", "RK0301"),
    ("fn(u32) «void»", "RK0301"),
    ("fn «u32»", "RK0301"),
    ("vec2<«%x»>", "RK0303"),
    ("vec2<«7»>", "RK0311"),
    ("f32(«0x100000000»)", "RK0306"),
    ("f16(«0x10000»)", "RK0306"),
    ("f32(«5u»)", "RK0306"),
    ("f32(«x»)", "RK0306"),
    ("f32(«-1»)", "RK0306"),
    ("f32(1«»", "RK0301"),
    ("u32«(»5)", "RK0306"),
    ("null<u32«»", "RK0301"),
    ("undef«»", "RK0301"),
    ("«256u8»", "RK0306"),
    ("«-1u8»", "RK0306"),
    ("«128i8»", "RK0306"),
    ("«-129i8»", "RK0306"),
    ("«2147483648»", "RK0306"),
    ("«4294967296u»", "RK0306"),
    ("«1u0»", "RK0306"),
    ("«1u1025»", "RK0306"),
    ("«1.5»", "RK0306"),
    ("«0x»", "RK0306"),
    ("«1e39f»", "RK0306"),
    ("«65520h»", "RK0306"),  # half way from the largest f16, 65504, to 2^16
    ("«1e309d»", "RK0306"),
    ("«->»", "RK0305"),
    ('«"text"»', "RK0305"),
    ("«else»", "RK0305"),
]


@pytest.mark.parametrize(("part", "codes"), PARTS)
def test_types_and_constants(part: str, codes: str) -> None:
    check(f"declare {part}\n", codes)
    if part != "undef«»" and not part.startswith("array<u32, 4"):
        check(f"declare void, {part}\n", codes)


def test_a_name_that_is_not_a_type() -> None:
    check("%x = Undef : u32\ndeclare vec2<«%x»>\n", "RK0311")
    check("%S = TypeStruct u32\n%x = Undef : «%y»\n", "RK0303")
    check("%y = «Nonsense»\n%x = Undef : %y\ndeclare %y, vec2<%y>\nids 5 %y %x\n", "RK0302")


def declared(part: str) -> Instr:
    return parse(f"declare {part}\n").globals[-1]


@pytest.mark.parametrize(
    ("part", "width", "signed", "words"),
    [
        ("255u8", 8, 0, [255]),
        ("127i8", 8, 1, [127]),
        ("-128i8", 8, 1, [0xFFFFFF80]),  # sign-extended to the word: SPIR-V 1.6, 2.2.1 "Literal"
        ("2147483647", 32, 1, [0x7FFFFFFF]),
        ("-2147483648", 32, 1, [0x80000000]),
        ("4294967295u", 32, 0, [0xFFFFFFFF]),
        ("+5", 32, 1, [5]),
        ("0x1fu16", 16, 0, [31]),
        ("-1i64", 64, 1, [0xFFFFFFFF, 0xFFFFFFFF]),
        ("18446744073709551615u64", 64, 0, [0xFFFFFFFF, 0xFFFFFFFF]),
        ("1u1", 1, 0, [1]),
        ("1u1024", 1024, 0, [1] + [0] * 31),
    ],
)
def test_integers_at_their_limits(part: str, width: int, signed: int, words: list[int]) -> None:
    constant = declared(part)
    assert constant.type is not None and constant.type.op == op.TypeInt
    assert (constant.type.operands, constant.operands) == ([width, signed], words)


# IEEE 754: f16 has 5 bits of exponent and 10 of fraction, f32 8 and 23, f64 11 and 52
@pytest.mark.parametrize(
    ("part", "width", "words"),
    [
        ("65519h", 16, [0x7BFF]),  # rounds to 65504, the largest
        ("f16(0xffff)", 16, [0xFFFF]),
        ("f32(0xffffffff)", 32, [0xFFFFFFFF]),
        ("-2.5f", 32, [0xC0200000]),
        ("1e-1f", 32, [0x3DCCCCCD]),
        ("1.0d", 64, [0, 0x3FF00000]),
        ("f64(0x7ff0000000000000)", 64, [0, 0x7FF00000]),
        ("f8(0xff)", 8, [0xFF]),
    ],
)
def test_floats_at_their_limits(part: str, width: int, words: list[int]) -> None:
    constant = declared(part)
    assert constant.type is not None and constant.type.op == op.TypeFloat
    assert (constant.type.operands, constant.operands) == ([width], words)


CONSTANTS = [
    ("Constant «1.5» : u32", "RK0306"),
    ("Constant «256» : u8", "RK0306"),
    ("Constant «-1» : u8", "RK0306"),
    ("Constant «128» : i8", "RK0306"),
    ("Constant «-129» : i8", "RK0306"),
    ("Constant «5u64» : u32", "RK0306"),
    ("Constant «1» 2 : u32", "RK0306"),
    ("Constant !1 «2» : u64", "RK0306"),
    ("Constant «1» : bool", "RK0306"),
    ("Constant «1.5d» : f32", "RK0306"),
    ("Constant «x» : f32", "RK0306"),
    ("Constant «1.5» : f8", "RK0306"),
    ("Constant 5«»", "RK0305"),
    ("SpecConstant «1.5» : u32", "RK0306"),
]


@pytest.mark.parametrize(("text", "codes"), CONSTANTS)
def test_numbers_of_constants(text: str, codes: str) -> None:
    check(f"%c = {text}\n", codes)


def test_a_number_without_bits() -> None:
    check("%t = TypeInt 0 0\n%c = Constant «1» : %t\n", "RK0306")
    check("%t = TypeInt 1025 0\n%c = Constant «1» : %t\n", "RK0306")
    assert parse("%t = TypeInt 1024 0\n%c = Constant 1 : %t\n").globals[-1].operands == [1] + [0] * 31


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Constant 255 : u8", [255]),
        ("Constant -128 : i8", [0xFFFFFF80]),
        ("Constant 127i8 : i8", [127]),
        ("Constant 1.5 : f32", [0x3FC00000]),
        ("Constant 1.5f : f32", [0x3FC00000]),
        ("Constant 0x7fc00000 : f32", [0x7FC00000]),
        ("Constant 3 : f32", [0x40400000]),
        ("Constant !1 !2 : u64", [1, 2]),
        ("SpecConstant 5 : u64", [5, 0]),
        ("SpecConstant !7 : u32", [7]),
    ],
)
def test_words_of_constants(text: str, words: list[int]) -> None:
    assert parse(f"%c = {text}\n").globals[-1].operands == words


IN_A_TREE = [
    ("%x = IAdd %a «:» u32", "RK0305"),
    ("if %c { «%a» = IAdd 1u, 2u : u32 }", "RK0304"),
    ("if %c { «%c»: kill }", "RK0304"),
    ("if %c { %x = «Nonsense» }", "RK0302"),
    ("if %c { break «@s» }", "RK0307"),
    ("if %c { %x = IAdd %a, «%nothing» : u32 }", "RK0303"),
    ("if %c { loop @l { if «%no» { break @l } } }", "RK0303"),
    ("%x = IAdd %a, %a, «%a» : u32", "RK0305"),
    ("%x = IAdd %a, %a«»", "RK0305"),
    ("%x = IAdd %a, %a,«»", "RK0301"),
    ("%x = IAdd %a, «:» u32", "RK0301"),
    ("%x = IAdd %a, «256u8» : u8", "RK0306"),
    ("%x = IAdd %a, «%nothing» : u32", "RK0303"),
    ("%x = IAdd «%nothing», «%else» : u32", "RK0303 RK0303"),
    ("%x = «Store» %p, %a", "RK0305"),
    ("«IAdd» %a, %a : u32", "RK0305"),
    ("Store %p, %a «%a»", "RK0305"),
    ("Store %p, %a Aligned«»", "RK0305"),
    ("Store %p, %a Aligned «%a»", "RK0306"),
    ("Store %p, %a Aligned «4294967296»", "RK0306"),
    ("%x = GroupNonUniformBallot «Everyone», %c : vec4<u32>", "RK0305"),
    ("pad «5»:", "RK0301"),
    ("b1:\n«b1»:", "RK0304"),
    ("b1: at 3\n«b1»: at 4", "RK0304"),
    ("b1: at «-2»", "RK0306"),
    ("b1: at «2147483648»", "RK0306"),
    ("b1: at «x»", "RK0306"),
    ("b1: member «5»", "RK0301"),
    ("b1: member «%h»", "RK0303"),
    ("b1: member b1, «b2» by token, «%h»", "RK0303 RK0303"),
    ("kill\n«kill»\nb9:", "RK0309"),
    ("«Branch» «b1»", "RK0310 RK0303"),
    ("«SelectionMerge» «b1» None", "RK0310 RK0303"),
    ("break«»", "RK0307"),
    ("break «5»", "RK0307"),
    ("break «@s»", "RK0307"),
    ("continue «@s»", "RK0307"),
    ("scope @s {\ncontinue «@s»\n}", "RK0307"),
    ("scope @s {\n}\nbreak «@s»", "RK0307"),
    ("«fallthrough»", "RK0308"),
    ("scope @s {\nfallthrough «@s»\n}", "RK0308"),
    ("scope «@» {\n}", "RK0301"),
    ("if %c as «x» {\n}", "RK0301"),
    ("if %c as «@» {\n}", "RK0301"),
    ("scope @x {\nscope «@x» {\n}\n}", "RK0304"),
    ("loop «weights» (1, 2) {\n}", "RK0301"),
    ("if %c «targets» (1) {\n}", "RK0301"),
    ("if %c weights «3» {\n}", "RK0301"),
    ("if %c weights (3 «4») {\n}", "RK0301"),
    ("if %c weights («x») {\n}", "RK0306"),
    ("if %c weights («4294967296», 1) {\n}", "RK0306"),
    ("if %c weights («-1», 1) {\n}", "RK0306"),
    ("if %c control «Unroll» {\n}", "RK0305"),
    ("loop control «Flatten» {\n}", "RK0305"),
    ("if %c {\n} «otherwise» {\n}", "RK0302"),
    ("if %c«»", "RK0301"),
    ("loop {\n} continuing«»", "RK0301"),
    ("switch %a {\n«loop» {\n}\ndefault: {\n}\n}", "RK0310"),
    ("switch %a {\ncase 1 «2»: {\n}\ndefault: {\n}\n}", "RK0301"),
    ("switch %a {\ncase «x»: {\n}\ndefault: {\n}\n}", "RK0306"),
    ("switch %a {\ndefault: {\n}\n«default»: {\n}\n}", "RK0313"),
    ("switch %a {\ncase 1, default: {\n}\ncase 3, «default»: {\n}\n}", "RK0313"),
    ("switch %a {\ndefault as «x»: {\n}\n}", "RK0301"),
    ("switch %a {\ndefault as «@»: {\n}\n}", "RK0301"),
    ("switch %a {\ncase 1 «{»\n}\ndefault: {\n}\n}", "RK0301"),
    ("switch %a {\ncase 1: «5»\ndefault: {\n}\n}", "RK0301"),
    ("switch %a {\ndefault: {\nfallthrough\n}\n«}»", "RK0308"),
    ("switch %a {\ncase «4294967296», «-2147483649»: {\n}\ndefault: {\n}\n}", "RK0306 RK0306"),
    ("%k = UConvert %a : u8\nswitch %k {\ncase «256», 1, «-129»: {\n}\ndefault: {\n}\n}", "RK0306 RK0306"),
    ("if «%nothing» {\n}", "RK0303"),
    ("switch «%nothing» {\ndefault: {\n}\n}", "RK0303"),
    ("return «%nothing»\nb9:", "RK0303"),
    ("«else» {\n}", "RK0310"),
    ("«in» globals", "RK0310"),
    ("«case» 1: {\n}", "RK0310"),
    ("«islands» 5", "RK0302"),
]


@pytest.mark.parametrize(("text", "codes"), IN_A_TREE)
def test_in_a_control_flow_tree(text: str, codes: str) -> None:
    if text.startswith("«islands»"):
        check("func @f() {\nif true {\n  «islands»\n}\nreturn\n}\n", "RK0310")
        return
    check(f"func @f(%a: u32, %c: bool, %p: ptr<Function, u32>) {{\n  {text}\n  return\n}}\n", codes)


IN_A_LIST_OF_BLOCKS = [
    ("b1:\n«b2»:\nreturn", "RK0310"),
    ("b1:\nBranch b2\nb2:\n%x = IAdd %a, %a : u32\n«}»\nfunc @g() {\nreturn", "RK0310"),
    ("b1:\nreturn\n«return»", "RK0309"),
    ("b1:\n«loop» {\n}\nreturn", "RK0310"),
    ("b1:\nSelectionMerge b2 None\n«%x» = IAdd %a, %a : u32\nBranch b2\nb2:\nreturn", "RK0310"),
    ("b1:\nBranch «b3»", "RK0303"),
]


@pytest.mark.parametrize(("text", "codes"), IN_A_LIST_OF_BLOCKS)
def test_in_a_list_of_blocks(text: str, codes: str) -> None:
    check(f"func @f(%a: u32) flat {{\n{text}\n}}\n", codes)


def test_the_first_block_of_a_list_needs_no_label() -> None:
    text = "func @f(%a: u32) flat ordered {\n%x = IAdd %a, 1u : u32\n%y = IAdd %x, 1u : u32\nreturn\n}\n"
    function = parse(text).functions[0]
    (block,) = function.blocks
    assert ([instr.name for instr in block], block.order, block.padding) == (["x", "y"], 0, False)
    check("func @f() flat {\nreturn\n«kill»\n}\n", "RK0309")


def test_a_literal_of_two_words_is_given_as_words() -> None:
    fault = faults("func @f(%a: u64) flat {\nb1:\nSwitch %a b1 5u64 b1\n}\n")[0]
    assert (fault.code, str(fault.place)) == ("RK0306", "a.rk:3:14")
    switch = parse("func @f(%a: u64) flat {\nb1:\nSwitch %a b1 5 !1 b1\n}\n").functions[0].blocks[0].jump
    assert isinstance(switch, Branch) and switch.instr.operands[2:4] == [5, 1]


def test_a_second_definition_shows_the_first() -> None:
    text = "func @f(%a: u32) {\n  %x = IAdd %a, 1u : u32\n  «%x» = IAdd %a, 2u : u32\n  return\n}\n"
    (fault,) = check(text, "RK0304")
    assert [(str(note.place), note.message) for note in fault.notes] == [("a.rk:2:3", "it is first defined here")]


def test_help() -> None:
    for text, help in (
        ("%x = OpTypeVoid", "write `TypeVoid`"),
        ("%x = TypeVod", "did you mean `TypeVoid`?"),
        ("Capability Shade", "did you mean `Shader`?"),
        ("Capability Qqqqqqqqqqq", ""),
        ("declare 1.5", "a float ends in h, f or d: 1.5f"),
        ("declare 0x", ""),
        ("func @f() -> arry<u32> {\nreturn\n}", "did you mean `array`?"),
        ('%g = ExtInstImport "GLSL.std.450"\n%x = ExtInst %g Sqr 1.0f : f32', "did you mean `Sqrt`?"),
    ):
        assert faults(text + "\n")[-1].help == help, text


def test_what_a_broken_statement_encloses_is_passed_over() -> None:
    """Its braces count, whatever it is; after them reading goes on as if it was not there."""
    check(
        """func @f(%c: bool) {
  «strange» %c {
    if %c { } else { }
    also strange
  } else {
    break @nowhere
  }
  loop {
    «worse» } continuing {
    %x = IAdd 1u, 2u : u32
  }
  «bad»
  return
}
func @g() {
  «last»
  return
}
""",
        "RK0302 RK0302 RK0302 RK0302",
    )


def test_no_more_than_fifty_faults_are_reported() -> None:
    text = "strange\n" * 49
    assert len(faults(text)) == 49
    assert len(faults(text + "%x = Undef : %y\nDecorate %z Flat\n" * 5)) == 50
    assert len(faults("strange\n" * 60 + "func @f() {\n")) == 50


# --- what is right ----------------------------------------------------------------------------------------------------


def header(text: str) -> list[int]:
    module = parse(text + "\n")
    return [module.version, module.generator, module.schema, module.bound]


def test_the_header() -> None:
    assert header("module 1.6") == [0x00010600, 0, 0, 1]
    assert header("module version 0x10200 generator 4294967295 schema 7 bound 99") == [0x10200, 0xFFFFFFFF, 7, 99]
    assert header("module 1.0 generator 0x80001") == [0x00010000, 0x80001, 0, 1]
    assert header("module 1.5\nids 41 u32") == [0x00010500, 0, 0, 42]


def test_the_head_of_a_function() -> None:
    module = parse(
        "declare u64\nfunc @f(%a: u32, %b: f32) -> u64 control Inline|Pure type fn(u32) -> void flat ordered {\n"
        "b1:\nreturn 1u64\n}\nfunc @g(%a: u32) external\nids 9 %a @g\n"
    )
    first, second = module.functions
    assert [param.name for param in first.params] == ["a", "b"]
    assert (first.structured, first.control, first.blocks[0].order) == (False, 5, 0)  # Inline is 1, Pure is 4
    assert first.result.operands == [64, 0]
    assert [operand.op for operand in first.type.operands if isinstance(operand, Instr)] == [op.TypeVoid, op.TypeInt]
    assert second.is_declaration() and second.result.op == op.TypeVoid
    assert (second.params[0].id, second.id, first.params[0].id) == (9, 10, 0)


def test_lines_before_functions_and_parameters() -> None:
    module = parse(
        "leading NoLine\nleading parameter 1 NoLine\nleading parameter 1 NoLine\nleading parameter 0 NoLine\n"
        "func @f(%a: u32, %b: u32) {\nreturn\n}\nfunc @g(%a: u32) {\nreturn\n}\n"
    )
    first, second = module.functions
    assert len(first.leading) == 1
    assert [len(first.heading[param]) for param in first.params] == [1, 2]
    assert (second.leading, second.heading) == ([], {})
    assert [fault.code for fault in faults("leading parameter 1 NoLine\nfunc @f(%a: u32) {\nreturn\n}\n")] == ["RK0310"]


def blocks_of(text: str) -> list[tuple[str, int, bool]]:
    module = parse(text)
    return [(block.name, block.order, block.padding) for block in module.functions[0].blocks]


def test_places_in_the_input_count_on() -> None:
    text = "func @f() flat ordered {\nb1:\nBranch b2\nb2: at 7\nBranch b3\npad b3:\nBranch %four\n%four:\nBranch end\n"
    text += "end: at 2147483647\nkill\nb6: at -1\nkill\n}\n"
    assert blocks_of(text) == [
        ("", 0, False),
        ("", 7, False),
        ("", -1, True),
        ("four", 8, False),
        ("end", 2147483647, False),
        ("", -1, False),
    ]
    text = "func @f() flat {\nb1:\nBranch b2\nb2: at 7\nBranch b3\nb3:\nkill\n}\n"
    assert [order for _, order, _ in blocks_of(text)] == [-1, 7, -1]


def only_operands(text: str) -> list[Value | int | str]:
    module: Module = parse(text)
    return [*module.globals, *module.decorations][-1].operands[1:]


def test_operands_that_are_literals() -> None:
    assert only_operands("%x = Undef : f32\nDecorate %x FPMaxErrorDecorationINTEL 1.5\n") == [6170, 0x3FC00000]
    assert only_operands("%x = Undef : f32\nDecorate %x FPMaxErrorDecorationINTEL 7\n") == [6170, 7]
    assert only_operands("%x = Undef : f32\nDecorate %x Offset 4294967295\n") == [35, 0xFFFFFFFF]
    assert only_operands("%x = Undef : f32\nDecorate %x Offset -1\n") == [35, 0xFFFFFFFF]
    assert only_operands("%x = Undef : f32\nDecorate %x !35 !4\n") == [35, 4]
    assert only_operands('%x = Undef : f32\nDecorateString %x UserSemantic "a\\"b"\n') == [5635, 'a"b']
    assert only_operands('%g = ExtInstImport "GLSL.std.450"\n%x = ExtInst %g Sqrt 1.0f : f32\n')[0] == 31
    assert only_operands('%g = ExtInstImport "GLSL.std.450"\n%x = ExtInst %g 4711 1.0f : f32\n')[0] == 4711
    assert only_operands('%g = ExtInstImport "Unknown"\n%x = ExtInst %g 7 1.0f 2.0f : f32\n')[0] == 7
