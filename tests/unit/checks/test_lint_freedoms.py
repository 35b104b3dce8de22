"""Each finding of lint is about a row of the ledger of freedoms, and each row that lint reports has its codes."""

import re

from reknit.checks.lint.codes import CODES, OPEN, REPACKING
from reknit.checks.lint.descriptors import DESCRIPTORS
from reknit.ir.freedoms import FREEDOMS

KNOWN = {OPEN, REPACKING, DESCRIPTORS, *[code.code for code in CODES.values()]}


def test_rows_and_codes_name_each_other() -> None:
    treatments = [freedom.treatments["lint"] for freedom in FREEDOMS.values()]
    named = {code for each in treatments if each.word == "reported" for code in re.findall(r"RK\d{4}", each.text)}
    assert named == KNOWN
    assert all(re.search(r"RK\d{4}", each.text) for each in treatments if each.word == "reported")
