"""Completion scripts that shtab doesn't write: for fish and PowerShell.

    Offer("show", ..., options=[Word(["-o"], takes a file), ...])   ->   complete -c reknit -n ... -s o -r -F
"""

from typing import Final, final

OWN: Final = ("--help", "--help-all", "--version")
"""Options before a command."""


@final
class Word:
    """An option, by all its `names`, or an operand, which has none. `values` are those it can have; `kind` is "file",
    "folder" or ""."""

    def __init__(self, names: list[str], takes: bool, values: list[str], kind: str, what: str) -> None:
        self.names = names
        self.takes = takes
        self.values = values
        self.kind = kind
        self.what = what.partition(";")[0].replace("%%", "%")


@final
class Offer:
    """What can come after a command."""

    def __init__(self, name: str, what: str) -> None:
        self.name = name
        self.what = what
        self.options: list[Word] = []
        self.operands: list[Word] = []


# --- fish -------------------------------------------------------------------------------------------------------------


def fish(offers: list[Offer]) -> str:
    """A line an option; files are only offered where they can be."""
    first = "__fish_use_subcommand"
    lines = ["# reknit completion fish | source", "complete -c reknit -f"]
    lines += [f"complete -c reknit -n {first} -l {name[2:]}" for name in OWN]
    for offer in offers:
        lines.append(f"complete -c reknit -n {first} -a {offer.name} -d {_quoted(offer.what)}")
        here = f'"__fish_seen_subcommand_from {offer.name}"'
        for word in offer.options:
            names = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in word.names]
            values = _values(word) if word.takes else ""
            lines.append(f"complete -c reknit -n {here} {' '.join(names)}{values} -d {_quoted(word.what)}")
        for word in offer.operands:
            if word.values:
                lines.append(f"complete -c reknit -n {here} -a {_quoted(' '.join(word.values))}")
            elif word.kind:
                lines.append(f"complete -c reknit -n {here}{_values(word)[3:]}")
    return "\n".join(lines) + "\n"


def _values(word: Word) -> str:
    """` -r` is an option that takes something."""
    if word.values:
        return f" -r -f -a {_quoted(' '.join(word.values))}"
    if word.kind == "folder":
        return ' -r -f -a "(__fish_complete_directories)"'
    return " -r -F" if word.kind else " -r -f"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


# --- PowerShell -------------------------------------------------------------------------------------------------------

_SCRIPT: Final = r"""# reknit completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName reknit -ScriptBlock {
    param($word, $line, $cursor)
    $options = @{
%s
    }
    $values = @{
%s
    }
    $what = @{
%s
    }
    $said = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
    if ($word) { $said = @($said | Select-Object -SkipLast 1) }
    $command = if ($said.Count) { $said[0] } else { '' }
    $before = if ($said.Count -gt 1) { $said[-1] } else { '' }
    $found = if (-not $command) { $what.Keys | Sort-Object }
        elseif ($values.ContainsKey("$command $before")) { $values["$command $before"] }
        elseif ($word.StartsWith('-')) { $options[$command] }
        else { $values["$command "] }
    $found | Where-Object { $_ -like "$word*" } | ForEach-Object {
        $tip = if ($what.ContainsKey($_)) { $what[$_] } else { $_ }
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $tip)
    }
}
"""


def powershell(offers: list[Offer]) -> str:
    """Commands, options and values; for the rest PowerShell offers files itself."""
    options: list[str] = []
    values: list[str] = []
    for offer in offers:
        names = [name for word in offer.options for name in word.names]
        options.append(f"        {_single(offer.name)} = {_list(names)}")
        for word in offer.options:
            for name in word.names if word.values and word.takes else ():
                values.append(f"        {_single(f'{offer.name} {name}')} = {_list(word.values)}")
        operands = [value for word in offer.operands for value in word.values]
        if operands:
            values.append(f"        {_single(offer.name + ' ')} = {_list(operands)}")
    what = [f"        {_single(offer.name)} = {_single(offer.what)}" for offer in offers]
    return _SCRIPT % ("\n".join(options), "\n".join(values), "\n".join(what))


def _single(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _list(words: list[str]) -> str:
    return f"@({', '.join([_single(word) for word in words])})"
