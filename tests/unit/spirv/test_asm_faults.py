"""Faulty assembly: each fault has its code and points at the word that is wrong. Places are counted by hand."""

import pytest

from reknit.source.diagnostic import InputError
from reknit.spirv.asm import assemble

INT = "%int = OpTypeInt 32 0\n"


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("OpNop\nfoo", "RK0201", 2, 1),
        ("%x OpUndef %t", "RK0201", 1, 1),
        ("OpReturn %x", "RK0201", 1, 10),
        ("\n  OpFadd %a %b", "RK0202", 2, 3),
        (INT + "%c = OpSpecConstantOp %int Add %a %b", "RK0202", 2, 28),
        ("OpTypeVoid", "RK0203", 1, 1),
        ("%x = OpReturn", "RK0203", 1, 1),
        ("OpDecorate %x Alignment", "RK0204", 1, 24),
        ("OpName %x", "RK0204", 1, 10),
        (INT + "%s = OpIAdd %int 1 %a", "RK0205", 2, 18),
        (INT + "%s = OpIAdd %int %a-b %a", "RK0205", 2, 18),
        ("OpCapability Shade", "RK0206", 1, 14),
        ("OpSelectionMerge %m Flatten|Flat", "RK0206", 1, 21),
        (INT + "%c = OpConstant %int -1", "RK0207", 2, 22),
        ("OpMemberName %x -1 \"a\"", "RK0207", 1, 17),
        ("OpName %x abc", "RK0208", 1, 11),
        ("%c = OpConstant %int 1", "RK0209", 1, 17),
        ("OpSwitch %x %d 1 %a", "RK0209", 1, 16),
        ("%1 = OpExtInstImport \"GLSL.std.450\"\n%r = OpExtInst %t %1 Root %x", "RK0210", 2, 22),
        ("%r = OpExtInst %t %1 Sqrt %x", "RK0210", 1, 19),
        ("OpName %x \"" + "a" * 262144 + "\"", "RK0211", 1, 1),
        (INT + INT, "RK0212", 2, 1),
    ],
)  # fmt: skip
def test_place(text: str, code: str, line: int, column: int) -> None:
    with pytest.raises(InputError) as caught:
        assemble(text, "a.spvasm")
    fault = caught.value.diagnostics[0]
    assert fault.place is not None
    assert (fault.code, fault.place.line, fault.place.column) == (code, line, column)


def test_every_faulty_instruction_is_reported() -> None:
    with pytest.raises(InputError) as caught:
        assemble("OpCapability A\nOpCapability Shader\nOpCapability B\nOpBad")
    places = [(fault.code, fault.place and fault.place.line) for fault in caught.value.diagnostics]
    assert places == [("RK0206", 1), ("RK0206", 3), ("RK0202", 4)]
