"""How many components the elements of Buffer<T> and RWBuffer<T> have: DXIL before model 6.6 says it in no instruction.

    class.Buffer<vector<unsigned int, 4> >      in the bitcode's table of types, as 6-bit chunks: 4 of U32
    loads that use .z                           at least 3, where the table doesn't tell

The metadata names the type T* of each resource, but LLVM has no pointers to types any more; the types' names are still
in the bit stream. Where a module has buffers of several sizes of one component type, uses have to decide.
"""

import re
from typing import Final

from reknit.front.llvm.bitcode import chunks_of, stream_bits, text_at
from reknit.front.llvm.resources import SRV, TYPED, Resource
from reknit.source.digits import saturated

_NAME: Final = re.compile(
    r"class\.(RW|RasterizerOrdered)?Buffer<(?:vector<)?([a-z0-9_ ]+?)(?:, (\d)>)?\s*>"
)
_STARTS: Final = ("class.Buffer<", "class.RWBuffer<", "class.RasterizerOrderedBuffer<")
_MAX_LENGTH: Final = 80
_COMPONENTS: Final = {
    "short": 2, "unsigned short": 3, "int": 4, "unsigned int": 5, "long long": 6, "unsigned long long": 7,
    "half": 8, "float": 9, "double": 10,
}  # fmt: skip
"""DXC, DxilConstants.h, ComponentType."""


def element_counts(bitcode: bytes) -> dict[tuple[bool, int], list[int]]:
    """By (read only, component type): the counts of components that types of the module have."""
    counts_of: dict[tuple[bool, int], list[int]] = {}
    bits = stream_bits(bitcode)
    for start in _STARTS:
        wanted = chunks_of(start)
        at = bits.find(wanted)
        while at >= 0:
            match = _NAME.match(text_at(bits, at, _MAX_LENGTH))
            if match is not None and match[2] in _COMPONENTS:
                counts = counts_of.setdefault((match[1] is None, _COMPONENTS[match[2]]), [])
                count = saturated(match[3] or "1")
                if count not in counts:
                    counts.append(count)
            at = bits.find(wanted, at + 1)
    return counts_of


def settle(resources: list[Resource], counts: dict[tuple[bool, int], list[int]]) -> None:
    """Give the typed buffers their components where only one count is possible; such are certain."""
    for resource in resources:
        if resource.shape == TYPED:
            known = counts.get((resource.kind == SRV, resource.element), [])
            if len(known) == 1:
                resource.components = known[0]
                resource.certain = True
