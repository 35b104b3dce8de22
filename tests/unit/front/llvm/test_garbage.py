"""What is no LLVM IR or DXIL, or only part of it, is told; nothing is read and nothing crashes."""

import random
import sys
from pathlib import Path

import pytest

import reknit
from reknit.source.diagnostic import InputError
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

pytestmark = pytest.mark.once

DATA = Path(__file__).resolve().parents[3] / "data" / "dxil"
SHADER = (DATA / "breaks.dxil").read_bytes()


def codes(data: bytes, format: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        reknit.load(data, format=format)
    return [fault.code for fault in caught.value.diagnostics]


def test_containers_cut_off_anywhere() -> None:
    for length in [4, 20, 31, 32, 40, 60, 100, len(SHADER) // 2, len(SHADER) - 1]:
        assert codes(SHADER[:length], "dxil") == ["RK0801"]


def test_noise_is_reported_without_being_shown() -> None:
    with pytest.raises(InputError) as caught:
        reknit.load(random.Random(1).randbytes(300), format="dxil")
    (fault,) = caught.value.diagnostics
    assert fault.code == "RK0803" and fault.notes == []
    assert fault.message.isascii()


def test_containers_that_lie() -> None:
    count = SHADER[:28] + (10**9).to_bytes(4, "little") + SHADER[32:]
    offset = SHADER[:32] + (2**32 - 4).to_bytes(4, "little") + SHADER[36:]
    without = SHADER.replace(b"DXIL", b"XXXX")
    old = without.replace(b"XXXX", b"SHEX", 1)
    for data in (count, offset, without, old):
        assert codes(data, "dxil") == ["RK0801"]


def test_a_program_cut_off_inside_its_container() -> None:
    at = SHADER.rindex(b"BC\xc0\xde")
    broken = SHADER[: at + 400] + bytes(len(SHADER) - at - 400)
    assert codes(broken, "dxil") == ["RK0803"]


@pytest.mark.parametrize("format", ["ll", "bc", "dxil"])
def test_random_bytes(format: str) -> None:
    chance = random.Random(7)
    for length in (0, 1, 3, 4, 50):
        data = bytes(chance.randrange(128) for _ in range(length))
        assert set(codes(data, format)) <= {"RK0801", "RK0803", "RK0804"}
        assert codes(bytes(length), format) == ["RK0803"]


def test_syntax_errors_have_their_line() -> None:
    with pytest.raises(InputError) as caught:
        reknit.load(b"define void @f() {\n  frobnicate i32 %y\n  ret void\n}\n", format="ll")
    fault = caught.value.diagnostics[0]
    assert (fault.code, fault.place.line if fault.place else 0) == ("RK0803", 2)


@pytest.mark.parametrize(
    ("lines", "row", "column"),
    [
        (["  %x = add i32 %a,", "  ret void"], 2, 19),
        (["  %x = add i32 %a ; the rest is missing", "", "  ; and not here", "  ret void"], 2, 18),
        (["  store i32 %a", "}"], 2, 15),
        (["  br i1 true, label %x", "x:", "  ret void"], 2, 23),
        (["  %x = add i32 %a,", "      )"], 2, 19),
        (["  %x = add i32 %a, )", "  ret void"], 2, 20),
        (["  %x = add i32 %a, 1", "  frobnicate"], 3, 3),
        (["  %x = add i32 %a, 1", "}"], 3, 1),
    ],
)
def test_what_is_missing_is_missing_where_it_should_stand(lines: list[str], row: int, column: int) -> None:
    """LLVM names what it found instead, which may begin a later line."""
    text = "\n".join(["define void @f(i32 %a) {", *lines, "}", ""])
    with pytest.raises(InputError) as caught:
        reknit.load(text.encode(), format="ll")
    place = caught.value.diagnostics[0].place
    assert place is not None and (place.line, place.column) == (row, column)


def test_outside_the_grammar() -> None:
    assert codes(b"@a = global i32 0\n@b = alias i32, ptr @a\n", "ll") == ["RK0804"]


def test_without_llvmlite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llvmlite.binding", None)
    with pytest.raises(InputError) as caught:
        reknit.load(SHADER)
    assert caught.value.diagnostics[0].code == "RK0802"
    assert "reknit[llvm]" in caught.value.diagnostics[0].help


def test_operands_that_an_operation_does_not_have() -> None:
    text = b"declare i32 @dx.op.waveActiveOp.i32(i32)\ndefine void @f() {\n"
    text += b"  %x = call i32 @dx.op.waveActiveOp.i32(i32 119)\n  ret void\n}\n"
    assert codes(text, "ll") == ["RK0805"]


def test_an_operation_called_by_the_name_of_another() -> None:
    text = b"declare void @dx.op.storeOutput.f32(i32, i32, i32, i8, float)\ndefine void @main() {\n"
    text += b"  call void @dx.op.storeOutput.f32(i32 4, i32 0, i32 0, i8 0, float 1.0)\n  ret void\n}\n"
    with pytest.raises(InputError) as caught:
        reknit.load(text, format="ll")
    assert "calls @dx.op.storeOutput.f32 for operation LoadInput (4)" in caught.value.diagnostics[0].message


def test_another_stage() -> None:
    text = b'define void @main() {\n  ret void\n}\n!dx.shaderModel = !{!0}\n!0 = !{!"gs", i32 6, i32 0}\n'
    assert codes(text, "ll") == ["RK0806"]


def test_workgroups_that_cannot_be() -> None:
    text = b'define void @main() {\n  ret void\n}\n!dx.shaderModel = !{!0}\n!0 = !{!"cs", i32 6, i32 0}\n'
    text += b'!dx.entryPoints = !{!1}\n!1 = !{ptr @main, !"main", null, null, !2}\n!2 = !{i32 4, !3}\n'
    assert codes(text + b"!3 = !{i32 8, i32 0, i32 1}\n", "ll") == ["RK0805"]
    assert codes(text + b"!3 = !{i32 8, i32 -1, i32 1}\n", "ll") == ["RK0805"]
    assert reknit.load(text + b"!3 = !{i32 8, i32 2, i32 1}\n", format="ll").functions[0].name == "main"


def test_atomics_on_variables_of_ones_own() -> None:
    text = b"@mine = internal global i32 0\ndefine void @f() {\n"
    text += b"  %x = atomicrmw add ptr @mine, i32 1 seq_cst\n  ret void\n}\n"
    assert codes(text, "ll") == ["RK0805"]


def test_declarations_stand_before_definitions() -> None:
    """SPIR-V 1.6, 2.4: all function declarations, then all function definitions."""
    text = b"define void @f() {\n  call void @g()\n  ret void\n}\ndeclare void @g()\n"
    module = reknit.load(text, format="ll")
    assert [function.name for function in module.functions] == ["g", "f"]
    reknit.compile(module, "restructure")
    again = read_module(write_module(module))
    assert [function.name for function in again.functions] == ["g", "f"]


def test_bitcode_that_llvm_refuses_has_its_place() -> None:
    with pytest.raises(InputError) as caught:
        at = SHADER.rindex(b"BC\xc0\xde")
        reknit.load(SHADER[: at + 400] + bytes(len(SHADER) - at - 400), format="dxil")
    (fault,) = caught.value.diagnostics
    assert fault.notes[-1].message.startswith("in the container's part 'DXIL', bytes ")


def gep(depth: int) -> str:
    text = "ptr @g"
    for _ in range(depth):
        text = f"ptr getelementptr (i8, {text}, i32 1)"
    return f"@g = global [200 x i8] zeroinitializer\ndefine void @f() {{\n  store i8 1, {text}\n  ret void\n}}\n"


@pytest.mark.parametrize("depth", [200, 3_000])
def test_what_nests_too_deeply(depth: int) -> None:
    """Types in each other, named ones, constants; nothing recurses over them."""
    body = "define void @f() {\n  %a = alloca TYPE\n  ret void\n}\n"
    named = "".join([f"%t{index} = type {{ %t{index + 1} }}\n" for index in range(depth)])
    named += f"%t{depth} = type {{ i32 }}\n"
    texts = [
        body.replace("TYPE", "{ " * depth + "i32" + " }" * depth),
        body.replace("TYPE", "[1 x " * depth + "i32" + "]" * depth),
        named + body.replace("TYPE", "%t0"),
        gep(depth),
    ]
    for text in texts:
        assert codes(text.encode(), "ll") == ["RK0804"]


def test_what_nests_within_reason() -> None:
    assert reknit.load(gep(30).encode(), format="ll").functions[0].name == "f"
    named = "".join([f"%t{index} = type {{ %t{index + 1}, %t{index + 1} }}\n" for index in range(24)])
    text = named + "%t24 = type { i32 }\ndefine void @f() {\n  %a = alloca %t0\n  store i32 1, ptr %a\n  ret void\n}\n"
    assert reknit.load(text.encode(), format="ll").functions[0].name == "f"  # 2^24 words, counted in no time


def test_variables_beyond_all_bounds() -> None:
    for text in ("@g = internal global [4294967296 x i32] zeroinitializer\n", ""):
        where = "@g" if text else "%a"
        local = "" if text else "  %a = alloca [4294967296 x i32]\n"
        text += "define void @f() {\n" + local + f"  store i32 1, ptr {where}\n  ret void\n}}\n"
        assert set(codes(text.encode(), "ll")) == {"RK0805"}


def test_names_of_types_are_those_of_the_module() -> None:
    """One module's types don't rename those of the next."""
    text = "%t = type { i32 }\n@g = global %t zeroinitializer\n"
    text += "define void @f([0 x %t] %x) {\n  ret void\n}\n"
    said = []
    for _ in range(2):
        with pytest.raises(InputError) as caught:
            reknit.load(text.encode(), format="ll")
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_memory_that_is_accessed_by_an_odd_width() -> None:
    """As many bytes as it needs: i26 four, i47 six."""
    text = (
        "define spir_kernel void @main(ptr addrspace(1) %o) !reqd_work_group_size !0 {\n"
        "  %v = load i26, ptr addrspace(1) %o, align 4\n  %w = zext i26 %v to i32\n  %n = sext i26 %v to i47\n"
        "  %p = getelementptr i8, ptr addrspace(1) %o, i64 8\n"
        "  store i32 %w, ptr addrspace(1) %o, align 4\n  store i47 %n, ptr addrspace(1) %p, align 8\n"
        "  ret void\n}\n!0 = !{i32 1, i32 1, i32 1}\n"
    )
    module = reknit.load(text.encode(), format="ll")
    given = bytes([0xFF, 0xEE, 0xDD, 0xFF, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    words = [int.from_bytes(given[at : at + 4], "little") for at in range(0, 16, 4)]
    stored = reknit.run(module, subgroup_size=1, buffers={"o": words}).buffers["o"].words
    # 26 bits of 0xFFDDEEFF are 0x3DDEEFF, which is negative: -0x221101, and in 47 bits 0x7FFFFFDDEEFF; two bytes stay
    assert stored == [0x03DDEEFF, words[1], 0xFFDDEEFF, 0x0C0B7FFF]


def test_addresses_that_are_computed_from_themselves() -> None:
    """%q does not dominate its use, so LangRef calls this ill-formed: LLVM's verifier says so."""
    text = """
define spir_kernel void @main(ptr addrspace(1) %o) {
entry:
  %p = getelementptr i32, ptr addrspace(1) %q, i32 1
  %q = getelementptr i32, ptr addrspace(1) %p, i32 1
  %v = load i32, ptr addrspace(1) %p, align 4
  %w = icmp eq i32 %v, 0
  ret void
}
"""
    assert set(codes(text.encode(), "ll")) == {"RK0803"}


TWICE = """define spir_kernel void @main() {
entry:
  br label %end
entry:
  br label %end
end:
  ret void
}
"""


def test_a_block_that_is_there_twice() -> None:
    """LLVM's parser reads both as one block with two terminators, which its verifier finds."""
    with pytest.raises(InputError) as caught:
        reknit.load(TWICE.encode(), format="ll")
    (fault,) = caught.value.diagnostics
    assert fault.code == "RK0803" and "Terminator found in the middle of a basic block" in fault.message
