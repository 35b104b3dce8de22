"""`reknit explain CODE`: the page of a diagnostic's code; without a code, the list of all."""

import json
import sys
from argparse import ArgumentParser, Namespace

from reknit.cli.misuse import misuse
from reknit.cli.parser import new_parser
from reknit.source.explain import codes, page, title


def parser() -> ArgumentParser:
    made = new_parser("explain", "What a diagnostic's code means: the rule, why, examples that fail and pass.")
    made.add_argument(
        "code",
        nargs="?",
        metavar="CODE",
        help="RK0102, E20001 of Slang and the like, or a rule of control flow, as B26; all are listed without it",
    )
    made.add_argument("--json", action="store_true", help="print JSON")
    return made


def main(options: Namespace) -> int:
    if options.code is None:
        found = {code: title(code) for code in codes()}
        if options.json:
            print(json.dumps([{"code": code, "title": what} for code, what in found.items()]))
        else:
            print("".join(f"{code}  {what}\n" for code, what in found.items()), end="")
        return 0
    code = options.code.upper()
    text = page(code)
    if text is None:
        from reknit.spirv.rules.catalog import by_id

        rule = by_id().get(code)
        if rule is not None:
            code = rule.code
            text = page(code)
    if text is None:
        from difflib import get_close_matches

        close = get_close_matches(code, codes(), 1)
        hint = f"did you mean {close[0]}? " if close else ""
        raise misuse("RK0011", f"there is no code {options.code}", f"{hint}`reknit explain` lists all")
    if options.json:
        print(json.dumps({"code": code, "title": title(code), "text": text}))
    else:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
    return 0
