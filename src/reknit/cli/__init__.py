"""The command line: `commands` names the subcommands, one file each, which is imported when its command is run. `main`
turns what goes wrong into messages and exit codes: 0 fine, 1 findings, 2 misuse or a fault of reknit's own. `parser` is
argparse's with help in two lengths and errors of one line; `shared_options` has the options of several commands.
"""
