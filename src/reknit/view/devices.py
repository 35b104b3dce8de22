"""Devices, and what they did, for people.

    0  llvmpipe (LLVM 15.0.6, 256 bits)
       CPU, Vulkan 1.4.305, driver llvmpipe Mesa 25.0.7
       subgroups of 8: basic, vote, arithmetic, ballot
       yes: maximal reconvergence

    llvmpipe (LLVM 15.0.6, 256 bits), subgroups of 8: not allowed
      result: 2 elements differ from the closest of 3 outcomes
        element  simulator  device
        sum[0]          22      44

The features that are listed are those that this project's shaders ask for; `--json` has all.
"""

from typing import Any, Final

from reknit.proof.devices import ALLOWED, BOUNDED, IMPRECISE, NOT_RUN, REFUTED, SAME, UNDEFINED, UNKNOWN, Comparison
from reknit.proof.unlike import Difference
from reknit.sim import left
from reknit.sim.value_text import scalar_text
from reknit.view.outcomes import witness

MAX_ROWS: Final = 32

RELEVANT: Final = {
    "shaderMaximalReconvergence": "maximal reconvergence",
    "shaderSubgroupUniformControlFlow": "subgroup-uniform control flow",
    "subgroupSizeControl": "choosing the subgroup size",
    "shaderSubgroupRotate": "subgroup rotate",
    "shaderQuadControl": "quad control",
    "shaderSubgroupExtendedTypes": "subgroup operations on 8, 16 and 64 bits",
    "shaderInt8": "8-bit integers",
    "shaderInt16": "16-bit integers",
    "shaderInt64": "64-bit integers",
    "shaderFloat16": "16-bit floats",
    "shaderFloat64": "64-bit floats",
    "storageBuffer8BitAccess": "8-bit members of buffers",
    "storageBuffer16BitAccess": "16-bit members of buffers",
    "shaderBufferInt64Atomics": "64-bit atomics",
    "variablePointersStorageBuffer": "variable pointers",
    "vulkanMemoryModel": "Vulkan memory model",
}


def show_devices(devices: list[dict[str, Any]]) -> str:
    """What `reknit devices` prints."""
    return "\n".join([show_device(device) for device in devices])


def show_device(device: dict[str, Any]) -> str:
    least, most, own = device["least_subgroup_size"], device["most_subgroup_size"], device["subgroup_size"]
    sizes = f"subgroups of {own}" + (f" ({least} to {most} if asked)" if least < most else "")
    lines = [
        f"{device['index']}  {device['name']}",
        f"   {device['kind']}, Vulkan {device['api']}" + (f", driver {device['driver']}" if device["driver"] else ""),
        f"   {sizes}: {', '.join(device['subgroup_operations']) or 'no operations'}",
    ]
    if not device["usable"]:
        lines.append("   can't be used: reknit runs on Vulkan 1.2 and newer, on a queue that computes")
    for label, names in (("yes", True), ("no", False)):
        features = [text for name, text in RELEVANT.items() if (name in device["features"]) == names]
        if features:
            lines.extend(_wrapped(f"   {label + ':':<4} ", features))
    return "\n".join(lines) + "\n"


def _wrapped(head: str, words: list[str]) -> list[str]:
    lines = [head + words[0]]
    for word in words[1:]:
        if len(lines[-1]) + len(word) > 110:
            lines[-1] += ","
            lines.append(" " * len(head) + word)
        else:
            lines[-1] += f", {word}"
    return lines


def show_comparison(comparison: Comparison, base: int = 10) -> str:
    """A device's verdict, and the scalars behind it."""
    where = comparison.device
    if comparison.verdict == NOT_RUN:
        return f"{where}: not run\n" if where else "not run\n"
    lines = [f"{where}, subgroups of {comparison.subgroup_size}: {_verdict(comparison)} (rules: {comparison.rules})"]
    if comparison.verdict == ALLOWED and comparison.closest is not None:
        lines.append(f"  {witness(comparison.closest)}")
    if comparison.coverage and comparison.verdict in (REFUTED, UNKNOWN):
        lines.append(f"  ({comparison.coverage})")
    by_buffer: dict[str, list[Difference]] = {}
    for difference in comparison.differences:
        by_buffer.setdefault(difference.buffer, []).append(difference)
    for name, differences in by_buffer.items():
        lines.extend(_differing(name, differences, comparison.count, base))
    lines.extend(_outputs(comparison))
    return "\n".join(lines) + "\n"


def _verdict(comparison: Comparison) -> str:
    count = comparison.count
    texts = {
        SAME: "the same as the simulator",
        ALLOWED: f"allowed, outcome {comparison.outcome} of {count}",
        BOUNDED: f"allowed, within bounds of: {comparison.coverage}",
        REFUTED: "not allowed",
        IMPRECISE: f"differs, and the precision of {comparison.coverage} is the device's own (--ulp N says how far)",
        UNKNOWN: f"not among the {count} outcomes that were found; there may be more",
        UNDEFINED: "differs, but the program's behaviour is undefined",
    }
    return texts[comparison.verdict]


def _outputs(comparison: Comparison) -> list[str]:
    """A row for each number of the outputs that differs."""
    outputs = comparison.outputs
    if not outputs:
        return []
    closest = "the simulator" if comparison.count == 1 else f"the closest of {comparison.count} outcomes"
    lines = [f"  outputs: {len(outputs)} number{'s differ' if len(outputs) > 1 else ' differs'} from {closest}"]
    rows = [("output", "simulator", "device")]
    for unlike in outputs[:MAX_ROWS]:
        texts = [each.text() if each is not None else "nothing" for each in (unlike.expected, unlike.actual)]
        rows.append((left.label(unlike.key), texts[0], texts[1]))
    widths = [max(len(row[at]) for row in rows) for at in range(3)]
    lines += [f"    {row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}" for row in rows]
    return lines + ([f"    ... {len(outputs) - MAX_ROWS} more; --json has all"] if len(outputs) > MAX_ROWS else [])


def _differing(name: str, differences: list[Difference], count: int, base: int) -> list[str]:
    noun = "element differs" if len(differences) == 1 else "elements differ"
    closest = "the simulator" if count == 1 else f"the closest of {count} outcomes"
    lines = [f"  {name}: {len(differences)} {noun} from {closest}"]
    rows = [("element", "simulator", "device")]
    for difference in differences[:MAX_ROWS]:
        shape = difference.element.shape
        size = shape.width // 8
        texts = [
            scalar_text(shape, bits.to_bytes(size, "little"), base) for bits in (difference.expected, difference.actual)
        ]
        rows.append((difference.element.name or "value", texts[0], texts[1]))
    widths = [max(len(row[at]) for row in rows) for at in range(3)]
    for row in rows:
        lines.append(f"    {row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}")
    if len(differences) > MAX_ROWS:
        lines.append(f"    ... {len(differences) - MAX_ROWS} more; --json has all")
    return lines
