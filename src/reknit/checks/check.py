"""Everything that can be wrong with a module, in one list.

    file ── its words ──▶ rules of control flow: RK06xx; whether all else is well formed
         ── read, where it is not ──▶ faults of reading, module.notes, ir.verify
                     spirv-val, where it is installed; what the rules found too is reported once

A module that can't be read, or whose control flow is no tree, is judged by its words all the same. Where nothing but
the structure is wrong no tree is built.
"""

from typing import TYPE_CHECKING, Final, final

from reknit.checks.control_flow import READ_TOO, Judged, join, judge_words, needs_no_tree
from reknit.checks.spirv_val import judge
from reknit.files.formats import ASSEMBLY, BINARY, HLSL, SLANG, STANDARD, format_of, read_format
from reknit.files.streams import as_text, read_input, shown_name
from reknit.source.diagnostic import ERROR, NOTE, Diagnostic, InputError
from reknit.spirv.rules.subject import Subject

if TYPE_CHECKING:
    from reknit.front.load import Origins
    from reknit.front.slang.compile import Settings
    from reknit.ir.module import Module


DISPATCH: Final = "RK0514"
"""Where SPIR-V has no words for a call through an interface."""


@final
class Checked:
    """What is wrong with an input; the module, where a tree was built; what the rules looked at, for drawing it."""

    __slots__ = ("diagnostics", "module", "case")

    def __init__(self, diagnostics: list[Diagnostic], module: "Module | None", case: Subject | None) -> None:
        self.diagnostics = diagnostics
        self.module = module
        self.case = case


def check_file(path: str, environment: str | None = None) -> Checked:
    """What is wrong with a file, whose ending tells its format; `-` is standard input."""
    try:
        format = read_format(path, None)
        data = read_input(path)
    except InputError as error:
        return Checked(error.diagnostics, None, None)
    return check_input(data, format, shown_name(path), "" if path == STANDARD else path, environment)


def check_input(
    data: bytes,
    format: str | None,
    name: str,
    path: str,
    environment: str | None = None,
    settings: "Settings | None" = None,
) -> Checked:
    """What is wrong with the contents of a file; None has the contents tell the format.

    `name` is what diagnostics call it, `path` where it lies, `settings` are for Slang (see `front.load.load_bytes`).
    """
    known_format = format if format is not None else format_of(data)
    try:
        if known_format == BINARY:
            return _check_binary(data, name, environment)
        if known_format == ASSEMBLY:
            text = as_text(data, name)
            from reknit.front.load import Origins
            from reknit.spirv.asm import assemble

            binary = assemble(text, name)
            origins = Origins(text, binary, name)
            checked = _check_binary(binary, name, environment, origins)
            origins.move(checked.diagnostics)
            return checked
        from reknit.front.load import load_bytes

        module = load_bytes(data, format, name, path, settings=settings)
    except InputError as error:
        return Checked(error.diagnostics, None, None)
    checked = _check(module, environment)
    if known_format in (SLANG, HLSL) and any(each.code == DISPATCH for each in checked.diagnostics):
        return _without_dispatch(module, environment)
    return checked


def _without_dispatch(module: "Module", environment: str | None) -> Checked:
    """What is wrong of a source once its calls through interfaces are switches, as `compile` makes them first."""
    from reknit.ir.copy import copy_module
    from reknit.passes.manager import run_passes

    lowered = copy_module(module)
    try:
        run_passes(lowered, "specialize-dispatch, lower-dispatch")
    except InputError as error:
        return Checked(error.diagnostics, module, None)
    return _check(lowered, environment)


def check_module(module: "Module", environment: str | None = None) -> list[Diagnostic]:
    """What the rules say of the words that the module would be written as, what reading had to say, what the IR's rules
    and spirv-val say."""
    return _check(module, environment).diagnostics


def _check_binary(binary: bytes, name: str, environment: str | None, origins: "Origins | None" = None) -> Checked:
    """By the words alone where all but the structure is well formed; else the tree is built, and says what is not."""
    try:
        in_text = origins.names if origins is not None else None
        judged = judge_words(binary, name, environment, True, in_text)
    except InputError as error:
        return Checked(error.diagnostics, None, None)  # it can't even be divided into instructions
    if needs_no_tree(judged):
        return Checked(join(judged, [], judge(binary, name, environment, True)), None, judged.case)
    from reknit.ir.source_places import Places
    from reknit.spirv.read import read_module

    try:
        module = read_module(binary, name, Places(origins.place) if origins is not None else None)
    except InputError as error:
        # Of what can't be read, the rules may know more; spirv-val is asked only where they have something to say.
        verdict = judge(binary, name, environment, True) if judged.diagnostics else []
        return Checked(join(judged, error.diagnostics, verdict), None, judged.case)
    return _joined(module, binary, judged, [*module.notes, *_verified(module)], environment, True)


def _check(module: "Module", environment: str | None) -> Checked:
    from reknit.spirv.write import words_of

    faults = _verified(module)
    try:
        binary = words_of(module)
    except InputError as error:
        return Checked([*module.notes, *faults, *error.diagnostics], module, None)
    except Exception:
        if not any(fault.severity == ERROR for fault in [*module.notes, *faults]):
            raise
        return Checked([*module.notes, *faults], module, None)  # writing relies on the rules that it breaks
    judged = judge_words(binary, module.path, environment, False)
    return _joined(module, binary, judged, [*_notes_now(module, binary), *faults], environment, False)


def _verified(module: "Module") -> list[Diagnostic]:
    from reknit.ir.verify import verify

    return verify(module)


def _joined(
    module: "Module", binary: bytes, judged: Judged, others: list[Diagnostic], environment: str | None, placed: bool
) -> Checked:
    """`placed` is whether the binary is what was read."""
    if not _is_shader(module):
        for note in module.notes:
            note.severity = NOTE
    return Checked(join(judged, others, judge(binary, module.path, environment, placed)), module, judged.case)


def _notes_now(module: "Module", binary: bytes) -> list[Diagnostic]:
    """What reading said, without what it would no longer say of the module: passes may have mended it."""
    if not any(READ_TOO.fullmatch(note.code) for note in module.notes):
        return module.notes
    from reknit.spirv.read import read_module

    now = [note.message for note in read_module(binary, module.path).notes]
    return [note for note in module.notes if READ_TOO.fullmatch(note.code) is None or note.message in now]


def _is_shader(module: "Module") -> bool:
    """Whether control flow must be structured: only for modules with the capability Shader (SPIR-V 1.6, 2.16.2)."""
    from reknit.ir import enums

    declared = [instr.word(0) for instr in module.capabilities if instr.operands]
    return enums.CapabilityKernel not in declared or enums.CapabilityShader in declared
