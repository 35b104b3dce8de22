"""A tangle, and the frames below it: where its lanes will meet again with those that took another path.

    tangle {0,2} at %then          tangle {1,3} at %else
            \\                             /
             sel   meet at %merge     mask {0,1,2,3}  arrived {}
              |
             iter  meet at %continue  mask {0..5}     arrived {4,5}
              |
             loop  meet at %after     mask {0..7}     arrived {6,7}
              |
             call  the return point   mask {0..7}     arrived {}

A frame is a join: every lane in its mask meets at its target, or escapes. The frames are the "related instances" of
SPV_KHR_maximal_reconvergence: L is related to M when L is the target of the frame that M pushed, and "M is the last
execution of the OpSelectionMerge before executing L" holds because the frames are a stack. Lanes are bits of a mask:
lane i is 1 << i.
"""

from typing import Final, final

from reknit.source.columns import i64, vec

SEL: Final = 0  # OpSelectionMerge; target: its merge block
LOOP: Final = 1  # OpLoopMerge, the whole loop; target: its merge block
ITER: Final = 2  # OpLoopMerge, one iteration; target: its continue target
CALL: Final = 3  # OpFunctionCall; target: what follows the call. The bottom frame of an activation
CASE: Final = 4  # an OpSwitch label that is reached by fallthrough, where a policy makes lanes meet there

FRAME_NAMES: Final = ["sel", "loop", "iter", "call", "case"]

# These classes are not `acyclic` for mypyc: what it makes then has no collector's header, into which CPython writes
# where chains of more than 50 objects are freed.

END: Final = -1  # the return point of the entry point: lanes that arrive there are done


@final
class Frame:
    """`target` is a number of a code block; `header` that of the loop's header (LOOP only, else -1). `number` counts
    the frames of a run that is traced, from 0; else it is -1.

    `lanes` are those it was pushed with, and `expected` says how many of them have not escaped. Of these `arrived`
    have come, in the tangles that `parts` is the last of. `complete`: no more lanes will arrive.
    """

    __slots__ = (
        "kind", "parent", "lanes", "expected", "arrived", "parts", "target", "header", "depth", "number", "complete",
    )  # fmt: skip

    def __init__(self, kind: int, parent: "Frame | None", lanes: vec[i64], target: int, header: int = -1) -> None:
        self.kind = kind
        self.parent = parent
        self.lanes = lanes
        self.expected: i64 = i64(len(lanes))
        self.arrived: i64 = 0
        self.parts: Tangle | None = None
        self.target = target
        self.header = header
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.number = -1
        self.complete = False


@final
class Tangle:
    """Lanes that execute together, at the start of code block `at`; `top` is the innermost frame they are in. Where
    they have arrived at a frame, `before` is the tangle that arrived there before."""

    __slots__ = ("lanes", "at", "top", "before")

    def __init__(self, lanes: vec[i64], at: int, top: Frame) -> None:
        self.lanes = lanes
        self.at = at
        self.top = top
        self.before: Tangle | None = None


@final
class Waiting:
    """A frame that is not complete, as it is now: the `mask` of the lanes that are in it, and of those that have
    `arrived`, which are a subset."""

    __slots__ = ("frame", "mask", "arrived")

    def __init__(self, frame: Frame, arrived: int) -> None:
        self.frame = frame
        self.mask = arrived
        self.arrived = arrived
