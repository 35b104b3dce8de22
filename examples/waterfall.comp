#version 450
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// The waterfall loop: lanes with the value of the first active lane add up and leave; the others go round again.
// The sum stands right before the break, so it is part of an iteration only if the loop's structure is respected.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) readonly buffer Values { uint value[]; } values;
layout(set = 0, binding = 1) writeonly buffer Result { uint sum[]; } result;

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint v = values.value[lane];
    uint total;
    while (true) {
        uint first = subgroupBroadcastFirst(v);
        if (v == first) {
            total = subgroupAdd(v);
            break;
        }
    }
    result.sum[lane] = total;
}
