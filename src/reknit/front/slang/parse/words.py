"""The words that mean something to the parser. All but a few are ordinary names where something else follows them.

point float4 p;      a modifier: a name follows
point.x = 1;         a name
"""

import re
from typing import Final

from reknit.front.slang.tokens import spelled

# Always modifiers: they can't be names.
MODIFIERS: Final = spelled(
    "__ref __constref const __builtin inline public private internal extern static uniform groupshared "
    "volatile __prefix __postfix __exported export override dyn row_major column_major nointerpolation noperspective "
    "precise centroid dynamic_uniform __global highp lowp mediump unorm snorm globallycoherent constexpr no_diff some "
    "__extern_cpp pervertex"
)
# Modifiers where a name (the type, or another modifier) follows.
SOFT_MODIFIERS: Final = spelled(
    "in out inout linear sample shared coherent restrict readonly writeonly point line triangle lineadj triangleadj "
    "vertices indices primitives payload param require hitAttributeEXT borrow"
)
# Modifiers with something in brackets after them.
BRACKET_MODIFIERS: Final = spelled(
    "layout __intrinsic_op __target_intrinsic __specialized_for_target __glsl_extension __glsl_version "
    "__spirv_version __wgsl_extension __cuda_sm_version __builtin_type __builtin_requirement __magic_type "
    "__magic_enum __intrinsic_type __implicit_conversion __attributeTarget"
)
# Those that belong to the type rather than to the declaration.
TYPE_MODIFIERS: Final = ("dyn", "some", "row_major", "column_major")

ACCESSORS: Final = ("get", "set", "ref")

# What Slang has as an expression and the front-end does not take further, with what it is called in the message.
PREFIX_WORDS: Final = {
    "expand": "", "each": "an `each` outside of an `expand`", "new": "`new`", "try": "",
}  # fmt: skip
CALL_WORDS: Final = {
    "fwd_diff": "automatic differentiation (`fwd_diff`)", "bwd_diff": "automatic differentiation (`bwd_diff`)",
    "__fwd_diff": "automatic differentiation (`__fwd_diff`)", "__bwd_diff": "automatic differentiation (`__bwd_diff`)",
    "__apply": "automatic differentiation (`__apply`)", "__dispatch_kernel": "`__dispatch_kernel`",
    "__func_as_type": "`__func_as_type`",
    "__shapeConcat": "`__shapeConcat`", "__shapePermute": "`__shapePermute`", "__shapeSwap": "`__shapeSwap`",
    "__shapeReduce": "`__shapeReduce`", "__packBranch": "`__packBranch`",
}  # fmt: skip

# Of a pack or a tuple: an element, or the pack without one.
PACK_QUERIES: Final = ("__first", "__last", "__trimFirst", "__trimLast")

BINARY: Final = {
    "*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, ">": 7, "<=": 7, ">=": 7, "is": 7, "as": 7,
    "==": 6, "!=": 6, "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1,
}  # fmt: skip
ASSIGNMENTS: Final = spelled("= *= /= += -= %= <<= >>= |= &= ^=")
PREFIX: Final = spelled("! ++ -- * & ~ + -")
OPERATORS: Final = spelled("+ - * / % ! ~ << >> == != > < >= <= && || ^ & | ++ -- += -= *= /= %= <<= >>= |= &= ^= , =")

# After a closed `<...>`, these say that it was a list of generic arguments.
AFTER_GENERIC: Final = spelled(":: . ( ) [ ] : , ? ; == != > >>") | {""}

# Never the name of a value.
RESERVED: Final = spelled(
    "if else for while do switch case default return break continue discard struct class enum typedef typealias "
    "const static uniform groupshared"
)

KNOWN_GENERICS: Final = spelled(
    "vector matrix Array Optional Tuple Ptr StructuredBuffer RWStructuredBuffer ConstantBuffer ParameterBlock "
    "createDynamicObject reinterpret bit_cast Load LoadAligned Store makeTuple DifferentialPair Conditional"
)

BUILTIN_TYPE: Final = re.compile(
    r"(bool|u?int(8|16|32|64)?_t|u?int|dword|half|float|double|float(16|32|64)_t|min(16|12|10)(float|int|uint)|uintptr_t"
    r"|intptr_t|size_t|usize_t|ssize_t)([1-4](x[1-4])?)?|void|String|NativeString"
)
# Words after which a name is not declared (`return x < y`), or is declared but no variable (`struct S :`).
NOT_TYPES: Final = spelled(
    "return case else goto is as in struct class interface enum extension namespace using import associatedtype module "
    "typealias operator throw defer discard do new try func where default"
)
DECLARES_TYPE: Final = spelled("struct class interface enum typealias associatedtype type_param")


def is_operator(name: str) -> bool:
    """Whether a declared name is an operator's: `operator+`, and not `operators`."""
    return name.startswith("operator") and name != "operator" and not name[8:9].isidentifier()
