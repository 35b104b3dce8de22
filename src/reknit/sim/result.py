"""What a run gives: its buffers, what went wrong, and what it had to choose."""

from typing import final

from reknit.analysis.tangles.rules import MAXIMAL
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.sim.buffers import BufferResult
from reknit.sim.choices import Decision, Owner
from reknit.sim.framebuffer import Framebuffer
from reknit.sim.loose_code import Grouped
from reknit.sim.race_detector import Conflict
from reknit.sim.shadow.sources import Reached
from reknit.sim.trace import Trace
from reknit.sim.vertices import Vertex
from reknit.source.diagnostic import ERROR, Diagnostic
from reknit.source.report import as_json

SHOWN_WORDS = 8  # of a buffer, where a result is printed


@final
class Result:
    """`buffers` by name: those a shader can write. `diagnostics` are what went wrong; `finished` is False where the
    run stopped before its end. `trace` is None unless asked for. `ways` says of each number of a policy's `choices` how
    many there were, `decisions` are those made at switches; `conflict` is the first pair of accesses whose order the
    result may depend on, if accesses were watched. `on` is what ran it: "sim", or the name of a device; `engine` is the
    simulator's: "interpreter" or "jit", and `fallback` why native code did not run it, where it was asked to. `reached`
    is where undefined values arrived, but for words of buffers, which have their own."""

    __slots__ = (
        "entry", "subgroup_size", "on", "buffers", "diagnostics", "finished", "steps", "trace", "conflict",
        "widths", "ways", "decisions", "ended", "dispatched", "called", "rules", "grouped", "undetermined",
        "engine", "fallback", "reached", "framebuffer", "vertices", "chosen", "partial",
        "owners",
    )  # fmt: skip

    def __init__(self, entry: str, subgroup_size: int) -> None:
        self.entry = entry
        self.subgroup_size = subgroup_size
        self.on = "sim"
        self.buffers: dict[str, BufferResult] = {}
        self.diagnostics: list[Diagnostic] = []
        self.finished = True
        self.steps = 0
        self.trace: Trace | None = None
        self.dispatched: dict[Instr, list[Instr]] = {}  # by dynamic call: the witness tables it went by
        self.called: dict[Instr, list[tuple[Instr | None, Function]]] = {}  # and the functions, each with its table
        self.conflict: Conflict | None = None
        self.widths: list[int] = []  # how many tangles were ready whenever a scripted schedule had to choose
        self.undetermined = 0  # loops of which the input doesn't say what belongs to them: the policy assumed it
        self.ways: list[int] = []
        self.decisions: list[Decision] = []
        self.ended: list[tuple[list[int], Instr]] = []  # the lanes of those that did, and before which instruction
        self.rules = MAXIMAL  # those that the entry point was run by
        self.engine = "interpreter"
        self.fallback = ""
        self.reached: list[Reached] = []
        self.framebuffer: Framebuffer | None = None  # of a fragment shader
        self.vertices: list[Vertex] | None = None  # of a vertex shader
        self.chosen: list[str] = []  # choices made while instructions were executed (`sim.step_choices`), in words
        self.owners: list[Owner] = []  # whose choices those of `ways` are
        self.partial = ""  # why there are more of them than a policy's `choices` can name
        self.grouped: list[Grouped] = []  # the first choices of a loose run

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from reknit.source.shown import shown

        return shown(self)

    def __repr__(self) -> str:
        """`<main on sim, subgroups of 4: result = 42 42 40 40>`: of each buffer the first words."""
        contents = f": {self.summary()}" if self.buffers else ""
        failed = ", failed" if self.failed() else ""
        return f"<{self.entry} on {self.on}, subgroups of {self.subgroup_size}{failed}{contents}>"

    def summary(self) -> str:
        """`result = 42 42 40 40`: of each buffer the first words."""
        parts = [f"{name} = {buffer.first(SHOWN_WORDS)}" for name, buffer in self.buffers.items()]
        return "; ".join(parts) or "no buffers"

    def has_open_outputs(self) -> bool:
        """Whether an output of a fragment or vertex shader may be anything."""
        framebuffer = self.framebuffer
        drawn = framebuffer is not None and any(attachment.undefined for attachment in framebuffer.attachments)
        return drawn or any(vertex.undefined for vertex in self.vertices or [])

    def failed(self) -> bool:
        """Whether there is an error among the diagnostics."""
        return any(diagnostic.severity == ERROR for diagnostic in self.diagnostics)

    def to_json(self) -> dict[str, object]:
        document: dict[str, object] = {
            "entry": self.entry,
            "subgroup_size": self.subgroup_size,
            "on": self.on,
            "rules": self.rules,
            "buffers": {name: buffer.to_json() for name, buffer in self.buffers.items()},
        }
        if self.framebuffer is not None:
            document["framebuffer"] = self.framebuffer.to_json()
        if self.vertices is not None:
            document["vertices"] = [vertex.to_json() for vertex in self.vertices]
        document["diagnostics"] = [as_json(diagnostic) for diagnostic in self.diagnostics]
        return document
