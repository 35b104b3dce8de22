"""What a pipeline says: buffers with what they hold, which resource each is for, what must be in them in the end.

- {Name: In, Format: Float32, Data: [1, 0x40]}        Buffer("In", bytes, ...)
Results: - {Rule: BufferFloatULP, ULPT: 1, Actual: Out, Expected: ExpectedOut}
"""

import math
import struct
from typing import Any, Final, final

_CODES: Final = {
    "Int16": "<h", "UInt16": "<H", "Hex16": "<H", "Float16": "<e", "Int32": "<i", "UInt32": "<I", "Hex32": "<I",
    "Float32": "<f", "Int64": "<q", "UInt64": "<Q", "Hex64": "<Q", "Float64": "<d", "Bool": "<I",
}  # fmt: skip
_UNSIGNED: Final = {2: "<H", 4: "<I", 8: "<Q"}
_NORMAL: Final = {4: 2.0**-126, 8: 2.0**-1022}
"""The least number that isn't subnormal, of floats that may be flushed to zero, by width."""


class Outside(Exception):
    """What this runner has nothing for; the message is what tests are grouped by."""


@final
class Buffer:
    def __init__(self, written: dict[str, Any]) -> None:
        self.name = str(written.get("Name", ""))
        self.format = str(written.get("Format", "Hex32"))
        self.channels = int(str(written.get("Channels", "1")))
        self.stride = int(str(written.get("Stride", "0")))
        self.code = _CODES.get(self.format, "")
        self.data = self._bytes(written)

    def _bytes(self, written: dict[str, Any]) -> bytes:
        if not self.code:
            raise Outside(f"format {self.format}")
        if "OutputProps" in written:
            raise Outside("images")
        if "Data" in written:
            return b"".join(self._number(text) for text in written["Data"])
        size = int(str(written.get("FillSize", written.get("ZeroInitSize", "0"))), 0)
        one = self._number(str(written.get("FillValue", "0")))
        return (one * (size // len(one) + 1))[:size]

    def _number(self, text: str) -> bytes:
        width = struct.calcsize(self.code)
        if self.code[1] in "efd" and "p" in text.lower():
            return struct.pack(self.code, float.fromhex(text))
        if self.code[1] in "efd" and "0x" not in text.lower():
            return struct.pack(self.code, float(text.replace(".inf", "inf").replace(".nan", "nan")))
        if text in ("true", "false"):
            return struct.pack(self.code, int(text == "true"))
        return struct.pack(_UNSIGNED[width], int(text, 0) % (1 << 8 * width))

    def flush(self) -> bool:
        """Subnormal floats become zeros of their sign; whether there were any."""
        least = _NORMAL.get(self.width(), 0.0) if self.code in ("<f", "<d") else 0.0
        numbers = self.numbers(self.data)
        kept = [math.copysign(0, one) if 0 < abs(one) < least else one for one in numbers]
        self.data = b"".join(struct.pack(self.code, one) for one in kept) if kept != numbers else self.data
        return kept != numbers

    def words(self) -> list[int]:
        padded = self.data + bytes(-len(self.data) % 4)
        return list(struct.unpack(f"<{len(padded) // 4}I", padded))

    def numbers(self, data: bytes) -> list[int | float]:
        return [number for (number,) in struct.iter_unpack(self.code, data[: len(data) - len(data) % self.width()])]

    def width(self) -> int:
        return struct.calcsize(self.code)


@final
class Check:
    def __init__(self, written: dict[str, Any]) -> None:
        self.rule = str(written.get("Rule", "BufferExact"))
        self.actual = str(written.get("Actual", ""))
        self.expected = str(written.get("Expected", ""))
        self.ulps = int(str(written.get("ULPT", "0")))
        self.epsilon = float(str(written.get("Epsilon", "0")))
        self.near_zero = float(str(written.get("ZeroTolerance", "0")))
        self.may_flush = str(written.get("DenormMode", "Any")) == "Any"
        if self.rule not in ("BufferExact", "BufferFloatULP", "BufferFloatEpsilon"):
            raise Outside(f"rule {self.rule}")

    def holds(self, expected: Buffer, data: bytes) -> bool:
        if self.rule == "BufferExact":
            return data == expected.data
        wanted, found = expected.numbers(expected.data), expected.numbers(data)
        return len(wanted) == len(found) and all(
            self._near(one, other, expected.width()) for one, other in zip(wanted, found, strict=True)
        )

    def _near(self, wanted: float, found: float, width: int) -> bool:
        if math.isnan(wanted) or math.isnan(found):
            return math.isnan(wanted) and math.isnan(found)
        if wanted == found:
            return True
        if self.may_flush and found == 0 and 0 < abs(wanted) < _NORMAL.get(width, 0):
            return math.copysign(1, wanted) == math.copysign(1, found)
        if self.rule == "BufferFloatEpsilon":
            return abs(wanted - found) < self.epsilon
        if min(abs(wanted), abs(found)) <= self.near_zero and self.near_zero > 0:
            return abs(wanted - found) <= self.near_zero
        return abs(_place(wanted, width) - _place(found, width)) <= self.ulps


def _place(value: float, width: int) -> int:
    """Where a float stands among all of its width: neighbours differ by one."""
    code = {2: "<e", 4: "<f", 8: "<d"}[width]
    bits: int = struct.unpack(_UNSIGNED[width], struct.pack(code, value))[0]
    sign = 1 << (8 * width - 1)
    return sign - bits if bits & sign else bits


def _number_of(kind: str, text: str) -> float:
    try:
        return float(text) if kind.startswith("Float") else int({"true": "1", "false": "0"}.get(text, text), 0)
    except ValueError:
        raise Outside(f"a specialization constant of {kind} that is no number") from None


def _elements(written: dict[str, Any]) -> list[dict[str, Any]]:
    """Each buffer of an array of resources, named `In[0]`, with its own data; a buffer that is none, alone."""
    name, count = str(written.get("Name")), int(str(written.get("ArraySize", "1")))
    if count == 1:
        return [{**written, "Name": name}]
    data = [{"Data": one} for one in written["Data"]] if "Data" in written else [{}] * count
    return [{**written, "Name": f"{name}[{index}]", **own} for index, own in enumerate(data)]


def _pairs(result: dict[str, Any], arrays: dict[str, list[dict[str, Any]]]) -> list[dict[str, str]]:
    """A check of an array of resources is one of each buffer."""
    both = zip(arrays[str(result["Actual"])], arrays[str(result["Expected"])], strict=True)
    return [{"Actual": actual["Name"], "Expected": expected["Name"]} for actual, expected in both]


@final
class Pipeline:
    """`resources` are (buffer's name, kind, set and binding in Vulkan), `pushed` the bytes of push constants,
    `specialized` the values of specialization constants by id."""

    def __init__(self, tree: dict[str, Any]) -> None:
        shaders = tree.get("Shaders", [])
        if len(shaders) != 1 or str(shaders[0].get("Stage")) != "Compute":
            raise Outside("stages other than compute")
        for key in ("AccelerationStructures", "RuntimeSettings"):
            if key in tree or key in shaders[0]:
                raise Outside(key)
        self.entry = str(shaders[0].get("Entry", "main"))
        self.specialized: dict[int, float] = {}
        for one in shaders[0].get("SpecializationConstants", []):
            number = int(str(one["ConstantID"]))
            if number in self.specialized:
                raise Outside("two values of a specialization constant")
            self.specialized[number] = _number_of(str(one["Type"]), str(one["Value"]))
        self.pushed = b""
        for block in tree.get("PushConstants", []):
            for written in block.get("Values", []):
                at = int(str(written.get("Offset", len(self.pushed))), 0)
                data = Buffer(written).data
                self.pushed = self.pushed.ljust(at, b"\0")[:at] + data + self.pushed[at + len(data) :]
        count = tree.get("DispatchParameters", {}).get("DispatchGroupCount", shaders[0].get("DispatchSize", [1, 1, 1]))
        x, y, z = (int(str(one), 0) for one in count)
        self.groups = (x, y, z)
        arrays = {str(one.get("Name")): _elements(one) for one in tree.get("Buffers", [])}
        self.resources: list[tuple[str, str, str]] = []
        for group, descriptors in enumerate(tree.get("DescriptorSets", [])):
            for one in descriptors.get("Resources", []):
                place = one.get("VulkanBinding", one.get("DirectXBinding", {}))
                binding = place.get("Binding", place.get("Register", "0"))
                set = place.get("Space", group)
                for element in arrays.get(str(one["Name"]), [{"Name": str(one["Name"])}]):
                    where = element["Name"].removeprefix(str(one["Name"])).replace("[0]", "")
                    self.resources.append((element["Name"], str(one["Kind"]), f"{set}.{binding}{where}"))
        self.checks = [Check({**one, **pair}) for one in tree.get("Results", []) for pair in _pairs(one, arrays)]
        used = {name for name, _, _ in self.resources} | {check.expected for check in self.checks}
        written = [element for elements in arrays.values() for element in elements]
        self.buffers = {one["Name"]: Buffer(one) for one in written if one["Name"] in used}

    def flush(self) -> bool:
        """What is given, with subnormal floats as zeros, and whether that differs. "Any denormalized value input into a
        shader [...] may be flushed to 0" (Vulkan, "Precision of Individual Operations")."""
        given = {name for name, _, _ in self.resources}
        return sum(self.buffers[name].flush() for name in sorted(given)) > 0
