"""The classes of Slang's trees are what tools/slang_nodes.toml says; what a row makes is written here by hand."""

import tomllib

import gen_slang_nodes
import pytest

HEAD = '[tree]\ndoc = "A tree."\nimports = ""\nlate = ""\n[tree.alone.nodes]\nNode = ["at: int"]\n'

SMALL = """
[tree.Node.nodes]
Named = ["name: str"]
Sum = ["left: Node, right: Leaf; folded: bool = False, notes: list[str] = []", "`left + right`."]
[tree.Named.leaves]
Leaf = ["value: int = 0 -> 'leaf'"]
"""


def made(rows: str) -> str:
    return gen_slang_nodes.module("tree", tomllib.loads(HEAD + rows)["tree"])


def test_the_generated_files_are_current() -> None:
    for path, text in gen_slang_nodes.modules(gen_slang_nodes.TABLE.read_text()).items():
        assert path.read_text() == text, "run python tools/gen_slang_nodes.py"


def test_what_a_row_makes() -> None:
    assert made(SMALL).partition("import final\n\n\n")[2] == '''class Node:
    __slots__ = ("at",)

    def __init__(self, at: int) -> None:
        self.at = at


class Named(Node):
    __slots__ = ("name",)

    def __init__(self, at: int, name: str) -> None:
        super().__init__(at)
        self.name = name


@final
class Sum(Node):
    """`left + right`."""

    __slots__ = ("left", "right", "folded", "notes")

    def __init__(self, at: int, left: Node, right: "Leaf") -> None:
        super().__init__(at)
        self.left = left
        self.right = right
        self.folded = False
        self.notes: list[str] = []


@final
class Leaf(Named):
    __slots__ = ("value",)

    def __init__(self, at: int, value: int = 0) -> None:
        super().__init__(at, "leaf")
        self.value = value
'''


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ('[tree.Node.nodes]\nA = ["b"]', "'b' is no `name: type`"),
        ('[tree.Node.nodes]\nA = ["at: int"]', "A has two fields `at`"),
        ('[tree.Node.nodes]\nA = ["b: int -> 1, 2"]', "A: its base has 1 fields, and 3 are given"),
        ('[tree.Other.nodes]\nA = ["b: int"]', "there is no Other"),
        ('[tree.Node.nodes]\nNode = ["b: int"]', "there are two Node"),
    ],
)
def test_a_row_that_cannot_be_meant_is_refused(rows: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        made(rows)
