"""A .test file's parts.

#--- source.hlsl ...  //--- pipeline.yaml ...  #--- end         "source.hlsl" -> text, "pipeline.yaml" -> text
# RUN: %dxc_target -T cs_6_5 -DN=4 -Fo %t.o %t/source.hlsl      arguments ["-T", "cs_6_5", "-DN=4"]
# RUN: not %offloader %t/pipeline.yaml %t.o                     its values must differ
# UNSUPPORTED: DXC                                              nobody is right
"""

import re
import shlex
from typing import Final

_MARK: Final = re.compile(r"^(?:#|//)--- *(\S+) *$", re.M)
_RUN: Final = re.compile(r"^#? *RUN: *(?:%if [^{]*\{ *)?%dxc_target (.*)$", re.M)
_DIFFERS: Final = re.compile(r"^#? *RUN: *not +%offloader", re.M)
_NOT_FOR: Final = re.compile(r"^#? *UNSUPPORTED: *(DXC|Vulkan|DXC && Vulkan|Vulkan && DXC) *$", re.M)


def sections(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    marks = list(_MARK.finditer(text))
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        found[mark[1]] = text[mark.end() : following.start() if following is not None else len(text)]
    return found


def arguments(text: str) -> list[str]:
    """Of the first time that DXC is started."""
    found = _RUN.search(text)
    return shlex.split(found[1].rstrip("\\ }")) if found is not None else []


def must_differ(text: str) -> bool:
    return _DIFFERS.search(text) is not None


def not_for(text: str) -> str:
    """Where DXC's SPIR-V stands for ours: what the test says that it isn't for, else ""."""
    found = _NOT_FOR.search(text)
    return found[1] if found is not None else ""
