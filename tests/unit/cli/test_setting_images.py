"""`--set` of images and samplers."""

from pathlib import Path

import pytest

from reknit.cli.misuse import Misuse
from reknit.cli.running import buffers_of
from reknit.sim.images import Image, Sampler


def image(text: str) -> Image:
    found = buffers_of([f"tex={text}"])["tex"]
    assert isinstance(found, Image)
    return found


def test_size_format_and_numbers() -> None:
    given = image("2d:8x4:rgba8:1,-0.5,0x10,1e2")
    assert (given.size, given.format, given.texels) == ([8, 4], "rgba8", [1, -0.5, 16, 100.0])
    assert (given.levels, given.sampler) == (1, None)


def test_levels_sampler_and_file(tmp_path: Path) -> None:
    file = tmp_path / "texels:1.bin"
    file.write_bytes(b"\1\2\3\4")
    given = image(f"16:r8ui:levels=3:linear:repeat:@{file}")
    assert (given.size, given.levels, given.texels) == ([16], 3, b"\1\2\3\4")
    assert given.sampler is not None and (given.sampler.filter, given.sampler.address) == ("linear", "repeat")


@pytest.mark.parametrize("text", ["8x4:rgba8", "8x4:rgba8:zeros", "cube-array:8x8x2:zeros"])
def test_zeros(text: str) -> None:
    assert image(text).texels is None


@pytest.mark.parametrize(
    "text, filter, address, levels",
    [
        ("linear", "linear", "clamp", "nearest"),
        ("nearest:border", "nearest", "border", "nearest"),
        ("linear:mirror:linear-levels", "linear", "mirror", "linear"),
    ],
)
def test_samplers(text: str, filter: str, address: str, levels: str) -> None:
    found = buffers_of([f"s={text}"])["s"]
    assert isinstance(found, Sampler)
    assert (found.filter, found.address, found.levels) == (filter, address, levels)


def test_words_stay_words(tmp_path: Path) -> None:
    file = tmp_path / "a:b"
    file.write_bytes(b"\1\2\3\4")
    given = buffers_of(["a=1,0x10,1.5", "b=zeros:2", f"c=@{file}"])
    assert given.keys() == {"a", "b", "c"}
    assert given["a"] == [1, 16, 0x3FC00000] and list(given["b"]) == [0, 0] and given["c"] == b"\1\2\3\4"


@pytest.mark.parametrize("text", ["8x4:rgba8:1:2", "x4:rgba8:zeros", "8x4:rgba8:one", "2d:rgba8", "8x4:cubic:zeros"])
def test_what_is_no_image(text: str) -> None:
    with pytest.raises(Misuse, match="an image is SIZE:FORMAT:TEXELS"):
        image(text)
