"""What of the language's own library is written in the language.

    Conditional<float3, true> n;     struct { float3 value }       n.get(): its value
    Conditional<float3, false> n;    struct { }                    n.get(): none; nothing is stored in it
    atomic += 1                      an atomic addition             atomic++
    IArray<T>, IRWArray<T>           what arrays, vectors, matrices and structured buffers conform to
    clip(v)                          if (any(v < 0)) discard;
    sin(d)                           of a double: `doubles`

Read only where a source names it. A field that a type doesn't have reads as undefined, and stores to it are dropped.
"""

import re
from typing import Final

from reknit.front.slang import doubles
from reknit.front.slang.parse.file import parse_file
from reknit.front.slang.report import Reports
from reknit.front.slang.syntax import Unit
from reknit.front.slang.types import ConstType, StructType, Type
from reknit.source.pattern import pattern

CONDITIONAL: Final = "Conditional"
VALUE: Final = "__conditional_value"
_ARRAYS: Final = """
interface IArray<T> { int getCount(); __subscript(int index) -> T { get; } }
interface IRWArray<T> : IArray<T> { __subscript(int index) -> T { get; set; } }
extension<T, let N : int> Array<T, N> : IRWArray<T>
{
    int getCount() { return N; }
    __subscript(int index) -> T { get { return this[index]; } set { this[index] = newValue; } }
}
extension<T, let N : int> vector<T, N> : IRWArray<T>
{
    int getCount() { return N; }
    __subscript(int index) -> T { get { return this[index]; } set { this[index] = newValue; } }
}
extension<T> StructuredBuffer<T> : IArray<T>
{
    int getCount() { int count, stride; this.GetDimensions(count, stride); return count; }
    __subscript(int index) -> T { get { return this[index]; } }
}
extension<T> RWStructuredBuffer<T> : IRWArray<T>
{
    int getCount() { int count, stride; this.GetDimensions(count, stride); return count; }
    __subscript(int index) -> T { get { return this[index]; } [nonmutating] set { this[index] = newValue; } }
}
extension<T, let R : int, let C : int> matrix<T, R, C> : IRWArray<vector<T, C>>
{
    int getCount() { return R; }
    __subscript(int index) -> vector<T, C> { get { return this[index]; } set { this[index] = newValue; } }
}
"""
_PIECES: Final = {
    CONDITIONAL: f"""
struct {CONDITIONAL}<T, let hasValue : bool>
{{
    T {VALUE};
    Optional<T> get() {{ if (hasValue) return {VALUE}; return none; }}
    [mutating] void set(T value) {{ if (hasValue) {VALUE} = value; }}
}}
""",
    "clip": """
void clip(float x) { if (x < 0) discard; }
void clip(float2 x) { if (any(x < 0)) discard; }
void clip(float3 x) { if (any(x < 0)) discard; }
void clip(float4 x) { if (any(x < 0)) discard; }
""",
    "IArray": _ARRAYS,
    "IRWArray": _ARRAYS,
    "Atomic": """
T operator+=<T : IArithmeticAtomicable>(__ref Atomic<T> v, T value) { return v.add(value) + value; }
T operator-=<T : IArithmeticAtomicable>(__ref Atomic<T> v, T value) { return v.sub(value) - value; }
T operator&=<T : IBitAtomicable>(__ref Atomic<T> v, T value) { return v.and(value) & value; }
T operator|=<T : IBitAtomicable>(__ref Atomic<T> v, T value) { return v.or(value) | value; }
T operator^=<T : IBitAtomicable>(__ref Atomic<T> v, T value) { return v.xor(value) ^ value; }
__prefix T operator++<T : IBitAtomicable>(__ref Atomic<T> v) { return v.increment() + T(1); }
__postfix T operator++<T : IBitAtomicable>(__ref Atomic<T> v) { return v.increment(); }
__prefix T operator--<T : IBitAtomicable>(__ref Atomic<T> v) { return v.decrement() - T(1); }
__postfix T operator--<T : IBitAtomicable>(__ref Atomic<T> v) { return v.decrement(); }
""",
}
"""By the name that a source uses for it."""


def with_core(unit: Unit, reports: Reports) -> Unit:
    """The unit after the declarations that it may need. A source may have one of its own by the same name."""
    own = [decl.name for decl in unit.declarations]
    texts = list(reports.sources.texts)
    wanted = [
        source for name, source in _PIECES.items() if name not in own and any(_names(text, name) for text in texts)
    ]
    wanted = list(dict.fromkeys(wanted))
    if any(_DOUBLES.search(text) is not None for text in texts):
        wanted.append(doubles.source())
    for source in wanted:
        core, _ = parse_file("<core>", source, None, reports)
        unit.declarations = core.declarations + unit.declarations
    return unit


_DOUBLES: Final = pattern(r"\b(?:double[1-4]?(?:x[1-4])?|float64_t[1-4]?(?:x[1-4])?)\b")


def _names(text: str, name: str) -> bool:
    """Whether it stands in the text as a word: one in small letters as a function that is called."""
    return name in text and re.search(rf"\b{name}\b" + (r"\s*\(" if name.islower() else ""), text) is not None


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
