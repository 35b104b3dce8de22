"""reknit: knows which invocations of a shader run together, and rewrites its control flow without changing that.

    m = reknit.load("blur.spv")                            SPIR-V, assembly, .rk, GLSL; or bytes
    reknit.outcomes(m, buffers={"kind": [0, 0, 1, 2]})     every result that the rules allow
    reknit.compile(m)                                      one meaning for every switch
    reknit.run(m, buffers={"kind": [0, 0, 1, 2]})          run it: buffers, diagnostics, a trace
    reknit.show(m)                                         the control-flow tree; a picture in a notebook
    reknit.save(m, "blur.fixed.spv")

This page is the whole API. What can't be read, run or written raises `InputError`, whose `diagnostics` say why; faults
of reknit's own raise `InternalError`. Importing reknit is cheap: each function imports what it needs when it is called.
"""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reknit.source.diagnostic import Diagnostic, EditRefused, InputError, InternalError, Note
from reknit.source.place import Place

if TYPE_CHECKING:
    from reknit.front.slang.compile import Settings
    from reknit.ir.module import Module
    from reknit.passes.manager import Report
    from reknit.proof.verdict import Verdict
    from reknit.sim.outcomes import Outcome, Outcomes
    from reknit.sim.policy import Policy
    from reknit.sim.run import Result
    from reknit.view.picture import Picture

__all__ = [
    "Diagnostic",
    "EditRefused",
    "InputError",
    "InternalError",
    "Module",
    "Note",
    "Outcome",
    "Outcomes",
    "Picture",
    "Place",
    "Policy",
    "Report",
    "Result",
    "Verdict",
    "check",
    "compile",
    "lint",
    "load",
    "outcomes",
    "prove",
    "run",
    "save",
    "show",
    "text",
]

_CLASSES = {
    "Module": "reknit.ir.module",
    "Outcome": "reknit.sim.outcomes",
    "Outcomes": "reknit.sim.outcomes",
    "Picture": "reknit.view.picture",
    "Policy": "reknit.sim.policy",
    "Report": "reknit.passes.manager",
    "Result": "reknit.sim.run",
    "Verdict": "reknit.proof.verdict",
}

Path = str | os.PathLike[str]


def load(source: Path | bytes, *, format: str | None = None, settings: "Settings | None" = None) -> "Module":
    """The module in a file, or the module that some bytes are.

    `format` is one of spv, spvasm, rk, slang, hlsl, glsl, ll, bc, dxil, cfg; without it the file's ending tells, or
    for bytes the contents. `settings` (`reknit.front.slang.compile.Settings`) are for Slang and HLSL: macros, include
    folders, entry points, conformances. `module.notes` has what reading it had to say: diagnostics that are no faults.
    Raises InputError.
    """
    from reknit.front.load import load_bytes, load_file

    if isinstance(source, bytes):
        return load_bytes(source, format, "<bytes>", settings=settings)
    return load_file(os.fspath(source), format, settings=settings)


def save(module: "Module", path: Path, *, format: str | None = None, check: bool = True) -> None:
    """Write a module; the ending tells the format: .spv, .spvasm, .rk.

    Raises InputError where SPIR-V can't say it, and where the module breaks rules of SPIR-V's control flow (RK0515,
    RK0516), which `check=False` writes all the same.
    """
    from reknit.files.save import save_file

    save_file(module, os.fspath(path), format, check)


def text(module: "Module") -> str:
    """The module as .rk, which `load` reads back."""
    from reknit.ir.text.printer import print_module

    return print_module(module)


def compile(module: "Module", passes: str = "reconverge", *, verify_each: bool = False) -> "Report":
    """Run passes over `module`, which is changed: "a,b{n=4}", names of passes and pipelines.

    The report tells what each pass changed, skipped and had to say. `verify_each` checks the module after every pass,
    and its control flow as SPIR-V. Raises InputError for passes that there are not, or that can't come in this order.
    """
    from reknit.passes.manager import Hooks, run_passes

    if not verify_each:
        return run_passes(module, passes)
    from reknit.files.judging import EachPass

    return run_passes(module, passes, Hooks(verify_each=True, dump=EachPass()))


def run(
    module: "Module",
    entry: str | None = None,
    *,
    subgroup_size: int | None = None,
    groups: tuple[int, int, int] = (1, 1, 1),
    buffers: Mapping[str, Any] | None = None,
    push_constants: Sequence[int] | bytes | None = None,
    spec: Mapping[int | str, float] | None = None,
    policy: "Policy | None" = None,
    max_steps: int = 100_000_000,
    trace: bool = False,
    on: str = "sim",
    libvulkan: str = "",
    rules: str = "declared",
) -> "Result":
    """Run a compute shader over `groups` workgroups, by the rules of maximal reconvergence, or on a Vulkan device.

    `buffers` maps a variable's name, its block's or "set.binding" to sequences of 32-bit words, bytes or numpy arrays;
    what is not set is zeros. `spec` sets specialization constants by id or name. `policy` uses the freedoms that the
    rules leave. `result.buffers["out"].words` are 32-bit words, `.array()` is a numpy array by type.
    What goes wrong while it runs is in `result.diagnostics`; what can't be run raises InputError.

    `rules` are those of `outcomes`; with others than "maximal", `policy` may have a `grouping`.

    `subgroup_size` is 32 unless given. With `on` as "vulkan", or "vulkan:NAME" with part of a device's name or its
    number, a driver runs it in a process of its own, with the device's subgroup size unless another is given;
    `policy`, `max_steps` and `trace` are the simulator's. `libvulkan` is the loader's path where the system has none.
    """
    from reknit.vulkan.target import target_of

    target = target_of(on, libvulkan)
    if target is not None:
        from reknit.vulkan.run import run_on

        return run_on(
            target,
            module,
            entry,
            groups=groups,
            subgroup_size=subgroup_size or 0,
            buffers=buffers,
            push_constants=push_constants,
            spec=spec,
        )
    from reknit.ir.verify.trusting import trusting
    from reknit.sim.entry import refuse_other_stages
    from reknit.sim.run import run as run_module

    refuse_other_stages(module, entry)
    with trusting(module):
        return run_module(
            module,
            entry,
            groups=groups,
            subgroup_size=32 if subgroup_size is None else subgroup_size,
            buffers=buffers,
            push_constants=push_constants,
            spec=spec,
            policy=policy,
            max_steps=max_steps,
            trace=trace,
            rules=rules,
        )


def outcomes(
    module: "Module",
    entry: str | None = None,
    *,
    subgroup_size: int = 32,
    groups: tuple[int, int, int] = (1, 1, 1),
    buffers: Mapping[str, Any] | None = None,
    push_constants: Sequence[int] | bytes | None = None,
    spec: Mapping[int | str, float] | None = None,
    max_steps: int = 100_000_000,
    limit: int = 512,
    rules: str = "declared",
) -> "Outcomes":
    """All results that the rules allow for these inputs, each with a policy that gives it.

    `rules` are those that the entry point's execution modes declare, or "base" (SPIR-V alone), "sucf"
    (SubgroupUniformControlFlowKHR) or "maximal" (MaximallyReconvergesKHR); `outcomes(...).rules` says by which it was.
    `exhaustive` says whether there are no others; `limit` bounds the combinations of choices that are tried.
    """
    from reknit.ir.verify.trusting import trusting
    from reknit.sim.entry import refuse_other_stages
    from reknit.sim.outcomes import outcomes as all_outcomes

    refuse_other_stages(module, entry)
    with trusting(module):
        return all_outcomes(
            module,
            entry,
            groups=groups,
            subgroup_size=subgroup_size,
            buffers=buffers,
            push_constants=push_constants,
            spec=spec,
            max_steps=max_steps,
            limit=limit,
            rules=rules,
        )


def prove(
    before: "Module",
    after: "Module",
    *,
    entry: str | None = None,
    subgroup_sizes: Sequence[int] | None = None,
    groups: tuple[int, int, int] | None = None,
    buffers: Mapping[str, Any] | None = None,
    domains: Mapping[str, Sequence[int]] | None = None,
    spec: Mapping[int | str, float] | None = None,
    sample: int = 24,
    limit: int = 128,
    max_steps: int = 1_000_000,
    rules: str = "declared",
) -> "Verdict":
    """Whether all that `after` may do is something that `before` may do: "proved" (for every input and size, only where
    the two are one module), "proved for the domain" (every run that was asked about), "sampled" or "refuted".

    `buffers` sets inputs, `domains` gives the numbers that each element of a buffer may be, any other input that is
    read is sampled. Each may do what the rules allow that it declares, or `rules`, as in
    `outcomes`. The verdict is true unless refuted; its `coverage` says what was gone through, its `counterexample`
    is the run that shows a difference. Raises InputError where the two can't be compared or a run does not end.
    """
    from reknit.ir.verify.trusting import trusting
    from reknit.proof.prove import prove as compare
    from reknit.proof.question import Question

    asked = Question(entry, subgroup_sizes, groups, buffers, domains, spec, sample, limit, max_steps, rules)
    with trusting(before, after):
        return compare(before, after, asked)


def check(source: "Module | Path | bytes", *, environment: str | None = None) -> list[Diagnostic]:
    """What is wrong with a module, or with a file: control flow by its rules, faults of reading and of the tree, and
    spirv-val's verdict where it is installed. `environment` is what is judged for, as "vulkan1.3"; without it the
    module's version tells."""
    from reknit.checks.check import check_file, check_input, check_module

    if isinstance(source, bytes):
        return check_input(source, None, "<bytes>", "", environment).found
    if isinstance(source, str | os.PathLike):
        return check_file(os.fspath(source), environment).found
    return check_module(source, None, environment)


def lint(source: "Module | Path | bytes", *, target: str | None = None, config: Path | None = None) -> list[Diagnostic]:
    """The operations that depend on reconvergence which nothing promises: a warning each, whose notes walk the reason.

    `target` is what has to promise: "base", "sucf" (SubgroupUniformControlFlowKHR), "maximal"; without it what each
    entry point declares. `config` is a reknit.toml or pyproject.toml whose suppressions count. Raises InputError for
    what can't be read, and for a target that there is not.
    """
    from reknit.checks.lint.api import lint_source

    return lint_source(source, target, os.fspath(config) if config is not None else None)


def show(module: "Module", *, function: str | None = None) -> "Picture":
    """The control-flow tree: text when printed, a drawing in a notebook; `.svg()`, `.dot()`, `.graph_dot()` too."""
    from reknit.view.picture import Picture

    return Picture(module, function)


def __getattr__(name: str) -> Any:
    """The classes, imported when first named."""
    if name == "__version__":
        from reknit.cli.version import VERSION

        return VERSION
    if name in _CLASSES:
        from importlib import import_module

        return getattr(import_module(_CLASSES[name]), name)
    raise AttributeError(f"module 'reknit' has no attribute '{name}'")
