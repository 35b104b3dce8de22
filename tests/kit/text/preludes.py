"""What comes before `main` in a compute shader's text: one workgroup, buffers of words, the lane's number.

    compute(4)                                        %out, at set 0, binding 0, and %lane_id
    compute(4, ["out", "in"], maximal=True)           %in at binding 1; under maximal reconvergence
"""

from collections.abc import Sequence


def compute(lanes: int, buffers: Sequence[str] = ("out",), lane: str = "lane_id", maximal: bool = False) -> str:
    """The text; its functions come behind it."""
    modes = [f"LocalSize {lanes} 1 1", *(["MaximallyReconvergesKHR"] if maximal else [])]
    lines = [
        "Capability Shader",
        "Capability GroupNonUniformBallot",
        *(['Extension "SPV_KHR_maximal_reconvergence"'] if maximal else []),
        "MemoryModel Logical GLSL450",
        f'EntryPoint GLCompute @main "main" {", ".join(f"%{name}" for name in [*buffers, lane])}',
        *[f"ExecutionMode @main {mode}" for mode in modes],
        f"Decorate %{lane} BuiltIn LocalInvocationIndex",
        "Decorate %words ArrayStride 4",
        "MemberDecorate %block 0 Offset 0",
        "Decorate %block Block",
    ]
    for binding, name in enumerate(buffers):
        lines += [f"Decorate %{name} DescriptorSet 0", f"Decorate %{name} Binding {binding}"]
    lines += ["%words = TypeRuntimeArray u32", "%block = TypeStruct %words"]
    lines += [f"%{lane} = Variable Input : ptr<Input, u32>"]
    lines += [f"%{name} = Variable StorageBuffer : ptr<StorageBuffer, %block>" for name in buffers]
    return "".join(f"{line}\n" for line in lines)


def listing(text: str, name: str) -> str:
    """The same with one variable more in the entry point's interface."""
    before, after = text.split('"main" ', 1)
    return f'{before}"main" %{name}, {after}'
