"""`python -m reknit` is the command `reknit`."""

import sys

from reknit.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
