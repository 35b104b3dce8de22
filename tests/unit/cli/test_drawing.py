"""The options that say what a fragment shader draws, and what is shown of it."""

import json
from pathlib import Path

import pytest
from kit import ROOT

from reknit.cli.main import main

SLOPE = str(ROOT / "examples" / "slope.rk")
INPUT = ["--input", "uv=0,0:4,0:0,4", "--subgroup-size", "4"]
SCENE = {
    "size": [2, 2],
    "quads": [{"covered": [1, 1, 0, 1], "inputs": {"0": [[1, 0], [4, 0], [3, 0], [4, 0]]}}],
}


def test_a_triangle_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    """(0, 0) (3, 0) (0, 3): the centers of three pixels are inside; %x is x + 1/2 times 4/3 there."""
    assert main(["run", SLOPE, "--primitive", "0,0:3,0:0,3", "--size", "2x2", *INPUT]) == 0
    out = capsys.readouterr().out
    assert "color: f32, location 0, 2 x 2\n  (0, 0) | 1.333333 1.333333\n  (0, 1) | 1.333333        .\n" in out


def test_a_scene_is_read_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of x = 1 4 3 4 only lane 0 takes the branch: its derivative is undefined, reported, and 0."""
    scene = tmp_path / "scene.json"
    scene.write_text(json.dumps(SCENE))
    assert main(["run", SLOPE, "--scene", str(scene), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [found["code"] for found in result["diagnostics"]] == ["RK1015"]
    framebuffer = result["framebuffer"]
    assert framebuffer["size"] == [2, 2] and [each["end"] for each in framebuffer["fragments"]] == [
        "written",
        "written",
        "helper",
        "written",
    ]
    assert framebuffer["outputs"] == [
        {
            "location": 0,
            "index": 0,
            "name": "color",
            "type": "f32",
            "pixels": [
                {"at": [0, 0], "value": [0.0], "undefined": [0]},
                {"at": [1, 0], "value": [4.0]},
                {"at": [1, 1], "value": [4.0]},
            ],
        }
    ]


def test_outcomes_and_traces_take_a_drawing(capsys: pytest.CaptureFixture[str]) -> None:
    drawn = ["--primitive", "full", "--size", "2x2", *INPUT]
    assert main(["outcomes", SLOPE, *drawn, "--rules", "maximal"]) == 0
    assert "1 outcome, up to: how precisely an input is interpolated" in (out := capsys.readouterr().out)
    assert "(0, 1) | 1 1\n" in out
    assert main(["trace", SLOPE, *drawn]) == 0
    assert "0123" in capsys.readouterr().out
    assert main(["run", SLOPE, *drawn, "--engine", "jit"]) == 0
    assert "RK1030" in capsys.readouterr().err


def test_a_run_says_in_json_what_it_chose(capsys: pytest.CaptureFixture[str]) -> None:
    """SPIR-V 1.6, OpDPdx: "Same result as either OpDPdxFine or OpDPdxCoarse on P." Nothing was out of bounds."""
    assert main(["run", SLOPE, "--primitive", "full", "--size", "2x2", *INPUT, "--json"]) == 0
    names = [each["freedom"] for each in json.loads(capsys.readouterr().out)["left_open"]]
    assert "derivative-kind" in names and "interpolation" in names and "outside" not in names


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--primitive", "full", "--scene", "a.json"], "--primitive is not for --scene a.json"),
        (["--size", "4x4"], "--size is about a drawing, and there is none"),
        (["--primitive", "full", "--size", "4"], "--size 4: it is WxH"),
        (["--primitive", "0,0:a,0:0,1"], "--primitive 0,0:a,0:0,1: 'a' is not a number"),
        (["--primitive", "full", "--input", "0"], "--input 0: it is LOCATION=V:V:V"),
        (["--primitive", "0,0:1,1"], "a line can't be drawn"),
        (["--primitive", "full"], "the drawing does not have input uv (location 0)"),
        (["--primitive", "full", "--samples", "3"], "3 samples a pixel"),
        (["--scene", "absent.json"], "the file can't be read"),
        ([], "is a fragment shader, which needs a drawing to run"),
    ],
)
def test_what_can_not_be_drawn_is_named(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", SLOPE, *options]) != 0
    assert message in capsys.readouterr().err
