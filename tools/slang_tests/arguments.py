"""The words after a compute test's command, as Slang's runner of shaders understands them.

    -vk -compute -output-using-type -compute-dispatch 4,1,1 -xslang -DN=4
      ->  groups (4, 1, 1), typed output, defines ["N=4"]

Words that choose a device, a profile or how code is generated mean nothing here. What the compiler is told
(`-xslang WORD`, `-Xslang... WORDS -X.`) is sorted: macros, search folders and layouts apart from the rest.
"""

from typing import final

# fmt: off
ALONE = frozenset((
    "-shaderobj", "-compute", "-slang", "-hlsl", "-vk", "-vulkan", "-dx11", "-dx12", "-d3d11", "-d3d12", "-cpu",
    "-cuda", "-mtl", "-metal", "-llvm", "-wgpu", "-wgsl", "-glsl", "-cpp", "-spirv", "-emit-spirv-directly",
    "-emit-spirv-via-glsl", "-g0", "-skip-spirv-validation", "-dx12-experimental", "-enable-debug-layers",
    "-cache-rhi-device", "-use-dxbc", "-show-adapter-info", "-no-default-entry-point",
))
WITH_VALUE = frozenset((
    "-profile", "-render-feature", "-render-features", "-capability", "-capabilities", "-nvapi-slot",
    "-source-language", "-o",
))
SHADERS = frozenset((
    "-graphics", "-gcompute", "-rt", "-mesh", "-task", "-compile-only", "-performance-profile", "-only-startup",
))
MEANINGLESS = (
    "-O", "-g", "-W", "-experimental-feature", "-emit-spirv", "-line-directive", "-obfuscate", "-v",
    "-skip-spirv-validation", "-serial-ir", "-incomplete-library",
)
FLAGS_WITH_VALUE = frozenset((
    "-std", "-lang", "-warnings-as-errors",
    "-capability", "-profile", "-line-directive-mode", "-source-embed-style", "-warnings-disable",
))
BUFFER_LAYOUTS = {"-fvk-use-dx-layout": "dx", "-fvk-use-gl-layout": "gl", "-fvk-use-scalar-layout": "scalar"}
# fmt: on


class Malformed(Exception):
    """A test that says what this runner doesn't know; the message says what."""


@final
class Arguments:
    """`compiler` has all words for the compiler; `others` those that neither define, include nor are meaningless."""

    __slots__ = (
        "entry", "groups", "typed", "wave_size", "allow_glsl", "compiler", "defines", "includes", "buffer_layout",
        "matrix_layout", "bit_fields", "year", "libraries", "others",
    )  # fmt: skip

    def __init__(self) -> None:
        self.entry = "computeMain"
        self.groups = (1, 1, 1)
        self.typed = False
        self.wave_size = 0
        self.allow_glsl = False
        self.compiler: list[str] = []
        self.defines: list[str] = []
        self.includes: list[str] = []
        self.buffer_layout = "std"
        self.matrix_layout = ""
        self.bit_fields = ""
        self.year = 2025
        self.libraries: list[str] = []
        self.others: list[str] = []


def read_arguments(words: list[str], folder: str) -> Arguments:
    """`folder` is what $dirname stands for. Raises Malformed."""
    found = Arguments()
    rest = [word.replace("$dirname", folder).replace('"', "") for word in words]
    while rest:
        word = rest.pop(0)
        if word in ("-xslang", "-Xslang", "-compile-arg"):
            found.compiler.append(_next(word, rest))
        elif word.endswith("...") and word.startswith("-X"):
            inner = _until_end(rest)
            found.compiler.extend(inner if word == "-Xslang..." else [])
        elif word.startswith("-X") or word in WITH_VALUE:
            _next(word, rest)
        elif word == "-entry":
            found.entry = _next(word, rest)
        elif word in ("-compute-dispatch", "-dispatch"):
            found.groups = _three(_next(word, rest))
        elif word in ("-wave-size", "-subgroup-size"):
            found.wave_size = int(_next(word, rest))
        elif word == "-output-using-type":
            found.typed = True
        elif word == "-allow-glsl":
            found.allow_glsl = True
        elif word in SHADERS:
            raise Malformed(f"test option {word}")
        elif word.startswith(("-D", "-I")):
            found.compiler.append(word)
        elif word not in ALONE:
            raise Malformed(f"test option {word}")
    _sort(found)
    return found


def _sort(found: Arguments) -> None:
    words = list(found.compiler)
    while words:
        word = words.pop(0)
        if word.startswith("-D"):
            found.defines.append(word[2:] or _next(word, words))
        elif word.startswith("-I"):
            found.includes.append(word[2:] or _next(word, words))
        elif word == "-allow-glsl":
            found.allow_glsl = True
        elif word in BUFFER_LAYOUTS:
            found.buffer_layout = BUFFER_LAYOUTS[word]
        elif word in ("-matrix-layout-row-major", "-matrix-layout-column-major"):
            found.matrix_layout = word.removeprefix("-matrix-layout-")
        elif word == "-msvc-style-bitfield-packing":
            found.bit_fields = "msvc"
        elif word in FLAGS_WITH_VALUE:
            value = _next(word, words)
            if word == "-std" and value.isdecimal():
                found.year = int(value)
            elif word == "-std" or (word == "-lang" and value != "slang"):
                found.others.append(f"{word} {value}")
        elif word == "-r":
            found.libraries.append(_next(word, words))
        elif not word.startswith(MEANINGLESS) and not (found.others and not word.startswith("-")):
            found.others.append(word)


def _next(option: str, rest: list[str]) -> str:
    if not rest:
        raise Malformed(f"test option {option} without its value")
    return rest.pop(0)


def _until_end(rest: list[str]) -> list[str]:
    inner: list[str] = []
    while rest:
        word = rest.pop(0)
        if word == "-X.":
            break
        inner.append(word)
    return inner


def _three(text: str) -> tuple[int, int, int]:
    parts = text.split(",")
    if len(parts) != 3 or not all(part.isdigit() and int(part) > 0 for part in parts):
        raise Malformed(f"dispatch size {text!r}")
    return int(parts[0]), int(parts[1]), int(parts[2])
