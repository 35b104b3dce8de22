"""Modules beside a source: found by name, read once, each with macros of its own.

import shapes.round_ones;   ->   shapes/round-ones.slang
"""

import pytest

import reknit
from reknit.front.slang.compile import Settings, compile_slang
from reknit.front.slang.options import Options
from reknit.source.diagnostic import InputError

MAIN = """
import shapes.round_ones;
import "common.slang";
RWStructuredBuffer<int> out;
struct Square : IShape { int side; int area() { return side * side; } }
[shader("compute")] [numthreads(1, 1, 1)]
void main()
{
    IShape a = Disc(2);
    IShape b = Square(5);
    out[0] = a.area();
    out[1] = b.area();
#ifdef PI
    out[1] = -1;
#endif
}
"""
ROUND = """
module "round-ones";
import common;
#define PI 3
public struct Disc : IShape { public int radius; int area() { return PI * radius * radius; } }
"""
COMMON = "public interface IShape { int area(); }"


HEAD = '[shader("compute")] [numthreads(1, 1, 1)] '


def compiled(source: str, files: dict[str, str]) -> reknit.Module:
    return compile_slang(source, "main.slang", Settings(Options(files=files)))


def test_modules_are_read_once_and_have_their_own_macros() -> None:
    """Disc: 3 * 2 * 2 = 12, by round-ones' PI, which main doesn't have; Square: 5 * 5 = 25."""
    files = {"shapes/round-ones.slang": ROUND, "common.slang": COMMON, "up.slang": ""}
    files["shapes/common.slang"] = "import up;"  # the nearest to round-ones, and shapes/up.slang isn't there
    with pytest.raises(InputError) as refused:
        compiled(MAIN, files)
    (missing,) = refused.value.diagnostics
    assert missing.code == "E00001" and str(missing.place) == "shapes/common.slang:1:8"
    assert missing.message == "cannot open file 'up.slang', the module that 'import up' names"
    assert missing.help.endswith("the folders of -I: add its folder there")
    files["shapes/common.slang"] = ""
    result = reknit.run(compiled(MAIN, files), buffers={"out": [0, 0]})
    assert result.buffers["out"].words == [12, 25]


def test_what_is_wrong_in_a_module_is_reported_there() -> None:
    with pytest.raises(InputError) as refused:
        compiled(f"import other;\n{HEAD} void main() {{}}", {"other.slang": "\nint f() { return x; }"})
    assert str(refused.value.diagnostics[0].place) == "other.slang:2:18"


def test_modules_that_import_each_other() -> None:
    files = {"a.slang": "import b;\nint f() { return g(); }", "b.slang": "import a;\nint g() { return 7; }"}
    source = f"import a;\nRWStructuredBuffer<int> out;\n{HEAD} void main() {{ out[0] = f(); }}"
    result = reknit.run(compiled(source, files), buffers={"out": [0]})
    assert result.buffers["out"].words == [7]


def test_a_type_of_text_has_two_names() -> None:
    """An attribute's field may be a `string`; so may be a variable's name."""
    declared = "[__AttributeUsage(_AttributeTargets.Var)] struct noteAttribute { string text; };\n"
    buffer = '[note("x")] RWStructuredBuffer<uint> o;'
    main = f"{declared}{buffer}\n{HEAD} void main() {{ uint string = 3; o[0] = string; }}"
    assert reknit.run(compiled(main, {}), buffers={"o": [0]}).buffers["o"].words == [3]
