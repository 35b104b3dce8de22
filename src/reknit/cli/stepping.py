"""`reknit trace --step`: a run gone through on the terminal, forwards and back.

    step 1 of 5  %entry  ...
    > n                            a letter, a number or Enter; what can be asked for is shown by ?
"""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from reknit.cli.terminal import tell, wants_colour
from reknit.source.digits import is_decimal, is_signed_decimal
from reknit.source.visible import visible

if TYPE_CHECKING:
    from reknit.view.stepping import Stepper

KEYS: Final = """\
  Enter, n, in   the next step            b, back       the step before
  o, over        the next step of this lane that is no deeper in constructs and calls
  u, out         until this lane leaves the construct or call
  s, split       the next step in which lanes split or meet; S the one before
  12             to step 12               f, l          first, last step
  line 90        the next step that runs line 90; line -90 the one before
  lane 3         the lane that over and out are about; lane for any
  v, values      every value in each lane, by running again up to here; v NAME one of them
  q, quit        end
"""


def step_through(stepper: "Stepper") -> None:
    """Reads commands until the input ends."""
    colour = wants_colour(sys.stdout)
    if not stepper.steps:
        tell("nothing was run\n")
        return
    sys.stdout.write(stepper.shown(colour))
    while True:
        if sys.stdin.isatty():
            sys.stdout.write("> ")
            sys.stdout.flush()
        line = sys.stdin.readline()
        words = line.split()
        if not line or words[:1] in (["q"], ["quit"]):
            return
        sys.stdout.write(answer(stepper, words, colour))


def answer(stepper: "Stepper", words: list[str], colour: bool = False) -> str:
    """What a command shows, of names in which nothing steers the terminal."""
    name = words[0] if words else "n"
    argument = words[1] if len(words) > 1 else ""
    if name in ("v", "values"):
        return visible(stepper.values(argument))
    if name in ("?", "h", "help"):
        return KEYS
    if name == "lane":
        if argument and not (is_decimal(argument) and int(argument) < stepper.trace.lanes):
            return f"  there are lanes 0 to {stepper.trace.lanes - 1}\n"
        stepper.lane = int(argument) if argument else -1
        return f"  over and out are about {f'lane {argument}' if argument else 'the first lane that runs'}\n"
    if name == "line":
        if not is_signed_decimal(argument):
            return "  line takes a number\n"
        moved = stepper.line(abs(int(argument)), -1 if argument.startswith("-") else 1)
        return stepper.shown(colour) if moved else f"  line {abs(int(argument))} is not run there\n"
    if is_decimal(name):
        stepper.to(int(name))
        return stepper.shown(colour)
    moves: dict[str, Callable[[], bool]] = {
        "n": lambda: stepper.move(1), "in": lambda: stepper.move(1),
        "b": lambda: stepper.move(-1), "back": lambda: stepper.move(-1),
        "o": lambda: stepper.over(False), "over": lambda: stepper.over(False),
        "u": lambda: stepper.over(True), "out": lambda: stepper.over(True),
        "s": lambda: stepper.notable(1), "split": lambda: stepper.notable(1), "S": lambda: stepper.notable(-1),
        "f": lambda: stepper.move(-stepper.at), "l": lambda: stepper.move(len(stepper.steps) - 1 - stepper.at),
    }  # fmt: skip
    if name not in moves:
        return visible(f"  no command '{name}'; ? shows what there is\n")
    return stepper.shown(colour) if moves[name]() else "  there is no such step\n"
