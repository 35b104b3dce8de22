"""The options of a subcommand: declared, and read where that is plain; argparse reads, and says, all the rest.

    add_argument ...  ──▶ recorded ──▶ FILE --flag --name VALUE      read here
                                   └─▶ --help, mistakes, the rest    `full()`: an ArgumentParser of the same

argparse brings regular expressions, enumerations and gettext, which takes longer than checking a shader. What is read
here is what argparse would read: whatever is not surely the same is left to it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, final

if TYPE_CHECKING:
    from argparse import ArgumentParser

ONE: Final = ("store", "append")
"""Actions of options that take a value."""
DEFAULTS: Final = {"store_true": False, "store_false": True}
CONSTANTS: Final = {"store_true": True, "store_false": False}


class Namespace:
    """The options of a command, each an attribute."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...


@final
class Argument:
    """One `add_argument`: an option, or a positional whose name has no dash. `group` is what it was declared in."""

    __slots__ = ("names", "settings", "group", "dest", "action", "nargs", "type")

    def __init__(self, names: tuple[str, ...], settings: dict[str, Any], group: "Group | None") -> None:
        self.names = names
        self.settings = settings
        self.group = group
        long = [name for name in names if name.startswith("--")]
        self.dest: str = settings.get("dest") or (long or names)[0].lstrip("-").replace("-", "_")
        self.action: str = settings.get("action", "store")
        self.nargs: str | int | None = settings.get("nargs")
        self.type: Callable[[str], Any] = settings.get("type", str)

    def default(self) -> Any:
        return self.settings.get("default", DEFAULTS.get(self.action))

    def value(self, word: str) -> Any:
        """Raises ValueError, or what the type raises, for a word that is none."""
        value = self.type(word)
        choices = self.settings.get("choices")
        if choices is not None and value not in choices:
            raise ValueError(word)
        return value


@final
class Group:
    """Options under a title in the help, or, without one, of which one at most may be given."""

    __slots__ = ("owner", "title")

    def __init__(self, owner: "Options", title: str) -> None:
        self.owner = owner
        self.title = title

    def add_argument(self, *names: str, **settings: Any) -> None:
        self.owner.declare(Argument(names, settings, self))


@final
class Options:
    __slots__ = ("name", "description", "arguments", "groups", "defaults", "_full")

    def __init__(self, name: str, description: str) -> None:
        self.name = name
        self.description = description
        self.arguments: list[Argument] = []
        self.groups: list[Group] = []
        self.defaults: dict[str, Any] = {}
        self._full: ArgumentParser | None = None

    def add_argument(self, *names: str, **settings: Any) -> None:
        """As argparse has it; besides, `action` may be "boolean" (--x, --no-x), or "prints": what `text` gives is
        printed, and all ends."""
        self.declare(Argument(names, settings, None))

    def add_argument_group(self, title: str) -> Group:
        self.groups.append(Group(self, title))
        return self.groups[-1]

    def add_mutually_exclusive_group(self) -> Group:
        return self.add_argument_group("")

    def set_defaults(self, **values: Any) -> None:
        self.defaults.update(values)

    def get_default(self, dest: str) -> Any:
        return self.full().get_default(dest)

    def declare(self, argument: Argument) -> None:
        self.arguments.append(argument)

    def full(self) -> "ArgumentParser":
        if self._full is None:
            from reknit.cli.full_parser import full_parser

            self._full = full_parser(self)
        return self._full

    def parse_args(self, words: list[str]) -> Namespace:
        """Ends the process, with a message, where they can't be read."""
        options = self.plain(words)
        return options if options is not None else self.full().parse_args(words, Namespace())

    def plain(self, words: list[str]) -> Namespace | None:
        """The options, where nothing but files, flags and options with a value is given; else None."""
        given = self._found(words)
        if given is None:
            return None
        options = Namespace()
        for argument in reversed(self.arguments):  # of several for one attribute the first has its default
            setattr(options, argument.dest, argument.default())
        for dest, value in self.defaults.items():
            setattr(options, dest, value)
        try:
            for argument, word in given:
                if argument.action in ONE:
                    value = argument.value(word)
                    many = argument.action == "append" or argument.nargs == "+"
                    before = getattr(options, argument.dest) or ()
                    setattr(options, argument.dest, [*before, value] if many else value)
                else:
                    setattr(options, argument.dest, argument.settings.get("const", CONSTANTS.get(argument.action)))
        except Exception:  # argparse meets the same, and says which option it was
            return None
        return options

    def _found(self, words: list[str]) -> list[tuple[Argument, str]] | None:
        """What is given, each with its word."""
        options = {name: argument for argument in self.arguments for name in argument.names if name.startswith("-")}
        given: list[tuple[Argument, str]] = []
        operands: list[tuple[int, str]] = []
        at = 0
        while at < len(words):
            word = words[at]
            if len(word) < 2 or word[0] != "-":
                operands.append((at, word))
                at += 1
                continue
            name, is_joined, joined = word.partition("=") if word.startswith("--") else (word, "", "")
            argument = options.get(name)
            if argument is None or argument.nargs is not None:
                return None
            if argument.action in ONE:
                at += 0 if is_joined else 1
                value = joined if is_joined else words[at] if at < len(words) else "--"
                if value == "--" or (not is_joined and len(value) > 1 and value[0] == "-"):
                    return None
                given.append((argument, value))
            elif is_joined or (argument.action not in CONSTANTS and argument.action != "store_const"):
                return None
            else:
                given.append((argument, ""))
            at += 1
        named = self._named(operands)
        if named is None or not self._go_together([argument for argument, _ in given]):
            return None
        return named + given

    def _named(self, operands: list[tuple[int, str]]) -> list[tuple[Argument, str]] | None:
        """The positionals of the words that are no options, which come with their places."""
        taking = [argument for argument in self.arguments if not argument.names[0].startswith("-")]
        if len(taking) == 1 and taking[0].nargs == "+":
            if not operands or operands[-1][0] - operands[0][0] != len(operands) - 1:
                return None  # an option between them ends the list
            return [(taking[0], word) for _, word in operands]
        if len(taking) != len(operands) or any(argument.nargs not in (None, "?") for argument in taking):
            return None
        return [(argument, word) for argument, (_, word) in zip(taking, operands, strict=True)]

    def _go_together(self, given: list[Argument]) -> bool:
        """Whether no two exclude each other, none is missing that is required, and no default is to be converted."""
        for argument in self.arguments:
            if argument.settings.get("required") and argument not in given:
                return False
            if "type" in argument.settings and isinstance(argument.default(), str):
                return False
            if argument.dest in self.defaults:
                return False
        excluding = [each.group for each in dict.fromkeys(given) if each.group is not None and not each.group.title]
        return len(set(excluding)) == len(excluding)
