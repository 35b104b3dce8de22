"""Shaders whose main is a graph, as text.

    flat("  Branch %a\\n%a:\\n  SEE 1\\n  return")     %lane, %slot and SEE as in `pass_texts`
"""

import re

from kit.text.pass_texts import body

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module


def flat(text: str, decorations: str = "", globals: str = "") -> Module:
    """The shader of `pass_texts.body` with a flat main, which `text` goes on from the first block of."""
    whole = print_module(body("return"))
    seen = print_module(body("SEE 1\nreturn"))
    see = seen[seen.index("  %who1") : seen.rindex("  return")]
    start = whole.index("func @main() -> void {") + len("func @main() -> void {")
    front, rest = whole[:start], whole[start:]
    front = front.replace("declare", decorations + "declare", 1).replace("\nfunc @main", globals + "\nfunc @main")
    first = rest[: rest.rindex("  return")]
    seeing = re.sub(r"  SEE (\d+)\n", lambda match: re.sub(r"(%[a-z]{3})1\b", rf"\g<1>{match.group(1)}", see), text)
    return parse(front.replace("void {", "void flat {") + "\n%first:" + first + seeing + "}\n")
