"""How long the source files are: python3 tools/sizes.py

lines a folder, the median file, and every file past 400 lines: a sign of two concepts in one
"""

import statistics
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "reknit"
MANY = 400


def main() -> int:
    sizes = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in sorted(SOURCE.rglob("*.py"))}
    folders: dict[str, list[int]] = {}
    for file, lines in sizes.items():
        parts = file.relative_to(SOURCE).parts
        folders.setdefault(parts[0] if len(parts) > 1 else ".", []).append(lines)
    for folder, lines_of_files in folders.items():
        print(f"{sum(lines_of_files):7} lines in {len(lines_of_files):3} files of {folder}")
    full = [lines for lines in sizes.values() if lines > 1]
    print(f"{sum(full):7} lines in all; the median file has {statistics.median(full) if full else 0:.0f}")
    for file, lines in sorted(sizes.items(), key=lambda item: -item[1]):
        if lines > MANY:
            print(f"{lines:7} lines: {file.relative_to(SOURCE)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
