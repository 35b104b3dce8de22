"""A pipeline as text: names separated by commas, options in braces.

    "eliminate-phis, lower-switches{exit=sentinel, policy=always}"
        =>  [PassSpec(eliminate-phis), PassSpec(lower-switches, exit="sentinel", policy="always")]

    pipeline := [ item { "," item } ]
    item     := name [ "{" [ option { "," option } ] "}" ]
    option   := name [ "=" value ]

The name of a pipeline stands for its passes. A flag without a value is true. Positions in messages count characters
from 1.
"""

from collections.abc import Mapping, Sequence
from typing import Final, final

from reknit.passes.contract import Option, OptionValue, Pass
from reknit.passes.pipelines import PIPELINES
from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.digits import is_decimal

_PUNCTUATION: Final = ",{}="
_ALL_PASSES: Final = "`reknit opt --list-passes` lists passes, their options and pipelines"


@final
class PassSpec:
    """A pass with the value of each of its options, those not given at their default.

    Raises InputError: RK2003 (no such option), RK2004 (no such value).
    """

    __slots__ = ("transform", "options")

    def __init__(self, transform: Pass, options: dict[str, OptionValue] | None = None) -> None:
        self.transform = transform
        self.options: dict[str, OptionValue] = {option.name: option.default for option in transform.options}
        for name, value in (options or {}).items():
            option = next((option for option in transform.options if option.name == name), None)
            if option is None:
                known = ", ".join(self.options) or "none"
                message = f"pass '{transform.name}' has no option '{name}'"
                raise InputError([Diagnostic("RK2003", message, help=f"known options: {known}")])
            if type(value) is not type(option.default) or (option.choices and value not in option.choices):
                message = f"option '{name}' of pass '{transform.name}' can't be {value!r}"
                raise InputError([Diagnostic("RK2004", message, help=f"it takes {_wanted(option)}")])
            self.options[name] = value

    def __repr__(self) -> str:
        return f"<{pipeline_text([self])}>"


def specs_of(passes: str | Sequence[str | Pass | PassSpec], catalog: Mapping[str, Pass]) -> list[PassSpec]:
    """The passes of a pipeline: a text, or a list of texts, passes and passes with options. Raises InputError as
    `parse_pipeline` does."""
    if isinstance(passes, str):
        return parse_pipeline(passes, catalog)
    specs: list[PassSpec] = []
    for item in passes:
        if isinstance(item, str):
            specs.extend(parse_pipeline(item, catalog))
        else:
            specs.append(PassSpec(item) if isinstance(item, Pass) else item)
    return specs


def parse_pipeline(text: str, catalog: Mapping[str, Pass]) -> list[PassSpec]:
    """The passes that `text` names, in order.

    Raises InputError: RK2001 (no such pass), RK2002 (not a pipeline), RK2003 (no such option), RK2004 (no such value).
    """
    if text in catalog:  # a pass of its own, as in the named pipelines
        return [PassSpec(catalog[text])]
    return _Parser(text, catalog).pipeline()


def pipeline_text(specs: list[PassSpec]) -> str:
    """What `parse_pipeline` reads as `specs`. Options at their default are left out."""
    items: list[str] = []
    for spec in specs:
        given: list[str] = []
        for option in spec.transform.options:
            value = spec.options[option.name]
            if value != option.default:
                given.append(f"{option.name}={str(value).lower() if isinstance(value, bool) else value}")
        items.append(spec.transform.name + (f"{{{','.join(given)}}}" if given else ""))
    return ", ".join(items)


@final
class _Parser:
    __slots__ = ("text", "catalog", "at", "start")

    def __init__(self, text: str, catalog: Mapping[str, Pass]) -> None:
        self.text = text
        self.catalog = catalog
        self.at = 0  # the next character
        self.start = 0  # where the last word began

    def pipeline(self) -> list[PassSpec]:
        specs: list[PassSpec] = []
        if self.peek() == "":
            return specs
        while True:
            self.item(specs)
            if self.peek() == "":
                return specs
            self.expect(",")

    def item(self, specs: list[PassSpec]) -> None:
        name = self.word("the name of a pass")
        place = self.start
        named = PIPELINES.get(name)
        if named is not None:
            if self.peek() == "{":
                raise self.fault("RK2003", self.at, f"pipeline '{name}' has no options of its own")
            specs.extend(specs_of(named, self.catalog))
            return
        transform = self.catalog.get(name)
        if transform is None:
            transform = _outside(name, self.catalog)
        if transform is None:
            known = list(self.catalog) + list(PIPELINES)
            raise self.fault("RK2001", place, f"there is no pass '{name}'", _ALL_PASSES, _nearest(name, known))
        given: dict[str, OptionValue] = {}
        if self.peek() == "{":
            self.expect("{")
            while self.peek() != "}":
                self.option(transform, given)
                if self.peek() != "}":
                    self.expect(",")
            self.expect("}")
        specs.append(PassSpec(transform, given))

    def option(self, transform: Pass, given: dict[str, OptionValue]) -> None:
        name = self.word("the name of an option")
        place = self.start
        option: Option | None = None
        for candidate in transform.options:
            if candidate.name == name:
                option = candidate
        if option is None:
            known = [candidate.name for candidate in transform.options]
            raise self.fault(
                "RK2003",
                place,
                f"pass '{transform.name}' has no option '{name}'",
                f"known options: {', '.join(known)}" if known else "there are no options",
                _nearest(name, known),
            )
        if name in given:
            raise self.fault("RK2003", place, f"option '{name}' of pass '{transform.name}' is given twice")
        if self.peek() != "=":
            if not isinstance(option.default, bool):
                raise self.fault(
                    "RK2004", place, f"option '{name}' of pass '{transform.name}' needs a value: {_wanted(option)}"
                )
            given[name] = True
            return
        self.expect("=")
        given[name] = self.value(transform, option)

    def value(self, transform: Pass, option: Option) -> OptionValue:
        text = self.word("a value")
        default = option.default
        if isinstance(default, bool):
            if text in ("true", "false"):
                return text == "true"
        elif isinstance(default, int):
            if is_decimal(text):  # they all count something
                return int(text)
        elif not option.choices or text in option.choices:
            return text
        message = f"option '{option.name}' of pass '{transform.name}' can't be '{text}'"
        raise self.fault("RK2004", self.start, message, f"it takes {_wanted(option)}")

    def word(self, what: str) -> str:
        """The next run of characters that are neither punctuation nor blank."""
        token = self.peek()
        self.start = self.at
        if token == "" or token in _PUNCTUATION:
            raise self.fault("RK2002", self.at, f"expected {what}, found {_shown(token)}")
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in _PUNCTUATION or char.isspace():
                break
            self.at += 1
        return self.text[self.start : self.at]

    def peek(self) -> str:
        """The next character that isn't blank; "" at the end."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.text[self.at] if self.at < len(self.text) else ""

    def expect(self, char: str) -> None:
        token = self.peek()
        if token != char:
            raise self.fault("RK2002", self.at, f"expected '{char}', found {_shown(token)}")
        self.at += 1

    def fault(self, code: str, at: int, message: str, note: str = "", help: str = "") -> InputError:
        notes = [Note(f'in the pipeline "{self.text}", at character {at + 1}')]
        if note:
            notes.append(Note(note))
        return InputError([Diagnostic(code, message, notes=notes, help=help)])


def _outside(name: str, catalog: Mapping[str, Pass]) -> Pass | None:
    from reknit.passes.outside import outside_pass  # here: what reads entry points is slow to import

    return outside_pass(name, catalog)


def _shown(char: str) -> str:
    return "the end" if char == "" else f"'{char}'"


def _wanted(option: Option) -> str:
    if isinstance(option.default, bool):
        return "true or false"
    if isinstance(option.default, int):
        return "a whole number, 0 or more"
    return " or ".join(option.choices) if option.choices else "a word"


def _nearest(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, known, 1)
    return f"did you mean '{close[0]}'?" if close else ""
