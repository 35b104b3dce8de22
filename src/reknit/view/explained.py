"""The page of a diagnostic's code, or of a rule of control flow by its number."""

from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.explain import codes, page


def code_of(name: str) -> str:
    """The code that a person means: "rk0102", "102", or "B26" for the rule of that number. Raises InputError (RK0011).
    """
    code = name.upper()
    if page(code) is not None:
        return code
    if code.isascii() and code.isdecimal():
        for whole in (f"RK{code:0>4}", f"E{code}"):
            if page(whole) is not None:
                return whole
    from reknit.spirv.rules.catalog import by_id

    rule = by_id().get(code)
    if rule is not None:
        return rule.code
    from difflib import get_close_matches

    close = get_close_matches(code, codes(), 1)
    hint = f"did you mean {close[0]}? " if close else ""
    raise InputError([Diagnostic("RK0011", f"there is no code {name}", help=f"{hint}`reknit explain` lists all")])


def explained(name: str) -> str:
    """The page itself. Raises InputError (RK0011)."""
    text = page(code_of(name))
    assert text is not None
    return text if text.endswith("\n") else text + "\n"
