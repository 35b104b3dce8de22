"""Anything with a name that something else can refer to.

    Value ─ Instr          an instruction is its own value
          ├ Function
          ├ Case           one body of a switch
          └ Node ─ Block   what stands in a region
                 └ Construct ─ If, Loop, Switch, Scope
"""

from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from reknit.ir.function import Function
    from reknit.ir.tree import Region


class Value:
    """Base of all that has an identity in a module.

    `name` is what the source called it ("" if nothing). `id` is the SPIR-V id it was read with, or 0; it is kept
    when the module is written. `users` counts, per user (an `Instr` with this among its operands, or an `If` or
    `Switch` that branches on it), how often it is used. Result types, names and decorations are not uses.
    """

    __slots__ = ("name", "id", "users")

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.id = 0
        self.users: dict[Value, int] = {}

    def __repr__(self) -> str:
        """The .rk text, shortened; `str` is the whole."""
        from reknit.ir.text.excerpt import excerpt

        return excerpt(self)

    def __str__(self) -> str:
        from reknit.ir.text.excerpt import part_lines

        return "\n".join(part_lines(self))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a part of a module is not copied or pickled alone: copy the module, or use reknit.ir.clone")

    def add_user(self, user: "Value") -> None:
        self.users[user] = self.users.get(user, 0) + 1

    def drop_user(self, user: "Value") -> None:
        count = self.users[user]
        if count == 1:
            del self.users[user]
        else:
            self.users[user] = count - 1


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
