"""What a proof is asked for, besides the two modules.

    entry points, subgroup sizes, workgroups, inputs that are given or have a domain, how much to try
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, final

from reknit.analysis.tangles.rules import DECLARED
from reknit.source.diagnostic import Diagnostic, InputError

if TYPE_CHECKING:
    from reknit.sim.drawing import Drawing
    from reknit.sim.vertices import Vertices

SUBGROUP_SIZES: Final = (4, 8, 32, 64)
OTHER_SIZES: Final = (16, 128, 1, 2)  # that Vulkan has too: for a few inputs only
SAMPLE: Final = 24
LIMIT: Final = 128
MAX_STEPS: Final = 1_000_000
SECONDS: Final = 10.0


@final
class Question:
    """What a proof is asked for, besides the two modules.

    Without `subgroup_sizes` it is SUBGROUP_SIZES, and the others for a few inputs; without `groups` one workgroup, and
    more for a few inputs. `buffers` and `domains` are by any name of a buffer; an element of a buffer in `domains`
    takes each of the numbers. `sample` inputs are drawn where not all can be gone through, `limit` bounds the
    combinations of choices for one input. Each side may do what `rules` allow it: by default those that it declares.
    `by_terms`: what the normal form proves for every input is not run. `certificate`: true asks for one; a text is one
    to check, and nothing else is asked. `scene` is what a fragment shader draws, or the vertices of a vertex shader;
    without it a sample (`proof.scenes`). `seconds` of processor time may be used: then the verdict says what was gone
    through until there; None is no limit.
    Raises nothing itself: names are looked up when the modules are known.
    """

    __slots__ = (
        "entry", "subgroup_sizes", "all_sizes", "groups", "buffers", "domains", "spec", "sample", "limit", "max_steps",
        "rules", "by_terms", "certificate", "scene", "seconds", "used",
    )  # fmt: skip

    def __init__(
        self,
        entry: str | None = None,
        subgroup_sizes: Sequence[int] | None = None,
        groups: tuple[int, int, int] | None = None,
        buffers: Mapping[str, Any] | None = None,
        domains: Mapping[str, Sequence[int]] | None = None,
        spec: Mapping[int | str, float] | None = None,
        sample: int = SAMPLE,
        limit: int = LIMIT,
        max_steps: int = MAX_STEPS,
        rules: str = DECLARED,
        by_terms: bool = True,
        certificate: bool | str = False,
        scene: "Drawing | Vertices | None" = None,
        seconds: float | None = None,
    ) -> None:
        if seconds is not None and not (isinstance(seconds, int | float) and seconds > 0):
            raise InputError([Diagnostic("RK0010", f"seconds={seconds!r}: it is a number above 0, or None", None)])
        if not isinstance(certificate, (bool, str)):
            raise InputError([Diagnostic("RK0010", "a certificate is text, or True asks for one", None)])
        if certificate is not False and not by_terms:
            raise InputError([Diagnostic("RK0010", "a certificate is not about runs: ask for one of them", None)])
        self.entry = entry
        self.all_sizes = subgroup_sizes is None
        self.subgroup_sizes = list(subgroup_sizes if subgroup_sizes is not None else SUBGROUP_SIZES)
        self.groups = groups
        self.buffers: dict[str, Any] = dict(buffers) if buffers is not None else {}
        self.domains = {name: list(values) for name, values in domains.items()} if domains is not None else {}
        self.spec: dict[int | str, float] = dict(spec) if spec is not None else {}
        self.sample = max(1, sample)
        self.limit = max(1, limit)
        self.max_steps = max_steps
        self.rules = rules
        self.by_terms = by_terms
        self.certificate = certificate
        self.scene = scene
        self.seconds = seconds
        self.used = 0.0  # processor time that was spent on it before `prove`
