"""Run the conformance programs on a Vulkan driver and compare every word that every invocation writes.

    python tools/compare_driver.py DIR [--device NAME] [--library PATH] [--first N]

DIR holds `cts_maximal.jsonl.gz`: programs of the Vulkan CTS reconvergence generator with the words of the CTS's own
reference. A program is run where the device has its subgroup size. Exit code 1 if a word differs; what could not be run
is counted by reason. The driver needs VK_KHR_shader_maximal_reconvergence; a device that lacks it says so for each.
"""

import argparse
import gzip
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(ROOT / "src"), str(ROOT / "tests")]

from conformance.cts_program import INPUTS, LANES, CtsProgram  # noqa: E402
from conformance.test_cts_maximal import expected_of, values_in  # noqa: E402

from reknit.ir import enums, op  # noqa: E402
from reknit.ir.module import Module, annotation  # noqa: E402
from reknit.source.diagnostic import InputError  # noqa: E402
from reknit.vulkan.run import run_on  # noqa: E402
from reknit.vulkan.target import Target  # noqa: E402

CAPABILITIES = (
    enums.CapabilityShader,
    enums.CapabilityGroupNonUniform,
    enums.CapabilityGroupNonUniformVote,
    enums.CapabilityGroupNonUniformBallot,
)


def module_of(case: dict[str, Any]) -> Module:
    """The program, with what a driver wants to be declared."""
    module = CtsProgram(case["ops"]).module
    module.capabilities = [annotation(op.Capability, [each]) for each in CAPABILITIES]
    module.extensions = [annotation(op.Extension, ["SPV_KHR_maximal_reconvergence"])]
    module.memory_model = [annotation(op.MemoryModel, [enums.AddressingModelLogical, enums.MemoryModelGLSL450])]
    (point,) = module.entry_points
    variables = [each for each in module.globals if each.op == op.Variable]
    module.entry_points = [annotation(op.EntryPoint, [*point.operands, *variables])]
    return module


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser("compare_driver.py", description="Compare a driver with the conformance programs.")
    parser.add_argument("folder", type=Path, help="where cts_maximal.jsonl.gz is")
    parser.add_argument("--device", default="", help="part of the device's name, or its number (default: the first)")
    parser.add_argument("--library", default="", help="libvulkan's path (default: the system's)")
    parser.add_argument("--first", type=int, default=0, help="only so many programs of each subgroup size")
    options = parser.parse_args(arguments)
    target = Target(options.device, options.library)
    with gzip.open(options.folder / "cts_maximal.jsonl.gz", "rt", encoding="utf-8") as file:
        cases = [json.loads(line) for line in file]
    seen: Counter[int] = Counter()
    results: Counter[str] = Counter()
    for case in cases:
        size = case["subgroup_size"]
        seen[size] += 1
        if options.first and seen[size] > options.first:
            continue
        expected = expected_of(case)
        most = max(len(values) for values in expected) + 1
        buffers = {"a": list(range(INPUTS)), "b": bytes(16 * LANES * most), "c": bytes(4 * LANES)}
        try:
            result = run_on(target, module_of(case), subgroup_size=size, buffers=buffers)
        except InputError as error:
            results[f"not run, subgroup size {size}: {error.diagnostics[0].message}"] += 1
            continue
        written = values_in(result.buffers["b"].words, result.buffers["c"].words)
        lanes = [lane for lane in range(LANES) if written[lane] != expected[lane]]
        results[f"{'differ' if lanes else 'equal'}, subgroup size {size}"] += 1
        if lanes:
            print(f"{case['cts_name']} seed {case['seed']}: {len(lanes)} invocations differ, the first is {lanes[0]}")
    for text, count in sorted(results.items()):
        print(f"{count:5} {text}")
    return 1 if any(text.startswith("differ") for text in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
