"""The set of allowed results, for people: what is the same in all of them, where they differ, and what gives which.

    2 outcomes, and these are all (rules: maximal)
      (2 combinations of switch choices, chosen anew at each execution of a switch; ...)

    Out.count: u32[4]  (set 0, binding 1)  elements 0-2 differ
      outcome 1 |   3   3   3 100
      outcome 2 |   2   1   2 100

    outcome 1: kind: values {0, 2}
    outcome 2: kind: values {0} {2}
"""

import struct

from reknit.analysis.tangles.rules import MAXIMAL, PROMISERS
from reknit.ir.module import Module
from reknit.sim.arrays import elements_of
from reknit.sim.buffers import BufferResult
from reknit.sim.choices import Decision
from reknit.sim.decorations import Decorations
from reknit.sim.elements import elements
from reknit.sim.faults import describe, lane_list
from reknit.sim.float_bounds import output_sets, starts_of
from reknit.sim.left import label
from reknit.sim.outcomes import Outcome, Outcomes
from reknit.sim.policy import owner_text
from reknit.sim.shadow.sources import REACHED
from reknit.sim.value_text import scalar_text
from reknit.sim.values import Shape
from reknit.view.buffers import MAX_ROWS, UNDEFINED, BufferBlocks, show_buffer, show_undefined
from reknit.view.framebuffer import show_framebuffer

MAX_SHOWN = 64
MAX_LISTED = 1 << 14
PART = 4096  # elements of a long buffer that are compared at once
MAX_GROUPINGS = 8  # of one outcome
MAX_RUNS = 4  # of which the sets of floats are shown
MAX_SETS = 32
MAX_INLINE = 2  # rows of the ledger of freedoms that are in the first line


def show_outcomes(module: Module, outcomes: Outcomes, subgroup_size: int, base: int = 10) -> str:
    """One outcome is shown whole; of several, the buffers that differ, and the choices that gave each."""
    shown = outcomes.outcomes[:MAX_ROWS]
    lines = [*_headline(outcomes), f"  ({outcomes.coverage})", ""]
    names = Decorations(module)
    blocks = BufferBlocks(module, names)
    if len(outcomes.factors) > 1:
        lines.extend(_factors(blocks, outcomes, names, subgroup_size, base))
        return "\n".join(lines).rstrip("\n") + "\n"
    for name, buffer in outcomes.outcomes[0].result.buffers.items():
        others = [outcome.result.buffers[name] for outcome in shown if name in outcome.result.buffers]
        text = show_buffer(buffer, blocks.of(buffer), names, subgroup_size, base)
        if all(other.contents() == buffer.contents() for other in others):
            if len(outcomes.outcomes) == 1:
                lines.append(text)
            continue
        lines.append(_differing(text.split("\n", 1)[0], others, base).rstrip("\n"))
        for other in others:
            lines.extend([line for line in show_undefined(other).splitlines() if line not in lines])
        lines.append("")
    drawn = [outcome.result.framebuffer for outcome in shown if outcome.result.framebuffer is not None]
    same = all(framebuffer.contents() == drawn[0].contents() for framebuffer in drawn)
    if drawn and len(outcomes.outcomes) == 1:
        lines.append(show_framebuffer(drawn[0]))
    for number, outcome in enumerate(shown, 1):
        if not same and outcome.result.framebuffer is not None:
            lines.append(f"outcome {number}:\n{show_framebuffer(outcome.result.framebuffer)}")
        if len(outcomes.outcomes) > 1:
            lines.append(f"outcome {number}: {witness(outcome)}")
        for diagnostic in outcome.result.diagnostics:
            if diagnostic.code == REACHED and diagnostic.message.startswith("word"):
                continue  # they are shown as `?`
            lines.append(f"outcome {number}: {diagnostic}")
    lines.extend(_bounds(outcomes, names))
    if len(outcomes.outcomes) > len(shown):
        lines.append(f"... {len(outcomes.outcomes) - len(shown)} more outcomes; --json has all")
    return "\n".join(lines).rstrip("\n") + "\n"


def _factors(
    blocks: BufferBlocks, outcomes: Outcomes, names: Decorations, subgroup_size: int, base: int
) -> list[str]:
    """A table for each workgroup or subgroup, with the first choices of the others: any row of one goes with any of
    another."""
    lines: list[str] = []
    several = len({group for (group, _), _ in outcomes.factors}) > 1
    for (group, subgroup), ways in outcomes.factors:
        lines.append(f"{owner_text((group, subgroup)) if several or subgroup < 0 else f'subgroup {subgroup}'}:")
        for name, buffer in ways[0].result.buffers.items():
            others = [way.result.buffers[name] for way in ways[:MAX_ROWS]]
            if any(other.contents() != buffer.contents() for other in others):
                text = show_buffer(buffer, blocks.of(buffer), names, subgroup_size, base)
                lines.append(_differing(text.split("\n", 1)[0], others, base).rstrip("\n"))
        lines.extend([f"  outcome {number}: {witness(way)}" for number, way in enumerate(ways[:MAX_ROWS], 1)])
        lines.append("")
    return lines


def _headline(outcomes: Outcomes) -> list[str]:
    """Whether these are all results, up to what they are, or that there may be more."""
    count = len(outcomes.outcomes)
    given = f", given {listed(outcomes.given)}" if outcomes.given else ""
    if any(outcome.has_undefined() for outcome in outcomes.outcomes):
        given += ", where ? may be anything"
    what = f"{count} outcome{'' if count == 1 else 's'}"
    if len(outcomes.factors) > 1:
        what += f" ({' x '.join([str(len(ways)) for _, ways in outcomes.factors])})"
    rules = f" (rules: {outcomes.rules})"
    if outcomes.exhaustive:
        return [(f"{what}: no other is allowed{given}" if count == 1 else f"{what}, and these are all{given}") + rules]
    bounds = "apart from these, within bounds of" if outcomes.open else "within bounds of"
    lists = [("up to", outcomes.open), (bounds, outcomes.bounded)]
    if not outcomes.whole:
        given = f" found{given}; there may be more"
        lists.insert(0, ("since not all was tried of", outcomes.sampled))
    return with_rows(f"{what}{given}", [(head, list(map(str, rows))) for head, rows in lists if rows], rules)


def with_rows(text: str, lists: list[tuple[str, list[str]]], end: str) -> list[str]:
    """`text, up to: a, b; within bounds of: c`, and `end`. More than MAX_INLINE rows have a line each."""
    if sum([len(rows) for _, rows in lists]) <= MAX_INLINE:
        listing = "; ".join([f"{head}: {', '.join(rows)}" for head, rows in lists])
        return [text + (f", {listing}" if listing else "") + end]
    lines: list[str] = []
    for head, rows in lists:
        lines.append(f"{head}:" if lines else f"{text}, {head} these freedoms{end}:")
        lines.extend([f"  - {row}" for row in rows])
    return lines


def _bounds(outcomes: Outcomes, names: Decorations) -> list[str]:
    """What floats may be where it is not one value, nor a zero of either sign; of each run whose sets differ."""
    if outcomes.bounds is None:
        return []
    lines: list[str] = []
    runs = outcomes.bounds.outcomes
    for number, run in enumerate(runs[:MAX_RUNS], 1):
        rows = [(label(key), source.bound) for key, source in output_sets(run.result).items()]
        for block, buffer in run.result.buffers.items():
            starts = starts_of(buffer.sets)
            for element in elements(buffer.layout, 4 * len(buffer.words), buffer.type, names) if starts else []:
                if element.offset in starts:
                    rows.append((_named(block, element.name), starts[element.offset].bound))
        texts = [f"  {name} in {each}" for name, each in rows if each is not None and not each.is_zero()]
        if texts:
            which = "bounds" if len(runs) == 1 else f"bounds of run {number}"
            lines.append(f"{which}, apart from what the results are up to:" if outcomes.open else f"{which}:")
        lines.extend(texts[:MAX_SETS])
        if len(texts) > MAX_SETS:
            lines.append(f"  ... {len(texts) - MAX_SETS} more; --json has all")
    if len(runs) > MAX_RUNS:
        lines.append(f"... bounds of {len(runs) - MAX_RUNS} more runs; --json has all")
    return lines


def _named(block: str, element: str) -> str:
    """`out[0]`; of members without names, `result[0]` and `result.1[0]`: numbers alone are the same in all buffers."""
    if not element[:1].isdigit():
        return element or block
    return block + (element[1:] if element[:2] == "0[" else f".{element}")


def listed(words: list[str]) -> str:
    """`a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _differing(title: str, buffers: list[BufferResult], base: int) -> str:
    """A row an outcome, of the elements that are not the same in all."""
    kind, count = elements_of(buffers[0].layout)
    unit = "elements" if kind is not None and count == 1 else "words"
    scalar = kind if count == 1 else None
    size = scalar.width // 8 if scalar is not None else 4
    count = min([4 * buffer.count() // size for buffer in buffers])
    columns: list[int] = []
    differ: list[int] = []
    table: list[list[str]] = [[] for _ in buffers]
    for first in range(0, count, PART):
        parts = [buffer.data(first * size // 4, PART * size // 4) for buffer in buffers]
        same = all(part == parts[0] for part in parts) and not any(buffer.undefined for buffer in buffers)
        if same and count > MAX_SHOWN:
            continue
        rows = [_elements(buffer, part, first, scalar, base) for buffer, part in zip(buffers, parts, strict=True)]
        exact = [_elements(buffer, part, first, scalar, base, 9) for buffer, part in zip(buffers, parts, strict=True)]
        for at in range(min(map(len, rows))):
            differs = len({row[at] for row in exact}) > 1
            if differs:
                differ.append(first + at)
            if count > MAX_SHOWN and (not differs or len(columns) == MAX_SHOWN):
                continue
            last_digits = len({row[at] for row in rows}) < len({row[at] for row in exact})  # of floats, differ alone
            columns.append(first + at)
            for row, texts in zip(table, exact if last_digits else rows, strict=True):
                row.append(texts[at])
        if len(differ) > MAX_LISTED:
            break
    listed = lane_list(differ).removeprefix("lanes ").removeprefix("lane ")
    if len(differ) > MAX_LISTED:
        listed += " and more"
    width = max([len(text) for row in table for text in row] + [1])
    lines = [f"{title}  {unit} {listed} differ" + (f"; {len(columns)} of them:" if len(columns) < len(differ) else "")]
    for number, row in enumerate(table, 1):
        lines.append(f"  outcome {number} | " + " ".join(text.rjust(width) for text in row))
    return "\n".join(lines) + "\n"


def _elements(
    buffer: BufferResult, data: bytes, first: int, kind: Shape | None, base: int, digits: int = 7
) -> list[str]:
    """The elements in a part of a buffer that is an array of scalars, else its words; `first` is the first's number."""
    if kind is None:
        words = enumerate(struct.iter_unpack("<I", data), first)
        return [UNDEFINED if at in buffer.undefined else f"{word:#x}" for at, (word,) in words]
    size = kind.width // 8
    texts: list[str] = []
    for start in range(0, len(data) - size + 1, size):
        at = first * size + start
        open = any(word in buffer.undefined for word in range(at >> 2, (at + size + 3) >> 2))
        texts.append(UNDEFINED if open else scalar_text(kind, data[start : start + size], base, digits))
    return texts


def witness(outcome: Outcome) -> str:
    """The choices that gave an outcome, in words."""
    parts = switch_choices(outcome.result.decisions)
    grouped = outcome.result.grouped
    parts.extend([str(each) for each in grouped[:MAX_GROUPINGS]])
    if len(grouped) > MAX_GROUPINGS:
        parts.append(f"... {len(grouped) - MAX_GROUPINGS} more")
    parts.extend([f"{lane_list(lanes)} end before {describe(instr)}" for lanes, instr in outcome.result.ended])
    parts.extend(outcome.result.chosen)
    policy = outcome.policy
    if policy.subgroups:
        parts.append(f"subgroups {policy.subgroups}")
    if outcome.result.undetermined:
        parts.append(f"assumed {policy.assume} of the loop")
    if policy.is_loose() and policy.choices is None:
        parts.append(f"grouping {policy.grouping}")
    elif outcome.result.rules != MAXIMAL and policy.choices is None:
        parts.append(f"as with {PROMISERS[MAXIMAL]}")
    elif policy.choices is None and not parts:
        parts.append(f"partition {policy.partition}, fallthrough {policy.fallthrough}")
    if policy.kill != "terminate":
        parts.append(f"OpKill makes it a helper ({policy.kill})")
    if policy.script is not None:
        parts.append(f"order of blocks {policy.script}")
    elif policy.schedule != "lifo":
        parts.append(f"schedule {policy.schedule}")
    if policy.lanes != "lockstep":
        parts.append(f"lanes each for itself ({policy.lanes})")
    return "; ".join(parts) or "the default choices"


def switch_choices(decisions: list[Decision]) -> list[str]:
    """A text a switch where all of its executions chose alike, else one an execution."""
    executions: dict[tuple[int, int], list[Decision]] = {}
    for decision in sorted(decisions, key=_order):
        executions.setdefault((decision.end.number, decision.execution), []).append(decision)
    switches: dict[int, list[tuple[int, str]]] = {}
    for (number, execution), taken in executions.items():
        switches.setdefault(number, []).append((execution, ", ".join([_choice(decision) for decision in taken])))
    choices: list[str] = []
    for number, texts in switches.items():
        name = executions[number, texts[0][0]][0].end.name
        if len({text for _, text in texts}) == 1:
            choices.append(f"{name}: {texts[0][1]}")
        else:
            choices.extend([f"{name}, execution {execution + 1}: {text}" for execution, text in texts])
    return choices


def _order(decision: Decision) -> tuple[int, int, int, bool]:
    return decision.end.number, decision.execution, decision.label, decision.meeting


def _choice(decision: Decision) -> str:
    groups = decision.groups()
    if not decision.meeting:
        return "values " + " ".join(["{" + ", ".join(map(str, group)) + "}" for group in groups])
    at = f"at label {decision.label_name()}"
    if len(groups) == 1:
        return f"lanes meet {at}"
    if len(groups) == len(decision.things):
        return f"lanes that fall through meet no others {at}"
    return f"lanes {' '.join(['{' + lane_list(group).partition(' ')[2] + '}' for group in groups])} {at}"
