"""Pictures for the report: of each group of failures its first input, drawn by a worker, where it can be drawn at all.

check     the functions that break a rule, with the edges at fault        others     the tree of control flow
"""

from typing import Final

from reknit.batching.batch import Contents, Plan
from reknit.batching.job import Job
from reknit.batching.page import GROUPS
from reknit.batching.pool import LocalPool, processors
from reknit.batching.recipe import PICTURE, READING, Recipe
from reknit.batching.state import State
from reknit.files.formats import read_format
from reknit.source.diagnostic import InputError

MAX_BYTES: Final = 2 << 20
"""Bytes of a picture; a larger one is left out of the page."""


def pictures_of(plan: Plan, state: State) -> dict[tuple[str, str], bytes]:
    """SVG by verdict and group. What can't be drawn has none: the group says what is wrong with it."""
    options = {name: value for name, value in plan.recipe.options.items() if name in READING}
    text = Recipe(PICTURE, options).text()
    pool = LocalPool(min(plan.jobs or processors(), 2))
    contents = Contents(plan.limits)
    pictures: dict[tuple[str, str], bytes] = {}
    groups = state.families()[:GROUPS]

    def collect() -> None:
        for job, reply in pool.take():
            if reply.output is not None and len(reply.output) <= MAX_BYTES:
                verdict, family, _ = groups[job.number]
                pictures[verdict, family] = reply.output

    try:
        for number, (verdict, family, _) in enumerate(groups):
            task, _, _ = next(state.rows(verdict, family, 1))
            source = task.source
            try:
                if source.fault is not None:
                    continue
                data = contents.of(source)
                format = read_format(source.name, options.get("from"))
            except InputError:  # which is what the group is about
                continue
            while not pool.room():
                collect()
            path = source.path if source.member < 0 else ""
            pool.put(Job(number, text, data, format, source.name, path, plan.limits))
        while pool.busy():
            collect()
    finally:
        contents.close()
        pool.close()
    return pictures
