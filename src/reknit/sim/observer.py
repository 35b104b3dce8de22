"""What a machine reports of its lanes, and to which observer.

    machine ──entered, parted, pushed, joined──▶ Watcher: `sim.guarantees` keeps count of what SPIR-V promises
"""

from mypy_extensions import mypyc_attr

from reknit.sim.frames import Frame, Tangle


@mypyc_attr(allow_interpreted_subclasses=True)
class Watcher:
    """Notified of what splits and joins lanes; a machine that has none does nothing for it. See `sim.guarantees`."""

    __slots__ = ()

    def start(self) -> None:
        """A workgroup begins."""

    def entered(self, tangle: Tangle) -> None:
        """A tangle begins a code block."""

    def parted(self, lanes: list[int], keys: list[int] | None) -> None:
        """`lanes` take a path of their own, or one for each different key."""

    def pushed(self, frame: Frame, lanes: list[int]) -> None:
        """`lanes` enter a frame."""

    def joined(self, frame: Frame, lanes: list[int]) -> None:
        """`lanes` have all arrived."""
