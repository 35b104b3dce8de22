"""What tests are made of, by room.

    programs    programs put together by hand, with what they store worked out beside them
    random      programs drawn from a seed
    oracles     who else says what is right: outside tools, drivers, other ways to compare
    text        documents, texts and trees that tests read and write
"""

from pathlib import Path
from typing import Final

TESTS: Final = Path(__file__).resolve().parent.parent
ROOT: Final = TESTS.parent
