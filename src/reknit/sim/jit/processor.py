"""The processor that native code is made for, and what follows from it. Nothing of LLVM is imported here."""

import ctypes
from dataclasses import dataclass, replace
from typing import Final

THOROUGH: Final = 2
"""LLVM's pipeline at its level 1; its level 2 takes a tenth longer, and gives no faster code of five kernels."""
QUICK: Final = 1
"""A few passes, in a fifth of the time; the code is up to a third slower."""
PLAIN: Final = 0
"""No passes, and values on the stack: time in proportion to the text, whatever its shape, half of QUICK's or less. The
code of five kernels takes up to three times as long as that of THOROUGH."""


@dataclass(frozen=True, slots=True)
class Processor:
    """What code is made for; `features` as LLVM writes them, "+avx2,-avx512f". `compiler` says which LLVM makes it."""

    triple: str
    cpu: str
    features: str
    compiler: str

    def has(self, *names: str) -> bool:
        every = set(self.features.split(","))
        return all(f"+{name}" in every for name in names)

    def without(self, prefix: str) -> "Processor":
        """One that lacks all features whose names begin so."""
        each = [f"-{name[1:]}" if name[1:].startswith(prefix) else name for name in self.features.split(",")]
        return replace(self, features=",".join(each))


def preferred_lanes(processor: Processor) -> int:
    """Of a vector. Arithmetic that each step waits for the last of needs four registers of 256 bits in flight."""
    return 32 if processor.has("avx2") else 8


def has_half(processor: Processor) -> bool:
    """Whether the processor converts 16-bit floats: else LLVM calls functions that may not be there."""
    return processor.has("f16c") or "aarch64" in processor.triple


def misjudges(processor: Processor) -> bool:
    """Whether LLVM takes select(m, shuffle(select(m, a, b)), c) for select(m, shuffle(a), c), as 22.1 does for masks in
    registers of their own (docs/found.md)."""
    return processor.has("avx512f")


def has_wide_masks(processor: Processor) -> bool:
    """Whether masks are words in registers of 256 bits: AVX2, without the registers for masks of AVX-512."""
    return processor.has("avx2") and not processor.has("avx512f")


def is_known(symbol: str) -> bool:
    """Whether this process has a function of the C library; LLVM would end it at one that it doesn't find."""
    return hasattr(ctypes.CDLL(None), symbol)
