"""Which failures are equal: those whose gravest message is the same but for names and numbers.

RK0614 ... block %merge is not dominated by %header   ──▶   RK0614: ... block _ is not dominated by _
"""

import re
from typing import Final

from reknit.batching.reply import Reply
from reknit.batching.verdicts import BAD, CRASHED
from reknit.source.diagnostic import ERROR, WARNING

_NAMES: Final = re.compile(r"""(?<!\w)'[^']*'|\bb'[^']*'|"[^"]*"|[%@][\w.]+|\b0x[0-9a-fA-F]+\b|\b\d+(?:\.\d+)?\b""")
_FRAME: Final = re.compile(r'^\s*File ".*?(reknit/[^"]+|[^/"]+)", line (\d+)')
MAX_LENGTH: Final = 300


def group_of(reply: Reply) -> str:
    """ "" of an input with which nothing is wrong."""
    if reply.verdict not in BAD:
        return ""
    for severity in (ERROR, WARNING):
        for diagnostic in reply.diagnostics:
            if diagnostic.severity == severity:
                text = f"{diagnostic.code}: {plain(diagnostic.message)}"
                return f"{text}{_innermost(reply)}"[:MAX_LENGTH] if reply.verdict == CRASHED else text[:MAX_LENGTH]
    return reply.verdict


def plain(message: str) -> str:
    """Without what differs between two inputs."""
    return re.sub(r"_(?:, _)+", "_, ...", _NAMES.sub("_", message))


def _innermost(reply: Reply) -> str:
    """Where reknit's own fault was raised."""
    for line in reversed(reply.details.get("traceback", [])):
        match = _FRAME.match(line)
        if match is not None:
            return f" (at {match[1]}:{match[2]})"
    return ""
