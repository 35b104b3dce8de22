"""What invocations leave beside memory, number by number, and how it is named."""

import pytest

from reknit.sim.left import Number, label, output_name, scalars
from reknit.sim.values import F16, F32, I32, U32, array, struct, vector


def test_numbers_as_text() -> None:
    """0x3f800000 is 1.0, 0x3dcccccd is 0.1 to 9 digits; floats of other widths are their bits."""
    assert [Number(F32, bits).text() for bits in (0x3F800000, 0x3DCCCCCD)] == ["1", "0.100000001"]
    assert Number(F16, 0x3C00).text() == "0x3c00" and Number(U32, 7).text() == "7" and Number(I32, 9).text() == "9"


@pytest.mark.parametrize(
    ("location", "index", "name"),
    [(0, 0, "location 0"), (3, 0, "location 3"), (0, 1, "location 0, index 1"), (-1, 0, "stencil reference")],
)
def test_names_of_outputs(location: int, index: int, name: str) -> None:
    assert output_name(location, index) == name


@pytest.mark.parametrize(
    ("where", "place", "text"),
    [
        ("location 0", (0, 0, 1, 0, 3), "location 0 at (1, 0): component 3"),
        ("location 0", (0, 2, 1, 2, 0), "location 0 at (1, 2), sample 2: component 0"),
        ("location 1", (4, 2, 1, 0, 1), "location 1 at (1, 2), layer 4: component 1"),
        ("depth", (0, 2, 1, 3, 0), "depth at (1, 2), sample 3"),
        ("position", (2, 3), "position of invocation 2: component 3"),
    ],
)
def test_labels(where: str, place: tuple[int, ...], text: str) -> None:
    assert label((where, place)) == text


def test_scalars_in_order() -> None:
    shape = struct([U32, vector(F32, 2), array(F16, 2)])
    assert list(scalars(shape, (1, (2, 3), (4, 5)))) == [(U32, 1), (F32, 2), (F32, 3), (F16, 4), (F16, 5)]
    assert list(scalars(U32, 6)) == [(U32, 6)]
