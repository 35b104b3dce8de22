"""What a binary is for: the environment whose rules go with its version and memory model.

    1.0 vulkan1.0    1.3 vulkan1.1    1.5 vulkan1.2    1.6 vulkan1.3       versions between them take the next
    OpenCL's memory model: plain SPIR-V, spv1.x
"""

from typing import Final

from reknit.spirv.words import HEADER_WORDS

VULKAN: Final = "vulkan"
VULKAN_BY_MINOR: Final = (
    "vulkan1.0",
    "vulkan1.1",
    "vulkan1.1",
    "vulkan1.1",
    "vulkan1.1spv1.4",
    "vulkan1.2",
    "vulkan1.3",
)

_MEMORY_MODEL: Final = 14  # OpMemoryModel: addressing model, memory model
_FUNCTION: Final = 54  # OpFunction
_OPENCL: Final = 2


def environment_of(binary: bytes) -> str:
    """The environment that goes with a module's version and memory model."""
    minor = min(_word(binary, 1) >> 8 & 0xFF, 6)
    return f"spv1.{minor}" if _memory_model(binary) == _OPENCL else VULKAN_BY_MINOR[minor]


def is_for_vulkan(binary: bytes) -> bool:
    return environment_of(binary).startswith(VULKAN)


def _memory_model(binary: bytes) -> int:
    """The second operand of OpMemoryModel, which stands before all functions; 0 where there is none."""
    at = HEADER_WORDS
    head = _word(binary, at)
    while head >> 16 and head & 0xFFFF not in (_MEMORY_MODEL, _FUNCTION):
        at += head >> 16
        head = _word(binary, at)
    return _word(binary, at + 2) if head & 0xFFFF == _MEMORY_MODEL else 0


def _word(binary: bytes, at: int) -> int:
    """Word `at` of a module of either endianness; 0 behind its end."""
    word = binary[4 * at : 4 * at + 4]
    return int.from_bytes(word, "little" if binary[:1] == b"\x03" else "big")
