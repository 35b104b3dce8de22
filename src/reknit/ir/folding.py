"""What an operation on constant numbers gives: the one answer of all that compute before a shader runs.

    folded(IAdd, 8, [8, 8], [255, 2])           1
    folded(UConvert, 16, [8], [255])            255
    folded(Select, 32, [1, 32, 32], [1, 7, 9])  7
    folded(UDiv, 8, [8, 8], [1, 0])             None: undefined
    folded(FAdd, 32, [32, 32], [1.5, 2.0])      3.5, as bits; None where the device rounds

`ir.integers` and `ir.floats` know the operations; which of them an opcode asks for is its `folds` in tools/ops.toml.
Folding (`passes/values`), known bits (`analysis/known_bits`) and type flow (over known bits) compute by it.
"""

from typing import Final

from reknit.ir import floats, integers, traits

EXACT: Final = "exact"
"""The rule of float operations that are folded where nothing is lost."""

OF_INTEGERS: Final = frozenset(("unary", "binary", "division", "compare", "logic", "field", "insert", "choice"))
"""The rules whose operands and results are integers or bools."""


def folded(code: int, width: int, sources: list[int], parts: list[int]) -> int | None:
    """The bits of a result of `width` bits; `sources` are the widths of the operands, `parts` their bits."""
    rule = traits.FOLDS.get(code)
    source = sources[0]
    if len(parts) == 1:
        if rule == "unary" or rule == "logic":
            return integers.unary(code, source, width, parts[0])
        if rule == "to-int":
            return floats.to_int(code, source, width, parts[0])
        if rule == "from-int":
            return floats.from_int(code, source, width, parts[0])
        if rule == EXACT:
            return floats.negated(width, parts[0])
        return floats.resize(code, source, width, parts[0]) if rule == "resize" else None
    if len(parts) == 2:
        if rule == "float-compare":
            return floats.compare(code, source, parts[0], parts[1])
        if rule == EXACT:
            return floats.exact(code, source, parts[0], parts[1])
        return None if rule is None else integers.binary(code, source, parts[0], parts[1])
    if rule == "choice":
        return parts[1] if parts[0] else parts[2]
    if rule == "field":
        return integers.field(code, source, parts[0], parts[1], parts[2])
    return integers.insert_field(source, parts[0], parts[1], parts[2], parts[3]) if rule == "insert" else None
