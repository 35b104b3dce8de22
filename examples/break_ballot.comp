#version 450
#extension GL_KHR_shader_subgroup_ballot : require
// Which lanes leave the loop in the same iteration? The ballot stands right before the break.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) writeonly buffer Result { uint ballot[]; } result;

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint together = 0;
    for (uint i = 0;; i++) {
        if (i == (lane & 3)) {
            together = subgroupBallot(true).x;
            break;
        }
    }
    result.ballot[lane] = together;
}
