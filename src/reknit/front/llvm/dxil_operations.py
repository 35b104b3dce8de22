"""The names of DXIL's operations, by their number.

    NAMES[60]   Sample        title(180)   "RayQuery_Proceed (180)"

Source: DXC, DxilConstants.h, OpCode.
"""

from typing import Final

from reknit.front.llvm.unsupported import Refusal

_ALL: Final = """
    TempRegLoad TempRegStore MinPrecXRegLoad MinPrecXRegStore LoadInput StoreOutput FAbs Saturate IsNaN IsInf
    IsFinite IsNormal Cos Sin Tan Acos Asin Atan Hcos Hsin Htan Exp Frc Log Sqrt Rsqrt Round_ne Round_ni Round_pi
    Round_z Bfrev Countbits FirstbitLo FirstbitHi FirstbitSHi FMax FMin IMax IMin UMax UMin IMul UMul UDiv UAddc
    USubb FMad Fma IMad UMad Msad Ibfe Ubfe Bfi Dot2 Dot3 Dot4 CreateHandle CBufferLoad CBufferLoadLegacy Sample
    SampleBias SampleLevel SampleGrad SampleCmp SampleCmpLevelZero TextureLoad TextureStore BufferLoad BufferStore
    BufferUpdateCounter CheckAccessFullyMapped GetDimensions TextureGather TextureGatherCmp
    Texture2DMSGetSamplePosition RenderTargetGetSamplePosition RenderTargetGetSampleCount AtomicBinOp
    AtomicCompareExchange Barrier CalculateLOD Discard DerivCoarseX DerivCoarseY DerivFineX DerivFineY EvalSnapped
    EvalSampleIndex EvalCentroid SampleIndex Coverage InnerCoverage ThreadId GroupId ThreadIdInGroup
    FlattenedThreadIdInGroup EmitStream CutStream EmitThenCutStream GSInstanceID MakeDouble SplitDouble
    LoadOutputControlPoint LoadPatchConstant DomainLocation StorePatchConstant OutputControlPointID PrimitiveID
    CycleCounterLegacy WaveIsFirstLane WaveGetLaneIndex WaveGetLaneCount WaveAnyTrue WaveAllTrue WaveActiveAllEqual
    WaveActiveBallot WaveReadLaneAt WaveReadLaneFirst WaveActiveOp WaveActiveBit WavePrefixOp QuadReadLaneAt QuadOp
    BitcastI16toF16 BitcastF16toI16 BitcastI32toF32 BitcastF32toI32 BitcastI64toF64 BitcastF64toI64 LegacyF32ToF16
    LegacyF16ToF32 LegacyDoubleToFloat LegacyDoubleToSInt32 LegacyDoubleToUInt32 WaveAllBitCount WavePrefixBitCount
    AttributeAtVertex ViewID RawBufferLoad RawBufferStore InstanceID InstanceIndex HitKind RayFlags
    DispatchRaysIndex DispatchRaysDimensions WorldRayOrigin WorldRayDirection ObjectRayOrigin ObjectRayDirection
    ObjectToWorld WorldToObject RayTMin RayTCurrent IgnoreHit AcceptHitAndEndSearch TraceRay ReportHit CallShader
    CreateHandleForLib PrimitiveIndex Dot2AddHalf Dot4AddI8Packed Dot4AddU8Packed WaveMatch WaveMultiPrefixOp
    WaveMultiPrefixBitCount SetMeshOutputCounts EmitIndices GetMeshPayload StoreVertexOutput StorePrimitiveOutput
    DispatchMesh WriteSamplerFeedback WriteSamplerFeedbackBias WriteSamplerFeedbackLevel WriteSamplerFeedbackGrad
    AllocateRayQuery RayQuery_TraceRayInline RayQuery_Proceed RayQuery_Abort RayQuery_CommitNonOpaqueTriangleHit
    RayQuery_CommitProceduralPrimitiveHit RayQuery_CommittedStatus RayQuery_CandidateType
    RayQuery_CandidateObjectToWorld3x4 RayQuery_CandidateWorldToObject3x4 RayQuery_CommittedObjectToWorld3x4
    RayQuery_CommittedWorldToObject3x4 RayQuery_CandidateProceduralPrimitiveNonOpaque
    RayQuery_CandidateTriangleFrontFace RayQuery_CommittedTriangleFrontFace RayQuery_CandidateTriangleBarycentrics
    RayQuery_CommittedTriangleBarycentrics RayQuery_RayFlags RayQuery_WorldRayOrigin RayQuery_WorldRayDirection
    RayQuery_RayTMin RayQuery_CandidateTriangleRayT RayQuery_CommittedRayT RayQuery_CandidateInstanceIndex
    RayQuery_CandidateInstanceID RayQuery_CandidateGeometryIndex RayQuery_CandidatePrimitiveIndex
    RayQuery_CandidateObjectRayOrigin RayQuery_CandidateObjectRayDirection RayQuery_CommittedInstanceIndex
    RayQuery_CommittedInstanceID RayQuery_CommittedGeometryIndex RayQuery_CommittedPrimitiveIndex
    RayQuery_CommittedObjectRayOrigin RayQuery_CommittedObjectRayDirection GeometryIndex
    RayQuery_CandidateInstanceContributionToHitGroupIndex RayQuery_CommittedInstanceContributionToHitGroupIndex
    AnnotateHandle CreateHandleFromBinding CreateHandleFromHeap Unpack4x8 Pack4x8 IsHelperLane QuadVote
    TextureGatherRaw SampleCmpLevel TextureStoreSample Reserved0 Reserved1 Reserved2 Reserved3 Reserved4 Reserved5
    Reserved6 Reserved7 Reserved8 Reserved9 Reserved10 Reserved11 AllocateNodeOutputRecords GetNodeRecordPtr
    IncrementOutputCount OutputComplete GetInputRecordCount FinishedCrossGroupSharing BarrierByMemoryType
    BarrierByMemoryHandle BarrierByNodeRecordHandle CreateNodeOutputHandle IndexNodeHandle AnnotateNodeHandle
    CreateNodeInputRecordHandle AnnotateNodeRecordHandle NodeOutputIsValid GetRemainingRecursionLevels SampleCmpGrad
    SampleCmpBias StartVertexLocation StartInstanceLocation AllocateRayQuery2 ReservedA0 ReservedA1 ReservedA2
    HitObject_TraceRay HitObject_FromRayQuery HitObject_FromRayQueryWithAttrs HitObject_MakeMiss HitObject_MakeNop
    HitObject_Invoke MaybeReorderThread HitObject_IsMiss HitObject_IsHit HitObject_IsNop HitObject_RayFlags
    HitObject_RayTMin HitObject_RayTCurrent HitObject_WorldRayOrigin HitObject_WorldRayDirection
    HitObject_ObjectRayOrigin HitObject_ObjectRayDirection HitObject_ObjectToWorld3x4 HitObject_WorldToObject3x4
    HitObject_GeometryIndex HitObject_InstanceIndex HitObject_InstanceID HitObject_PrimitiveIndex HitObject_HitKind
    HitObject_ShaderTableIndex HitObject_SetShaderTableIndex HitObject_LoadLocalRootTableConstant
    HitObject_Attributes ReservedB28 ReservedB29 ReservedB30 ReservedC0 ReservedC1 ReservedC2 ReservedC3 ReservedC4
    ReservedC5 ReservedC6 ReservedC7 ReservedC8 ReservedC9 RawBufferVectorLoad RawBufferVectorStore ReservedD0
    ReservedD1 ReservedD2 ReservedD3 VectorReduceAnd VectorReduceOr FDot
"""
NAMES: Final = _ALL.split()

_FAMILIES: Final = (
    ("RayQuery_", "a ray query"), ("AllocateRayQuery", "a ray query"), ("HitObject_", "a hit object"),
    ("WriteSamplerFeedback", "sampler feedback"), ("TempReg", "a temporary register"),
    ("MinPrecXReg", "a temporary register"), ("Reserved", "reserved"),
)  # fmt: skip


def title(code: int) -> str:
    return f"{NAMES[code]} ({code})" if 0 <= code < len(NAMES) else f"operation {code}"


def has_name(code: int, name: str) -> bool:
    """Whether a function's name is the operation's, which begins with a small letter: cbufferLoad is CBufferLoad."""
    return NAMES[code].lower() == name.lower()


def not_read(code: int) -> Refusal:
    """The refusal of an operation; those of one family are one cause, reported together."""
    name = NAMES[code] if 0 <= code < len(NAMES) else ""
    for start, family in _FAMILIES:
        if name.startswith(start):
            return Refusal(f"is {family}, which is not read from DXIL", operation=title(code))
    return Refusal("is an operation of DXIL that is not read", operation=title(code))
