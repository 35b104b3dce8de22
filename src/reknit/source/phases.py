"""What was being done where a computation was stopped, by the files that its traceback goes through.

    reknit/front/slang/macro.py     ->   "macros were expanded"
"""

from traceback import walk_tb
from types import TracebackType
from typing import Final

# By the beginning of a file's path in the package; the longest that fits counts.
PHASES: Final = {
    "files/streams": "the file was read",
    "files/": "the output was judged",
    "spirv/asm": "assembly was read",
    "spirv/lexer": "assembly was read",
    "spirv/words": "the binary was split into instructions",
    "spirv/read": "the binary was read",
    "spirv/to_tree": "the control-flow tree was made",
    "spirv/write": "the module was written",
    "spirv/from_tree": "the module was written",
    "spirv/dis": "the module was disassembled",
    "spirv/rules": "the rules of control flow were checked",
    "spirv/form": "the form of instructions was checked",
    "ir/text": "the text form was read or printed",
    "ir/verify": "the module was verified",
    "analysis/typeflow": "the types of dynamic calls were found",
    "analysis/": "control flow was analysed",
    "passes/": "passes were run",
    "front/slang/lexer": "the source was split into tokens",
    "front/slang/preprocess": "directives were obeyed",
    "front/slang/macro": "macros were expanded",
    "front/slang/conditional": "directives were obeyed",
    "front/slang/parse": "the source was parsed",
    "front/slang/check": "types were checked",
    "front/slang/lower": "the source was lowered",
    "front/slang/": "the source was compiled",
    "front/llvm": "LLVM IR was read",
    "front/amber": "the script was read",
    "front/": "the file was read",
    "checks/lint": "the module was linted",
    "checks/": "the module was checked",
    "sim/": "the program was run",
    "vulkan/": "a driver was asked",
    "proof/": "the two programs were compared",
    "fuzzing/": "random programs were tried",
    "reduction/": "the module was made smaller",
    "view/": "the picture was drawn",
    "editor/": "the editor was answered",
    "batching/": "inputs were worked on",
}


def phase_of(error: BaseException) -> str:
    """The last phase that its traceback enters, as the end of a sentence that begins with "while"."""
    phase = "reknit was running"
    for path in _files(error.__traceback__):
        fitting = [start for start in PHASES if path.startswith(start)]
        if fitting:
            phase = PHASES[max(fitting, key=len)]
    return phase


def _files(trace: TracebackType | None) -> list[str]:
    """Paths in the package, from the outermost call on."""
    paths = [frame.f_code.co_filename.replace("\\", "/") for frame, _ in walk_tb(trace)]
    return [path.rpartition("reknit/")[2] for path in paths if "reknit/" in path]
