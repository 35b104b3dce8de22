"""What of the language's own library is written in the language.

    Conditional<float3, true> n;     struct { float3 value }       n.get(): its value
    Conditional<float3, false> n;    struct { }                    n.get(): none; nothing is stored in it

Read only where a source names it. A field that a type doesn't have reads as undefined, and stores to it are dropped.
"""

from typing import Final

from reknit.front.slang.parse.file import parse_file
from reknit.front.slang.report import Reports
from reknit.front.slang.syntax import Unit
from reknit.front.slang.types import ConstType, StructType, Type

CONDITIONAL: Final = "Conditional"
VALUE: Final = "__conditional_value"
_SOURCE: Final = f"""
struct {CONDITIONAL}<T, let hasValue : bool>
{{
    T {VALUE};
    Optional<T> get() {{ if (hasValue) return {VALUE}; return none; }}
    [mutating] void set(T value) {{ if (hasValue) {VALUE} = value; }}
}}
"""


def with_core(unit: Unit, reports: Reports) -> Unit:
    """The unit after the declarations that it may need."""
    if not any(CONDITIONAL in text for text in reports.sources.texts):
        return unit
    if any(decl.name == CONDITIONAL for decl in unit.declarations):
        return unit  # one of its own
    core, _ = parse_file("<core>", _SOURCE, None, reports)
    unit.declarations = core.declarations + unit.declarations
    return unit


def condition_of(type: StructType) -> Type | None:
    """What says whether a Conditional has its field; None for another struct."""
    fields = type.struct.fields
    if type.struct.name == CONDITIONAL and len(fields) == 1 and fields[0].name == VALUE:
        return type.arguments[-1]
    return None


def is_empty(type: StructType) -> bool:
    """Whether it is a Conditional without its value."""
    condition = condition_of(type)
    return isinstance(condition, ConstType) and condition.value == 0
