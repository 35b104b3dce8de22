"""Instructions of GLSL.std.450 that have a second result, or read an input by its pointer."""

import pytest
from kit.programs.pair_frame import module_text
from kit.proving import proved_by_terms

from reknit.ir.text.parser import parse

LOCALS = "%whole = Variable Function : ptr<Function, f32>\n%exp = Variable Function : ptr<Function, i32>"
SUM = "%s = FAdd %f, %v : f32\nOUTF %s"
MODF = f"%f = ExtInst %glsl Modf {{f}} %whole : f32\n%v = Load %whole : f32\n{SUM}"
STRUCT = f"""%two = ExtInst %glsl ModfStruct {{f}} : %Two
%f = CompositeExtract %two 0 : f32
%v = CompositeExtract %two 1 : f32
{SUM}"""
FREXP = f"%f = ExtInst %glsl Frexp {{f}} %exp : f32\n%e = Load %exp : i32\n%v = ConvertSToF %e : f32\n{SUM}"
FREXP_STRUCT = f"""%two = ExtInst %glsl FrexpStruct {{f}} : %Exponent
%f = CompositeExtract %two 0 : f32
%e = CompositeExtract %two 1 : i32
%v = ConvertSToF %e : f32
{SUM}"""
EQUAL = {
    "a struct": (MODF, STRUCT), "a pointer": (STRUCT, MODF), "exponents": (FREXP, FREXP_STRUCT),
    "what was there before": ("Store %whole, 1.0f\n" + MODF, MODF),
}  # fmt: skip
DIFFERENT = {
    "the other part": (STRUCT, STRUCT.replace("%two 1", "%two 0")),
    "of another number": (MODF, MODF.replace("{f}", "{g}")),
    "parts of another operation": (MODF, FREXP),
    "another exponent": (FREXP, FREXP_STRUCT.replace("{f}", "{g}")),
    "what is there afterwards": (MODF, MODF.replace("%v = Load", "Store %whole, 1.0f\n%v = Load")),
}


def proved(before: str, after: str) -> bool:
    types = "%Two = TypeStruct f32, f32\n%Exponent = TypeStruct f32, i32\nfunc @main"
    texts = (module_text(before, after, locals=LOCALS), module_text(after, before, locals=LOCALS))
    return proved_by_terms(*[parse(text.replace("func @main", types)) for text in texts])


@pytest.mark.parametrize("name", EQUAL)
def test_what_is_equal_is_proved(name: str) -> None:
    assert proved(*EQUAL[name])


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_differs_is_not_proved(name: str) -> None:
    assert not proved(*DIFFERENT[name])


FRAGMENT = """Capability Shader
Capability InterpolationFunction
%glsl = ExtInstImport "GLSL.std.450"
MemoryModel Logical GLSL450
EntryPoint Fragment @main "main" %a, %b, %o
ExecutionMode @main OriginUpperLeft
Decorate %a Location 0
Decorate %b Location 1
Decorate %o Location 0
%a = Variable Input : ptr<Input, vec2<f32>>
%b = Variable Input : ptr<Input, vec2<f32>>
%o = Variable Output : ptr<Output, vec2<f32>>
func @main() -> void {
%at = ExtInst %glsl INSTRUCTION : vec2<f32>
Store %o, %at
return
}
"""
INTERPOLATED = (
    "InterpolateAtSample %a 1",
    "InterpolateAtSample %b 1",
    "InterpolateAtSample %a 2",
    "InterpolateAtCentroid %a",
)


@pytest.mark.parametrize("before", INTERPOLATED)
@pytest.mark.parametrize("after", INTERPOLATED)
def test_an_input_is_interpolated_where_it_was(before: str, after: str) -> None:
    modules = [parse(FRAGMENT.replace("INSTRUCTION", text)) for text in (before, after)]
    assert proved_by_terms(*modules) == (before == after)
