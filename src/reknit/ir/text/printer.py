"""A module as text; `ir.text.parser` reads it back to the same module.

    module 1.5 generator 0x80001       what is not as usual in the header
    Capability Shader                  preamble and annotations
    names %x, @main                    debug names that are the same as here
    declare void, u32, 7u              types and constants, where their order would not come out by itself
    func @main() -> void { ... }       see ir.text.tree
    ids 13 %gid u32                    ids that the names don't give

Source: docs/text-form.md.
"""

from reknit.ir import op
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.defined import defined_in
from reknit.ir.text.ids import LINE_WIDTH, id_lines
from reknit.ir.text.line import Writer
from reknit.ir.text.sections import SECTIONS, home_of
from reknit.ir.text.tree import write_function
from reknit.ir.value import Value

DEFAULT_VERSION = 0x00010600


def print_instruction(instr: Instr) -> str:
    """One instruction, for a message."""
    return Writer(None).instruction(instr)


def print_function(function: Function, notes: dict[Value, str] | None = None) -> str:
    """One function. `notes` are comments to put behind instructions, block labels and construct heads."""
    writer = Writer(None)
    if notes is not None:
        writer.notes = notes
    write_function(writer, function)
    return "\n".join(writer.lines) + "\n"


def print_module(module: Module, notes: dict[Value, str] | None = None) -> str:
    """The whole module. `notes` are comments to put behind instructions, block labels and construct heads."""
    writer = Writer(module)
    if notes is not None:
        writer.notes = notes
    explicit: dict[Instr, str] = {}
    for instr in module.globals:
        if not writer.plain.is_plain(instr):
            explicit[instr] = _at_home(writer, instr, "globals")
            writer.plain.order[instr] = None
    for function in module.functions:
        writer.lines.append("")
        write_function(writer, function)

    # What the reader makes in the order of first mention needs no declaration.
    in_order = list(writer.plain.order) == list[Value](module.globals)
    defined = defined_in(module)
    lines: list[str] = []
    for name, section in zip(SECTIONS, module.sections(), strict=True):
        if name == "globals":
            lines.extend(list(explicit.values()) if in_order else _declared(writer, module, explicit))
        elif name in ("names", "decorations"):
            alive = [instr for instr in section if instr.has_result or _is_alive(instr, defined)]
            lines.extend(_annotations(writer, alive, name))
        else:
            lines.extend([_at_home(writer, instr, name) for instr in section])
    lines.extend(writer.lines)
    lines.extend(["closing " + writer.instruction(instr) for instr in module.closing])
    lines.extend(id_lines(writer, _with_ids(module)))
    return "\n".join([*_header(module, defined), *lines]) + "\n"


def _header(module: Module, defined: dict[Value, None]) -> list[str]:
    text = "module"
    if module.version != DEFAULT_VERSION:
        plain = module.version & 0xFF0000FF == 0
        text += f" {module.version >> 16}.{module.version >> 8 & 0xFF}" if plain else f" version 0x{module.version:x}"
    if module.generator:
        text += f" generator 0x{module.generator:x}"
    if module.schema:
        text += f" schema {module.schema}"
    if module.bound != max([value.id for value in defined], default=0) + 1:
        text += f" bound {module.bound}"
    return [text] if text != "module" else []


def _with_ids(module: Module) -> list[Value]:
    values: list[Value] = [instr for section in module.sections() for instr in section if instr.has_result]
    for function in module.functions:
        values.append(function)
        values.extend([instr for instr in function.leading if instr.has_result])
        values.extend([line for lines in function.heading.values() for line in lines if line.has_result])
        if function.is_declaration():
            values.extend(function.params)
    values.extend([instr for instr in module.closing if instr.has_result])
    return values


def _is_alive(instr: Instr, defined: dict[Value, None]) -> bool:
    """Whether what an annotation names is still there."""
    return all(operand in defined for operand in instr.operands if isinstance(operand, Value))


def _at_home(writer: Writer, instr: Instr, section: str) -> str:
    """A line at module level, with its section if that is not the usual one."""
    text = writer.with_note(writer.instruction(instr), instr)
    return text if home_of(instr.op) == section else f"in {section} {text}"


def _declared(writer: Writer, module: Module, explicit: dict[Instr, str]) -> list[str]:
    """All globals in order, the plain ones in `declare` lines."""
    lines: list[str] = []
    run = ""
    for instr in module.globals:
        line = explicit.get(instr)
        if line is None:
            run = f"{run}, {writer.value(instr)}" if run else f"declare {writer.value(instr)}"
        if run and (line is not None or len(run) > LINE_WIDTH):
            lines.append(run)
            run = ""
        if line is not None:
            lines.append(line)
    if run:
        lines.append(run)
    return lines


def _annotations(writer: Writer, section: list[Instr], name: str) -> list[str]:
    """Names and decorations; neighbouring names that say what the text says anyway share a line."""
    lines: list[str] = []
    run = ""
    for instr in section:
        target = instr.operands[0] if instr.op == op.Name and len(instr.operands) == 2 else None
        same = isinstance(target, Value) and target.name == instr.operands[1] and target.name != ""
        if same and isinstance(target, Value):
            run = f"{run}, {writer.value(target)}" if run else f"names {writer.value(target)}"
        if run and (not same or len(run) > LINE_WIDTH):
            lines.append(run)
            run = ""
        if not same:
            lines.append(_at_home(writer, instr, name))
    if run:
        lines.append(run)
    return lines
