"""What a recipe makes of one input, in this process: always a Reply, also where reknit has a fault of its own.

data ── load ──▶ module ── passes, judged ──▶ output       structurize, compile, opt
     ── rules ──▶ findings                                 check, lint
     ── passes on a copy, proof ──▶ verdict                prove
     ── simulator ──▶ buffers                              run
"""

import traceback
from typing import TYPE_CHECKING, Any, Final, final

from reknit.batching.recipe import (
    CHECK,
    COMPILE,
    LINT,
    OPT,
    PICTURE,
    PROVE,
    RUN,
    STRUCTURIZE,
    Recipe,
)
from reknit.batching.reply import Reply
from reknit.batching.verdicts import (
    CHANGED,
    CLEAN,
    CRASHED,
    FINDINGS,
    PROVED,
    RAN,
    REFUSED,
    REFUTED,
    UNCHANGED,
)
from reknit.files.formats import FOREIGN, format_of
from reknit.source.diagnostic import ERROR, WARNING, Diagnostic, InputError, InternalError, Note
from reknit.source.digits import is_decimal
from reknit.source.limits import LimitExceeded
from reknit.source.place import Place

if TYPE_CHECKING:
    from reknit.front.slang.compile import Settings
    from reknit.ir.module import Module

CRASH_LINES: Final = 40
"""Of a traceback that is kept."""


@final
class Input:
    """Contents and what they are called; `path` is where they lie, "" for a member of an archive. A `format` of None
    has the contents tell it."""

    __slots__ = ("data", "format", "name", "path", "options")

    def __init__(self, data: bytes, format: str | None, name: str, path: str, options: dict[str, Any]) -> None:
        self.data = data
        self.format = format
        self.name = name
        self.path = path
        self.options = options

    def known_format(self) -> str:
        return self.format if self.format is not None else format_of(self.data)

    def is_foreign(self) -> bool:
        return self.known_format() in FOREIGN

    def load(self, placed: bool = False) -> "Module":
        """The module, as it is each time. Raises InputError."""
        from reknit.front.load import load_bytes

        return load_bytes(self.data, self.format, self.name, self.path, placed, settings_of(self.options))


def settings_of(options: dict[str, Any]) -> "Settings | None":
    """What Slang and HLSL are compiled with; None where nothing is said."""
    named = {name: options[name] for name in ("defines", "include", "conformance", "entry") if name in options}
    layout = options.get("buffer_layout", "")
    matrices = options.get("matrix_layout", "")
    bits = options.get("bit_fields", "")
    stage = options.get("stage", "")
    environment = options.get("target_env", "")
    if not (named or layout or matrices or bits or stage or environment):
        return None
    from reknit.front.slang.compile import Settings
    from reknit.front.slang.options import Options

    read = Options(named.get("defines"), named.get("include"), None, layout or "std", matrices, bits)
    conformances = [(type, interface, number) for type, interface, number in named.get("conformance", [])]
    return Settings(read, [named["entry"]] if "entry" in named else [], conformances, stage, environment)


def work(recipe: Recipe, given: Input) -> Reply:
    """What the recipe makes of an input. Raises LimitExceeded and MemoryError."""
    try:
        return _WORK[recipe.name](recipe, given)
    except LimitExceeded:
        raise
    except InputError as error:
        return Reply(REFUSED, error.diagnostics)
    except MemoryError:  # of the limits around this
        raise
    except Exception as error:
        return _crashed(error, given)


def _crashed(error: Exception, given: Input) -> Reply:
    if given.is_foreign():
        from reknit.checks.at_fault import rules_broken

        broken = rules_broken(given.load)
        if broken:
            broken[0].notes.append(Note(str(error)))
            return Reply(REFUSED, broken)
    said = str(error).splitlines()[0] if str(error) else ""
    what = said if said and isinstance(error, InternalError) else f"{type(error).__name__}{': ' * bool(said)}{said}"
    fault = Diagnostic("RK0009", f"reknit has a fault of its own: {what}", Place(given.name))
    trace = "".join(traceback.format_exception(error)).splitlines()[-CRASH_LINES:]
    return Reply(CRASHED, [fault], None, {"traceback": trace})


def _judged(diagnostics: list[Diagnostic], least: tuple[str, ...]) -> str:
    return FINDINGS if any(diagnostic.severity in least for diagnostic in diagnostics) else CLEAN


def _check(recipe: Recipe, given: Input) -> Reply:
    from reknit.checks.check import check_input
    from reknit.checks.spirv_val import NOT_ASKED, find_validator

    environment = recipe.options.get("target_env")
    settings = settings_of(recipe.options)
    checked = check_input(given.data, given.format, given.name, given.path, environment, settings)
    diagnostics = checked.diagnostics
    if find_validator() is None:  # which is said once for all
        diagnostics = [diagnostic for diagnostic in diagnostics if diagnostic.code != NOT_ASKED]
    return Reply(_judged(diagnostics, (ERROR,)), diagnostics)


def _lint(recipe: Recipe, given: Input) -> Reply:
    from reknit.checks.lint.api import lint_input
    from reknit.checks.lint.config import SUPPRESSIONS, Config, read_config

    config = read_config(recipe.options["config"]) if "config" in recipe.options else Config()
    sizes = recipe.options.get("subgroup_sizes")
    config.launch = config.launch.declared(recipe.options.get("full_subgroups", False), sizes)
    target = recipe.options.get("target") or config.target or None
    settings = settings_of(recipe.options)
    diagnostics = lint_input(given.data, given.format, given.name, given.path, target, config, settings)
    used = config.used()
    return Reply(
        _judged(diagnostics, (ERROR, WARNING)), diagnostics, details={SUPPRESSIONS: used} if used else None
    )


def loaded(given: Input, placed: bool = False) -> "Module":
    """The module, with what reading it had to say as notes. Raises InputError."""
    module = given.load(placed)
    for note in module.notes:
        if note.severity == ERROR:  # `check` judges; here it only means that passes will leave a function alone
            note.severity = WARNING
    return module


def _rewrite(recipe: Recipe, given: Input) -> Reply:
    from reknit.files.blaming import Origin, blame
    from reknit.files.save import judged_bytes
    from reknit.passes.manager import run_passes

    passes = passes_of(recipe)
    format = recipe.written()
    module = loaded(given)
    report = run_passes(module, passes)
    output, judgement = judged_bytes(module, format)
    said = [*module.notes, *report.notes()]
    if judgement.flat or judgement.broken:
        said.extend(blame(module, judgement, format, passes, Origin(given.load, given.is_foreign())))
    same = output == given.data and format == given.known_format()
    return Reply(UNCHANGED if same else CHANGED, said, output)


def passes_of(recipe: Recipe) -> str:
    """The pipeline of a recipe that writes modules."""
    if recipe.name != STRUCTURIZE:
        return str(recipe.options["passes"])
    from reknit.passes.pipelines import ASSUME, NESTING, structurizing

    return structurizing(recipe.options.get("assume", ASSUME[0]), recipe.options.get("nesting", NESTING))


def _prove(recipe: Recipe, given: Input) -> Reply:
    from reknit.ir.verify.trusting import require_sound
    from reknit.passes.manager import run_passes
    from reknit.proof.prove import prove

    before = loaded(given)
    after = before.copy()
    report = run_passes(after, recipe.options["passes"])
    require_sound(before, after)
    verdict = prove(before, after, _question(recipe.options))
    said = [*before.notes, *report.notes()]
    if not verdict:
        said.insert(0, Diagnostic("RK1414", f"the passes are refuted: {verdict.reason}", Place(given.name)))
    details = {**verdict.to_json(), "changed": report.changed()}
    return Reply(_PROVED.get(verdict.verdict, verdict.verdict), said, None, details)


_PROVED: Final = {"refuted": REFUTED, "proved": PROVED}


def _question(options: dict[str, Any]) -> Any:
    from reknit.proof.question import LIMIT, MAX_STEPS, SAMPLE, Question

    groups = options.get("groups")
    return Question(
        options.get("entry"),
        options.get("subgroup_sizes"),
        (groups[0], groups[1], groups[2]) if groups else None,
        buffers_of(options),
        options.get("domains"),
        spec_of(options),
        options.get("sample", SAMPLE),
        options.get("limit", LIMIT),
        options.get("max_steps", MAX_STEPS),
        options.get("rules", "declared"),
        not options.get("runs"),
    )


def buffers_of(options: dict[str, Any]) -> dict[str, Any]:
    """Words, or bytes that came as their hexadecimal digits."""
    given = options.get("buffers", {})
    return {name: bytes.fromhex(value) if isinstance(value, str) else value for name, value in given.items()}


def spec_of(options: dict[str, Any]) -> dict[int | str, float]:
    """By id or name; JSON has texts for both."""
    given = options.get("spec", {})
    return {int(name) if is_decimal(name) else name: value for name, value in given.items()}


def _run(recipe: Recipe, given: Input) -> Reply:
    import json

    from reknit.ir.verify import verify
    from reknit.sim.engine import AUTO, expect, native_run, with_note
    from reknit.sim.entry import refuse_other_stages
    from reknit.sim.run import MAX_STEPS, run

    options = recipe.options
    expect(options.get("engine", AUTO), options.get("groups", [1, 1, 1]))
    module = loaded(given, placed=True)
    refuse_other_stages(module, options.get("entry"))
    faults = [fault for fault in verify(module) if fault.severity == ERROR] if given.is_foreign() else []
    if faults:
        return Reply(REFUSED, faults)
    groups = options.get("groups", [1, 1, 1])
    engine = options.get("engine", AUTO)
    result = run(
        module,
        options.get("entry"),
        groups=(groups[0], groups[1], groups[2]),
        subgroup_size=options.get("subgroup_size", 32),
        buffers=buffers_of(options),
        spec=spec_of(options),
        max_steps=options.get("max_steps", MAX_STEPS),
        rules=options.get("rules", "declared"),
        native=native_run(engine),
    )
    with_note(result, engine)
    out = (json.dumps(result.to_json(), indent=1) + "\n").encode()
    return Reply(FINDINGS if result.failed() else RAN, [*module.notes, *result.diagnostics], out)


def _picture(recipe: Recipe, given: Input) -> Reply:
    """Of a finding of `check` the functions with the edges at fault; else the tree of control flow."""
    from reknit.checks.check import check_input

    case = check_input(given.data, given.format, given.name, given.path, None, settings_of(recipe.options)).case
    if case is not None and case.out.findings:
        from reknit.view.fault_svg import faults_svg

        return Reply(CLEAN, [], faults_svg(case).encode("utf-8", "replace"))
    from reknit.view.picture import Picture

    return Reply(CLEAN, [], Picture(given.load(), None).svg().encode("utf-8", "replace"))


_WORK: Final = {
    CHECK: _check,
    LINT: _lint,
    STRUCTURIZE: _rewrite,
    COMPILE: _rewrite,
    OPT: _rewrite,
    PROVE: _prove,
    RUN: _run,
    PICTURE: _picture,
}
