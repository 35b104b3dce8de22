"""Report formats, each against the format's own definition."""

import json
import sys

import pytest
from kit.oracles.sarif import sarif_faults

from reknit.source.diagnostic import NOTE, WARNING, Diagnostic, InternalError, Note
from reknit.source.place import Place
from reknit.source.report import FORMATS, report

TEXT = Diagnostic(
    "RK0201", "no such id, or none: %m", Place("a.spvasm", 4, 3, 2), notes=[Note("seen here", Place("a.spvasm", 2, 1))]
)
BINARY = Diagnostic("RK0101", "cut short", Place("b.spv", word=12), WARNING, help="100% of it")
NOWHERE = Diagnostic("RK0001", "nothing to do", severity=NOTE)
ALL = [TEXT, BINARY, NOWHERE]


def test_json_has_the_documented_shape() -> None:
    assert json.loads(report(ALL, "json", {})) == [
        {
            "code": "RK0201",
            "severity": "error",
            "message": "no such id, or none: %m",
            "file": "a.spvasm",
            "line": 4,
            "column": 3,
            "notes": [{"message": "seen here", "file": "a.spvasm", "line": 2, "column": 1}],
        },
        {
            "code": "RK0101",
            "severity": "warning",
            "message": "cut short",
            "file": "b.spv",
            "line": 0,
            "column": 0,
            "word": 12,
            "notes": [],
            "help": "100% of it",
        },
        {
            "code": "RK0001",
            "severity": "note",
            "message": "nothing to do",
            "file": "",
            "line": 0,
            "column": 0,
            "notes": [],
        },
    ]
    assert report([], "json", {}) == "[]\n"


def test_sarif_is_complete() -> None:
    """SARIF 2.1.0: 3.19.13 version, 3.19.17 informationUri, 3.49.12 help of a rule, 3.14.17 columnKind, 3.27.17
    partialFingerprints."""
    moved = Diagnostic("RK0201", "no such id, or none: %m", Place("a.spvasm", 5, 1))
    lines = {"a.spvasm": ["", "", "", "  %m", "%m"]}
    (run,) = json.loads(report([*ALL, moved], "sarif", lines))["runs"]
    driver = run["tool"]["driver"]
    assert (driver["version"], driver["informationUri"][:8]) == ("0.1.0", "https://")
    assert run["columnKind"] == "unicodeCodePoints"
    for rule in driver["rules"]:
        assert rule["help"]["text"] and rule["help"]["markdown"] and rule["fullDescription"]["text"]
        assert rule["helpUri"].startswith(driver["informationUri"])
    marks = [result["partialFingerprints"]["reknit/v1"] for result in run["results"]]
    assert len(set(marks)) == 4  # the second of two lines that are alike is another
    (alone,) = json.loads(report([moved], "sarif", lines))["runs"][0]["results"]
    assert alone["partialFingerprints"]["reknit/v1"] == marks[0]  # which it is where the first is gone


def test_concise_is_a_line_each() -> None:
    assert report(ALL, "concise", {}) == (
        "a.spvasm:4:3: error[RK0201]: no such id, or none: %m\n"
        "b.spv:word 12: warning[RK0101]: cut short\n"
        "note[RK0001]: nothing to do\n"
    )


def test_a_line_without_a_column_is_a_region_of_its_line() -> None:
    said = [Diagnostic("RK0001", "m", Place("a.comp", 7, 0))]
    assert report(said, "concise", {}) == "a.comp:7: error[RK0001]: m\n"
    located = json.loads(report(said, "sarif", {}))["runs"][0]["results"][0]["locations"][0]
    assert located["physicalLocation"]["region"] == {"startLine": 7}


def test_github_escapes_as_its_workflow_commands_ask() -> None:
    # In a value % \r \n are escaped, in a property : and , too (GitHub, "Workflow commands for GitHub Actions").
    lines = report([*ALL, Diagnostic("RK0002", "m", Place("odd,na:me", 1, 1))], "github", {}).splitlines()
    assert lines == [
        "::error file=a.spvasm,line=4,col=3,title=RK0201::no such id, or none: %25m%0Anote: seen here",
        "::warning file=b.spv,title=RK0101::cut short (word 12)%0Ahelp: 100%25 of it",
        "::notice title=RK0001::nothing to do",
        "::error file=odd%2Cna%3Ame,line=1,col=1,title=RK0002::m",
    ]


def test_sarif_names_files_by_uri() -> None:
    """A URI reference has no space and no angle bracket (RFC 3986, 2.2; SARIF 2.1.0, 3.4.3)."""
    log = json.loads(report([Diagnostic("RK0001", "m", Place("my shaders/<a>.spv"))], "sarif", {}))
    location = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "my%20shaders/%3Ca%3E.spv"


@pytest.mark.skipif(sys.platform == "win32", reason="where these names are absolute")
@pytest.mark.parametrize(
    ("file", "uri"),
    [("/a b/x.comp", "file:///a%20b/x.comp"), ("//host/x.comp", "file:////host/x.comp"), ("../x.comp", "../x.comp")],
)
def test_absolute_names_have_a_scheme_in_sarif(file: str, uri: str) -> None:
    """`//host/x.comp` alone is a reference to a machine (RFC 3986, 4.2), and /x one that is relative to a root."""
    log = json.loads(report([Diagnostic("RK0001", "m", Place(file))], "sarif", {}))
    location = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == uri


def test_a_file_without_a_name_is_no_location() -> None:
    """As a module that was made in Python has none."""
    unnamed = Diagnostic("RK0001", "m", Place("", 3, 1), notes=[Note("n", Place("", 4, 1))])
    (result,) = json.loads(report([unnamed], "sarif", {}))["runs"][0]["results"]
    assert "locations" not in result and "relatedLocations" not in result


def test_sarif_says_what_sarif_2_1_0_requires() -> None:
    log = json.loads(report(ALL, "sarif", {}))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == ["RK0001", "RK0101", "RK0201"]
    assert [result["ruleId"] for result in run["results"]] == ["RK0201", "RK0101", "RK0001"]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])  # 3.27.6
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note"]  # 3.27.10
    first, second, third = run["results"]
    # 3.30.8: endColumn is one past the last column
    region = first["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 4, "startColumn": 3, "endColumn": 5}
    assert first["relatedLocations"][0]["message"]["text"] == "seen here"
    assert second["locations"][0]["physicalLocation"]["region"] == {"byteOffset": 48, "byteLength": 4}  # word 12
    assert "locations" not in third


ODD = Diagnostic("RK9999", "a code without a page", Place("odd na\udcffme\n<>.spv"), severity=NOTE)
LINE = Diagnostic("RK0001", "", Place("a.comp", 7), notes=[Note("a note that is nowhere")])


@pytest.mark.parametrize("diagnostics", [[], ALL, [ODD, LINE], [LINE] * 3], ids=len)
def test_sarif_keeps_the_schema_of_oasis(diagnostics: list[Diagnostic]) -> None:
    assert sarif_faults(report(diagnostics, "sarif", {})) == []


def test_the_schema_has_what_it_requires() -> None:
    """SARIF 2.1.0, 3.27.11: a result has a message; 3.30.5: lines count from 1; 3.19.8: a driver has a name."""
    log = json.loads(report([TEXT], "sarif", {}))
    (run,) = log["runs"]
    del run["results"][0]["message"]
    run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    del run["tool"]["driver"]["name"]
    paths = sorted(fault.partition(":")[0] for fault in sarif_faults(json.dumps(log)))
    assert paths == [
        "runs/0/results/0",
        "runs/0/results/0/locations/0/physicalLocation/region/startLine",
        "runs/0/tool/driver",
    ]


def test_full_quotes_the_source() -> None:
    assert "4 |   OpNop" in report([TEXT], "full", {"a.spvasm": ["", "", "", "  OpNop"]})


def test_every_format_says_nothing_wrong_of_nothing() -> None:
    assert [report([], form, {}) for form in ("full", "concise", "github")] == ["", "", ""]
    assert json.loads(report([], "sarif", {}))["runs"][0]["results"] == []


def test_an_unknown_format_is_our_fault() -> None:
    assert "xml" not in FORMATS
    with pytest.raises(InternalError, match="xml"):
        report([], "xml", {})
