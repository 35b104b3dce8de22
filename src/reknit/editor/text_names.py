"""The names of SPIR-V assembly and of .rk: both define a name by `%name =`, each with rules of its own where it counts.

    %sum = OpIAdd %u32 %a %b          everywhere in the module
    %sum = IAdd %a, %b : u32          in its function; what stands outside of functions everywhere

A text that has faults is gone through all the same.
"""

from typing import Final, final

from reknit.editor.mentions import Mention, Outline
from reknit.ir import opcodes, traits
from reknit.ir.text.lexer import TOKEN
from reknit.source.place import Place
from reknit.spirv.lexer import Lines, statements

LABEL: Final = "label"


@final
class Names:
    """What was found in a text."""

    __slots__ = ("mentions", "outline")

    def __init__(self) -> None:
        self.mentions: list[Mention] = []
        self.outline: list[Outline] = []


def kind_of(opcode: str) -> tuple[str, tuple[str, ...]]:
    """What the result of an instruction is called, and its modifiers. The opcode is without `Op`."""
    if opcode.startswith("Type"):
        return "type", ()
    if opcode == "Function":
        return "function", ()
    if opcode == "FunctionParameter":
        return "parameter", ()
    if opcode == "Label":
        return LABEL, ()
    constant = opcode.startswith(("Constant", "SpecConstant", "ExtInstImport", "String"))
    return "variable", ("readonly",) if constant else ()


def is_tangled(opcode: str) -> bool:
    """Whether an opcode, without `Op`, is of an operation that depends on its tangle."""
    info = opcodes.by_name(opcode)
    return info is not None and info.code in traits.TANGLED


@final
class _Definition:
    __slots__ = ("kind", "modifiers", "label", "place")

    def __init__(self, kind: str, modifiers: tuple[str, ...], label: str, place: Place) -> None:
        self.kind = kind
        self.modifiers = modifiers
        self.label = label
        self.place = place


def _mention(place: Place, token: str, definition: _Definition | None) -> Mention:
    if definition is None:
        return Mention(place.line, place.column, len(token), "variable")
    modifiers = definition.modifiers
    if (definition.place.line, definition.place.column) == (place.line, place.column):
        modifiers = ("declaration", *modifiers)
    return Mention(
        place.line, place.column, len(token), definition.kind, modifiers, definition.label, definition.place
    )


# --- assembly ---------------------------------------------------------------------------------------------------------


def names_of_assembly(text: str, name: str) -> Names:
    """The ids of a module; a second definition of one is a fault, which the first stands for."""
    lines = Lines(text, name)
    names = Names()
    defined: dict[str, _Definition] = {}
    uses: list[tuple[Place, str]] = []
    function: Outline | None = None
    for statement in statements(text):
        words = statement.words
        has_result = words[1:2] == ["="]
        at = 2 if has_result else 0
        opcode = words[at][2:] if len(words) > at else ""
        for index, word in enumerate(words):
            if word[0] == "%":
                uses.append((lines.place(statement.starts[index], len(word)), word))
        place = lines.place(statement.starts[0], len(words[0]))
        if has_result:
            kind, modifiers = kind_of(opcode)
            label = " ".join(words)
            defined.setdefault(words[0], _Definition(kind, modifiers, _short(label), place))
        if len(words) > at and is_tangled(opcode):
            spot = lines.place(statement.starts[at], len(words[at]))
            names.mentions.append(Mention(spot.line, spot.column, len(words[at]), "keyword", ("tangled",)))
        if opcode == "Function" and has_result:
            function = Outline(words[0], "function", "", place.line, place.column, len(words[0]))
            names.outline.append(function)
        elif opcode == "Label" and has_result and function is not None:
            function.inner.append(Outline(words[0], LABEL, "", place.line, place.column, len(words[0])))
        elif opcode == "FunctionEnd" and function is not None:
            function.last_line = place.line
            function = None
        elif function is None and has_result and (opcode == "Variable" or opcode == "TypeStruct"):
            kind, _ = kind_of(opcode)
            names.outline.append(Outline(words[0], kind, opcode, place.line, place.column, len(words[0])))
        if function is not None:
            function.last_line = place.line
    names.mentions.extend(_mention(place, word, defined.get(word)) for place, word in uses)
    names.mentions.sort(key=lambda each: (each.line, each.column))
    return names


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]} ..."


# --- .rk --------------------------------------------------------------------------------------------------------------


def names_of_rk(text: str, name: str) -> Names:
    """Names in functions are theirs. A line is a statement, which is what matters here."""
    names = Names()
    everywhere: dict[str, _Definition] = {}
    uses: list[tuple[Place, str, dict[str, _Definition] | None]] = []
    local: dict[str, _Definition] | None = None
    function: Outline | None = None
    for number, line in enumerate(text.split("\n"), 1):
        spans = [(match.start() + 1, match.group()) for match in TOKEN.finditer(line)]
        words = [(column, word) for column, word in spans if not word.startswith((";", "//"))]
        if not words:
            continue
        first = words[0][1]
        if first == "func":
            local = {}
            function = None
        scope = local if local is not None else everywhere
        for index, (column, word) in enumerate(words):
            following = words[index + 1][1] if index + 1 < len(words) else ""
            before = words[index - 1][1] if index else ""
            place = Place(name, number, column, len(word))
            is_name = word[0] in "%@"
            if is_name and before == "func":
                everywhere.setdefault(word, _Definition("function", (), line.strip(" {"), place))
                function = Outline(word, "function", "", number, column, len(word))
                names.outline.append(function)
            elif is_name and (
                (word[0] == "@" and before in ("loop", "scope", "as"))
                or (word[0] == "%" and before in ("", "pad") and following == ":")
            ):
                scope.setdefault(word, _Definition(LABEL, (), _short(line.strip(" {")), place))
                if function is not None:
                    function.inner.append(Outline(word, LABEL, first, number, column, len(word)))
            elif is_name and first == "func" and following == ":":
                type = line[column - 1 :].partition(",")[0].partition(")")[0]
                scope.setdefault(word, _Definition("parameter", (), type, place))
            elif is_name and index == 0 and following == "=":
                opcode = words[2][1] if len(words) > 2 else ""
                kind, modifiers = kind_of(opcode)
                scope.setdefault(word, _Definition(kind, modifiers, _short(line.split(";")[0].strip()), place))
                if local is None and opcode in ("Variable", "TypeStruct"):
                    names.outline.append(Outline(word, kind, opcode, number, column, len(word)))
            elif not is_name and (index == 0 or (index == 2 and before == "=")) and is_tangled(word):
                names.mentions.append(Mention(number, column, len(word), "keyword", ("tangled",)))
            if is_name:
                uses.append((place, word, local))
        if function is not None:
            function.last_line = number
        if first == "}" and words[0][0] == 1:
            local = None
            function = None
    for place, word, scope_of_use in uses:
        known = scope_of_use.get(word) if scope_of_use is not None else None
        names.mentions.append(_mention(place, word, known or everywhere.get(word)))
    names.mentions.sort(key=lambda each: (each.line, each.column))
    return names
