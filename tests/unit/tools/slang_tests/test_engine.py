"""A test goes from its file to an outcome, with a compiler that gives a program made by hand, and with slangc."""

from pathlib import Path

import pytest
from kit import oracles
from slang_tests import engine
from slang_tests.arguments import Arguments
from slang_tests.engine import Failed, Job, Reknit, Slangc, Unsupported, refusal, unsupported
from slang_tests.inputs import Inputs, read_inputs
from slang_tests.one import outcome
from unit.tools.slang_tests.program import ASSEMBLY

import reknit
from reknit.ir.module import Module
from reknit.source.diagnostic import Diagnostic

pytestmark = pytest.mark.once

TEST = """\
//TEST(compute):COMPARE_COMPUTE(filecheck-buffer=BUF): -vk -output-using-type
//TEST_INPUT:set gParams = new{ scale: 3, foo: new A{ v: 5 } }
//TEST_INPUT:ubuffer(data=[0 1 2 3], stride=4):name=input[0]
//TEST_INPUT:ubuffer(data=[0 0 0 0 9], stride=4):out,name=outputBuffer
//TEST_INPUT:uniform(data=[100]):name=n
// BUF: type: uint32_t
// BUF-NEXT: 108
// BUF-NEXT: 109
// BUF-NEXT: 110
// BUF-NEXT: 111
// BUF-NEXT: 9
"""  # 3 + 5 + 100 + the input; the last word is nobody's


class Fake:
    """Gives the program that is made by hand, or raises."""

    def __init__(self, fault: Exception | None = None, text: str = ASSEMBLY) -> None:
        self.fault = fault
        self.text = text

    def compile(self, job: Job) -> Module:
        if self.fault is not None:
            raise self.fault
        return reknit.load(self.text.encode(), format="spvasm")


def judged(folder: Path, test: str = TEST, compiler: Fake | None = None) -> tuple[str, str, str]:
    path = folder / "t.slang"
    path.write_text(test)
    return outcome(path, folder, compiler if compiler is not None else Fake(), 32)


def test_a_test_whose_values_agree_passes(tmp_path: Path) -> None:
    assert judged(tmp_path) == ("pass", "", "")


def test_one_whose_values_differ_fails_and_shows_them(tmp_path: Path) -> None:
    status, reason, detail = judged(tmp_path, TEST.replace("110", "777"))
    assert (status, reason) == ("fail", "other values")
    assert "'777' not found" in detail and detail.endswith("108\n109\n110\n111\n9")


def test_one_for_other_devices_only_and_one_that_is_undefined_say_so(tmp_path: Path) -> None:
    cuda = TEST.replace("110", "777").replace("-vk", "-cuda")
    assert judged(tmp_path, cuda)[1] == "other values than -cuda gives"
    short = TEST.replace("data=[0 0 0 0 9]", "data=[0 0 0]")
    assert judged(tmp_path, short)[:2] == ("fail", "other values, undefined by RK1014")  # a store past the end


def test_an_output_that_the_program_does_not_have_stays_as_it_was(tmp_path: Path) -> None:
    test = TEST.replace("name=outputBuffer", "name=gone") + "RWStructuredBuffer<int2> gone;\n"
    test = test.replace("uint32_t", "int32_t").replace("108", "0").replace("109", "0")
    assert judged(tmp_path, test.replace("110", "0").replace("111", "0")) == ("pass", "", "")


def test_reasons_tell_who_says_no(tmp_path: Path) -> None:
    assert judged(tmp_path, TEST.replace("uniform(", "mystery("))[:2] == ("unsupported", "TEST_INPUT mystery")
    assert judged(tmp_path, TEST.replace("-vk", "-vk -rt"))[:2] == ("unsupported", "test option -rt")
    assert judged(tmp_path, TEST.replace("BUF: type", "BUF: {{(}}"))[1] == "check that can't be read"
    assert judged(tmp_path, compiler=Fake(Unsupported("tuples", "at 3")))[:] == ("unsupported", "tuples", "at 3")
    assert judged(tmp_path, compiler=Fake(Failed("it stopped")))[:] == ("fail", "run time", "it stopped")


def test_a_program_that_does_not_end_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MAX_STEPS", 1000)
    loop = ASSEMBLY.replace(
        "%i = OpLoad", "OpBranch %loop\n%loop = OpLabel\nOpLoopMerge %after %loop None\nOpBranch %loop\n"
        "%after = OpLabel\n%i = OpLoad"
    )  # fmt: skip
    status, reason, detail = judged(tmp_path, compiler=Fake(text=loop))
    assert (status, reason) == ("fail", "run time")
    assert "RK1" in detail


def test_what_the_simulator_refuses_is_unsupported(tmp_path: Path) -> None:
    status, reason, _ = judged(tmp_path, compiler=Fake(text=ASSEMBLY.replace("LocalSize 4 1 1", "LocalSize 4 4 0")))
    assert (status, reason[:7]) == ("unsupported", "RK1006:")


def job(source: str, lines: str = "") -> Job:
    inputs = read_inputs("".join(f"//TEST_INPUT:{line}\n" for line in lines.split(";") if line))
    return Job(Path("t.slang"), Path(), source, Arguments(), inputs)


def test_conformances_are_numbered_for_each_interface() -> None:
    source = "struct C : IFoo {}  struct D<T> : IBar<int>, IFoo {}  // struct C : IBar {}"
    lines = "type_conformance A:IFoo;type_conformance B:IFoo = 5;set x = { new D{1}, new C{}, new A{}, new E{} }"
    assert job(source, lines).conformances() == [
        ("A", "IFoo", 0),
        ("B", "IFoo", 5),
        ("D", "IBar<int>", 0),
        ("C", "IFoo", 6),
    ]


def test_messages_without_names_are_groups() -> None:
    assert (
        refusal("x.slang(3): error[E30015]: undefined identifier 'foo'.\n") == "slangc E30015: undefined identifier …."
    )
    assert refusal("x.slang(3): error 7: no\nerror 8: other") == "slangc 7: no"
    assert refusal("\nSegmentation fault\n") == "slangc: Segmentation fault"
    found = unsupported([Diagnostic("RK5001", "'foo' isn't there, with 3 arguments"), Diagnostic("RK5002", "more")])
    assert found.feature == "RK5001: … isn't there, with N arguments"
    assert found.detail.count("RK500") == 2


def test_options_that_the_reader_does_not_know_are_reported() -> None:
    arguments = Arguments()
    arguments.others = ["-fvk-use-dx-layout"]
    asked = Job(Path("t.slang"), Path(), "", arguments, Inputs())
    with pytest.raises(Unsupported, match="compiler option -fvk-use-dx-layout"):
        Reknit().compile(asked)


SHADER = """\
//TEST(compute):COMPARE_COMPUTE(filecheck-buffer=BUF): -vk -xslang -DFACTOR=2
//TEST_INPUT:ubuffer(data=[0 0 0 0], stride=4):out,name=outputBuffer
//TEST_INPUT:set shapes = new StructuredBuffer<IShape>[new Square{3}, new Line{4}]
//TEST_INPUT:set offset = 100
[anyValueSize(8)] interface IShape { int size(); }
export struct Line : IShape { int a; int size() { return a; } }
export struct Square : IShape { int a; int size() { return a * a; } }
StructuredBuffer<IShape> shapes;
RWStructuredBuffer<int> outputBuffer;
uniform int offset;
[numthreads(4, 1, 1)]
void computeMain(uint3 t : SV_DispatchThreadID)
{
    outputBuffer[t.x] = FACTOR * shapes[t.x & 1].size() + offset;
}
// BUF: 76
// BUF-NEXT: 6C
// BUF-NEXT: 76
// BUF-NEXT: 6C
"""  # 2 * 9 + 100 = 0x76 and 2 * 4 + 100 = 0x6c


def test_slangc_compiles_what_the_simulator_runs(tmp_path: Path) -> None:
    compiler = Slangc(Path(oracles.need("slangc")[0]))
    path = tmp_path / "t.slang"
    path.write_text(SHADER)
    assert outcome(path, tmp_path, compiler, 32) == ("pass", "", "")
    path.write_text(SHADER.replace("FACTOR *", "FACTOR * missing *"))
    status, reason, _ = outcome(path, tmp_path, compiler, 32)
    assert status == "unsupported" and reason.startswith("slangc E")
