"""Shaders that say at their head what they store; DXIL that DXC made of each stands beside it.

    // x is odd in lanes 0, 3, 5, 6 ...             how that follows from the source, by hand
    // dxc: -T cs_6_6                               arguments of DXC ("-T cs_6_5" if none)
    // set input = 3 0 1.5 zeros:4                  words, floats as their bits; a buffer that is not set is zeros
    // image tex = 4x2:r32ui:1,2,3,4                an image, or a sampler, as `--set` takes them
    // expect result = 7 x4 9 x4                    a word, and how often it stands there
    // expect 8: result = ...                       of waves of 8 lanes and more, where another number doesn't say
    // groups: 2     // lavapipe: why it can't     // not run: why nothing can
    // open: RK2501                                 told: the DXIL leaves open what is in a loop; in it, it means this
"""

import re
import struct
from pathlib import Path
from typing import Any

from kit import TESTS

from reknit.cli.setting_images import image_or_sampler

DATA = TESTS / "data" / "dxil"
KINDS = DATA / "kinds"
_EXPECT = re.compile(r"expect (?:(\d+): )?(.+?) = (.+)")


class ExpectedShader:
    """One shader. `expected` are buffers by the least wave that they are for; 0 is any."""

    def __init__(self, path: Path) -> None:
        self.name = path.stem
        self.source = path.read_text()
        self.compiled = path.with_suffix(".dxil")
        self.arguments = ["-T", "cs_6_5"]
        self.groups = 1
        self.buffers: dict[str, Any] = {}
        self.expected: dict[int, dict[str, list[int]]] = {}
        self.not_on_lavapipe = ""
        self.not_run = ""
        self.open = ""
        for line in self.source.split("\n"):
            if line.startswith("// "):
                self._line(line[3:])

    def _line(self, line: str) -> None:
        key, _, rest = line.partition(": ")
        if key == "dxc":
            self.arguments = rest.split()
        elif key == "groups":
            self.groups = int(rest)
        elif key == "lavapipe":
            self.not_on_lavapipe = rest
        elif key == "open":
            self.open = rest
        elif key == "not run":
            self.not_run = rest
        elif line.startswith("set "):
            name, _, words = line[4:].partition(" = ")
            self.buffers[name] = words_of(words)
        elif line.startswith("image "):
            name, _, value = line[6:].partition(" = ")
            self.buffers[name] = image_or_sampler(name, value)
        elif match := _EXPECT.fullmatch(line):
            self.expected.setdefault(int(match[1] or 0), {})[match[2]] = words_of(match[3])

    def expectation(self, lanes: int) -> dict[str, list[int]]:
        """What buffers hold in the end, in waves of `lanes`."""
        return self.expected[max(least for least in self.expected if least <= lanes)]


def words_of(text: str) -> list[int]:
    """`3 0xff -1 1.5 zeros:2 7 x3` as words."""
    found: list[int] = []
    for token in text.split():
        if token.startswith("x"):
            found += found[-1:] * (int(token[1:]) - 1)
        elif token.startswith("zeros:"):
            found += [0] * int(token[6:])
        elif "." in token:
            found += struct.unpack("<I", struct.pack("<f", float(token)))
        else:
            found.append(int(token, 0) & 0xFFFFFFFF)
    return found


def expected_shaders() -> list[ExpectedShader]:
    return [ExpectedShader(path) for path in sorted(KINDS.glob("*.hlsl"))]
