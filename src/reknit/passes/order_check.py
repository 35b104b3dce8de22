"""Do the passes of a pipeline come in an order that can work? Asked before the first one runs.

lower-switches                    RK2005: lower-switches needs no-phis; put eliminate-phis before it
eliminate-phis, lower-switches    fine
"""

from collections.abc import Mapping

from reknit.passes.contract import STRUCTURED, Pass
from reknit.passes.pipeline_text import PassSpec
from reknit.source.diagnostic import Diagnostic, Note


def order_faults(
    specs: list[PassSpec], catalog: Mapping[str, Pass], holds: tuple[str, ...] = (STRUCTURED,)
) -> list[Diagnostic]:
    """One error (RK2005) per need that no earlier pass meets. `holds` is what the input is known to satisfy."""
    faults: list[Diagnostic] = []
    now: dict[str, None] = dict.fromkeys(holds)
    lost_to: dict[str, str] = {}  # fact -> the pass that undid it
    for spec in specs:
        transform = spec.transform
        for need in transform.needs:
            if need in now:
                continue
            givers = [name for name, candidate in catalog.items() if need in candidate.gives]
            notes = [Note(f"{lost_to[need]} undoes {need}")] if need in lost_to else []
            help = f"put {' or '.join(givers)} right before it" if givers else ""
            message = f"pass '{transform.name}' needs {need}, which nothing before it gives"
            faults.append(Diagnostic("RK2005", message, notes=notes, help=help))
            now[need] = None  # reported once
        for fact in transform.loses:
            if fact in now:
                del now[fact]
                lost_to[fact] = transform.name
        for fact in transform.gives:
            now[fact] = None
    return faults
