#version 450
#extension GL_KHR_shader_subgroup_ballot : require
// Two values share one body. Are the lanes of both counted together?
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer Kinds { uint kind[]; } kinds;
layout(set = 0, binding = 1) writeonly buffer Result { uint count[]; } result;

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint together = 0;
    switch (kinds.kind[lane]) {
    case 0:
    case 2:
        together = subgroupBallotBitCount(subgroupBallot(true));
        break;
    case 1:
        together = 100;
        break;
    }
    result.count[lane] = together;
}
