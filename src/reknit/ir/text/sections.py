"""Where an instruction at module level belongs, so that the text need not say it.

    Capability Shader          -> capabilities
    Decorate %x Flat           -> decorations
    %s = TypeStruct u32, f32   -> globals

Source: SPIR-V 1.6, 2.4 "Logical Layout of a Module".
"""

from typing import Final

from reknit.ir import op, opcodes, traits

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

IN_FUNCTIONS: Final = frozenset(
    (
        "Function", "Composite", "Image", "Conversion", "Arithmetic", "Relational_and_Logical", "Bit", "Derivative",
        "Primitive", "Barrier", "Atomic", "Control-Flow", "Group", "Pipe", "Device-Side_Enqueue", "Non-Uniform",
    )
)  # fmt: skip
"""Groups of the grammar whose instructions stand in functions only (SPIR-V 1.6, 2.4)."""


def home_of(code: int) -> str:
    """The section of an instruction at module level."""
    return traits.SECTION.get(code, "globals")


def only_in_functions(code: int) -> bool:
    """Whether an instruction has no place in the sections before the functions."""
    about = opcodes.info(code)
    if about is None:
        return False
    if about.group == "Memory":
        return code != op.Variable and code != op.UntypedVariableKHR
    return about.group in IN_FUNCTIONS
