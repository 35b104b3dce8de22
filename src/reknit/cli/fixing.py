"""`lint --fix` and `--diff`: what has a safe fix is mended, each edit tried before it is written.

    findings of a file ──▶ edits (editor.fixes) ──▶ the file, or a difference ──▶ the findings that are left

What loses comments is written with --unsafe-fixes alone.
"""

import sys
from argparse import Namespace
from difflib import unified_diff
from typing import Final, final

from reknit.checks.lint.config import Config
from reknit.cli.input import settings_of
from reknit.cli.terminal import remark, tell
from reknit.editor.fixes import MODES, REWRITE, REWRITTEN, fixed_binary, fixes
from reknit.files.formats import ASSEMBLY, BINARY, GLSL, STANDARD, TEXT, read_format
from reknit.files.streams import read_bytes, write_bytes
from reknit.source.diagnostic import Diagnostic, InputError

TEXTS: Final = (ASSEMBLY, TEXT, GLSL)


@final
class Fixer:
    """`fixed` counts the files that were written, or would be."""

    def __init__(self, options: Namespace, config: Config) -> None:
        self.options = options
        self.config = config
        self.target: str | None = options.target or config.target or None
        self.fixed = 0

    def mend(self, path: str, diagnostics: list[Diagnostic]) -> bool:
        """Whether a file was written. Raises InputError (RK0007)."""
        codes = {each.code for each in diagnostics} & {*MODES, *REWRITTEN}
        if not codes or path == STANDARD:
            return False
        try:
            format = read_format(path, self.options.from_format)
            before = read_bytes(path)
        except InputError:  # a member of an archive; what can't be read is reported as such
            return False
        after, done = self._after(path, format, before, codes)
        if after == before:
            return False
        self.fixed += 1
        if self.options.diff:
            self._show(path, before, after)
            return False
        write_bytes(path, after)
        remark(f"fixed {path}: {', '.join(done)}\n")
        return True

    def _after(self, path: str, format: str | None, data: bytes, codes: set[str]) -> tuple[bytes, list[str]]:
        if format == BINARY:
            return fixed_binary(data, path, codes, self.target, self.config) or (data, [])
        if format not in TEXTS:
            return data, []
        text = data.decode("utf-8", "surrogateescape")
        done: list[str] = []
        settings = settings_of(self.options)
        for wanted in ({*MODES}, {*REWRITTEN}):
            for fix in fixes(text, path, format, codes & wanted, self.target, self.config, settings)[:1]:
                if fix.title == REWRITE and ";" in text and not self.options.unsafe_fixes:
                    remark(f"{path}: a rewrite of the switch would lose its comments; --unsafe-fixes does it\n")
                    continue
                text = fix.text
                done.append(fix.title)
        return text.encode("utf-8", "surrogateescape"), done

    def _show(self, path: str, before: bytes, after: bytes) -> None:
        if b"\0" in before:
            tell(f"Binary files {path} and {path} differ\n")
            return
        old, new = (data.decode("utf-8", "replace").splitlines(keepends=True) for data in (before, after))
        for line in unified_diff(old, new, path, path):
            tell(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
        sys.stdout.flush()
