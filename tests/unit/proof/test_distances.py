"""Clip distances that a vertex shader does not write are undefined."""

from kit.fragments import shader, variable

from reknit.proof.prove import prove
from reknit.proof.question import Question

DISTANCES = variable("distances", "Output", "%distances_t", "BuiltIn ClipDistance")
TYPES = "%distances_t = OpTypeArray %f32 %u2\n%f32_out = OpTypePointer Output %f32\n"
STORE = "%p{0} = OpAccessChain %f32_out %distances %u{0}\nOpStore %p{0} %{1}\n"


def test_a_distance_that_is_not_written_may_be_anything() -> None:
    """SPIR-V, OpVariable: an output without an initializer has no value of its own before it is stored to."""
    both, first, other = [
        shader(body, DISTANCES, types=TYPES, stage="Vertex", capabilities=["ClipDistance"])
        for body in (
            STORE.format(0, "f1") + STORE.format(1, "f2"), STORE.format(0, "f1"), STORE.format(0, "f2")
        )
    ]  # fmt: skip
    question = Question(subgroup_sizes=[4], by_terms=False)
    assert prove(first, both, question).verdict != "refuted"
    assert prove(first, first.copy(), question).verdict != "refuted"
    assert prove(first, other, question).verdict == "refuted"
    assert prove(both, first, question).verdict == "refuted"
