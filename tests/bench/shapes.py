"""Modules of a given size for the benchmarks, made word by word, valid for spirv-val.

    ifs          if c { x += 1 } if c { x += 1 } ...                     a long row
    nest         if c { loop { if c { loop { ... } } } }                 as deep as it is large
    switch       switch v { case 0: x += 1 + ballot; fallthrough ... }    one switch, every case falls
    functions    void f0() { x += 1 ... } void f1() ...                   many, of about 120 instructions
    calls        f0() f1() ...; void f0() { x += 1 ... }                  the same, each called once
    variables    if a < 1 { a += 1 } if b < 1 { b += 1 } ...              a long row over 16 variables of the function

`size` is the number of instructions, met within one construct.
"""

from array import array
from collections.abc import Callable

from reknit.ir import enums, op

VOID, BOOL, U32, FN, PTR, X, ZERO, ONE, YES, VEC4, SUBGROUP, MAIN = range(1, 13)
FIRST_FREE = 13


class Sheet:
    """A module that grows: `words` after the header, `count` instructions."""

    def __init__(self) -> None:
        self.words = array("I", [0x07230203, 0x10600, 0, 0, 0])
        self.count = 0
        self.next = FIRST_FREE
        for capability in (
            enums.CapabilityShader,
            enums.CapabilityGroupNonUniform,
            enums.CapabilityGroupNonUniformBallot,
        ):
            self.add(op.Capability, capability)
        self.add(op.MemoryModel, enums.AddressingModelLogical, enums.MemoryModelGLSL450)
        self.add(op.EntryPoint, enums.ExecutionModelGLCompute, MAIN, 0x6E69616D, 0, X)
        self.add(op.ExecutionMode, MAIN, enums.ExecutionModeLocalSize, 32, 1, 1)
        self.add(op.TypeVoid, VOID)
        self.add(op.TypeBool, BOOL)
        self.add(op.TypeInt, U32, 32, 0)
        self.add(op.TypeVector, VEC4, U32, 4)
        self.add(op.TypeFunction, FN, VOID)
        self.add(op.TypePointer, PTR, enums.StorageClassPrivate, U32)
        self.add(op.Constant, U32, ZERO, 0)
        self.add(op.Constant, U32, ONE, 1)
        self.add(op.Constant, U32, SUBGROUP, enums.ScopeSubgroup)
        self.add(op.ConstantTrue, BOOL, YES)
        self.add(op.Variable, PTR, X, enums.StorageClassPrivate)

    def add(self, code: int, *operands: int) -> None:
        self.words.append((len(operands) + 1) << 16 | code)
        self.words.extend(operands)
        self.count += 1

    def id(self) -> int:
        self.next += 1
        return self.next - 1

    def begin(self, name: int) -> None:
        self.add(op.Function, VOID, name, 0, FN)
        self.add(op.Label, self.id())

    def end(self) -> None:
        self.add(op.Return)
        self.add(op.FunctionEnd)

    def step(self, place: int = X) -> None:
        """x += 1: three instructions."""
        loaded, total = self.id(), self.id()
        self.add(op.Load, U32, loaded, place)
        self.add(op.IAdd, U32, total, loaded, ONE)
        self.add(op.Store, place, total)

    def test(self, place: int = X) -> int:
        """x < 1: two instructions."""
        loaded, truth = self.id(), self.id()
        self.add(op.Load, U32, loaded, place)
        self.add(op.ULessThan, BOOL, truth, loaded, ONE)
        return truth

    def data(self) -> bytes:
        self.words[3] = self.next
        return self.words.tobytes()


def ifs(sheet: Sheet, size: int) -> None:
    sheet.begin(MAIN)
    while sheet.count < size - 2:
        then, after = sheet.id(), sheet.id()
        truth = sheet.test()
        sheet.add(op.SelectionMerge, after, 0)
        sheet.add(op.BranchConditional, truth, then, after)
        sheet.add(op.Label, then)
        sheet.step()
        sheet.add(op.Branch, after)
        sheet.add(op.Label, after)
    sheet.end()


def nest(sheet: Sheet, size: int) -> None:
    """An if in a loop in an if ..., 15 instructions for the pair."""
    sheet.begin(MAIN)
    pairs = max(1, (size - sheet.count) // 18)
    closing: list[tuple[int, int, int, int]] = []
    for _ in range(pairs):
        then, after, header, body, following, leave = (sheet.id() for _ in range(6))
        truth = sheet.test()
        sheet.add(op.SelectionMerge, after, 0)
        sheet.add(op.BranchConditional, truth, then, after)
        sheet.add(op.Label, then)
        sheet.add(op.Branch, header)
        sheet.add(op.Label, header)
        sheet.add(op.LoopMerge, leave, following, 0)
        sheet.add(op.Branch, body)
        sheet.add(op.Label, body)
        closing.append((after, header, following, leave))
    sheet.step()
    while closing:
        after, header, following, leave = closing.pop()
        sheet.add(op.Branch, following)
        sheet.add(op.Label, following)
        truth = sheet.test()
        sheet.add(op.BranchConditional, truth, header, leave)
        sheet.add(op.Label, leave)
        sheet.add(op.Branch, after)
        sheet.add(op.Label, after)
    sheet.end()


def switch(sheet: Sheet, size: int) -> None:
    """Seven instructions a case, a ballot among them."""
    sheet.begin(MAIN)
    cases = max(2, (size - sheet.count) // 7)
    selector, after = sheet.id(), sheet.id()
    labels = [sheet.id() for _ in range(cases)]
    sheet.add(op.Load, U32, selector, X)
    sheet.add(op.SelectionMerge, after, 0)
    # An OpSwitch has at most 16,383 pairs (SPIR-V 1.6, 2.17): more cases take several switches in a row.
    most = 16_000
    for start in range(0, cases, most):
        part = labels[start : start + most]
        pairs: list[int] = []
        for literal, label in enumerate(part):
            pairs += [literal, label]
        sheet.add(op.Switch, selector, after, *pairs)
        for place, label in enumerate(part):
            ballot, low, total = sheet.id(), sheet.id(), sheet.id()
            sheet.add(op.Label, label)
            sheet.add(op.GroupNonUniformBallot, VEC4, ballot, SUBGROUP, YES)
            sheet.add(op.CompositeExtract, U32, low, ballot, 0)
            loaded = sheet.id()
            sheet.add(op.Load, U32, loaded, X)
            sheet.add(op.IAdd, U32, total, loaded, low)
            sheet.add(op.Store, X, total)
            sheet.add(op.Branch, part[place + 1] if place + 1 < len(part) else after)
        sheet.add(op.Label, after)
        if start + most < cases:
            after = sheet.id()
            sheet.add(op.SelectionMerge, after, 0)
    sheet.end()


def functions(sheet: Sheet, size: int) -> None:
    name = MAIN
    while sheet.count < size:
        eight_ifs(sheet, name)
        name = sheet.id()


def calls(sheet: Sheet, size: int) -> None:
    callees = [sheet.id() for _ in range(max(1, (size - sheet.count) // 120))]
    sheet.begin(MAIN)
    for callee in callees:
        sheet.add(op.FunctionCall, VOID, sheet.id(), callee)
    sheet.end()
    for callee in callees:
        eight_ifs(sheet, callee)


def eight_ifs(sheet: Sheet, name: int) -> None:
    """A function of about 120 instructions."""
    sheet.begin(name)
    for _ in range(8):
        then, after = sheet.id(), sheet.id()
        truth = sheet.test()
        sheet.add(op.SelectionMerge, after, 0)
        sheet.add(op.BranchConditional, truth, then, after)
        sheet.add(op.Label, then)
        for _ in range(3):
            sheet.step()
        sheet.add(op.Branch, after)
        sheet.add(op.Label, after)
    sheet.end()


def variables(sheet: Sheet, size: int) -> None:
    pointer = sheet.id()
    sheet.add(op.TypePointer, pointer, enums.StorageClassFunction, U32)
    sheet.begin(MAIN)
    places = [sheet.id() for _ in range(16)]
    for place in places:
        sheet.add(op.Variable, pointer, place, enums.StorageClassFunction)
    for place in places:
        sheet.add(op.Store, place, ZERO)
    turn = 0
    while sheet.count < size - 20:
        then, after = sheet.id(), sheet.id()
        place = places[turn % len(places)]
        truth = sheet.test(place)
        sheet.add(op.SelectionMerge, after, 0)
        sheet.add(op.BranchConditional, truth, then, after)
        sheet.add(op.Label, then)
        sheet.step(place)
        sheet.add(op.Branch, after)
        sheet.add(op.Label, after)
        turn += 1
    for place in places:  # all of them are read at the end
        loaded = sheet.id()
        sheet.add(op.Load, U32, loaded, place)
        sheet.add(op.Store, X, loaded)
    sheet.end()


SHAPES: dict[str, Callable[[Sheet, int], None]] = {
    "ifs": ifs,
    "nest": nest,
    "switch": switch,
    "functions": functions,
    "calls": calls,
    "variables": variables,
}


def module(shape: str, size: int) -> bytes:
    """A module of about `size` instructions."""
    sheet = Sheet()
    SHAPES[shape](sheet, size)
    return sheet.data()
