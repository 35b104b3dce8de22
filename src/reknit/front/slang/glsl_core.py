"""Functions of GLSL that Slang has by other names, written in Slang, for sources that use GLSL's names.

    iimage2D            RWTexture2D<int4>               imageLoad(i, p), imageAtomicAdd(i, p, x)
    floatBitsToInt(x)   asint(x)        inversesqrt(x)   rsqrt(x)       mod(x, y)   x - y * floor(x / y)
    atomicAdd(m, x)     InterlockedAdd  lessThan(a, b)   a < b          anyInvocation(b)   WaveActiveAnyTrue(b)

A vector's function is that of its components. Source: the OpenGL Shading Language 4.60, chapter 8.
"""

from collections.abc import Iterable
from typing import Final


def _both(name: str, result: str, params: str, value: str) -> str:
    """For scalars and vectors: `{int}` is one or the other."""
    forms = []
    for generic, open, close in (("", "", ""), ("<let N : int>", "vector<", ", N>")):
        text = f"{result} {name}{generic}({params}) {{{{ {value} }}}}"
        kinds = ("int", "uint", "float", "double", "bool", "int64_t", "uint64_t")
        forms.append(text.format_map({kind: f"{open}{kind}{close}" for kind in kinds}))
    return "\n".join([*forms, ""])


def _reals(name: str, params: str, value: str) -> str:
    """For floats and doubles, both as `{float}`."""
    of_doubles = [part.replace("{float}", "{double}") for part in (params, value)]
    return _both(name, "{float}", params, value) + _both(name, "{double}", *of_doubles)


def _per_component(name: str, value: str, kinds: str) -> str:
    return "\n".join(
        f"vector<bool, N> {name}<let N : int>(vector<{kind}, N> a, vector<{kind}, N> b)\n"
        f"{{ vector<bool, N> r; for (int i = 0; i < N; i++) r[i] = {value}; return r; }}"
        for kind in kinds.split()
    )


def _atomic(name: str, interlocked: str, kinds: str = "int uint int64_t uint64_t") -> str:
    return "\n".join(
        f"{kind} {name}(__ref {kind} memory, {kind} data)\n"
        f"{{ {kind} old; {interlocked}(memory, data, old); return old; }}"
        for kind in kinds.split()
    )


_TEXELS: Final = {"": "float4", "i": "int4", "u": "uint4", "i64": "vector<int64_t, 4>", "u64": "vector<uint64_t, 4>"}
_IMAGES: Final = {
    "1D": ("RWTexture1D", 1, 1), "2D": ("RWTexture2D", 2, 2), "3D": ("RWTexture3D", 3, 3),
    "Cube": ("__RWTextureCube", 3, 2), "Buffer": ("RWBuffer", 1, 1), "1DArray": ("RWTexture1DArray", 2, 2),
    "2DArray": ("RWTexture2DArray", 3, 3), "CubeArray": ("__RWTextureCubeArray", 3, 3),
    "2DMS": ("RWTexture2DMS", 2, 2), "2DMSArray": ("RWTexture2DMSArray", 3, 3),
}  # fmt: skip
"""By what follows `image`: Slang's type, how many coordinates it takes and how many numbers its size is."""
_IMAGE_TYPES: Final = {
    f"{prefix}image{shape}": f"typealias {prefix}image{shape} = {_IMAGES.get(shape, _IMAGES['2D'])[0]}<{texel}>;\n"
    for prefix, texel in _TEXELS.items()
    for shape in (*_IMAGES, "2DRect")
}


def _of_images(form: str, shapes: Iterable[str]) -> str:
    """A function for each shape: `{type}`, `{at}` and `{place}` are its type, the parameters for a place and that place
    as a subscript, `{size}` and `{axes}` its size's type and the names of its numbers."""
    texts = []
    for shape in shapes:
        type, count, numbers = _IMAGES[shape]
        sampled = shape.startswith("2DMS")
        ints = "int" if count == 1 else f"int{count}"
        names = ["width", "height", "depth"][:numbers]
        words = {
            "type": type, "at": f"{ints} at, int sample" if sampled else f"{ints} at",
            "place": f"u{ints}(at), sample" if sampled else f"u{ints}(at)",
            "size": "int" if numbers == 1 else f"int{numbers}", "axes": ", ".join(names),
            "outs": ", ".join([*names, "samples"] if sampled else names),
        }  # fmt: skip
        texts.append(form.format_map(words))
    return "".join(texts)


def _image_atomic(interlocked: str) -> str:
    return _of_images(
        "K {name}<K : __BuiltinArithmeticType>({{type}}<vector<K, 4>> image, {{at}}, K data)\n"
        "{{{{ K old; {interlocked}(image[{{place}}].x, data, old); return old; }}}}\n".format_map(
            {"name": interlocked.replace("Interlocked", "imageAtomic"), "interlocked": interlocked}
        ),
        _IMAGES,
    )


_IMAGE_FUNCTIONS: Final = {
    "imageSize": _of_images(
        "{size} imageSize<T>({type}<T> image)\n"
        "{{ uint width, height, depth, samples; image.GetDimensions({outs}); return {size}({axes}); }}\n",
        _IMAGES,
    ),
    "imageSamples": _of_images(
        "int imageSamples<T>({type}<T> image)\n"
        "{{ uint width, height, depth, samples; image.GetDimensions({outs}); return int(samples); }}\n",
        ("2DMS", "2DMSArray"),
    ),
    "imageLoad": _of_images("T imageLoad<T>({type}<T> image, {at}) {{ return image[{place}]; }}\n", _IMAGES),
    "imageStore": _of_images(
        "void imageStore<T>({type}<T> image, {at}, T data) {{ image[{place}] = data; }}\n", _IMAGES
    ),
    **{
        f"imageAtomic{name}": _image_atomic(f"Interlocked{name}")
        for name in ("Add", "Min", "Max", "And", "Or", "Xor", "Exchange")
    },
    "imageAtomicCompSwap": _of_images(
        "K imageAtomicCompSwap<K : __BuiltinArithmeticType>({type}<vector<K, 4>> image, {at}, K compare, K data)\n"
        "{{ K old; InterlockedCompareExchange(image[{place}].x, compare, data, old); return old; }}\n",
        _IMAGES,
    ),
}
_NUMBERS: Final = "int uint float double"
GLSL_PIECES: Final = {
    **_IMAGE_TYPES,
    **_IMAGE_FUNCTIONS,
    "gl_WorkGroupSize": "static const uint3 gl_WorkGroupSize = WorkgroupSize();\n",
    "floatBitsToInt": _both("floatBitsToInt", "{int}", "{float} x", "return asint(x);"),
    "floatBitsToUint": _both("floatBitsToUint", "{uint}", "{float} x", "return asuint(x);"),
    "intBitsToFloat": _both("intBitsToFloat", "{float}", "{int} x", "return asfloat(x);"),
    "uintBitsToFloat": _both("uintBitsToFloat", "{float}", "{uint} x", "return asfloat(x);"),
    "inversesqrt": _reals("inversesqrt", "{float} x", "return rsqrt(x);"),
    "roundEven": _reals("roundEven", "{float} x", "return round(x);"),
    "atan": _both("atan", "{float}", "{float} y, {float} x", "return atan2(y, x);"),
    "mod": _reals("mod", "{float} x, {float} y", "return x - y * floor(x / y);")
    + "\n".join(
        f"vector<{real}, N> mod<let N : int>(vector<{real}, N> x, {real} y) {{ return x - y * floor(x / y); }}"
        for real in ("float", "double")
    ),
    "mix": _reals("mix", "{float} x, {float} y, {float} a", "return x * (1 - a) + y * a;")
    + "\n".join(
        f"vector<{real}, N> mix<let N : int>(vector<{real}, N> x, vector<{real}, N> y, {real} a)\n"
        "{ return x * (1 - a) + y * a; }\n"
        for real in ("float", "double")
    )
    + "\n".join(
        _both("mix", kind, f"{kind} x, {kind} y, {{bool}} a", "return select(a, y, x);")
        for kind in ("{float}", "{double}", "{int}", "{uint}", "{bool}")
    ),
    "umulExtended": _both(
        "umulExtended", "void", "{uint} x, {uint} y, out {uint} msb, out {uint} lsb",
        "{uint64_t} p = {uint64_t}(x) * {uint64_t}(y); msb = {uint}(p >> 32); lsb = {uint}(p);",
    ),
    "imulExtended": _both(
        "imulExtended", "void", "{int} x, {int} y, out {int} msb, out {int} lsb",
        "{int64_t} p = {int64_t}(x) * {int64_t}(y); msb = {int}(p >> 32); lsb = {int}(p);",
    ),
    "uaddCarry": _both(
        "uaddCarry", "{uint}", "{uint} x, {uint} y, out {uint} carry",
        "{uint} sum = x + y; carry = {uint}(sum < x); return sum;",
    ),
    "usubBorrow": _both(
        "usubBorrow", "{uint}", "{uint} x, {uint} y, out {uint} borrow", "borrow = {uint}(x < y); return x - y;"
    ),
    "bitCount": _both("bitCount", "{int}", "{uint} x", "return {int}(countbits(x));")
    + _both("bitCount", "{int}", "{int} x", "return {int}(countbits({uint}(x)));"),
    "bitfieldReverse": _both("bitfieldReverse", "{uint}", "{uint} x", "return reversebits(x);")
    + _both("bitfieldReverse", "{int}", "{int} x", "return {int}(reversebits({uint}(x)));"),
    "findLSB": _both("findLSB", "{int}", "{uint} x", "return {int}(firstbitlow(x));")
    + _both("findLSB", "{int}", "{int} x", "return {int}(firstbitlow({uint}(x)));"),
    "findMSB": _both("findMSB", "{int}", "{uint} x", "return {int}(firstbithigh(x));")
    + _both("findMSB", "{int}", "{int} x", "return {int}(firstbithigh(x));"),
    "lessThan": _per_component("lessThan", "a[i] < b[i]", _NUMBERS),
    "lessThanEqual": _per_component("lessThanEqual", "a[i] <= b[i]", _NUMBERS),
    "greaterThan": _per_component("greaterThan", "a[i] > b[i]", _NUMBERS),
    "greaterThanEqual": _per_component("greaterThanEqual", "a[i] >= b[i]", _NUMBERS),
    "equal": _per_component("equal", "a[i] == b[i]", _NUMBERS + " bool"),
    "notEqual": _per_component("notEqual", "a[i] != b[i]", _NUMBERS + " bool"),
    "not": "vector<bool, N> not<let N : int>(vector<bool, N> x) { return !x; }",
    "outerProduct": """
matrix<float, N, M> outerProduct<let M : int, let N : int>(vector<float, M> c, vector<float, N> r)
{ matrix<float, N, M> m; for (int i = 0; i < N; i++) m[i] = c * r[i]; return m; }
""",
    "matrixCompMult": """
matrix<float, N, M> matrixCompMult<let N : int, let M : int>(matrix<float, N, M> a, matrix<float, N, M> b)
{ matrix<float, N, M> m; for (int i = 0; i < N; i++) m[i] = a[i] * b[i]; return m; }
""",
    "inverse": "\n".join(
        f"{matrix} inverse({matrix} m)\n"
        f"{{ return spirv_asm {{ result:$${matrix} = OpExtInst glsl450 MatrixInverse $m }}; }}"
        for matrix in ("float2x2", "float3x3", "float4x4")
    ),
    "packDouble2x32": "double packDouble2x32(uint2 v) { return asdouble(v.x, v.y); }",
    "unpackDouble2x32": "uint2 unpackDouble2x32(double d) { uint2 v; asuint(d, v.x, v.y); return v; }",
    "unpack8": """
vector<uint8_t, 4> unpack8(uint x)
{ return vector<uint8_t, 4>(uint8_t(x), uint8_t(x >> 8), uint8_t(x >> 16), uint8_t(x >> 24)); }
vector<int8_t, 4> unpack8(int x)
{ return vector<int8_t, 4>(int8_t(x), int8_t(x >> 8), int8_t(x >> 16), int8_t(x >> 24)); }
vector<uint8_t, 2> unpack8(uint16_t x) { return vector<uint8_t, 2>(uint8_t(x), uint8_t(x >> 8)); }
vector<int8_t, 2> unpack8(int16_t x) { return vector<int8_t, 2>(int8_t(x), int8_t(x >> 8)); }
""",
    "unpack16": """
vector<uint16_t, 2> unpack16(uint x) { return vector<uint16_t, 2>(uint16_t(x), uint16_t(x >> 16)); }
vector<int16_t, 2> unpack16(int x) { return vector<int16_t, 2>(int16_t(x), int16_t(x >> 16)); }
""",
    "pack16": """
uint16_t pack16(vector<uint8_t, 2> v) { return uint16_t(uint(v.x) | uint(v.y) << 8); }
int16_t pack16(vector<int8_t, 2> v) { return int16_t((uint(v.x) & 255u) | (uint(v.y) & 255u) << 8); }
""",
    "pack32": """
uint pack32(vector<uint16_t, 2> v) { return uint(v.x) | uint(v.y) << 16; }
int pack32(vector<int16_t, 2> v) { return int((uint(v.x) & 0xFFFFu) | uint(v.y) << 16); }
uint pack32(vector<uint8_t, 4> v) { return uint(v.x) | uint(v.y) << 8 | uint(v.z) << 16 | uint(v.w) << 24; }
int pack32(vector<int8_t, 4> v)
{ return int((uint(v.x) & 255u) | (uint(v.y) & 255u) << 8 | (uint(v.z) & 255u) << 16 | uint(v.w) << 24); }
""",
    "atomicAdd": _atomic("atomicAdd", "InterlockedAdd", "int uint int64_t uint64_t half float double"),
    "atomicMin": _atomic("atomicMin", "InterlockedMin"),
    "atomicMax": _atomic("atomicMax", "InterlockedMax"),
    "atomicAnd": _atomic("atomicAnd", "InterlockedAnd"),
    "atomicOr": _atomic("atomicOr", "InterlockedOr"),
    "atomicXor": _atomic("atomicXor", "InterlockedXor"),
    "atomicExchange": _atomic("atomicExchange", "InterlockedExchange", "int uint int64_t uint64_t float double"),
    "atomicCompSwap": "\n".join(
        f"{kind} atomicCompSwap(__ref {kind} memory, {kind} compare, {kind} data)\n"
        f"{{ {kind} old; InterlockedCompareExchange(memory, compare, data, old); return old; }}"
        for kind in ("int", "uint", "int64_t", "uint64_t")
    ),
    "anyInvocation": "bool anyInvocation(bool value) { return WaveActiveAnyTrue(value); }",
    "allInvocations": "bool allInvocations(bool value) { return WaveActiveAllTrue(value); }",
    "allInvocationsEqual": "bool allInvocationsEqual(bool value) { return WaveActiveAllEqual(value); }",
}
"""By the name that a source uses for it."""
