"""Pipelines that the tests run besides those that there are."""

from typing import Final

from reknit.passes.pipelines import RECONVERGE

REWRITING: Final = ",".join(name for name in RECONVERGE if name != "if-needed")
"""`reconverge` on functions that don't need it, too: so each of its passes has something to do."""
