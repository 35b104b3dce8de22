"""What other modules may link to: compared like entry points, since a linked module may call or read it.

    exported function       proved by terms for all arguments, or named as not judged
    exported variable       the same type, initializer and decorations
    only before             can't be compared: an import of it would find nothing

Source: SPIR-V 1.6, 2.13 "Linkage": "The ability to have partially linked modules and libraries is provided as part of
the Linkage capability"; "A name ... is used to uniquely identify exported values".
"""

from typing import Final

from reknit.ir import enums, op
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import storage_of
from reknit.ir.value import Value
from reknit.ir.walk import instructions
from reknit.proof.frame.meanings import Meanings
from reknit.proof.normal_form.compare import compare
from reknit.sim.entry import reached_functions
from reknit.source.diagnostic import InputError

_ATTRIBUTES: Final = enums.DecorationLinkageAttributes
_ASSUMED: Final = enums.FunctionControlPure | enums.FunctionControlConst


def exports(before: Module, after: Module, meanings: Meanings) -> tuple[list[str], list[str]]:
    """Why the two can't be compared, and what is open."""
    apart: list[str] = []
    left: list[str] = []
    mine, other = (_exported(module, meanings) for module in (before, after))
    for name, value in mine.items():
        noun = "function" if isinstance(value, Function) else "variable"
        if name not in other:
            apart.append(f"the exported {noun} '{name}' is only before")
            continue
        reason = _difference(before, value, after, other[name], meanings)
        if reason:
            left.append(f"the exported {noun} '{name}': {reason}")
    left.extend([f"'{name}' is exported only after" for name in other if name not in mine])
    return apart, left


def _exported(module: Module, meanings: Meanings) -> dict[str, Value]:
    named: dict[str, Value] = {}
    for value, notes in meanings.annotations[module].of_value.items():
        for _, kind, rest in notes:
            if kind == _ATTRIBUTES and len(rest) > 1 and rest[1] != enums.LinkageTypeImport:
                named[str(rest[0])] = value
    return named


def _difference(before: Module, mine: Value, after: Module, other: Value, meanings: Meanings) -> str:
    """Why two exported values are not known to be the same; "" where they are."""
    if not isinstance(mine, Function) or not isinstance(other, Function):
        same = isinstance(mine, Instr) and isinstance(other, Instr) and meanings.of(mine) == meanings.of(other)
        return "" if same else "its type, initializer or decorations differ"
    if meanings.of(mine.type) != meanings.of(other.type):
        return "its type differs"
    notes = [
        list(meanings.decorations(each, meanings.annotations[module]))
        for module, each in ((before, mine), (after, other))
    ]
    if notes[0] != notes[1] or (mine.control ^ other.control) & _ASSUMED:
        return "its decorations or control differ"
    for module, function in ((before, mine), (after, other)):
        try:
            functions = reached_functions(module, function)
        except InputError as error:
            return error.diagnostics[0].message
        if any(_holds_over(instr) for each in functions for instr in instructions(each)):
            return "it uses variables that outlast a call"
    finding = compare(before, mine, after, other)
    return "" if finding.proved else finding.text()


def _holds_over(instr: Instr) -> bool:
    """Whether it uses a Private variable, which holds what another call left."""
    return any(
        isinstance(each, Instr)
        and each.op == op.Variable
        and each.block is None
        and each.type is not None
        and storage_of(each.type) == enums.StorageClassPrivate
        for each in instr.operands
    )
