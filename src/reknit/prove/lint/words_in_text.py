"""Where a .rk text has what it describes, by counting words: the third `if` of a function is its third If.

    func @main() -> void {
      %x = GroupNonUniformBallot Subgroup %c : vec4<u32>      the first word `GroupNonUniformBallot`
      if %c {                                                 the first word `if`

The text has instructions and constructs in the order of the tree. Where the counts differ nothing is said.
"""

import re
from typing import Final

from reknit.source.place import Place

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|;[^\n]*|//[^\n]*|[%@][^\s,(){}:=]+|[A-Za-z_]\w*')
_HEAD: Final = re.compile(r"^func\b", re.MULTILINE)


def words_by_function(text: str, name: str) -> list[dict[str, list[Place]]]:
    """For each function of a text: the places of each of its words. Labels, names and comments are no words."""
    found: list[dict[str, list[Place]]] = []
    starts = [match.start() for match in _HEAD.finditer(text)]
    for index, start in enumerate(starts):
        end = starts[index + 1] if index + 1 < len(starts) else len(text)
        words: dict[str, list[Place]] = {}
        line = text.count("\n", 0, start) + 1
        begin = text.rfind("\n", 0, start) + 1
        at = start
        for match in _TOKEN.finditer(text, start, end):
            line += text.count("\n", at, match.start())
            last = text.rfind("\n", at, match.start())
            begin = last + 1 if last >= 0 else begin
            at = match.start()
            word = match[0]
            if word[0].isalpha():
                column = match.start() - begin + 1
                words.setdefault(word, []).append(Place(name, line, column, len(word)))
        found.append(words)
    return found
