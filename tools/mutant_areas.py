"""The areas of `mutants.py`: the sources of each room of src/reknit, and the tests nearest to them.

"!" takes files, folders or tests (`file::name`) out again.
"""

AREAS: dict[str, tuple[list[str], list[str]]] = {
    "rules": (
        ["spirv/rules/*.py", "!spirv/rules/catalog.py"],
        [
            "tests/unit/spirv/rules",
            "tests/conformance/test_rule_examples.py",
            "tests/conformance/test_validator.py",
            "tests/property/test_rules.py",
            "tests/property/test_rules_by_definition.py",
            "tests/property/test_rules_of_values.py",
        ],
    ),
    "analysis": (
        ["analysis/**/*.py"],
        [
            "tests/unit/analysis",
            "tests/property/test_analysis_manager.py",
            "tests/property/test_graph_analyses.py",
            "tests/spec/test_control_flow.py",
            "tests/spec/test_uniformity.py",
            "tests/spec/test_guarantees.py",
            "tests/conformance/test_typeflow_probes.py",
            "tests/property/test_random_callables.py",
            "tests/property/test_random_dispatch.py",
            "tests/property/test_random_guarded.py",
            "tests/property/test_guarded_calls.py",
            "tests/property/test_types_of_calls.py",
            "tests/property/test_uniformity.py",
            "tests/property/test_flat_divergence.py",
            "tests/property/test_tangle_promises.py",
            "tests/unit/checks/test_lint_pages.py",
            "tests/unit/passes",
            "!tests/unit/passes/test_fold_sweep.py",
        ],
    ),
    "ir": (
        ["ir/*.py", "ir/text/*.py", "ir/verify/*.py", "!ir/op.py", "!ir/enums.py", "!ir/opcodes.py"],
        [
            "tests/unit/ir",
            "tests/spec/test_control_flow.py",
            "tests/spec/test_verify_table.py",
            "tests/property/test_random_edits.py",
            "tests/unit/passes/test_fold.py",
            "tests/unit/passes/test_parts.py",
        ],
    ),
    "passes": (
        ["passes/**/*.py"],
        [
            "tests/unit/passes",
            "tests/unit/sim/test_sets.py",
            "tests/spec/test_documents.py",
            "tests/property/test_if_and_loop_passes.py",
            "tests/property/test_random_callables.py",
            "tests/property/test_random_dispatch.py",
            "tests/property/test_random_guarded.py",
            "tests/property/test_repair_dominance.py",
            "tests/property/test_structurize.py",
            "tests/property/test_switch_passes.py",
        ],
    ),
    "sim": (
        ["sim/**/*.py", "!sim/jit/*.py"],
        [
            "tests/unit/sim",
            "!tests/unit/sim/jit",
            "tests/spec/test_reconvergence.py",
            "tests/unit/test_api.py",  # buffers as arrays
            "tests/unit/view/test_stepping.py",  # what is recorded
            "tests/unit/view/test_trace_document.py",
            "tests/unit/front/llvm/test_kernels.py",  # kernels: their arguments and their memory's layout
            "tests/unit/passes/dispatch/test_cases.py",  # tagged unions and witness lookups
            "tests/property/test_nested_existentials.py",
        ],
    ),
    "sim/jit": (
        ["sim/jit/*.py"],
        ["tests/unit/sim/jit"],
    ),
    "front/slang": (
        ["front/slang/**/*.py"],
        [
            "tests/unit/front/slang",
            "!tests/unit/front/slang/test_parse_limits.py::test_broken_sources_never_crash",
            "!tests/unit/front/slang/test_parse_limits.py::test_work_goes_with_length",
            "tests/spec/test_slang_subset.py",
        ],
    ),
    "front/llvm": (
        ["front/llvm/**/*.py"],
        ["tests/unit/front/llvm", "!tests/unit/front/llvm/test_garbage.py"],
    ),
    "front": (
        ["front/*.py", "front/amber/*.py"],
        ["tests/unit/front", "!tests/unit/front/slang", "!tests/unit/front/llvm", "tests/unit/files/test_files.py"],
    ),
    "spirv": (
        ["spirv/*.py", "spirv/form/*.py"],
        ["tests/unit/spirv", "!tests/unit/spirv/rules", "tests/conformance/test_round_trip.py"],
    ),
    "proof": (
        ["proof/**/*.py"],
        ["tests/unit/proof"],
    ),
    "checks": (
        ["checks/**/*.py"],
        ["tests/unit/checks"],
    ),
    "view": (
        ["view/**/*.py"],
        ["tests/unit/view"],
    ),
    "editor": (
        ["editor/*.py"],
        ["tests/unit/editor", "!tests/unit/editor/test_vscode.py"],
    ),
    "vulkan": (
        ["vulkan/*.py"],
        ["tests/unit/vulkan"],
    ),
    "source": (
        ["source/**/*.py", "files/*.py", "arguments.py", "edit.py"],
        ["tests/unit/source", "tests/unit/files", "tests/unit/test_arguments.py", "tests/unit/test_api.py"],
    ),
    "fuzzing": (
        ["fuzzing/**/*.py", "reduction/*.py"],
        ["tests/unit/fuzzing", "tests/unit/reduction"],
    ),
    "batching": (
        ["batching/*.py"],
        ["tests/unit/batching", "!tests/unit/batching/test_cluster.py"],
    ),
    "cli": (
        ["cli/**/*.py"],
        ["tests/unit/cli"],
    ),
}
