"""A program as a compiler of Slang writes one, for the tests of the runner: parameters of every kind.

cbuffer Params { IFoo foo; int scale; float2x2 m; }      an interface: 16 bytes of header, the value
StructuredBuffer<float> input[2]; RWStructuredBuffer<uint> outputBuffer; uniform uint n (the entry point's)

outputBuffer[i] = input[0][i] as bits + scale + n + the first word of foo's value      for i of 4 invocations
"""

ASSEMBLY = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "computeMain" %index
OpExecutionMode %main LocalSize 4 1 1
OpName %Params "Params_std140"
OpMemberName %Params 0 "foo"
OpMemberName %Params 1 "scale"
OpMemberName %Params 2 "m"
OpName %Tuple "Tuple_std140"
OpName %gParams "gParams"
OpName %input "input"
OpName %outputBuffer "entryPointParams.outputBuffer"
OpName %Entry "EntryPointParams_std430"
OpMemberName %Entry 0 "pad"
OpMemberName %Entry 1 "n"
OpName %entryPointParams "entryPointParams"
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %Params Block
OpMemberDecorate %Params 0 Offset 0
OpMemberDecorate %Params 1 Offset 32
OpMemberDecorate %Params 2 Offset 48
OpMemberDecorate %Params 2 ColMajor
OpMemberDecorate %Params 2 MatrixStride 16
OpMemberDecorate %Tuple 0 Offset 0
OpMemberDecorate %Tuple 1 Offset 8
OpMemberDecorate %Tuple 2 Offset 16
OpMemberDecorate %AnyValue 0 Offset 0
OpMemberDecorate %AnyValue 1 Offset 4
OpDecorate %floats ArrayStride 4
OpDecorate %uints ArrayStride 4
OpDecorate %In Block
OpMemberDecorate %In 0 Offset 0
OpMemberDecorate %In 0 NonWritable
OpDecorate %Out Block
OpMemberDecorate %Out 0 Offset 0
OpDecorate %Entry Block
OpMemberDecorate %Entry 0 Offset 0
OpMemberDecorate %Entry 1 Offset 4
OpDecorate %gParams DescriptorSet 0
OpDecorate %gParams Binding 0
OpDecorate %input DescriptorSet 0
OpDecorate %input Binding 1
OpDecorate %outputBuffer DescriptorSet 0
OpDecorate %outputBuffer Binding 2
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v2uint = OpTypeVector %uint 2
%v2float = OpTypeVector %float 2
%m2 = OpTypeMatrix %v2float 2
%two = OpConstant %uint 2
%zero = OpConstant %int 0
%one = OpConstant %int 1
%second = OpConstant %int 2
%AnyValue = OpTypeStruct %uint %uint
%Tuple = OpTypeStruct %v2uint %v2uint %AnyValue
%Params = OpTypeStruct %Tuple %int %m2
%floats = OpTypeRuntimeArray %float
%uints = OpTypeRuntimeArray %uint
%In = OpTypeStruct %floats
%Out = OpTypeStruct %uints
%Entry = OpTypeStruct %uint %uint
%inputs = OpTypeArray %In %two
%_Params = OpTypePointer Uniform %Params
%_inputs = OpTypePointer StorageBuffer %inputs
%_Out = OpTypePointer StorageBuffer %Out
%_Entry = OpTypePointer PushConstant %Entry
%_index = OpTypePointer Input %uint
%_u = OpTypePointer Uniform %uint
%_i = OpTypePointer Uniform %int
%_p = OpTypePointer PushConstant %uint
%_f = OpTypePointer StorageBuffer %float
%_o = OpTypePointer StorageBuffer %uint
%gParams = OpVariable %_Params Uniform
%input = OpVariable %_inputs StorageBuffer
%outputBuffer = OpVariable %_Out StorageBuffer
%entryPointParams = OpVariable %_Entry PushConstant
%index = OpVariable %_index Input
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%entry = OpLabel
%i = OpLoad %uint %index
%pf = OpAccessChain %_f %input %zero %zero %i
%f = OpLoad %float %pf
%bits = OpBitcast %uint %f
%ps = OpAccessChain %_i %gParams %one
%s = OpLoad %int %ps
%su = OpBitcast %uint %s
%pn = OpAccessChain %_p %entryPointParams %one
%n = OpLoad %uint %pn
%pv = OpAccessChain %_u %gParams %zero %second %zero
%v = OpLoad %uint %pv
%a = OpIAdd %uint %bits %su
%b = OpIAdd %uint %a %n
%c = OpIAdd %uint %b %v
%po = OpAccessChain %_o %outputBuffer %zero %i
OpStore %po %c
OpReturn
OpFunctionEnd
"""
