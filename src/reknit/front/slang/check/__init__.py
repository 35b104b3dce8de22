"""The checker: from the syntax tree to what is meant.

check(unit, sources, reports, Options(entries=["computeMain"]))  ->  symbols.Program

names       entries, members, access          what a name leads to
types       type_names, generics, infer       types as written, and arguments that aren't
values      expressions, calls, operators, construct, convert, constants
the whole   declare, ready, signatures, conform, bodies, program
"""

from reknit.front.slang.check.context import Options
from reknit.front.slang.check.program import check

__all__ = ["Options", "check"]
