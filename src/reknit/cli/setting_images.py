"""What `--set` says of images and samplers.

    tex=8x4:rgba8:zeros              8 x 4 texels of zeros, which is what stands there without a third part too
    tex=2d:8x4:rgba8:@texels.bin     a file's bytes; the dimension may be named and is for the reader
    tex=8x4:rgba8:1,0,0,1            numbers, one a component; those of one texel alone are all texels'
    tex=8x4:rgba8:samples=4:...      with samples, those of a texel one after another
    tex=8x4:rgba32f:levels=3:...     with levels; of an image with its own sampler, `linear` and `repeat` as below
    s=linear:repeat                  a sampler's filter and addresses, `linear-levels` between levels
    s=linear:compare=less:bias=1     what references are compared by; bias, least and most of levels of detail
"""

import re
from typing import Any, Final

from reknit.cli.misuse import misuse
from reknit.files.streams import read_bytes
from reknit.sim.images import ADDRESSES, FILTERS, Image, Sampler
from reknit.source.digits import integer, is_signed_decimal, saturated

SIZE: Final = re.compile(r"[0-9]{1,9}(x[0-9]{1,9}){0,3}")
DIMENSION: Final = re.compile(r"(1d|2d|3d|cube|buffer)(-?array)?")
LEVELS: Final = re.compile("levels=[0-9]{1,2}")
SAMPLES: Final = re.compile("samples=[0-9]{1,2}")
FORMAT: Final = re.compile(r"[rgba]+[0-9]+[0-9a-z_]*")
SETTINGS: Final = ("compare", "bias", "least", "most")
SAMPLING: Final = (*FILTERS, *ADDRESSES, "linear-levels")


def image_or_sampler(name: str, value: str) -> Image | Sampler | None:
    """None for a buffer: words have no colon, and a file or zeros alone may be either."""
    if value.startswith(("@", "zeros:")):
        return None
    parts = _parts(value)
    if all(_is_sampling(part) for part in parts):
        return _sampler(parts)
    return _image(name, value, parts) if len(parts) > 1 else None


def _parts(value: str) -> list[str]:
    """Between colons, but for those in the name of a file."""
    before, at, file = value.partition(":@")
    return [*before.split(":"), f"@{file}"] if at else before.split(":")


def _image(name: str, value: str, parts: list[str]) -> Image:
    if DIMENSION.fullmatch(parts[0]):
        parts = parts[1:]
    if not SIZE.fullmatch(parts[0]):
        raise _wrong(name, value)
    image = Image([saturated(part) for part in parts[0].split("x")])
    sampling: list[str] = []
    for at, part in enumerate(parts[1:], 1):
        if _is_sampling(part):
            sampling.append(part)
        elif LEVELS.fullmatch(part):
            image.levels = saturated(part.removeprefix("levels="))
        elif SAMPLES.fullmatch(part):
            image.samples = saturated(part.removeprefix("samples="))
        elif FORMAT.fullmatch(part):
            image.format = part
        elif at == len(parts) - 1:
            image.texels = _texels(name, value, part)
        else:
            raise _wrong(name, value)
    image.sampler = _sampler(sampling) if sampling else None
    return image


def _is_sampling(part: str) -> bool:
    name, equals, _ = part.partition("=")
    return name in SETTINGS if equals else part in SAMPLING


def _sampler(words: list[str]) -> Sampler:
    filter = "linear" if "linear" in words else "nearest"
    address = next((word for word in words if word in ADDRESSES), "clamp")
    levels = "linear" if "linear-levels" in words else "nearest"
    settings = dict([word.split("=", 1) for word in words if "=" in word])
    compare = settings.pop("compare", "")
    numbers: dict[str, float] = {}
    for name, text in settings.items():
        from reknit.cli.numbers import float_of

        try:
            numbers[name] = float_of(text)
        except ValueError:
            raise misuse("RK0010", f"--set: a sampler's {name} is a number, and not {text!r}") from None
    return Sampler(filter, address, levels, compare, **numbers)


def _texels(name: str, value: str, text: str) -> Any:
    if text == "zeros":
        return None
    if text.startswith("@"):
        return read_bytes(text[1:])
    return [_number(name, value, part.strip()) for part in text.split(",")]


def _number(name: str, value: str, text: str) -> float:
    try:
        return integer(text) if is_signed_decimal(text) else integer(text, 0)
    except ValueError:
        from reknit.cli.numbers import float_of

        try:
            return float_of(text)
        except ValueError:
            raise _wrong(name, value) from None


def _wrong(name: str, value: str) -> Exception:
    return misuse(
        "RK0010", f"--set {name}={value}: an image is SIZE:FORMAT:TEXELS, such as 8x4:rgba8:zeros, :@file or :1,0,0,1"
    )
