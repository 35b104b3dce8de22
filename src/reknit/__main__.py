"""`python -m reknit` is the command `reknit`."""

from reknit.cli.main import program

if __name__ == "__main__":
    program()
