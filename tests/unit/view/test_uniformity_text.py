"""Uniformity as comments on a function's text: they are a text that parses, and say what the analysis says."""

import pytest
from kit.text.pass_texts import body

from reknit.cli.main import main
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function, print_module
from reknit.view.uniformity import uniformity_text

TEXT = """%c = ULessThan %lane, 4u : bool
%who = GroupNonUniformBallot 3u, true : vec4<u32>
loop @l {
head:
if %c nojoin { break @l }
} continuing {
pad latch:
}
return"""


def test_comments() -> None:
    module = body(TEXT)
    text = uniformity_text(module, module.functions, "subgroup")
    comments = {line.split()[0]: line.split("; ")[1] for line in text.splitlines() if ";" in line}
    assert comments["%c"] == "differs"
    assert comments["%who"] == "uniform(subgroup)"
    assert comments["loop"] == "apart"
    assert comments["%head:"] == "tangle, lanes"
    assert comments["pad"] == "no tangle, no lanes"


def test_the_text_is_the_functions() -> None:
    module = body(TEXT)
    printed = print_module(module)
    plain = print_function(module.functions[0])
    commented = uniformity_text(module, module.functions, "quad")
    assert plain in printed
    assert print_module(parse(printed.replace(plain, commented))) == printed


def test_on_the_command_line(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    path = f"{tmp_path}/loop.rk"
    with open(path, "w", encoding="utf-8") as out:
        out.write(print_module(body(TEXT)))
    assert main(["show", path, "--uniformity"]) == 0
    assert "; uniform(subgroup)" in capsys.readouterr().out
    assert main(["show", path, "--uniformity", "workgroup"]) == 0
    assert "uniform(" not in capsys.readouterr().out.split("%who")[1].split("\n")[0], "subgroups have other lanes"
    assert main(["show", path, "--uniformity", "wave"]) == 2
    assert "RK2302" in capsys.readouterr().err
