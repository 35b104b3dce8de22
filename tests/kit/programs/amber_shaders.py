"""Assembly for scripts: a shader that stores in[i] * factor + added.

%in   set 0, binding 0   uint data[]          factor  SpecId 3, 2 unless set
%out  set 0, binding 1   uint data[]          added   push constant, a uint at 0
"""

MULTIPLY = """
               OpCapability Shader
               OpExtension "SPV_KHR_storage_buffer_storage_class"
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %id
               OpExecutionMode %main LocalSize 4 1 1
               OpName %in "in"
               OpName %out "out"
               OpDecorate %id BuiltIn GlobalInvocationId
               OpDecorate %factor SpecId 3
               OpDecorate %array ArrayStride 4
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %push Block
               OpMemberDecorate %push 0 Offset 0
               OpDecorate %in DescriptorSet 0
               OpDecorate %in Binding 0
               OpDecorate %out DescriptorSet 0
               OpDecorate %out Binding 1
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
        %u32 = OpTypeInt 32 0
       %vec3 = OpTypeVector %u32 3
       %zero = OpConstant %u32 0
     %factor = OpSpecConstant %u32 2
      %array = OpTypeRuntimeArray %u32
      %block = OpTypeStruct %array
       %push = OpTypeStruct %u32
     %to_id3 = OpTypePointer Input %vec3
   %to_block = OpTypePointer StorageBuffer %block
     %to_u32 = OpTypePointer StorageBuffer %u32
    %to_push = OpTypePointer PushConstant %push
   %to_added = OpTypePointer PushConstant %u32
         %id = OpVariable %to_id3 Input
         %in = OpVariable %to_block StorageBuffer
        %out = OpVariable %to_block StorageBuffer
     %pushed = OpVariable %to_push PushConstant
       %main = OpFunction %void None %fn
      %entry = OpLabel
        %ids = OpLoad %vec3 %id
          %i = OpCompositeExtract %u32 %ids 0
       %from = OpAccessChain %to_u32 %in %zero %i
      %value = OpLoad %u32 %from
    %product = OpIMul %u32 %value %factor
      %place = OpAccessChain %to_added %pushed %zero
      %added = OpLoad %u32 %place
        %sum = OpIAdd %u32 %product %added
         %to = OpAccessChain %to_u32 %out %zero %i
               OpStore %to %sum
               OpReturn
               OpFunctionEnd
"""

AMBER = f"""#!amber
# in * factor + added, and what may be expected of it
SHADER compute multiply SPIRV-ASM{MULTIPLY}END

BUFFER in DATA_TYPE uint32 SIZE 8 SERIES_FROM 1 INC_BY 2   # 1 3 5 7 9 11 13 15
BUFFER out DATA_TYPE uint32 SIZE 8 FILL 99
BUFFER copy DATA_TYPE uint32 SIZE 8 FILL 0
BUFFER pushed DATA_TYPE uint32 DATA 100 END

PIPELINE compute double
  ATTACH multiply
  BIND BUFFER in AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER out AS storage DESCRIPTOR_SET 0 BINDING 1
END

DERIVE_PIPELINE triple FROM double
  ATTACH multiply SPECIALIZE 3 AS uint32 3 SPECIALIZE 77 AS uint32 1
  BIND BUFFER pushed AS push_constant
  SUBGROUP multiply
    FULLY_POPULATED on
    VARYING_SIZE off
  END
END

RUN double 1 1 1
EXPECT out IDX 0 EQ 2 6 10 14 99 99 99 99
COPY out TO copy
EXPECT copy EQ_BUFFER out
RUN triple 2 1 1
EXPECT out IDX 0 EQ 103 109
EXPECT out IDX 28 EQ 145
EXPECT out IDX 4 NE 103
EXPECT out IDX 4 LT 110
EXPECT out IDX 4 GE 109
EXPECT out IDX 0 TOLERANCE 5% EQ 100
EXPECT copy RMSE_BUFFER out TOLERANCE 100
"""

VKSCRIPT = f"""# the same in VkScript
[require]
shaderInt64
VK_KHR_storage_buffer_storage_class

[compute shader spirv]{MULTIPLY}
[test]
ssbo 0:0 subdata uint 0 1 3 5 7
ssbo 1 16
uniform uint 0 100
compute 1 1 1
probe ssbo uint 0:1 0 == 102 106 \\
                         110 114
probe ssbo uint 1 4 > 105
tolerance 2%
probe ssbo uint 1 8 ~= 111
"""
