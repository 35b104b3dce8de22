#version 450
#extension GL_KHR_shader_subgroup_ballot : require
// Every value that no case names goes to `default`: one group of lanes, or one for each value?
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer Kinds { uint kind[]; } kinds;
layout(set = 0, binding = 1) writeonly buffer Result { uint count[]; } result;

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint together;
    switch (kinds.kind[lane]) {
    case 0:
        together = 100;
        break;
    default:
        together = subgroupBallotBitCount(subgroupBallot(true));
        break;
    }
    result.count[lane] = together;
}
