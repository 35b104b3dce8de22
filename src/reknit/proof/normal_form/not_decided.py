"""That something has no normal form."""

from reknit.ir.value import Value


class NotDecided(Exception):
    """Something has no normal form: what, and where."""

    def __init__(self, reason: str, place: Value | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place
