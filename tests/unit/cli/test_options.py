"""What is read without argparse is what argparse reads, for every command; what it would refuse is left to it."""

import random
from pathlib import Path

import pytest

import reknit
from reknit.cli.commands import COMMANDS, command
from reknit.cli.main import main
from reknit.cli.options import Namespace, Options

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "fallthrough.spvasm"

WORDS = ("a.spv", "b.slang", "-", "", "--", "7", "-3", "0.5", "x=1,2", "auto", "json", "rk", "svg", "--nonsense", "-z")


def argparse_reads(options: Options, words: list[str]) -> dict[str, object] | None:
    try:
        return vars(options.full().parse_args(words, Namespace()))
    except SystemExit:
        return None


def lines(options: Options, draw: random.Random) -> list[str]:
    """A command line of what the command has and what it hasn't: files first, last or in between."""
    words = ["a.spv"] * draw.randrange(3)
    for _ in range(draw.randrange(5)):
        argument = draw.choice(options.arguments)
        name = draw.choice(argument.names)
        value = draw.choice([*WORDS, *map(str, argument.settings.get("choices") or ())])
        forms = [[value], [name, value], [f"{name}={value}"], [name]] if name.startswith("-") else [[value]]
        words += draw.choice(forms)
    return words


@pytest.mark.parametrize("name", COMMANDS)
def test_it_is_what_argparse_reads(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    draw = random.Random(name)
    options = command(name).parser()
    for _ in range(150):
        words = lines(options, draw)
        plain = options.plain(words)
        if plain is not None:
            assert vars(plain) == argparse_reads(options, words), words
    capsys.readouterr()


@pytest.mark.parametrize(
    "line",
    [
        "check a.spv b.spv --format json",
        "check a.spv --json -j 2 --exclude x --exclude y",
        "lint a.spv --target base",
        "show a.spv -o a.svg",
        "compile a.slang -o b.spv --quiet -D X=1 -I .",
        "compile a.spv -o -",
        "opt a.spv -p simplify-cfg",
        "run a.spv --subgroup-size 8 --set kinds=0,1 --set x=2",
        "prove a.spv b.spv --json",
        "structurize a.ll -o b.spv",
    ],
)
def test_what_people_type_is_read_without_argparse(line: str) -> None:
    name, *words = line.split()
    options = command(name).parser()
    plain = options.plain(words)
    assert plain is not None
    assert vars(plain) == argparse_reads(options, words)


@pytest.mark.parametrize(
    "line",
    [
        "check",
        "check --help",
        "check a.spv -o b.spv",
        "check a.spv --format xml",
        "check a.spv --jobs two",
        "check a.spv --config a.toml --no-config",
        "check a.spv --json b.spv",
        "check -- a.spv",
        "check a.spv -j",
        "check a.spv --exclude --json",
        "check a.spv --no-cache",
        "show a.spv b.spv",
        "show a.spv --tree --cfg",
        "show a.spv --uniformity",
        "compile a.spv --list-passes",
        "compile a.spv --json=yes",
    ],
)
def test_what_is_not_surely_the_same_is_left_to_it(line: str) -> None:
    name, *words = line.split()
    assert command(name).parser().plain(words) is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("show --uniformity a.spv", "put --uniformity behind FILE"),
        ("generate x --to glsl -p dce", "-p is for modules"),
        ("generate x --statements 999999999", "a number up to 10000"),
        ("generate x --count 1000000000000", "--count is 1 to 100000"),
        ("opt a.spv --bisect-if=", "the command is empty"),
        ("reduce a.spv --if= -o x.rk", "the command is empty"),
        ("compile a.spv -o x.slang", "'.slang' is the ending of what is read; it is not written"),
        ("compile a.spv -o x.zip", "nothing is known of the ending '.zip'"),
    ],
)
def test_what_is_wrong_with_an_option_is_said(
    line: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.spv").write_bytes(reknit.to_bytes(reknit.load(EXAMPLE)))
    assert main(line.split()) == 2
    assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("subgroups", "said"),
    [
        ("", "subgroups '': it names no subgroup: each is written in braces, such as {0 1 2} {3-5}"),
        ("0 1", "subgroups '0 1': each subgroup is written in braces, such as {0 1 2} {3-5}"),
        ("{0 1}", "subgroups '{0 1}': each of the invocations 0 to 3 must be in it once"),
        ("{0-3} | {0-3}", "it is of 2 workgroups, and there are 1"),
    ],
)
def test_subgroups_that_cannot_be_are_the_fault_of_the_command_line(
    subgroups: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.spv").write_bytes(reknit.to_bytes(reknit.load(EXAMPLE)))
    for name in ("run", "trace"):
        assert main([name, "a.spv", "--subgroup-size", "4", "--subgroups", subgroups]) == 2
        assert said in " ".join(capsys.readouterr().err.split())
