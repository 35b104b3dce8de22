"""A check beside an instruction's step: a code block keeps one step for each of its instructions."""

from reknit.sim.kernel import Step


def in_turn(steps: list[Step]) -> Step:
    """One step that runs several, of which one is the instruction's own."""

    def run(lanes: list[int]) -> None:
        for step in steps:
            step(lanes)

    return run
