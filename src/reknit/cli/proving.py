"""The options of the commands that prove, and what they mean.

    --subgroup-sizes 4,8,32,64   --set kind=0,0,1,2   --domain kind=0..3   --inputs 24   ->   Question
"""

from argparse import Namespace

from reknit.analysis.tangles.rules import ASKED, DECLARED
from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser
from reknit.cli.shared_options import DATA, PROOF, RULES, add
from reknit.proof.question import LIMIT, MAX_STEPS, SAMPLE, SUBGROUP_SIZES, Question
from reknit.source.digits import integer, is_decimal

MAX_DOMAIN = 1 << 16


def add_question(parser: Parser, title: str = DATA) -> None:
    """In the group `title` of the help."""
    group = parser.group(title)
    add(group, "--set", "--domain", "--spec", "--entry", "--groups")
    add(group, "--subgroup-sizes", note=f" (default {','.join(map(str, SUBGROUP_SIZES))})")
    add(group, "--max-steps", default=MAX_STEPS, note=" (default %(default)s)")
    add(parser.group(title if title != DATA else RULES), "--rules", choices=ASKED, default=DECLARED)
    effort = parser.group(title if title != DATA else PROOF)
    add(effort, "--inputs", default=SAMPLE, note=" (default %(default)s)")
    add(effort, "--limit", default=LIMIT, note=" (default %(default)s for each input)")
    add(effort, "--runs")


def question_of(options: Namespace) -> Question:
    """Raises Misuse (RK0010)."""
    from reknit.cli.running import buffers_of, groups_of, spec_of

    if options.inputs < 1 or options.limit < 1 or options.max_steps < 1:
        raise misuse("RK0010", "--inputs, --limit and --max-steps are at least 1")
    buffers = buffers_of(options.set)
    domains = domains_of(options.domain)
    for name in domains:
        if name in buffers:
            raise misuse("RK0010", f"buffer '{name}' has both --set and --domain")
    return Question(
        options.entry,
        sizes_of(options.subgroup_sizes) if options.subgroup_sizes is not None else None,
        groups_of(options.groups) if options.groups is not None else None,
        buffers,
        domains,
        spec_of(options.spec),
        options.inputs,
        options.limit,
        options.max_steps,
        options.rules,
        not options.runs,
    )


def sizes_of(text: str) -> list[int]:
    sizes: list[int] = []
    for part in text.split(","):
        size = int(part) if is_decimal(part.strip()) else 0
        if not 1 <= size <= 128 or size & (size - 1):
            raise misuse("RK0010", f"--subgroup-sizes {text}: they are powers of two, from 1 to 128")
        if size not in sizes:
            sizes.append(size)
    return sizes


def domains_of(given: list[str]) -> dict[str, list[int]]:
    domains: dict[str, list[int]] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise misuse("RK0010", f"--domain {text}: it is NAME=0..3 or NAME=0,1,7")
        if name in domains:
            raise misuse("RK0010", f"--domain: buffer '{name}' is given twice")
        low, dots, high = value.partition("..")
        numbers: list[int] = []
        try:
            if not dots:
                numbers = [integer(number.strip(), 0) for number in value.split(",")]
            elif integer(high.strip(), 0) - integer(low.strip(), 0) < MAX_DOMAIN:
                numbers = list(range(integer(low.strip(), 0), integer(high.strip(), 0) + 1))
        except ValueError:
            numbers = []
        if not 1 <= len(numbers) <= MAX_DOMAIN:
            raise misuse("RK0010", f"--domain {text}: it is NAME=0..3 or NAME=0,1,7, 1 to {MAX_DOMAIN} numbers")
        domains[name] = list(dict.fromkeys(numbers))
    return domains
