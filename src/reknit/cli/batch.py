"""`reknit batch RECIPE INPUT...`: one recipe over many inputs; ended at any moment, the same command goes on.

INPUT... ──▶ worker processes, here or on a cluster ──▶ OUT, reports
             .reknit/batch.sqlite: what is done, and the results of earlier runs
"""

import json
import os
import sys
from argparse import Namespace
from typing import TYPE_CHECKING, Any, Final

from reknit.batching.recipe import READING, RECIPES, WRITES
from reknit.cli.input import CACHE, add_reading
from reknit.cli.many import INTERRUPTED, jobs_of, limits_of_each, make_cache, reading_of
from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser
from reknit.cli.shared_options import INPUT, OUTPUT, add
from reknit.cli.terminal import remark, tell
from reknit.source.diagnostic import InputError

if TYPE_CHECKING:
    from reknit.batching.batch import Plan, Ran
    from reknit.batching.recipe import Recipe
    from reknit.batching.state import State

STATE: Final = os.path.join(CACHE, "batch.sqlite")
SHOWN: Final = 10  # groups of failures


def parser() -> Parser:
    from reknit.analysis.tangles.rules import ASKED
    from reknit.checks.lint.codes import TARGETS
    from reknit.files.formats import WRITTEN
    from reknit.passes.pipelines import ASSUME
    from reknit.sim.engine import ENGINES

    command = Parser(
        "batch",
        "Run one recipe over many inputs, in worker processes. The same command, given again after an interruption, "
        "goes on where it stopped. The limits for untrusted input hold for each input.",
        "RECIPE INPUT...",
        ("--exclude", "-o", "--to", "--jobs", "--report", "--pictures", "--state", "--passes", "--target", "--quiet",
         "--json"),
        (
            "reknit batch check shaders --report report.html",
            "reknit batch compile shaders.zip -o compiled.zip -p reconverge",
        ),
    )  # fmt: skip
    inputs = command.group(INPUT)
    inputs.add_argument("recipe", choices=list(RECIPES), metavar="RECIPE", help="what to do: %(choices)s")
    inputs.add_argument(
        "inputs",
        nargs="+",
        metavar="INPUT",
        help="file, folder, pattern, archive (.zip, .tar, .tar.gz ...), or @list.txt with one of these per line",
    )
    add(inputs, "--exclude")
    add_reading(command)
    work = command.group("workers, and results of earlier runs")
    add(work, "--jobs")
    work.add_argument("--cluster", metavar="ADDRESS", help="work on a Dask cluster, such as tcp://host:8786")
    work.add_argument(
        "--state", default=STATE, metavar="FILE", help="file that keeps what is done (default %(default)s)"
    )
    rewriting = command.group("compile, opt, structurize")
    add(rewriting, "--passes", note=" (also of prove)")
    add(rewriting, "--assume", choices=ASSUME)
    add(rewriting, "--nesting")
    linting = command.group("lint")
    add(linting, "--target", choices=TARGETS)
    running = command.group("run, prove")
    add(running, "--set", "--domain", "--spec", "--entry", "--groups", "--subgroup-size", "--subgroup-sizes")
    add(running, "--rules", choices=ASKED)
    add(running, "--inputs", dest="sample")
    add(running, "--limit", "--runs", "--max-steps")
    add(running, "--engine", choices=ENGINES)
    output = command.group(OUTPUT)
    output.add_argument("-o", dest="out", metavar="OUT", help="folder or archive to write (.zip, .tar, .tar.gz)")
    add(output, "--to", choices=WRITTEN, dest="to")
    output.add_argument(
        "--report", action="append", default=[], metavar="FILE", help="write a report: .html, .jsonl, .csv or .sarif"
    )
    output.add_argument(
        "--pictures", action="store_true", help="in a .html report: draw the first input of each group of failures"
    )
    add(output, "--quiet", "--json")
    return command


def has_own_limits(options: Namespace) -> bool:
    return True


def main(options: Namespace) -> int:
    from reknit.batching.state import NOWHERE, State

    plan = plan_of(options)
    if options.state == STATE:
        make_cache(CACHE)
    try:
        state = State(options.state)
    except InputError as error:
        (fault,) = error.diagnostics
        if options.state != STATE or not _is_foreign():
            raise
        remark(f"what earlier runs did is not read, and this one can't be resumed: {fault.message}\n")
        state = State(NOWHERE)
    try:
        return _run(options, plan, state)
    finally:
        state.close()


def _is_foreign() -> bool:
    """Whether others may have written the default state."""
    from reknit.batching.state import foreign

    return bool(foreign(STATE))


def _run(options: Namespace, plan: "Plan", state: "State") -> int:
    from reknit.batching.batch import run
    from reknit.batching.verdicts import BAD, CRASHED
    from reknit.cli.progress import Progress

    progress = Progress("inputs", 0, options.quiet or options.json)

    def listen(done: int, total: int) -> None:
        progress.total = total
        progress.at(done)

    try:
        ran = run(plan, state, listen)
    except KeyboardInterrupt:
        progress.clear()
        done = sum(count for verdict, count in state.counts().items() if verdict is not None)
        remark(f"interrupted; {done} inputs are done, and the same command goes on with the others\n")
        return INTERRUPTED
    finally:
        progress.clear()
    reports(options, plan, state)
    show(options, ran, state)
    if options.recipe == "check":
        from reknit.checks.spirv_val import find_validator

        if find_validator() is None and not options.json:
            remark("spirv-val not found: the rules of SPIR-V itself were not checked\n")
    counts = state.counts()
    if counts.get(CRASHED):
        return 2
    return 1 if any(verdict in BAD for verdict in counts) else 0


def plan_of(options: Namespace) -> "Plan":
    """Raises Misuse, and InputError for a report that can't be written."""
    from reknit.batching.batch import Plan
    from reknit.batching.inputs import Inputs
    from reknit.batching.outputs import check_out
    from reknit.batching.reports import check_report

    chosen = recipe_of_options(options)
    if options.out is not None and options.recipe not in WRITES:
        raise misuse("RK0010", f"-o: the recipe {options.recipe} writes nothing", f"those that do: {', '.join(WRITES)}")
    try:
        if options.out is not None:
            check_out(options.out)
        for path in options.report:
            check_report(path)
    except InputError as error:
        raise misuse(error) from None
    inputs = Inputs(options.inputs, options.exclude or [], options.from_format is not None)
    return Plan(chosen, inputs, options.out or "", jobs_of(options), limits_of_each(options), options.cluster or "")


def recipe_of_options(options: Namespace) -> "Recipe":
    """Raises Misuse (RK0010 and what a recipe refuses)."""
    from reknit.batching.recipe import recipe
    from reknit.cli.proving import domains_of, sizes_of
    from reknit.cli.running import groups_of, spec_of

    given: dict[str, Any] = {
        **reading_of(options),
        "groups": list(groups_of(options.groups)) if options.groups is not None else None,
        "subgroup_sizes": sizes_of(options.subgroup_sizes) if options.subgroup_sizes is not None else None,
        "buffers": words_of_buffers(options.set),
        "domains": domains_of(options.domain),
        "spec": {str(name): value for name, value in spec_of(options.spec).items()},
        "runs": options.runs or None,
    }
    plain = ("passes", "to", "assume", "nesting", "target", "entry", "subgroup_size", "rules",
             "sample", "limit", "max_steps", "engine")  # fmt: skip
    given.update({name: getattr(options, name) for name in plain})
    for name, value in given.items():
        if value not in (None, [], {}) and name not in (*RECIPES[options.recipe], *READING):
            flag = FLAGS.get(name, f"--{name.replace('_', '-')}")
            takers = ", ".join(each for each in RECIPES if name in RECIPES[each])
            raise misuse("RK0010", f"{flag} means nothing to the recipe {options.recipe}", f"it is for {takers}")
    for name in ("nesting", "sample", "limit", "max_steps", "subgroup_size"):
        if given[name] is not None and given[name] < 1:
            raise misuse("RK0010", f"--{name.replace('_', '-')} {given[name]}: it is at least 1")
    if options.recipe == "lint":
        given["config"] = options.config
    try:
        return recipe(options.recipe, **given)
    except InputError as error:
        raise misuse(error) from None


FLAGS: Final = {"buffers": "--set", "domains": "--domain", "sample": "--inputs", "passes": "-p"}


def words_of_buffers(given: list[str]) -> dict[str, Any]:
    """--set as a recipe has it. Raises Misuse (RK0010)."""
    from reknit.cli.running import buffers_of

    buffers: dict[str, Any] = {}
    for name, value in buffers_of(given).items():
        if not isinstance(value, list | bytes):
            raise misuse("RK0010", f"--set {name}: images and samplers can't be set for many inputs", "run sets them")
        buffers[name] = value.hex() if isinstance(value, bytes) else value
    return buffers


def reports(options: Namespace, plan: "Plan", state: "State") -> None:
    """Write them. Raises InputError (RK0007)."""
    if not options.report:
        return
    from reknit.batching.batch import quoted
    from reknit.batching.pictures import pictures_of
    from reknit.batching.reports import write_report

    pictures = pictures_of(plan, state) if options.pictures else {}
    title = f"reknit batch {options.recipe} {' '.join(options.inputs)}"
    for path in options.report:
        write_report(path, state, title, pictures, quoted(plan))


def show(options: Namespace, ran: "Ran", state: "State") -> None:
    """What the run came to, on standard output."""
    from reknit.batching.reports import items
    from reknit.batching.verdicts import VERDICTS, counted

    counts = state.counts()
    listed = {verdict: counts[verdict] for verdict in VERDICTS if verdict in counts}
    groups = state.families()
    if options.json:
        shown = [{"verdict": verdict, "group": family, "inputs": count} for verdict, family, count in groups]
        counted_as = {"total": ran.total, "known": ran.known, "equal": ran.equal, "replaced": ran.replaced}
        print(json.dumps({**counted_as, "verdicts": listed, "groups": shown}))
        return
    said = [f"{ran.known} known before"] if ran.known else []
    if ran.equal:
        said.append(f"{ran.equal} equal to another input")
    known = f" ({', '.join(said)})" if said else ""
    print(f"{ran.total} input{'' if ran.total == 1 else 's'}{': ' * bool(listed)}{counted(listed)}{known}")
    for name in ran.replaced[:SHOWN]:
        remark(f"{name}: the archive has several members of this name; the last is taken, as unpacking leaves it\n")
    if len(ran.replaced) > SHOWN:
        remark("the same of more members; --json names up to a thousand\n")
    if options.quiet:
        return
    for verdict, family, count in groups[:SHOWN]:
        first = next(items(state, verdict, family, 1))
        others = f" and {count - 1} more" if count > 1 else ""
        tell(f"\n{verdict}: {family}\n  {first.input}{others}\n")
    if len(groups) > SHOWN:
        print(f"\n{len(groups) - SHOWN} more groups; --report FILE.html has them")
    sys.stdout.flush()
