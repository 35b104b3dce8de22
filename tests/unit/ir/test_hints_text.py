"""`member` in the text form: read, printed, cloned, and what is wrong with it."""

import pytest

from reknit.ir.clone import clone_function
from reknit.ir.hint import Hint
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.source.diagnostic import InputError

TEXT = """\
Capability Shader
MemoryModel Logical GLSL450

func @f() -> void flat {
b1:
  Branch b2
b2: member b2
  BranchConditional true, b3, b4
b3:
  BranchConditional true, b2, b4
b4: member b2, b3 by token
  return
}
"""


def test_hints_are_read_and_printed() -> None:
    function = parse(TEXT).functions[0]
    number = {block: index for index, block in enumerate(function.blocks)}
    told = [(number[hint.block], number[hint.header], hint.origin) for hint in function.hints]
    assert told == [(1, 1, "mark"), (3, 1, "mark"), (3, 2, "token")]
    assert print_module(parse(print_module(parse(TEXT)))) == print_module(parse(TEXT))
    assert "b4: member b2, b3 by token" in print_module(parse(TEXT))


def test_a_clone_has_hints_of_its_own() -> None:
    module = parse(TEXT)
    copy = clone_function(module, module.functions[0], "g")
    assert [(hint.block in copy.blocks, hint.header in copy.blocks) for hint in copy.hints] == [(True, True)] * 3


@pytest.mark.parametrize(
    "label, code",
    [("b4: member b7", "RK0303"), ("b4: member", "RK0301"), ("b4: member true", "RK0301")],
)
def test_faults_have_their_place(label: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(TEXT.replace("b4: member b2, b3 by token", label))
    found = [(fault.code, fault.place.line) for fault in caught.value.diagnostics if fault.place is not None]
    assert (code, 11) in found


@pytest.mark.parametrize("origin", ["token", "dx.break.cond", "convergence token", 'with "quotes"', "9"])
def test_what_knew_it_may_be_any_text(origin: str) -> None:
    module = parse("func @f() flat {\nb1:\n  Branch b2\nb2:\n  Branch b3\nb3: member b2\n  Return\n}\n")
    (function,) = module.functions
    (hint,) = function.hints
    function.hints = [Hint(hint.block, hint.header, origin)]
    again = parse(print_module(module))
    assert print_module(again) == print_module(module)
    assert [hint.origin for hint in again.functions[0].hints] == [origin]
