"""The documents of this folder, a test for each section; `kit.text.pass_documents` says what they hold."""

import pytest
from kit.oracles.pass_document_runs import check
from kit.text.pass_documents import Section, documents, sections


@pytest.mark.parametrize("section", [section for path in documents() for section in sections(path)], ids=str)
def test_section(section: Section, full: bool) -> None:
    check(section, full)
