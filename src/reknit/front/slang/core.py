"""What of the language's own library is written in the language.

    Conditional<float3, true> n;     struct { float3 value }       n.get(): its value
    Conditional<float3, false> n;    struct { }                    n.get(): none; nothing is stored in it
    atomic += 1                      an atomic addition             atomic++
    IArray<T>, IRWArray<T>           what arrays, vectors, matrices and structured buffers conform to
    clip(v)                          if (any(v < 0)) discard;
    texture.InterlockedAddF32(xy, v) of a RWTexture of floats: InterlockedAdd of the texel
    Texture2D.Handle h;              struct { uint2 }: which descriptor of the heap; it stands for the texture
    RayDesc, RAY_FLAG_NONE           and the like, for ray queries
    sin(d)                           of a double: `doubles`
    floatBitsToInt(x)                where GLSL's names are used: `glsl_core`

Read only where a source names it. A field that a type doesn't have reads as undefined, and stores to it are dropped.
"""

import re
from typing import Final

from reknit.front.slang import doubles
from reknit.front.slang.builtins.kinds import SAMPLERS
from reknit.front.slang.glsl_core import GLSL_PIECES
from reknit.front.slang.parse.file import parse_file
from reknit.front.slang.report import UNSUPPORTED, Reports
from reknit.front.slang.syntax import Unit
from reknit.front.slang.types import ConstType, ResourceType, StructType, Type

FROM_HANDLE: Final = "getDescriptorFromHandle"
HANDLE: Final = "DescriptorHandle"
UNTYPED: Final = {"UntypedResourceHandle": False, "UntypedSamplerHandle": True}
"""What the two descriptor heaps have, and whether it is of samplers."""
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
_TEXEL_ADDS: Final = "".join(
    f"""
extension {texture}<float>
{{
    void InterlockedAddF32({place} at, float value, out float old) {{ InterlockedAdd(this[at], value, old); }}
    float InterlockedAddF32({place} at, float value) {{ float old; InterlockedAdd(this[at], value, old); return old; }}
}}
"""
    for texture, place in (("RWTexture1D", "uint"), ("RWTexture2D", "uint2"), ("RWTexture3D", "uint3"))
)
_HANDLES: Final = f"""
struct {HANDLE}<T : IOpaqueDescriptor> : IComparable
{{
    uint2 __handle;
    __init(uint2 handle) {{ __handle = handle; }}
    bool equals({HANDLE}<T> other) {{ return all(__handle == other.__handle); }}
    bool lessThan({HANDLE}<T> other)
    {{
        return __handle.x != other.__handle.x ? __handle.x < other.__handle.x : __handle.y < other.__handle.y;
    }}
    bool lessThanOrEquals({HANDLE}<T> other) {{ return !other.lessThan(this); }}
}}
bool operator==<T : IOpaqueDescriptor>({HANDLE}<T> a, {HANDLE}<T> b) {{ return a.equals(b); }}
bool operator!=<T : IOpaqueDescriptor>({HANDLE}<T> a, {HANDLE}<T> b) {{ return !a.equals(b); }}
{HANDLE}<T> nonuniform<T : IOpaqueDescriptor>({HANDLE}<T> handle)
{{
    return {HANDLE}<T>(NonUniformResourceIndex(handle.__handle));
}}
extension vector<uint, 2> {{ __init<T : IOpaqueDescriptor>({HANDLE}<T> handle) {{ this = handle.__handle; }} }}
extension<T : IOpaqueDescriptor> T {{ typealias Handle = {HANDLE}<T>; }}
T getDescriptorFromHandle<T : IOpaqueDescriptor>({HANDLE}<T> handle) {{ return handle; }}
T defaultGetDescriptorFromHandle<T : IOpaqueDescriptor>({HANDLE}<T> handle) {{ return handle; }}
struct UntypedResourceHandle {{ uint __handle; }}
struct UntypedSamplerHandle {{ uint __handle; }}
struct __ResourceDescriptorHeap
{{
    __subscript(uint index) -> UntypedResourceHandle {{ get {{ return {{ index }}; }} }}
}}
struct __SamplerDescriptorHeap
{{
    __subscript(uint index) -> UntypedSamplerHandle {{ get {{ return {{ index }}; }} }}
}}
static const __ResourceDescriptorHeap ResourceDescriptorHeap = {{}};
static const __SamplerDescriptorHeap SamplerDescriptorHeap = {{}};
"""
_HANDLE_NAMES: Final = (
    HANDLE, "Handle", FROM_HANDLE, "defaultGetDescriptorFromHandle", *UNTYPED, "ResourceDescriptorHeap",
    "SamplerDescriptorHeap",
)  # fmt: skip
_NEXT: Final = "".join(
    f"""
{real} nextafter({real} x, {real} y)
{{
    if (isnan(x) || isnan(y)) return x + y;
    if (x == y) return y;
    {word} bits = bit_cast<{word}>(x);
    {word} sign = {word}({word}(y > x ? 0 : 1) << {width - 1});
    if (x == {real}(0)) return bit_cast<{real}>({word}(sign | {word}(1)));
    return bit_cast<{real}>({word}((y > x) == (x > {real}(0)) ? bits + {word}(1) : bits - {word}(1)));
}}
vector<{real}, N> nextafter<let N : int>(vector<{real}, N> x, vector<{real}, N> y)
{{ vector<{real}, N> r; for (int i = 0; i < N; i++) r[i] = nextafter(x[i], y[i]); return r; }}
"""
    for real, word, width in (("float", "uint", 32), ("half", "uint16_t", 16), ("double", "uint64_t", 64))
)
_RAYS: Final = """
typedef uint RAY_FLAG;
typedef uint CANDIDATE_TYPE;
typedef uint COMMITTED_STATUS;
struct RayDesc { float3 Origin; float TMin; float3 Direction; float TMax; }
static const uint RAY_FLAG_NONE = 0;
static const uint RAY_FLAG_FORCE_OPAQUE = 1;
static const uint RAY_FLAG_FORCE_NON_OPAQUE = 2;
static const uint RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH = 4;
static const uint RAY_FLAG_SKIP_CLOSEST_HIT_SHADER = 8;
static const uint RAY_FLAG_CULL_BACK_FACING_TRIANGLES = 0x10;
static const uint RAY_FLAG_CULL_FRONT_FACING_TRIANGLES = 0x20;
static const uint RAY_FLAG_CULL_OPAQUE = 0x40;
static const uint RAY_FLAG_CULL_NON_OPAQUE = 0x80;
static const uint RAY_FLAG_SKIP_TRIANGLES = 0x100;
static const uint RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES = 0x200;
static const uint CANDIDATE_NON_OPAQUE_TRIANGLE = 0;
static const uint CANDIDATE_PROCEDURAL_PRIMITIVE = 1;
static const uint COMMITTED_NOTHING = 0;
static const uint COMMITTED_TRIANGLE_HIT = 1;
static const uint COMMITTED_PROCEDURAL_PRIMITIVE_HIT = 2;
static const uint HIT_KIND_TRIANGLE_FRONT_FACE = 254;
static const uint HIT_KIND_TRIANGLE_BACK_FACE = 255;
extension<let flags : uint> RayQuery<flags>
{
    void TraceRayInline(RaytracingAccelerationStructure scene, uint more, uint mask, RayDesc ray)
    {
        this.__initialize(scene, flags | more, mask, ray.Origin, ray.TMin, ray.Direction, ray.TMax);
    }
    bool CandidateProceduralPrimitiveNonOpaque() { return !this.__isCandidateOpaque(); }
}
"""
_RAY_NAMES: Final = ("RayQuery", "RayDesc", "CANDIDATE_TYPE", "COMMITTED_STATUS", "RAY_FLAG", *re.findall(
    r"[A-Z_]+(?= = )", _RAYS
))  # fmt: skip
_PIECES: Final = {
    **dict.fromkeys(_RAY_NAMES, _RAYS), **dict.fromkeys(_HANDLE_NAMES, _HANDLES),
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
    "InterlockedAddF32": _TEXEL_ADDS,
    "nextafter": _NEXT,
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
    pieces = {**_PIECES, **GLSL_PIECES} if unit.glsl else _PIECES
    wanted = [
        source for name, source in pieces.items() if name not in own and any(_names(text, name) for text in texts)
    ]
    wanted = list(dict.fromkeys(wanted))
    for decl in unit.declarations:
        if decl.name == FROM_HANDLE and _HANDLES in wanted:  # each use of a handle would be a call of it
            reports.error(UNSUPPORTED, decl.at, f"not supported: a `{FROM_HANDLE}` of the source's own")
    if any(_DOUBLES.search(text) is not None for text in texts):
        wanted.append(doubles.source())
    for source in wanted:
        core, _ = parse_file("<core>", source, None, reports)
        unit.declarations = core.declarations + unit.declarations
    return unit


_DOUBLES: Final = re.compile(r"\b(?:double[1-4]?(?:x[1-4])?|float64_t[1-4]?(?:x[1-4])?)\b")


def _names(text: str, name: str) -> bool:
    """Whether it stands in the text as a word: one in small letters as a function that is called."""
    return name in text and re.search(rf"\b{name}\b" + (r"\s*\(" if name.islower() else ""), text) is not None


def condition_of(type: StructType) -> Type | None:
    """What says whether a Conditional has its field; None for another struct."""
    fields = type.struct.fields
    if type.struct.name == CONDITIONAL and len(fields) == 1 and fields[0].name == VALUE:
        return type.arguments[-1]
    return None


def handled_by(type: Type) -> Type | None:
    """What a descriptor handle stands for; None for another type."""
    if isinstance(type, StructType) and type.struct.name == HANDLE and type.struct.fields[0].name == "__handle":
        return type.arguments[-1]
    return None


def is_untyped_handle(source: Type, target: Type) -> bool:
    """Whether it is what a descriptor heap has, and may stand for a `target` or be made a handle of one."""
    target = handled_by(target) or target
    if not isinstance(source, StructType) or not isinstance(target, ResourceType) or target.kind == "Atomic":
        return False
    return UNTYPED.get(source.struct.name) is (target.kind in SAMPLERS)


def is_empty(type: StructType) -> bool:
    """Whether it is a Conditional without its value."""
    condition = condition_of(type)
    return isinstance(condition, ConstType) and condition.value == 0
