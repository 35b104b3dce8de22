#version 450
#extension GL_KHR_shader_subgroup_ballot : require
// Some lanes `continue` past the middle of the body. Are all together again when the next iteration begins?
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) writeonly buffer Result { uvec2 ballots[]; } result;

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint begin = 0;   // four bits an iteration: who begins it together
    uint middle = 0;  // four bits an iteration: who runs the middle together
    for (uint i = 0; i < 3; i++) {
        begin |= subgroupBallot(true).x << (4 * i);
        if (lane == i)
            continue;
        middle |= subgroupBallot(true).x << (4 * i);
    }
    result.ballots[lane] = uvec2(begin, middle);
}
