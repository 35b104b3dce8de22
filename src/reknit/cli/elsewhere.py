"""Which of several inputs a finding is of, where it stands in another file: one that is included, or a binary's source.

    warning[RK3008]: OpImageSampleImplicitLod takes a derivative ...
      --> shaders/common.glsl:59
    note: found in what shaders/blur.frag is made of
"""

import os

from reknit.source.diagnostic import Diagnostic, Note


def of_input(diagnostics: list[Diagnostic], name: str) -> list[Diagnostic]:
    """With a note at those that stand elsewhere than in the input `name`."""
    for diagnostic in diagnostics:
        place = diagnostic.place
        if place is not None and os.path.normpath(place.file) != os.path.normpath(name):
            diagnostic.notes.append(Note(f"found in what {name} is made of"))
    return diagnostics
