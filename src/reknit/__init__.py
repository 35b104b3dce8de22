"""reknit: knows which invocations of a shader run together, and rewrites its control flow without changing that.

    m = reknit.load("blur.spv")                            SPIR-V, assembly, .rk, GLSL; or bytes
    reknit.outcomes(m, buffers={"kind": [0, 0, 1, 2]})     every result that the rules allow
    reknit.compile(m)                                      one meaning for every switch
    reknit.run(m, buffers={"kind": [0, 0, 1, 2]})          run it: buffers, diagnostics, a trace
    reknit.show(m)                                         the control-flow tree; a picture in a notebook
    reknit.save(m, "blur.fixed.spv")

This page is the whole API, with `reknit.edit` for rewriting programs by hand. What can't be read, run or written raises
`InputError`, whose `diagnostics` say why; faults of reknit's own raise `InternalError`. Untrusted input is
worked on within `Limits`. Importing reknit is cheap: each function imports what it needs when it is called.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING

from reknit.source.collecting import collecting_rarely, uncollected

if TYPE_CHECKING:
    from typing import ParamSpec, SupportsIndex, TypeAlias, TypeVar

    from numpy import bool_, number
    from numpy.typing import NDArray

    from reknit.analysis.manager import Analyses, FunctionAnalysis, ModuleAnalysis
    from reknit.batching.reports import Item
    from reknit.batching.result import Batch
    from reknit.front.slang.compile import Settings
    from reknit.fuzzing.fuzz import Failure
    from reknit.ir.block import Block
    from reknit.ir.function import Function
    from reknit.ir.instr import Instr
    from reknit.ir.module import Module
    from reknit.passes.contract import Context, Option, Pass
    from reknit.passes.manager import Report
    from reknit.passes.pipeline_text import PassSpec
    from reknit.proof.devices import Comparison
    from reknit.proof.verdict import Verdict
    from reknit.reduction.reduce import Reduced
    from reknit.sim.drawing import Drawing, Primitive, Quad
    from reknit.sim.images import Image, Sampler
    from reknit.sim.outcomes import Outcome, Outcomes
    from reknit.sim.policy import Policy
    from reknit.sim.result import Result
    from reknit.sim.vertices import Vertex, Vertices
    from reknit.source.diagnostic import Diagnostic, EditRefused, InputError, InternalError, Note
    from reknit.source.limits import LimitExceeded, Limits
    from reknit.source.place import Place
    from reknit.view.picture import Picture
    from reknit.vulkan.described import Device

    _Taken = ParamSpec("_Taken")
    _Given = TypeVar("_Given")

    Contents: TypeAlias = (
        Sequence[SupportsIndex] | bytes | bytearray | NDArray[number] | NDArray[bool_] | Image | Sampler
    )

__all__ = [
    "Analyses",
    "Batch",
    "Block",
    "Comparison",
    "Context",
    "Device",
    "Diagnostic",
    "Drawing",
    "EditRefused",
    "Failure",
    "Function",
    "FunctionAnalysis",
    "InputError",
    "Instr",
    "InternalError",
    "Item",
    "LimitExceeded",
    "Limits",
    "Module",
    "ModuleAnalysis",
    "Note",
    "Option",
    "Outcome",
    "Outcomes",
    "Pass",
    "PassSpec",
    "Picture",
    "Place",
    "Policy",
    "Primitive",
    "Quad",
    "Reduced",
    "Report",
    "Result",
    "Settings",
    "Verdict",
    "Vertices",
    "batch",
    "check",
    "compare",
    "compile",
    "devices",
    "drawn",
    "explain",
    "fuzz",
    "lint",
    "load",
    "outcomes",
    "prove",
    "reduce",
    "run",
    "save",
    "show",
    "text",
    "to_bytes",
]

_CLASSES = {
    "Analyses": "reknit.analysis.manager",
    "Batch": "reknit.batching.result",
    "Block": "reknit.ir.block",
    "Comparison": "reknit.proof.devices",
    "Context": "reknit.passes.contract",
    "Device": "reknit.vulkan.described",
    "Diagnostic": "reknit.source.diagnostic",
    "Drawing": "reknit.sim.drawing",
    "EditRefused": "reknit.source.diagnostic",
    "Failure": "reknit.fuzzing.fuzz",
    "Function": "reknit.ir.function",
    "FunctionAnalysis": "reknit.analysis.manager",
    "InputError": "reknit.source.diagnostic",
    "Instr": "reknit.ir.instr",
    "InternalError": "reknit.source.diagnostic",
    "Item": "reknit.batching.reports",
    "LimitExceeded": "reknit.source.limits",
    "Limits": "reknit.source.limits",
    "Module": "reknit.ir.module",
    "ModuleAnalysis": "reknit.analysis.manager",
    "Note": "reknit.source.diagnostic",
    "Option": "reknit.passes.contract",
    "Outcome": "reknit.sim.outcomes",
    "Outcomes": "reknit.sim.outcomes",
    "Pass": "reknit.passes.contract",
    "PassSpec": "reknit.passes.pipeline_text",
    "Picture": "reknit.view.picture",
    "Place": "reknit.source.place",
    "Policy": "reknit.sim.policy",
    "Primitive": "reknit.sim.drawing",
    "Quad": "reknit.sim.drawing",
    "Reduced": "reknit.reduction.reduce",
    "Report": "reknit.passes.manager",
    "Result": "reknit.sim.result",
    "Settings": "reknit.front.slang.compile",
    "Verdict": "reknit.proof.verdict",
    "Vertices": "reknit.sim.vertices",
}

Path = str | os.PathLike[str]

__version__: str


def _judged(verb: "Callable[_Taken, _Given]") -> "Callable[_Taken, _Given]":
    """The verb, whose arguments are judged by their names first (`reknit.arguments`)."""
    code = verb.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    defaults = dict(zip(reversed(names[: code.co_argcount]), reversed(verb.__defaults__ or ()), strict=False))
    defaults |= verb.__kwdefaults__ or {}

    @wraps(verb)
    def judged(*arguments: "_Taken.args", **named: "_Taken.kwargs") -> "_Given":
        from reknit.arguments import judge

        judge(verb.__name__, defaults, dict(zip(names, arguments, strict=False)) | named)
        return verb(*arguments, **named)

    return judged


@uncollected
@_judged
def load(source: Path | bytes, *, format: str | None = None, settings: "Settings | None" = None) -> "Module":
    """The module in a file, or the module that some bytes are.

    `format` is one of spv, spvasm, rk, slang, hlsl, glsl, ll, bc, dxil, cfg; without it the file's ending tells, or
    for bytes the contents. `settings` (`reknit.front.slang.compile.Settings`) are for Slang and HLSL: macros, include
    folders, entry points, conformances. `module.notes` has what reading it had to say: diagnostics that are no faults.
    Raises InputError.

    >>> import reknit
    >>> m = reknit.load("examples/fallthrough.spvasm")
    >>> m
    <examples/fallthrough.spvasm: SPIR-V 1.6, entry point @main, 1 function>
    """
    from reknit.front.load import load_bytes, load_file

    if isinstance(source, bytes):
        return load_bytes(source, format, "<bytes>", settings=settings)
    return load_file(os.fspath(source), format, settings=settings)


@uncollected
@_judged
def save(module: "Module", path: Path, *, format: str | None = None, check: bool = True) -> None:
    """Write a module; the ending tells the format: .spv, .spvasm, .rk.

    Raises InputError where SPIR-V can't say it, and where the module breaks rules of SPIR-V's control flow (RK0515,
    RK0516) or has no memory model (RK0518), which `check=False` writes all the same.
    """
    from reknit.files.save import save_file

    save_file(module, os.fspath(path), format, check)


@uncollected
@_judged
def to_bytes(module: "Module", format: str = "spv", *, check: bool = True) -> bytes:
    """The contents that `save` would write: format is spv, spvasm or rk. Raises InputError as that does.

    >>> len(reknit.to_bytes(m)) % 4
    0
    """
    from reknit.files.formats import write_format
    from reknit.files.save import checked_bytes

    return checked_bytes(module, write_format("-", format), check)


@uncollected
@_judged
def text(module: "Module") -> str:
    """The module as .rk, which `load` reads back.

    >>> print(reknit.text(m).splitlines()[0])
    Capability Shader
    """
    from reknit.ir.text.printer import print_module

    return print_module(module)


@uncollected
@_judged
def compile(
    module: "Module", passes: "str | Sequence[str | Pass | PassSpec]" = "reconverge", *, verify_each: bool = False
) -> "Report":
    """Run passes over `module`, which is changed: "a,b{n=4}", names of passes and pipelines; or a list of such texts,
    passes (`Pass`) and passes with options (`PassSpec`).

    A name may also be that of a pass which an installed package registers, or "file.py:ATTRIBUTE" for one in a file.
    The report says what each pass changed, skipped and had to say. `verify_each` checks the module after every pass,
    and its control flow as SPIR-V. Raises InputError for passes that there are not, or that can't come in this order.

    >>> fixed = m.copy()
    >>> reknit.compile(fixed)
    <10 passes, <lower-switches: changed @main; 1 note> <promote-variables: changed @main>>
    >>> reknit.compile(fixed, ["sink", "simplify-ifs{limit=2}"])
    <2 passes, no change>
    """
    from reknit.passes.manager import Hooks, run_passes

    if not verify_each:
        return run_passes(module, passes)
    from reknit.files.judging import EachPass

    return run_passes(module, passes, Hooks(verify_each=True, dump=EachPass()))


@collecting_rarely
@_judged
def run(
    module: "Module",
    entry: str | None = None,
    *,
    subgroup_size: int | None = None,
    groups: tuple[int, int, int] = (1, 1, 1),
    buffers: "Mapping[str, Contents] | None" = None,
    push_constants: Sequence[int] | bytes | None = None,
    spec: Mapping[int | str, float] | None = None,
    policy: "Policy | None" = None,
    max_steps: int = 100_000_000,
    trace: bool = False,
    on: str = "sim",
    libvulkan: str = "",
    rules: str = "declared",
    watch: bool = False,
    engine: str = "auto",
    drawing: "Drawing | Vertices | None" = None,
) -> "Result":
    """Run a compute shader over `groups` workgroups, by the rules of maximal reconvergence, or on a Vulkan device; or a
    fragment shader over a `drawing`: `result.framebuffer` is what it leaves then; or a vertex shader over one that is
    `Vertices`: `result.vertices` are what it leaves, of which `drawn` makes a drawing.

    `buffers` maps a variable's name, its block's or "set.binding" to sequences of 32-bit words, bytes or numpy arrays,
    whose numbers must be numbers of the buffer; what is not set is zeros. `spec` sets specialization constants by id or
    name. `policy` uses the freedoms that the rules leave. `result.buffers["out"].words` are 32-bit words, `.array()` is
    a numpy array by type. What goes wrong while it runs is in `result.diagnostics`; what can't be run raises
    InputError.

    `rules` are those of `outcomes`; with others than "maximal", `policy` may have a `grouping`. `watch` reports data
    races and reads of memory that nothing has written.

    `subgroup_size` is 32 unless given. With `on` as "vulkan", or "vulkan:NAME" with part of a device's name or its
    number, a driver runs it in a process of its own, with the device's subgroup size unless another is given;
    `policy`, `max_steps`, `trace` and `engine` are the simulator's. `libvulkan` is the loader's path where the system
    has none.

    `engine` is "interpreter", "jit" (native code through llvmlite; where it can't, the interpreter, and a note says
    why) or "auto": native code from 2,000 invocations on, where llvmlite is installed.

    >>> kinds = {"kinds": [0, 0, 1, 2]}
    >>> result = reknit.run(m, subgroup_size=4, buffers=kinds)
    >>> result
    <main on sim, subgroups of 4: result = 22 22 20 20>
    >>> result.buffers["result"].array()
    array([22, 22, 20, 20], dtype=uint32)
    """
    from reknit.vulkan.target import target_of

    target = target_of(on, libvulkan)
    if target is not None:
        from reknit.sim.vertices import Vertices
        from reknit.source.diagnostic import Diagnostic, InputError
        from reknit.vulkan.draw import draw_on
        from reknit.vulkan.run import run_on

        if drawing is not None:
            if isinstance(drawing, Vertices):
                help = "run them on the simulator, and draw what `drawn` makes of them"
                raise InputError([Diagnostic("RK1108", "vertices can't be given to a driver", help=help)])
            return draw_on(
                target,
                module,
                drawing,
                entry,
                subgroup_size=subgroup_size or 0,
                buffers=buffers,
                push_constants=push_constants,
                spec=spec,
            )
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
    from reknit.sim.engine import expect, native_run, with_note
    from reknit.sim.entry import refuse_other_stages
    from reknit.sim.run import run as run_module

    if not (trace or watch):
        expect(engine, groups)
    refuse_other_stages(module, entry, drawing)
    native = native_run(engine)
    with trusting(module):
        result = run_module(
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
            races=watch,
            unwritten=watch,
            rules=rules,
            native=native,
            drawing=drawing,
        )
    return with_note(result, engine)


@collecting_rarely
@_judged
def outcomes(
    module: "Module",
    entry: str | None = None,
    *,
    subgroup_size: int = 32,
    groups: tuple[int, int, int] = (1, 1, 1),
    buffers: "Mapping[str, Contents] | None" = None,
    push_constants: Sequence[int] | bytes | None = None,
    spec: Mapping[int | str, float] | None = None,
    max_steps: int = 100_000_000,
    limit: int = 512,
    rules: str = "declared",
    drawing: "Drawing | None" = None,
    packing: str = "index",
    full_subgroups: bool = False,
) -> "Outcomes":
    """All results that the rules allow for these inputs, each with a policy that gives it.

    `rules` are those that the entry point's execution modes declare, or "base" (SPIR-V alone), "sucf"
    (SubgroupUniformControlFlowKHR) or "maximal" (MaximallyReconvergesKHR); `outcomes(...).rules` says by which it was.
    `exhaustive` says whether there are no others; `limit` bounds the combinations of choices that are tried. A fragment
    shader is run over a `drawing`, as in `run`. `packing`: invocations fill subgroups in the order of their indices
    ("index"), or in any way that Vulkan allows ("any"); with `full_subgroups` the pipeline requires full subgroups.

    >>> found = reknit.outcomes(m, subgroup_size=4, buffers=kinds)
    >>> found
    <5 outcomes, exhaustive>
    >>> found.outcomes[0]
    <result = 42 42 40 40, by choices [], schedule lifo, kill terminate>
    """
    from reknit.ir.verify.trusting import trusting
    from reknit.sim.entry import refuse_other_stages
    from reknit.sim.outcomes import outcomes as all_outcomes

    refuse_other_stages(module, entry, drawing)
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
            drawing=drawing,
            packing=packing,
            full_subgroups=full_subgroups,
        )


@collecting_rarely
@_judged
def prove(
    before: "Module",
    after: "Module",
    *,
    entry: str | None = None,
    subgroup_sizes: Sequence[int] | None = None,
    groups: tuple[int, int, int] | None = None,
    buffers: "Mapping[str, Contents] | None" = None,
    domains: Mapping[str, Sequence[int]] | None = None,
    spec: Mapping[int | str, float] | None = None,
    sample: int = 24,
    limit: int = 128,
    max_steps: int = 1_000_000,
    rules: str = "declared",
    runs: bool = False,
    certificate: bool | str = False,
    drawing: "Drawing | Vertices | None" = None,
    seconds: float | None = 10.0,
) -> "Verdict":
    """Whether all that `after` may do is something that `before` may do: "proved" (for every input, subgroup size and
    number of workgroups), "proved for the domain" (every run that was asked about), "sampled" or "refuted".

    Where the normal form of both proves it, nothing is run; with `runs` only runs are asked. `buffers` sets inputs,
    `domains` gives the numbers that each element of a buffer may be, any other input that is read is sampled. Each may
    do what the rules allow that it declares, or `rules`, as in `outcomes`. The verdict is true unless refuted; its
    `coverage` says what was gone through, its `counterexample` is the run that shows a difference. Raises InputError
    where one breaks rules of SPIR-V (RK04xx), or the two can't be compared. Inputs for which `before` is undefined or
    does not end are set aside and counted. After `seconds` of processor time the verdict is "sampled", for what was
    gone through; None is no limit. A fragment shader is run over the `drawing`, a vertex shader over one that is
    `Vertices`; without one each is run over a fixed sample.

    With `certificate=True` the verdict's `certificate` says what corresponds, as text; that text as `certificate` is
    checked, and nothing is searched for. InputError (RK1305, RK1306) where there is none or it does not hold.

    >>> reknit.outcomes(fixed, subgroup_size=4, buffers=kinds)
    <1 outcome, exhaustive>
    >>> reknit.prove(m, fixed)
    <proved: every input, subgroup size, number of workgroups and specialization; rules: maximal>
    >>> reknit.prove(m, fixed, subgroup_sizes=[4], buffers=kinds, runs=True)
    <proved for the domain: all 3 inputs; subgroup sizes 4; workgroups 1x1x1; default specialization; rules: maximal>
    >>> reknit.prove(fixed, m, subgroup_sizes=[4], buffers=kinds).reason
    'the second version has a result that the first does not allow'
    """
    from time import thread_time

    began = thread_time()
    from reknit.ir.verify.trusting import require_sound
    from reknit.proof.prove import prove as compare
    from reknit.proof.question import Question

    asked = Question(
        entry,
        subgroup_sizes,
        groups,
        buffers,
        domains,
        spec,
        sample,
        limit,
        max_steps,
        rules,
        not runs,
        certificate,
        drawing,
        seconds,
    )
    require_sound(before, after)
    asked.used = thread_time() - began
    return compare(before, after, asked)


@collecting_rarely
@_judged
def compare(
    module: "Module",
    entry: str | None = None,
    *,
    on: str | Sequence[str] = "vulkan",
    groups: tuple[int, int, int] = (1, 1, 1),
    subgroup_size: int | None = None,
    buffers: "Mapping[str, Contents] | None" = None,
    spec: Mapping[int | str, float] | None = None,
    random: int | None = None,
    ulp: int = 0,
    limit: int = 512,
    rules: str = "declared",
    libvulkan: str = "",
    drawing: "Drawing | None" = None,
    vertices: "Vertices | None" = None,
) -> "list[Comparison]":
    """Run a compute shader on Vulkan devices: whether what each stores is among the results that the rules allow; or a
    fragment shader over a `drawing`, whose outputs are compared, too. With `vertices` the module's vertex shader comes
    first, and `drawing` is one of nothing, as large as the picture.

    `on` names devices as in `run`; buffers that are not set start with random words if `random` is a seed. Floats may
    differ by `ulp` units in the last place. `comparison.verdict` is "same", "allowed", "within bounds" (what floats may
    be), "undefined" (the program's fault), "imprecise", "not allowed", "unknown" or "not run", with `differences`,
    `outputs` and `diagnostics`.
    """
    from reknit.proof.devices import Comparer
    from reknit.sim.entry import refuse_other_stages
    from reknit.sim.run import MAX_STEPS
    from reknit.vulkan.target import device_named

    refuse_other_stages(module, entry, drawing if vertices is None else vertices)
    names = [on] if isinstance(on, str) else list(on)
    comparer = Comparer(module, entry, groups, buffers, None, spec, MAX_STEPS, limit, ulp, rules, drawing, vertices)
    if random is not None:
        comparer.randomize(random)
    return [comparer.compare(device_named(name, libvulkan), subgroup_size or 0, name) for name in names]


@_judged
def devices(*, libvulkan: str = "") -> "list[Device]":
    """The Vulkan devices there are: `run(m, on=f"vulkan:{device.index}")` runs on one. Raises InputError for none."""
    from reknit.vulkan.described import Device
    from reknit.vulkan.run import devices as all_devices
    from reknit.vulkan.target import Target

    return [Device(facts) for facts in all_devices(Target("", libvulkan))]


@collecting_rarely
@_judged
def fuzz(
    passes: str | None = None,
    *,
    seed: int = 0,
    count: int = 100,
    features: str = "",
    every: bool = False,
    most: int = 10,
    spirv_val: bool = False,
    on: str = "sim",
) -> "list[Failure]":
    """Random programs through passes, `count` from `seed` on: those that come out wrong, shrunk, at most `most`.

    `passes` is one pipeline; without it each pass and pipeline has its turn, with `every` on each program. `features`
    are what the programs may hold besides ("memory,loops", "all"), `spirv_val` has that judge what is written too.

    >>> reknit.fuzz("simplify-cfg", seed=7, count=2)
    []
    """
    from reknit.fuzzing.features import features_of
    from reknit.fuzzing.fuzz import Fuzzer, checked_pipelines, validator_of
    from reknit.vulkan.target import target_of

    fuzzer = Fuzzer(validator_of(spirv_val), target_of(on), features=features_of(features))
    return list(fuzzer.failures(seed, count, checked_pipelines(passes), every, most))


@collecting_rarely
@_judged
def reduce(
    module: "Module", interesting: "Callable[[Module], bool]", *, seconds: float | None = None
) -> "Reduced":
    """The smallest module found for which `interesting` still holds, as `reduced.module`; `module` stays as it is.

    What is left always verifies. Raises InputError (RK1312) where it doesn't hold of the module itself.

    >>> small = reknit.reduce(m, lambda one: "switch" in str(one))
    >>> small.module.function("main")
    func @main() -> void ordered {
    %entry:
      switch 0u {
        default: {
        %others:
        }
      }
    %merge: at 3
      return
      ids 10 %entry
      ids 13 %others %merge
    }
    """
    from reknit.reduction.reduce import reduce as reduce_module

    return reduce_module(module, interesting, seconds=seconds)


@collecting_rarely
def batch(
    recipe: str,
    inputs: Path | Sequence[Path],
    *,
    out: Path | None = None,
    jobs: int = 0,
    state: Path | None = None,
    cluster: str | None = None,
    limits: "Limits | None" = None,
    exclude: Sequence[str] = (),
    reports: Sequence[Path] = (),
    pictures: bool = False,
    **options: object,
) -> "Batch":
    """One recipe over many inputs, in worker processes: files, folders, patterns, lists (`@list.txt`) and archives.

    `recipe` is check, lint, structurize, compile, opt, prove or run, `options` are its own: `passes`, `to`, `target`,
    `subgroup_size`, `buffers` and so on. Outputs go to `out`, a folder or an archive. `limits` are of each input: 60 s
    of processor time and 2 GiB unless said otherwise. With a `state` file the same call goes on where one was ended,
    and results of equal inputs are known to later runs. `cluster` is the address of a Dask scheduler. `reports` are
    written by their endings: .html, .jsonl, .csv, .sarif; `pictures` go to the first. Raises InputError for what names
    no input, and for a recipe or an option that there is not.

    >>> reknit.batch("compile", ["examples/fallthrough.spvasm", "examples/break_ballot.spvasm"])
    <2 inputs: 2 changed>
    """
    from reknit.arguments import judge
    from reknit.batching.api import batch as run_batch

    unset = {"out": out, "state": state, "cluster": cluster, "limits": limits, **options}
    given = {"jobs": jobs, "exclude": exclude, "reports": reports, "pictures": pictures}
    judge("batch", dict.fromkeys(unset), {"recipe": recipe, "inputs": inputs, **given, **unset})
    named = [inputs] if isinstance(inputs, str | os.PathLike) else inputs
    return run_batch(recipe, list(named), out, jobs, state, cluster, limits, exclude, reports, pictures, options)


@_judged
def explain(code: str) -> str:
    """The page of a diagnostic's code ("RK0102", "E20001") or of a rule of control flow ("B26"): what it does, why,
    examples. Raises InputError (RK0011) for a code that there is not.

    >>> print(reknit.explain("RK2001").splitlines()[0])
    # RK2001: there is no such pass
    """
    from reknit.view.explained import explained

    return explained(code)


@uncollected
@_judged
def check(source: "Module | Path | bytes", *, environment: str | None = None) -> "list[Diagnostic]":
    """What is wrong with a module, or with a file: control flow by its rules, faults of reading and of the tree, and
    spirv-val's verdict where it is installed. `environment` is what is judged for, as "vulkan1.3"; without it the
    module's version tells.

    >>> [fault for fault in reknit.check(m) if fault.severity == "error"]
    []
    """
    from reknit.checks.check import check_file, check_input, check_module

    if isinstance(source, bytes):
        return check_input(source, None, "<bytes>", "", environment).diagnostics
    if isinstance(source, str | os.PathLike):
        return check_file(os.fspath(source), environment).diagnostics
    return check_module(source, environment)


@uncollected
@_judged
def lint(
    source: "Module | Path | bytes", *, target: str | None = None, config: Path | None = None
) -> "list[Diagnostic]":
    """The operations that depend on reconvergence which nothing promises: a warning each, whose notes walk the reason.

    `target` is what has to promise: "base", "sucf" (SubgroupUniformControlFlowKHR), "maximal"; without it what each
    entry point declares. `config` is a reknit.toml or pyproject.toml whose suppressions count. Raises InputError for
    what can't be read, and for a target that there is not.

    >>> [fault.code for fault in reknit.lint(m)]
    ['RK3004']
    """
    from reknit.checks.lint.api import lint_source

    return lint_source(source, target, os.fspath(config) if config is not None else None)


@uncollected
@_judged
def drawn(
    vertices: "Sequence[Vertex]", size: Sequence[int], topology: str = "triangles", samples: int = 1
) -> "Drawing":
    """What a vertex shader left, `result.vertices`, as a drawing by a viewport of that width and height in pixels.

    A primitive outside of the view volume is left out. Raises InputError (RK1021) for one that would have to be cut.
    """
    from reknit.sim.vertices import drawn as draw

    return draw(vertices, size, topology, samples)


@uncollected
@_judged
def show(module: "Module", *, function: str | None = None) -> "Picture":
    """The control-flow tree: text when printed, a drawing in a notebook; `.svg()`, `.html()`, `.dot()` too.

    >>> print(reknit.show(m), end="")
    func @main() -> void
    ├─ %entry: 8 instructions
    ├─ switch %kind
    │  ├─ case 0:
    │  │  └─ %zero: %ones = GroupNonUniformIAdd Subgroup Reduce 1u; 3 more instructions; fallthrough to default
    │  └─ default:
    │     └─ %others: %tens = GroupNonUniformIAdd Subgroup Reduce 10u; 3 more instructions
    └─ %merge: 4 instructions; return
    """
    from reknit.view.picture import Picture

    return Picture(module, function)


if not TYPE_CHECKING:  # which would take every name for one that there is

    def __getattr__(name: str) -> object:
        """The classes, imported when first named."""
        from importlib import import_module

        if name == "__version__":
            return import_module("reknit.source.version").VERSION
        if name == "edit":
            return import_module("reknit.edit")
        if name in _CLASSES:
            return getattr(import_module(_CLASSES[name]), name)
        raise AttributeError(f"module 'reknit' has no attribute '{name}'")
