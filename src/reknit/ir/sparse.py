"""The sparse image instruction of each that accesses texels: it gives { status, texel }.

Source: SPIR-V 1.6, 3.52.10.
"""

from typing import Final

from reknit.ir import op

SPARSE: Final = {
    op.ImageSampleImplicitLod: op.ImageSparseSampleImplicitLod,
    op.ImageSampleExplicitLod: op.ImageSparseSampleExplicitLod,
    op.ImageSampleDrefImplicitLod: op.ImageSparseSampleDrefImplicitLod,
    op.ImageSampleDrefExplicitLod: op.ImageSparseSampleDrefExplicitLod,
    op.ImageFetch: op.ImageSparseFetch,
    op.ImageRead: op.ImageSparseRead,
    op.ImageGather: op.ImageSparseGather,
    op.ImageDrefGather: op.ImageSparseDrefGather,
}
