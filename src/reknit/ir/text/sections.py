"""Where an instruction at module level belongs, so that the text need not say it.

    Capability Shader          -> capabilities
    Decorate %x Flat           -> decorations
    %s = TypeStruct u32, f32   -> globals

Source: SPIR-V 1.6, 2.4 "Logical Layout of a Module".
"""

from typing import Final

from reknit.ir import traits

SECTIONS: Final = (
    "capabilities",
    "extensions",
    "imports",
    "memory_model",
    "entry_points",
    "execution_modes",
    "sources",
    "names",
    "processed",
    "decorations",
    "globals",
)

def home_of(code: int) -> str:
    """The section of an instruction at module level."""
    return traits.SECTION.get(code, "globals")
