"""Where an instruction at module level belongs, so that the text need not say it.

    Capability Shader          -> capabilities
    Decorate %x Flat           -> decorations
    %s = TypeStruct u32, f32   -> globals

Source: SPIR-V 1.6, 2.4 "Logical Layout of a Module".
"""

from typing import Final

from reknit.ir import op

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

_HOMES: Final = {
    op.Capability: "capabilities",
    op.Extension: "extensions",
    op.ExtInstImport: "imports",
    op.MemoryModel: "memory_model",
    op.SamplerImageAddressingModeNV: "memory_model",
    op.EntryPoint: "entry_points",
    op.ExecutionMode: "execution_modes",
    op.ExecutionModeId: "execution_modes",
    op.String: "sources",
    op.Source: "sources",
    op.SourceContinued: "sources",
    op.SourceExtension: "sources",
    op.Name: "names",
    op.MemberName: "names",
    op.ModuleProcessed: "processed",
    op.Decorate: "decorations",
    op.DecorateId: "decorations",
    op.DecorateString: "decorations",
    op.MemberDecorate: "decorations",
    op.MemberDecorateString: "decorations",
    op.DecorationGroup: "decorations",
    op.GroupDecorate: "decorations",
    op.GroupMemberDecorate: "decorations",
    op.MemberDecorateIdEXT: "decorations",
    op.AliasDomainDeclINTEL: "decorations",
    op.AliasScopeDeclINTEL: "decorations",
    op.AliasScopeListDeclINTEL: "decorations",
}


def home_of(code: int) -> str:
    """The section of an instruction at module level."""
    return _HOMES.get(code, "globals")
