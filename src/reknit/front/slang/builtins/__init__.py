"""The language's own functions, types, methods and interfaces.

    checker    find("max")            -> Builtin, .resolve([INT, FLOAT], [], None) -> Signature
               find_method(type, "Load")  find_type("RWBuffer").make([INT])  element_of(type)  conforms(type, "IFloat")
    lowering   emit(emitter, call, types, operands) -> value

A family of functions a file, each a table of rows. Rows become Builtins when they are asked for.
"""

from reknit.front.slang.builtins.find import emit, find, find_method
from reknit.front.slang.builtins.interfaces import INTERFACES, conforms, implied
from reknit.front.slang.builtins.kinds import ENUMS, element_of, find_type
from reknit.front.slang.builtins.number_members import CONSTANTS as STATIC_CONSTANTS
from reknit.front.slang.builtins.number_members import find_static

__all__ = [
    "ENUMS", "INTERFACES", "STATIC_CONSTANTS", "conforms", "element_of", "emit", "find", "find_method", "find_static",
    "find_type", "implied",
]  # fmt: skip
