"""What a script says, in either language.

Script
  shaders     name -> Shader (language, source, line)
  buffers     name -> BufferData (type, bytes)
  pipelines   name -> Pipeline (shader, entry point, bindings, specialization, subgroup size)
  commands    Run, Expect, ExpectBuffer, Copy, Store, Repeat, in order
"""

from typing import Final, final

from reknit.front.amber.types import DataType
from reknit.source.place import Place

AMBER: Final = "amber"
VKSCRIPT: Final = "vkscript"

EQUAL: Final = "EQ"
NEAR: Final = "~="
SAME_BUFFER: Final = "EQ_BUFFER"
ERROR_BUFFER: Final = "RMSE_BUFFER"

PUSH: Final = "push_constant"


@final
class Shader:
    """`language` is glsl, hlsl, spvasm or spv; `line` the first of the source in the file `path`: the script, or one
    that it names."""

    __slots__ = ("name", "language", "source", "path", "line")

    def __init__(self, name: str, language: str, source: bytes, path: str, line: int) -> None:
        self.name = name
        self.language = language
        self.source = source
        self.path = path
        self.line = line


@final
class BufferData:
    """A buffer and what it starts with."""

    __slots__ = ("name", "type", "data")

    def __init__(self, name: str, type: DataType, data: bytes) -> None:
        self.name = name
        self.type = type
        self.data = data


@final
class Binding:
    """`buffer` at (set, binding, element), or as push constants (set -1): `size` bytes from `offset`, -1 for all."""

    __slots__ = ("buffer", "kind", "set", "binding", "element", "offset", "size")

    def __init__(
        self, buffer: str, kind: str, set: int, binding: int, element: int = 0, offset: int = 0, size: int = -1
    ) -> None:
        self.buffer = buffer
        self.kind = kind
        self.set = set
        self.binding = binding
        self.element = element
        self.offset = offset
        self.size = size


@final
class Pipeline:
    """A compute pipeline. `subgroup_size` 0 is whatever the run has."""

    __slots__ = ("name", "shader", "entry", "bindings", "spec", "subgroup_size")

    def __init__(self, name: str) -> None:
        self.name = name
        self.shader = ""
        self.entry = "main"
        self.bindings: list[Binding] = []
        self.spec: dict[int, float] = {}
        self.subgroup_size = 0

    def copy(self, name: str) -> "Pipeline":
        pipeline = Pipeline(name)
        pipeline.shader = self.shader
        pipeline.entry = self.entry
        pipeline.bindings = list(self.bindings)
        pipeline.spec = dict(self.spec)
        pipeline.subgroup_size = self.subgroup_size
        return pipeline


@final
class Run:
    """A dispatch; `entry` overrules the pipeline's entry point unless it is ""."""

    __slots__ = ("pipeline", "groups", "entry", "place")

    def __init__(self, pipeline: str, groups: tuple[int, int, int], entry: str, place: Place) -> None:
        self.pipeline = pipeline
        self.groups = groups
        self.entry = entry
        self.place = place


@final
class Tolerance:
    __slots__ = ("value", "percent")

    def __init__(self, value: float, percent: bool) -> None:
        self.value = value
        self.percent = percent


@final
class Expect:
    """`values` (by component of `type`, from byte `offset` on) each stand to the buffer's as `comparator` says: EQ,
    NE, LT, LE, GT, GE or ~= (within `tolerances`, by component)."""

    __slots__ = ("buffer", "type", "offset", "comparator", "values", "tolerances", "text", "place")

    def __init__(
        self,
        buffer: str,
        type: DataType,
        offset: int,
        comparator: str,
        values: list[float],
        tolerances: list[Tolerance],
        text: str,
        place: Place,
    ) -> None:
        self.buffer = buffer
        self.type = type
        self.offset = offset
        self.comparator = comparator
        self.values = values
        self.tolerances = tolerances
        self.text = text
        self.place = place


@final
class ExpectBuffer:
    """Two whole buffers: the same bytes, or a root mean square error of at most `tolerance`."""

    __slots__ = ("left", "right", "comparator", "tolerance", "text", "place")

    def __init__(self, left: str, right: str, comparator: str, tolerance: float, text: str, place: Place) -> None:
        self.left = left
        self.right = right
        self.comparator = comparator
        self.tolerance = tolerance
        self.text = text
        self.place = place


@final
class Copy:
    __slots__ = ("source", "target")

    def __init__(self, source: str, target: str) -> None:
        self.source = source
        self.target = target


@final
class Store:
    """Bytes put into a buffer at `offset`, which grows to hold them and `least` bytes."""

    __slots__ = ("buffer", "offset", "data", "least")

    def __init__(self, buffer: str, offset: int, data: list[tuple[int, bytes]], least: int) -> None:
        self.buffer = buffer
        self.offset = offset
        self.data = data
        self.least = least


@final
class Repeat:
    __slots__ = ("count", "commands")

    def __init__(self, count: int, commands: "list[Command]") -> None:
        self.count = count
        self.commands = commands


Command = Run | Expect | ExpectBuffer | Copy | Store | Repeat


@final
class Script:
    """`features` are those of the device that the script asks for, with the line."""

    __slots__ = ("path", "shaders", "buffers", "pipelines", "commands", "features")

    def __init__(self, path: str) -> None:
        self.path = path
        self.shaders: dict[str, Shader] = {}
        self.buffers: dict[str, BufferData] = {}
        self.pipelines: dict[str, Pipeline] = {}
        self.commands: list[Command] = []
        self.features: list[str] = []
