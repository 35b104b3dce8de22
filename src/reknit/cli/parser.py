"""The parser of a subcommand, the same in all of them."""

from argparse import ArgumentParser


def new_parser(name: str, description: str) -> ArgumentParser:
    """A subcommand's parser. Options are never abbreviated: a script must not break when one is added."""
    return ArgumentParser(prog=f"reknit {name}", description=description, allow_abbrev=False)
