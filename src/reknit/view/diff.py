"""Two texts, and what differs: a unified difference, as `diff -u` writes it."""

from difflib import unified_diff


def difference(before: str, after: str, before_name: str, after_name: str) -> str:
    """The difference, "" where there is none."""
    lines = unified_diff(before.splitlines(), after.splitlines(), before_name, after_name, lineterm="")
    return "".join(f"{line}\n" for line in lines)
