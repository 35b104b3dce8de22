"""The time that a process takes to answer counts as processor time of who asks."""

import pytest

from reknit.source.limits import LimitExceeded, Limits
from reknit.source.resident import Died, Resident

BUSY = """
from time import process_time
from reknit.source.answering import serve

def answer(kind, data):
    end = process_time() + float(data)
    while process_time() < end:
        pass
    return b"k", data

serve(answer)
"""


def test_its_processor_time_counts() -> None:
    busy = Resident(BUSY)
    with pytest.raises(LimitExceeded) as raised, Limits(processor=0.5):
        for _ in range(100):
            assert busy.ask(b"x", b"0.05") == (b"k", b"0.05")
    assert raised.value.limit == "processor"
    with pytest.raises((LimitExceeded, Died)), Limits(processor=0.5):
        busy.ask(b"x", b"60")  # it is ended meanwhile
    assert busy.ask(b"x", b"0") == (b"k", b"0") and busy.starts > 1
    busy.close()
