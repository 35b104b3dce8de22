"""`reknit explain CODE`: the page of a diagnostic's code; without a code, the list of all."""

import sys

from reknit.cli.misuse import misuse
from reknit.cli.options import Namespace, Options
from reknit.cli.parser import new_parser
from reknit.cli.terminal import print_json
from reknit.source.diagnostic import InputError
from reknit.source.explain import codes, title


def parser() -> Options:
    command = new_parser("explain", "What a diagnostic's code means: the rule, why, examples that fail and pass.")
    command.add_argument(
        "code",
        nargs="?",
        metavar="CODE",
        help="RK0102, E20001 of Slang and the like, or a rule of control flow, as B26; all are listed without it",
    )
    command.add_argument("--json", action="store_true", help="print JSON")
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
