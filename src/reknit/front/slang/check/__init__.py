"""The checker: from the syntax tree to what is meant.

check(unit, sources, reports, Options(entries=["computeMain"]))  ->  symbols.Program

declare       declarations, their types when first asked for, bodies
types         types as written, their members and conformances
generics      parameters and arguments, written or inferred
expressions   names, members, operators, conversions, values made of parts
calls         the one overload resolver, and which existentials a call opens
statements    what each may be in, errors, locals
program       the whole, over one `context`
"""

from reknit.front.slang.check.context import Options
from reknit.front.slang.check.program import check

__all__ = ["Options", "check"]
