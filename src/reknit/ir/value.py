"""Anything with a name that something else can refer to.

    Value ─ Instr          an instruction is its own value
          ├ Function
          ├ Case           one body of a switch
          └ Node ─ Block   what stands in a region
                 └ Construct ─ If, Loop, Switch, Scope
"""

from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from reknit.ir.function import Function
    from reknit.ir.tree import Region


FEW: Final = 8
"""As many uses are kept as a list; more as a dictionary, where each is found at once."""


class Value:
    """Base of all that has an identity in a module.

    `name` is what the source called it ("" if nothing). `id` is the SPIR-V id it was read with, or 0; it is kept
    when the module is written. Result types, names and decorations are not uses.
    """

    __slots__ = ("name", "id", "_uses")

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.id = 0
        # Most values have one use or none. A list repeats a user by the times that it uses this; none of them is empty.
        self._uses: Value | list[Value] | dict[Value, int] | None = None

    def __repr__(self) -> str:
        """The .rk text, shortened; `str` is the whole."""
        from reknit.ir.text.excerpt import excerpt

        return excerpt(self)

    def __str__(self) -> str:
        from reknit.ir.text.excerpt import part_lines

        return "\n".join(part_lines(self))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a part of a module is not copied or pickled alone: copy the module, or use reknit.ir.clone")

    @property
    def users(self) -> "dict[Value, int]":
        """Each user (an `Instr` with this among its operands, or an `If` or `Switch` that branches on it), in the order
        of their first use, and how often it uses this. To be read as long as nothing is edited: it may be made for the
        occasion or be what edits change."""
        uses = self._uses
        if uses is None:
            return {}
        if isinstance(uses, dict):
            return uses
        if isinstance(uses, list):
            counts: dict[Value, int] = {}
            for user in uses:
                counts[user] = counts.get(user, 0) + 1
            return counts
        return {uses: 1}

    def user_list(self) -> "list[Value]":
        """The users, each once, in a list of its own: they may be edited."""
        uses = self._uses
        if uses is None:
            return []
        if isinstance(uses, (dict, list)):
            return list(self.users)
        return [uses]

    def use_list(self) -> "list[Value]":
        """The users, one that uses this twice perhaps twice. To be read as long as nothing is edited."""
        uses = self._uses
        if uses is None:
            return []
        if isinstance(uses, dict):
            return list(uses)
        return uses if isinstance(uses, list) else [uses]

    def is_used(self) -> bool:
        return self._uses is not None

    def add_user(self, user: "Value") -> None:
        uses = self._uses
        if uses is None:
            self._uses = user
        elif isinstance(uses, dict):
            uses[user] = uses.get(user, 0) + 1
        elif not isinstance(uses, list):
            self._uses = [uses, user]
        elif len(uses) < FEW:
            uses.append(user)
        else:
            counts = self.users
            counts[user] = counts.get(user, 0) + 1
            self._uses = counts

    def drop_user(self, user: "Value") -> None:
        """`user` uses this once less. KeyError for what doesn't use it."""
        uses = self._uses
        if uses is user:
            self._uses = None
        elif isinstance(uses, list):
            at = len(uses) - 1
            while at >= 0 and uses[at] is not user:
                at -= 1
            if at < 0:
                raise KeyError(user)
            del uses[at]
            if len(uses) == 1:
                self._uses = uses[0]
        elif isinstance(uses, dict):
            count = uses[user]
            if count > 1:
                uses[user] = count - 1
            else:
                del uses[user]
                if not uses:
                    self._uses = None
        else:
            raise KeyError(user)


class Node(Value):
    """What stands in a region: a block or a construct, linked to its neighbours.

    `function` is the one whose edits are counted when this is edited: where it stands or stood last, None for a new
    node. `ir.edit` keeps it.
    """

    __slots__ = ("region", "prev", "next", "function")

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self.region: Region | None = None
        self.prev: Node | None = None
        self.next: Node | None = None
        self.function: Function | None = None
