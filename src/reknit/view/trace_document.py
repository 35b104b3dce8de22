"""What the viewer is fed with: one JSON document of one run, or of several that the rules allow.

    {"format": "reknit-trace", "version": 1, "programs": [...], "runs": [{"events": {"kind": [0, 6, ...], ...}, ...}]}

Columns instead of objects, every mask and every row of values once. docs/viewer.md says what each part means; a number
of the format's version rises when what is there changes its meaning.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.sim.arrays import elements_of
from reknit.sim.code import CodeBlock
from reknit.sim.faults import describe
from reknit.sim.frames import FRAME_NAMES
from reknit.sim.memory import Buffer, Cells
from reknit.sim.recorded import VARIABLE, Item, Recording
from reknit.sim.result import Result
from reknit.sim.trace import ARRIVE, DISPATCH, ENDED, ESCAPE, HELPER, JOIN, PUSH, RUN, SPLIT, UNITE, Trace
from reknit.sim.values import STRUCT_KIND, VECTOR_KIND, Shape
from reknit.source.report import as_json
from reknit.view.images import texel_text
from reknit.view.outcomes import switch_choices
from reknit.view.program_document import Files, program_document
from reknit.view.shown_values import value_json, within

FORMAT: Final = "reknit-trace"
VERSION: Final = 1
KINDS: Final = (RUN, SPLIT, ARRIVE, JOIN, ESCAPE, DISPATCH, ENDED, UNITE, HELPER, *FRAME_NAMES)
"""Of events. What pushes a frame has the frame's kind for its own."""

Shown = tuple[str, Result]
"""A run, and what a tab calls it."""


class Masks:
    """Each mask once."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}

    def number(self, mask: int) -> int:
        return self.numbers.setdefault(mask, len(self.numbers))

    def to_json(self) -> list[str]:
        return [f"{mask:x}" for mask in self.numbers]


def trace_document(title: str, shown: Sequence[Shown], lines: Callable[[str], Sequence[str]]) -> dict[str, object]:
    """Of runs of one entry point that were traced; `lines` gives a file's lines, none if it can't be read."""
    first = trace_of(shown[0][1])
    masks = Masks()
    files = Files({})
    programs: list[dict[str, object]] = []
    known: list[tuple[list[CodeBlock], list[Item]]] = []
    runs: list[dict[str, object]] = []
    for name, result in shown:
        trace = trace_of(result)
        items = trace.recording.items if trace.recording is not None else []
        numbers = [at for at, (code, _) in enumerate(known) if code is trace.code]
        if not numbers:
            numbers = [len(known)]
            known.append((trace.code, items))
            program = program_document(trace.code, trace.module, files)
            program["items"] = [item_document(item, trace.module, files) for item in items]
            programs.append(program)
        runs.append({"name": name, "program": numbers[0], **run_document(result, trace, masks, files)})
    for name in files.numbers:
        text = lines(name)
        if text:
            files.texts[name] = "\n".join(text)
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "entry": shown[0][1].entry,
        "rules": shown[0][1].rules,
        "lanes": first.lanes,
        "subgroup_size": first.subgroup_size,
        "kinds": KINDS,
        "files": files.to_json(),
        "masks": masks.to_json(),
        "programs": programs,
        "runs": runs,
    }


def trace_of(result: Result) -> Trace:
    assert result.trace is not None, "a run that was traced"
    return result.trace


def item_document(item: Item, module: Module, files: Files) -> dict[str, object]:
    """What values are of: a variable, a tangled operation, a result."""
    value = item.value
    document: dict[str, object] = {"kind": item.kind, "name": value.name or (f"%{value.id}" if value.id else "")}
    if item.kind != VARIABLE:
        document["what"] = describe(value)
    if item.shape is not None:
        document["type"] = str(item.shape)
    if item.scope:
        document["scope"] = item.scope
    place = files.place(place_of(value, module))
    if place is not None:
        document["place"] = place
    return document


def run_document(result: Result, trace: Trace, masks: Masks, files: Files) -> dict[str, object]:
    document: dict[str, object] = {
        "events": event_columns(trace, masks),
        "groups": groups_of(trace),
        "notes": {str(number): event.table for number, event in enumerate(trace.events) if event.table},
        "splits": splits_of(trace, masks),
        "choices": [[number, switch_choices([decision])[0]] for number, decision in trace.decisions],
        "faults": [
            [fault.event, fault.lane, fault.code, fault.message, files.place(place_of(fault.instr, trace.module))]
            for fault in trace.faults
        ],
        "conflicts": [
            [
                conflict.second.event,
                conflict.second.inside,
                describe(conflict.second.instr),
                conflict.first.event,
                conflict.first.inside,
                describe(conflict.first.instr),
                conflict.where,
                conflict.race,
            ]
            for conflict in trace.conflicts.values()
        ],
        "diagnostics": [as_json(diagnostic) for diagnostic in result.diagnostics],
        "finished": result.finished,
        "result": result.summary(),
    }
    if trace.stopped is not None:
        document["stopped"] = f"{trace.stopped.code}: {trace.stopped.message}"
    if trace.recording is not None:
        document.update(recording_columns(trace.recording, trace, masks, files))
    return document


def event_columns(trace: Trace, masks: Masks) -> dict[str, list[int]]:
    """`step` as the difference to the event before; `frame` is a frame's number, of a push that of its parent."""
    numbers = {kind: at for at, kind in enumerate(KINDS)}
    columns: dict[str, list[int]] = {name: [] for name in ("kind", "step", "block", "mask", "frame")}
    step = 0
    for event in trace.events:
        pushes = event.kind == PUSH
        columns["kind"].append(numbers[event.frame if pushes else event.kind])
        columns["step"].append(event.step - step)
        columns["block"].append(event.block)
        columns["mask"].append(masks.number(event.mask))
        columns["frame"].append(trace.frames[event.number][1] if pushes else event.number)
        step = event.step
    return columns


def groups_of(trace: Trace) -> list[list[int]]:
    """[event, workgroup]: where each begins."""
    groups: list[list[int]] = []
    for number, event in enumerate(trace.events):
        if not groups or groups[-1][1] != event.group:
            groups.append([number, event.group])
    return groups


def splits_of(trace: Trace, masks: Masks) -> dict[str, object]:
    """By event: which of `ways`, each [block, mask, value] for the lanes that take one path."""
    table: dict[tuple[tuple[int, int, str], ...], int] = {}
    events: list[int] = []
    which: list[int] = []
    for number, ways in trace.ways.items():
        events.append(number)
        which.append(table.setdefault(tuple(ways), len(table)))
    return {
        "event": events,
        "way": which,
        "ways": [[[block, masks.number(mask), value] for block, mask, value in ways] for ways in table],
    }


# --- values and memory ------------------------------------------------------------------------------------------------


def recording_columns(recording: Recording, trace: Trace, masks: Masks, files: Files) -> dict[str, object]:
    rows = Rows()
    table = list(recording.table)
    columns: dict[str, list[int]] = {name: [] for name in ("event", "item", "mask", "row")}
    last = 0
    for number, event in enumerate(recording.events):
        item = recording.items[recording.which[number]]
        row = recording.rows[number]
        shape = within(item.shape, recording.paths.get(number, ()))
        columns["event"].append(event - last)
        columns["item"].append(recording.which[number])
        columns["mask"].append(masks.number(recording.masks[number]))
        columns["row"].append(-1 if row < 0 else rows.of_values(row, table[row], shape))
        last = event
    kept = zip(recording.memories, recording.initial, strict=True)
    memories = [memory_document(memory, words) for memory, words in kept]
    stores: dict[str, list[int]] = {name: [] for name in ("event", "site", "memory", "mask", "at", "row")}
    sites: dict[Instr, int] = {}
    last = 0
    for store in recording.stores:
        memory = recording.memories[store.memory]
        stores["event"].append(store.event - last)
        stores["site"].append(sites.setdefault(store.instr, len(sites)))
        stores["memory"].append(store.memory)
        stores["mask"].append(masks.number(store.mask))
        stores["at"].append(rows.number(list(store.places)))
        stores["row"].append(rows.of_stored(store.values, memory))
        last = store.event
    return {
        "values": {
            "kept": recording.values,
            "until": recording.full,
            **columns,
            "paths": {str(number): list(path) for number, path in recording.paths.items()},
        },
        "memories": memories,
        "stores": {
            **stores,
            "sites": [
                {"what": describe(instr), "place": files.place(place_of(instr, trace.module))} for instr in sites
            ],
        },
        "rows": rows.rows,
    }


class Rows:
    """Each row once: one value for all lanes of a mask, or a list with one for each of them."""

    def __init__(self) -> None:
        self.rows: list[object] = []
        self.numbers: dict[str, int] = {}
        self.known: dict[tuple[int, int], int] = {}

    def number(self, row: object) -> int:
        key = repr(row)
        row_number = self.numbers.get(key)
        if row_number is None:
            row_number = self.numbers[key] = len(self.rows)
            self.rows.append(row)
        return row_number

    def of_values(self, number: int, values: tuple[Any, ...], shape: Shape | None) -> int:
        """`number` is the row's in the recording."""
        key = (number, id(shape))
        row = self.known.get(key)
        if row is None:
            columns = [value_json(value, shape) for value in values]
            row = self.known[key] = self.number(columns[0] if len(columns) == 1 else columns)
        return row

    def of_stored(self, values: tuple[Any, ...], memory: Buffer | Cells) -> int:
        if isinstance(memory, Buffer):
            texture = memory.texture
            return self.number([texel_text(texture.format, bits, 10) for bits in values] if texture else list(values))
        shape = memory.shape
        if shape.kind != STRUCT_KIND and shape.element is not None and shape.kind >= VECTOR_KIND:
            shape = shape.element
        return self.number([value_json(value, shape) for value in values])


def memory_document(memory: Buffer | Cells, words: list[int]) -> dict[str, object]:
    """`words` is what a buffer began with, as far as it is kept; `type` is that of each word, "" where they differ. An
    image has texels, as text."""
    if isinstance(memory, Cells):
        return {"kind": "workgroup", "name": memory.instr.name or f"%{memory.instr.id}", "type": str(memory.shape)}
    texture = memory.texture
    if texture is not None:
        return {
            "kind": "image",
            "name": memory.label(),
            "set": memory.set,
            "binding": memory.binding,
            "type": f"{texture.format.name}, {texture.name()}, {texture.text()}",
            "across": texture.extent(0)[0],
            "size": texture.texels(),
            "words": [texel_text(texture.format, bits, 10) for bits in words],
        }
    component, _ = elements_of(memory.layout)
    return {
        "kind": "buffer",
        "name": memory.label(),
        "set": memory.set,
        "binding": memory.binding,
        "type": str(component) if component is not None and component.width == 32 else "",
        "size": len(memory.words),
        "words": words,
    }
