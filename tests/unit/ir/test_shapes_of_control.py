"""Which ifs are selections in SPIR-V, where edges cross, and which one is a loop's conditional back edge.

Each block and construct of the text has a name; what is expected of it stands beside it, by SPIR-V 1.6, 2.11, and the
pictures of ir/selections.py, ir/back_edge.py and ir/crossing.py.
"""

from reknit.ir.back_edge import end_of_edge, is_conditional_back_edge, leaves_by_back_edge
from reknit.ir.block import Block
from reknit.ir.crossing import behind, is_crossing, is_declared, is_passed_through, is_relayed, sources
from reknit.ir.selections import code_of_edge, has_no_exit, is_selection, landing, leaving_arms
from reknit.ir.text.parser import parse
from reknit.ir.tree import Construct, If, Loop
from reknit.ir.walk import blocks, constructs, instructions


class Named:
    def __init__(self, body: str) -> None:
        self.module = parse(f"func @f(%c: bool, %d: bool, %k: u32) {{\n{body}\nreturn\n}}\n")
        self.main = self.module.functions[0]
        self.blocks: dict[str, Block] = {block.name: block for block in blocks(self.main)}
        self.made: dict[str, Construct] = {each.name: each for each in constructs(self.main)}
        self.instrs = {instr.name: instr for instr in instructions(self.main)}

    def choice(self, name: str) -> If:
        found = self.made[name]
        assert isinstance(found, If)
        return found

    def loop(self, name: str) -> Loop:
        found = self.made[name]
        assert isinstance(found, Loop)
        return found

    def where(self, question: object, among: str) -> list[str]:
        assert callable(question)
        return [name for name in among.split() if question(self.blocks.get(name) or self.made[name])]


def test_one_arm_that_only_leaves_is_no_selection() -> None:
    n = Named(
        """scope @s {
  if %c as @leaves nojoin {
  pad %way:
    break @s
  }
%on:
  %x = IAdd %k, 1u : u32
  if %c as @code nojoin {
  %coded:
    %y = IAdd %k, 1u : u32
    break @s
  }
%more:
  %z = IAdd %k, 2u : u32
  if %c as @real nojoin {
  %label:
    break @s
  }
%rest:
  %w = IAdd %k, 2u : u32
  if %c as @merged {
  pad %in:
    break @merged
  }
%end:
  break @s
}"""
    )
    assert n.where(is_selection, "leaves code real merged") == ["code", "real", "merged"]
    assert n.where(leaving_arms, "leaves code real merged") == ["leaves"]
    assert n.where(has_no_exit, "leaves code real merged") == []
    assert n.where(is_passed_through, "way on coded label in") == ["way", "in"]
    assert landing(n.blocks["way"]) is n.made["s"].after()
    assert landing(n.blocks["on"]) is n.blocks["on"]
    # code for the edge out of the lone way stands before the test: with code in it, the if would be a selection
    assert code_of_edge(n.blocks["way"]) is n.choice("leaves").before()
    assert code_of_edge(n.blocks["coded"]) is n.blocks["coded"]
    assert code_of_edge(n.blocks["in"]) is n.blocks["in"]


def test_of_two_lone_ways_the_first_gives_way() -> None:
    n = Named(
        """loop @l {
  if %c as @both nojoin {
  pad %one:
    break @l
  } else {
  pad %two:
    continue @l
  }
} continuing { }"""
    )
    assert n.where(leaving_arms, "both") == ["both"]
    assert n.where(is_selection, "both") == []
    assert n.where(has_no_exit, "both") == []
    assert code_of_edge(n.blocks["one"]) is n.choice("both").before()
    assert code_of_edge(n.blocks["two"]) is n.blocks["two"]


def test_an_arm_that_goes_on_to_the_end_of_its_region_leaves_too() -> None:
    n = Named(
        """if %c as @outer {
  if %d as @inner nojoin {
  %one:
    %x = IAdd %k, 1u : u32
  } else {
  pad %two:
  }
pad %end:
}
scope @s {
  if %d as @late nojoin {
  %three:
    %y = IAdd %k, 1u : u32
  }
%coded:
  %z = IAdd %k, 1u : u32
}"""
    )
    assert n.where(leaving_arms, "inner late") == ["inner"]  # behind `late` there is code of the scope
    assert n.where(is_selection, "outer inner s late") == ["outer", "s"]  # and at `late` the scope begins
    assert n.where(is_crossing, "end coded") == ["end"]
    assert landing(n.blocks["two"]) is n.made["outer"].after()


def test_a_scope_that_begins_at_the_test_has_the_merge_instruction() -> None:
    n = Named(
        """scope @s {
  if %c as @first nojoin {
  %one:
    %x = IAdd %k, 1u : u32
    break @s
  } else {
  %two:
    %y = IAdd %k, 1u : u32
    break @s
  }
}
scope @t {
  if %d as @before { }
  if %c as @second nojoin {
  %three:
    %z = IAdd %k, 1u : u32
    break @t
  } else {
  %four:
    %w = IAdd %k, 1u : u32
    break @t
  }
}
scope @u {
  scope @v nojoin {
    if %c as @third nojoin {
    %five:
      %a = IAdd %k, 1u : u32
      break @u
    } else {
    %six:
      %b = IAdd %k, 1u : u32
      break @u
    }
  }
}"""
    )
    assert n.where(is_selection, "first second third") == ["second"]


def test_an_exit_that_is_none() -> None:
    """Both ways of the if only go on in the construct around it: to the loop's header is no exit either."""
    n = Named(
        """if %d as @around nojoin {
  if %c as @lone nojoin {
  %one:
    %x = IAdd %k, 1u : u32
    kill
  } else {
  pad %two:
  }
pad %on:
} else {
%else:
  %y = IAdd %k, 1u : u32
}
%join:
  %z = IAdd %k, 1u : u32
"""
    )
    assert n.where(leaving_arms, "lone around") == ["lone"]
    assert n.where(has_no_exit, "lone around") == ["lone"]  # `join` has no merge instruction
    merged = Named(
        """if %d as @around {
  if %c as @lone nojoin {
  %one:
    %x = IAdd %k, 1u : u32
    kill
  } else {
  pad %two:
  }
pad %on:
}
%join:
"""
    )
    assert merged.where(has_no_exit, "lone") == []


def test_the_conditional_back_edge() -> None:
    n = Named(
        """loop @l {
} continuing {
%latch:
  %x = IAdd %k, 1u : u32
  if %c as @edge nojoin {
  pad %out:
    break @l
  } else {
  pad %back:
  }
pad %end:
}
loop @m {
  if %c as @in_body nojoin {
  pad %body:
    break @m
  }
} continuing {
  if %c as @not_last {
  pad %own:
    break @not_last
  }
%code:
  %y = IAdd %k, 1u : u32
  if %c as @other nojoin {
  } else {
  pad %other_out:
    break @m
  }
pad %other_end:
}
loop @n {
} continuing {
  if %c as @coded nojoin {
  %with_code:
    %z = IAdd %k, 1u : u32
    break @n
  }
pad %coded_end:
}"""
    )
    assert n.where(is_conditional_back_edge, "l edge in_body not_last other coded") == ["edge", "other", "coded"]
    assert n.where(is_selection, "edge other coded") == []
    assert n.where(has_no_exit, "edge other coded") == []
    latch, code = n.blocks["latch"], n.blocks["code"]
    for name, before in (("out", latch), ("back", latch), ("end", latch), ("other_out", code), ("other_end", code)):
        assert end_of_edge(n.blocks[name]) is before, name
        assert code_of_edge(n.blocks[name]) is before, name
    for name in ("latch", "body", "own", "code", "with_code", "coded_end"):
        assert end_of_edge(n.blocks[name]) is n.blocks[name], name
    left = [(name, loop) for name in n.blocks for loop in "lmn" if leaves_by_back_edge(n.blocks[name], n.loop(loop))]
    assert left == [("out", "l"), ("other_out", "m")]


def test_a_back_edge_with_code_on_it_is_none_that_code_can_leave_by() -> None:
    for damage, place in (("%q = IAdd %k, 1u : u32", "back"), ("%q = IAdd %k, 1u : u32", "end")):
        text = """loop @l {
} continuing {
%latch:
  if %c as @edge nojoin {
  pad %out:
    break @l
  } else {
  pad %back:
    BACK
  }
pad %end:
  END
}"""
        for name in ("back", "end"):
            text = text.replace(name.upper(), damage if name == place else "")
        n = Named(text)
        assert not leaves_by_back_edge(n.blocks["out"], n.loop("l")), place
        assert end_of_edge(n.blocks["out"]) is n.blocks["out"], place


def test_edges_that_cross() -> None:
    n = Named(
        """scope @s {
  if %c as @one nojoin {
  %a:
    %x = IAdd %k, 1u : u32
  } else {
  %b:
    %y = IAdd %k, 2u : u32
  }
pad %cross:
  %p = Phi %x %a, %y %b : u32
}
pad %merge:
%q = Phi %p %cross : u32
loop @l {
pad %header:
  if %c as @two {
  pad %then:
  }
pad %after:
} continuing { }
"""
    )
    assert n.where(is_crossing, "a b cross merge header then after") == ["cross"]
    assert n.where(is_declared, "cross merge header then after") == ["merge", "header", "after"]
    assert (behind(n.blocks["cross"]), sources(n.blocks["cross"])) == (
        n.blocks["merge"],
        [n.blocks["a"], n.blocks["b"]],
    )
    assert sources(n.blocks["merge"]) == [n.blocks["merge"]]
    assert [name for name in ("p", "q", "x") if is_relayed(n.instrs[name])] == ["p"]
    assert not is_relayed(n.main.params[0])


def test_a_crossing_holds_phis_alone_that_the_next_block_relays() -> None:
    for use, crosses in (
        ("%q = Phi %p %cross : u32", True),
        ("%q = Phi %p %cross : u32\n%r = Phi %p %cross : u32", True),
        ("%q = IAdd %p, 1u : u32", False),
        ("", False),
    ):
        n = Named(
            f"""scope @s {{
  if %c as @one nojoin {{
  %a:
    %x = IAdd %k, 1u : u32
  }} else {{
  %b:
  }}
pad %cross:
  %p = Phi %x %a, %k %b : u32
}}
%merge:
{use}
"""
        )
        assert is_crossing(n.blocks["cross"]) is crosses, use
