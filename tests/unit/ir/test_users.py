"""What a value knows of its users: as a dictionary would that is edited with each use, however many there are."""

import random

import pytest

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.value import FEW


@pytest.mark.parametrize("most", [1, 2, FEW, 3 * FEW])
def test_users_are_those_of_a_dictionary(most: int) -> None:
    rng = random.Random(most)
    value = Instr(op.Undef, None, [])
    users = [Instr(op.Nop, None, [], "", False) for _ in range(most)]
    known: dict[object, int] = {}
    for _ in range(600):
        user = rng.choice(users)
        if rng.random() < (0.6 if len(known) < most else 0.3):
            value.add_user(user)
            known[user] = known.get(user, 0) + 1
        elif user in known:
            value.drop_user(user)
            known[user] -= 1
            if not known[user]:
                del known[user]
        else:
            with pytest.raises(KeyError):
                value.drop_user(user)
        assert list(value.users.items()) == list(known.items())
        assert value.is_used() == bool(known)
    for last, count in list(value.users.items()):
        for _ in range(count):
            value.drop_user(last)
    assert (value.users, value.is_used()) == ({}, False)
