"""Graphs and the trees that they become, as text: what the structurizer's pages say, to the letter.

Each tree is drawn by hand from the pictures of plan.py and emit.py: an arm stands in its if where only that branch
leads to it, a join behind a scope at its dominator, the end of an iteration needs no jump, and what leaves takes the
innermost construct that ends where it goes. Control words are those of the merge instruction, or of the input.
"""

import re

import pytest
from kit.random.trees import results
from kit.text.flat_texts import flat
from kit.text.pass_texts import body, main_text

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.passes.manager import run_passes

ODD = "  %bit = BitwiseAnd %lane, 1u : u32\n  %odd = INotEqual %bit, 0u : bool\n"
TREES = {
    "a diamond, and what its merge instruction asks for": (
        "  SelectionMerge %j Flatten\n  BranchConditional %odd %a %b 1 3\n%a:\n  SEE 1\n  Branch %j\n"
        "%b:\n  SEE 2\n  Branch %j\n%j:\n  SEE 3\n  return\n",
        "if %odd control Flatten weights (1, 3) {\n%a:\nSEE 1\n} else {\n%b:\nSEE 2\n}\n%j:\nSEE 3\nreturn",
    ),
    "one arm": (
        "  BranchConditional %odd %a %j\n%a:\n  SEE 1\n  Branch %j\n%j:\n  SEE 3\n  return\n",
        "if %odd {\n%a:\nSEE 1\n}\n%j:\nSEE 3\nreturn",
    ),
    "the other arm": (
        "  BranchConditional %odd %j %a\n%a:\n  SEE 1\n  Branch %j\n%j:\n  SEE 3\n  return\n",
        "if %odd {\n} else {\n%a:\nSEE 1\n}\n%j:\nSEE 3\nreturn",
    ),
    "a loop that its header leaves, and what its merge instruction asks for": (
        "  Branch %h\n%h:\n  %i = Load %slot : u32\n  %c = ULessThan %i, 100u : bool\n  LoopMerge %end %b Unroll\n"
        "  BranchConditional %c %b %end\n%b:\n  SEE 1\n  Branch %h\n%end:\n  SEE 2\n  return\n",
        "loop @h control Unroll {\n%h:\n%i = Load %slot : u32\n%c = ULessThan %i, 100u : bool\nif %c nojoin {\n"
        "} else {\nbreak @h\n}\n%b:\nSEE 1\n}\n%end:\nSEE 2\nreturn",
    ),
    "a loop that its last block leaves": (
        "  Branch %h\n%h:\n  SEE 1\n  %i = Load %slot : u32\n  %c = ULessThan %i, 100u : bool\n"
        "  BranchConditional %c %h %end\n%end:\n  SEE 2\n  return\n",
        "loop @h {\n%h:\nSEE 1\n%i = Load %slot : u32\n%c = ULessThan %i, 100u : bool\nif %c nojoin {\n} else {\n"
        "break @h\n}\n}\n%end:\nSEE 2\nreturn",
    ),
    "a return on one side": (
        "  BranchConditional %odd %a %b\n%a:\n  SEE 1\n  return\n%b:\n  SEE 2\n  return\n",
        "if %odd nojoin {\n%a:\nSEE 1\nreturn\n}\n%b:\nSEE 2\nreturn",
    ),
    "two joins, the nearer one inside": (
        "  Branch %e\n%e:\n  SEE 5\n  BranchConditional %odd %a %b\n%a:\n  SEE 1\n  %few = ULessThan %lane, 3u : bool\n"
        "  BranchConditional %few %j %k\n%b:\n  SEE 2\n  Branch %j\n%j:\n  SEE 3\n"
        "  Branch %k\n%k:\n  SEE 4\n  return\n",
        "scope @s {\n%e:\nSEE 5\nif %odd {\n%a:\nSEE 1\n%few = ULessThan %lane, 3u : bool\nif %few nojoin {\n"
        "} else {\nbreak @s\n}\n"
        "} else {\n%b:\nSEE 2\n}\n%j:\nSEE 3\n}\n%k:\nSEE 4\nreturn",
    ),
    "a switch, and what its merge instruction asks for": (
        "  SelectionMerge %j DontFlatten\n  Switch %bit %d, 0 %a, 5 %b, 7 %b\n%a:\n  SEE 1\n  Branch %j\n"
        "%b:\n  SEE 2\n  Branch %j\n%d:\n  SEE 3\n  Branch %j\n%j:\n  SEE 4\n  return\n",
        "switch %bit control DontFlatten {\ncase 0: {\n%a:\nSEE 1\n}\ncase 5, 7: {\n%b:\nSEE 2\n}\n"
        "default: {\n%d:\nSEE 3\n}\n}\n%j:\nSEE 4\nreturn",
    ),
    "a switch whose default goes on": (
        "  Switch %bit %j, 0 %a\n%a:\n  SEE 1\n  Branch %j\n%j:\n  SEE 4\n  return\n",
        "switch %bit {\ncase 0: {\n%a:\nSEE 1\n}\ndefault: {\n}\n}\n%j:\nSEE 4\nreturn",
    ),
}


def written(text: str) -> tuple[Module, str]:
    module = flat(ODD + text)
    run_passes(module, "structurize, simplify-cfg")
    return module, main_text(module)


def behind(text: str) -> str:
    """What comes behind the first block's last value, with values and labels by the order of their mention."""
    names: dict[str, str] = {}
    text = text[text.index("%odd = ") :]
    return re.sub(r"(?m)@\w+|%\w+|^ *b?\w+:$", lambda m: names.setdefault(m[0].strip(" %@:"), f"n{len(names)}"), text)


@pytest.mark.parametrize("name", TREES)
def test_tree(name: str) -> None:
    graph, tree = TREES[name]
    module, text = written(graph)
    assert results(parse(print_module(module))) == results(flat(ODD + graph))
    assert behind(text) == behind(main_text(body(ODD + tree)))
