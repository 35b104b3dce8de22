"""Options: each misuse is one line with a suggestion, help has two lengths, and a shared option has one text."""

import random
import re
from pathlib import Path

import pytest

import reknit
from reknit.cli.commands import COMMANDS, command
from reknit.cli.main import main
from reknit.cli.parser import EVERY, parser_of
from reknit.cli.shared_options import SHARED

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "fallthrough.spvasm"

OTHER_MEANING = {"--all", "--diff", "--on", "--report", "--rules", "--subgroup-size", "--to", "-o"}
"""Options that mean something else to one command: --rules of `generate` is what the programs declare."""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("run a.spv --subgroup-sizes 4", "unknown option '--subgroup-sizes': did you mean '--subgroup-size'?"),
        ("run a.spv --subgroup 4", "unknown option '--subgroup': did you mean '--subgroups'?"),
        ("run --jsn", "unknown option '--jsn': did you mean '--json'?"),  # that FILE is missing matters less
        ("run a.spv --part value", "unknown option '--part': did you mean '--partition'?"),
        ("run a.spv -subgroup-size 4", "unknown option '-subgroup-size': did you mean '--subgroup-size'?"),
        ("run a.spv --xyzzy", "unknown option '--xyzzy' (`reknit run --help-all` lists all options)"),
        ("run a.spv -z", "unknown option '-z' (`reknit run --help-all` lists all options)"),
        ("run", "the following arguments are required: FILE (usage: reknit run FILE [OPTIONS])"),
        ("run a.spv b.spv", "unexpected argument 'b.spv' (usage: reknit run FILE [OPTIONS])"),
        ("run a.spv --rules base --set", "--set: expected one argument"),
        ("run a.spv --set=--", "--set: the value is missing"),
        ("check a.spv -j--", "-j: the value is missing"),
        ("check a.spv --format jsn", "--format: unknown value 'jsn': did you mean 'json'?"),
        ("check a.spv --format x", "--format: unknown value 'x' (one of full, concise, json, sarif, github)"),
        ("check a.spv -j two", "-j/--jobs: 'two' is not a whole number"),
        ("check a.spv --max-seconds soon", "--max-seconds: 'soon' is not a number"),
        ("check a.spv --config a.toml --no-config", "--no-config: not allowed with argument --config"),
        ("check a.spv --json=yes", "--json: ignored explicit argument 'yes'"),
        ("batch chek a.spv", "RECIPE: unknown value 'chek': did you mean 'check'?"),
        ("chek a.spv", "unknown command 'chek': did you mean 'check'?"),
        ("xyzzy", "unknown command 'xyzzy' (`reknit -h` lists the commands)"),
        ("--versoin", "unknown option '--versoin': did you mean '--version'?"),
        ("opt a.spv --dump-dot a\0b", "an argument has a NUL character in it"),
        ("compile a.spv", "-o OUT is missing; `-o -` writes to standard output; `reknit opt` does by itself"),
    ],
)
def test_a_misuse_is_one_line(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", f"error[RK0010]: {said}\n")


def test_a_pipeline_and_a_file_that_is_missing_are_one_line_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", str(EXAMPLE), "-p", "simplify-if"]) == 2
    assert capsys.readouterr().err == "error[RK2001]: there is no pass 'simplify-if'; did you mean 'simplify-ifs'?\n"
    assert main(["opt", str(EXAMPLE), "--config", "missing.toml"]) == 2
    assert capsys.readouterr().err == "missing.toml: error[RK0001]: the file can't be read: no such file or directory\n"


@pytest.mark.parametrize("name", ["--max-nodes", "--color", "--rules", "--groups", "--nonsense"])
def test_what_is_long_is_not_printed_back(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(EXAMPLE), f"{name}={'1' * 5000}"]) == 2
    assert len(capsys.readouterr().err) < 300
    assert main(["run", str(EXAMPLE), f"--{'x' * 5000}"]) == 2
    assert len(capsys.readouterr().err) < 300
    assert main(["run", "1" * 5000]) == 1
    assert max(map(len, capsys.readouterr().err.splitlines())) < 300


@pytest.mark.parametrize("name", COMMANDS)
def test_misspelt_arguments_are_no_fault_of_reknits_own(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A draw of options with values that they may not take: misuse or a faulty input, and never RK0009."""
    if name in ("lsp", "doctor", "devices"):
        pytest.skip("takes no values but paths of libraries")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nonexistent")
    Path("a.rk").write_text(reknit.text(reknit.load(EXAMPLE)))
    operands = {
        "prove": ["a.rk", "a.rk"], "compile": ["a.rk", "-o", "b.spv"], "structurize": ["a.rk", "-o", "b.spv"],
        "reduce": ["a.rk", "--if", "false", "-o", "b.rk"], "batch": ["check", "a.rk"], "explain": ["RK0010"],
        "fuzz": ["--count", "1"], "generate": ["d", "--count", "1"], "trust": ["--list"], "completion": ["bash"],
    }.get(name, ["a.rk"])  # fmt: skip
    draw = random.Random(name)
    values = [
        "", "-1", "0", "x", "1e400", "nan", "\x1b[0m", "=", "a=", "=1", "kinds=1,,2", "kinds=@missing", "kinds=@a\0b",
        "--", "kinds=8x4:rgba8:zeros", "0,0:1", "1" * 5000, "a\0b", "/nonexistent/x", ".", "@", "random:", "{0",
        "a{b=c}", "%s",
    ]  # fmt: skip
    options = [action.option_strings[-1] for action in parser_of(name).actions() if action.option_strings]
    options = [option for option in options if option not in ("--help-all", "--help", "--step", "--if", "--bisect-if")]
    for _ in range(40):
        option = draw.choice(options)
        words = [name, *operands, f"{option}{'=' if option.startswith('--') else ''}{draw.choice(values)}"]
        assert main(words) in (0, 1, 2, 3), words
        said = capsys.readouterr().err
        assert "RK0009" not in said, (words, said)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_in_two_lengths(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """-h shows options that there are, at most a dozen or so, and two examples that can be parsed; --help-all shows
    every option."""
    monkeypatch.setenv("COLUMNS", "80")
    parser = parser_of(name)
    known = {word for action in parser.actions() for word in action.option_strings}
    assert main([name, "-h"]) == 0
    short = capsys.readouterr().out
    assert set(re.findall(r"^  (--?[\w-]+)", short, re.M)) <= known
    assert set(parser.basic) <= known
    assert len(parser.basic) <= 13
    assert EVERY not in short
    for example in parser.examples:
        assert example in short
        if f"reknit {name}" in example and "|" not in example and "<(" not in example:
            import shlex

            words = shlex.split(example[example.index("reknit") :])
            parser_of(name).parse_args(words[2:])
    assert main(["help", name]) == 0
    assert capsys.readouterr().out == short
    assert main([name, "--help-all"]) == 0
    whole = capsys.readouterr().out
    assert [word for word in known if not re.search(rf"(^|[ ,]){re.escape(word)}\b", whole, re.M)] == []
    assert all(len(line) <= 80 for line in whole.splitlines())


def test_a_shared_option_has_one_text() -> None:
    """Whatever command has it: but for a default at the end."""
    texts: dict[str, set[str]] = {}
    for name in COMMANDS:
        for action in command(name).parser().actions():
            for word in action.option_strings:
                text = re.sub(r" \(default.*|; graph.*| \(also.*", "", str(action.help), flags=re.S)
                texts.setdefault(word, set()).add(text)
    assert {word: said for word, said in texts.items() if len(said) > 1 and word not in OTHER_MEANING} == {}
    assert all(len(texts[word]) >= 1 for word in SHARED)


def test_the_page_has_every_shared_option() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "cli.md").read_text()
    section = page.partition("## Shared options")[2].partition("\n## ")[0]
    assert [word for word in SHARED if f"`{word}" not in section and f"{word}`" not in section] == []


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
