#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
// Lanes of `case 0` fall through to `default`. Do they run its sum together with the lanes that came there at once?
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer Kinds { uint kind[]; } kinds;
layout(set = 0, binding = 1) writeonly buffer Result { uint sum[]; } result;

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint total = 0;
    switch (kinds.kind[lane]) {
    case 0:
        total += subgroupAdd(1u);  // falls through
    default:
        total += subgroupAdd(10u);
    }
    result.sum[lane] = total;
}
