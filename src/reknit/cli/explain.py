"""`reknit explain CODE`: the page of a diagnostic's code; without a code, the list of all."""

import sys
from argparse import Namespace

from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser
from reknit.cli.shared_options import INPUT, OUTPUT, add
from reknit.cli.terminal import print_json
from reknit.source.diagnostic import InputError
from reknit.source.explain import codes, title


def parser() -> Parser:
    command = Parser(
        "explain",
        "Explain a code that a message names: the rule, the reason for it, an example that fails and one that passes. "
        "Without CODE, list all codes.",
        "[CODE]",
        ("--json",),
        ("reknit explain RK0102", "reknit explain B26"),
    )
    command.group(INPUT).add_argument(
        "code", nargs="?", metavar="CODE", help="a code, such as RK0102 or Slang's E20001, or a rule, such as B26"
    )
    add(command.group(OUTPUT), "--json")
    return command


def main(options: Namespace) -> int:
    if options.code is None:
        titles = {code: title(code) for code in codes()}
        if options.json:
            print_json([{"code": code, "title": what} for code, what in titles.items()])
        else:
            print("".join(f"{code}  {what}\n" for code, what in titles.items()), end="")
        return 0
    from reknit.view.explained import code_of, explained

    try:
        code = code_of(options.code)
    except InputError as error:
        raise misuse(error) from None
    text = explained(code)
    if options.json:
        print_json({"code": code, "title": title(code), "text": text})
    else:
        sys.stdout.write(text)
    return 0
