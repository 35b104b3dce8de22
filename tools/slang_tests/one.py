"""One test, in a process of its own: what to run as JSON on standard input, what became of it on standard output.

{"path": ..., "folder": ..., "engine": "slangc", "subgroup_size": 32, "memory": MiB}
  ->  {"status": "pass" | "fail" | "unsupported", "reason": ..., "detail": ...}
"""

import json
import resource
import sys
from pathlib import Path

from slang_tests.arguments import Malformed, read_arguments
from slang_tests.directives import chosen, read_directives, read_source
from slang_tests.engine import ENGINES, Engine, Failed, Job, Unsupported, run_job
from slang_tests.expected import difference
from slang_tests.filecheck import Broken
from slang_tests.inputs import read_inputs

PASS, FAIL, UNSUPPORTED = "pass", "fail", "unsupported"


def outcome(path: Path, folder: Path, engine: Engine, subgroup_size: int) -> tuple[str, str, str]:
    """(status, reason, detail) of a file that has a compute test with expected values."""
    source = read_source(path)
    directive = chosen(read_directives(source))
    assert directive is not None
    try:
        arguments = read_arguments(directive.arguments, str(path.parent))
        job = Job(path, folder, source, arguments, read_inputs(source))
        lines, said = run_job(engine, job, subgroup_size)
        wrong = difference(path, source, directive, lines)
    except Malformed as reason:
        return UNSUPPORTED, str(reason), ""
    except Broken as reason:
        return UNSUPPORTED, "check that can't be read", str(reason)
    except Unsupported as reason:
        return UNSUPPORTED, reason.feature, reason.detail
    except Failed as reason:
        return FAIL, "run time", str(reason)
    if wrong is None:
        return PASS, "", ""
    what = "other values"
    if directive.other_device():
        what += f" than {directive.other_device()} gives"
    if said:
        what += f", undefined by {', '.join(sorted({found.code for found in said}))}"
    return FAIL, what, "\n".join([wrong, *lines[:200], *map(str, said[:20])])


def main() -> int:
    asked = json.load(sys.stdin)
    limit = asked["memory"] << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    engine = ENGINES[asked["engine"]]()
    status, reason, detail = outcome(Path(asked["path"]), Path(asked["folder"]), engine, asked["subgroup_size"])
    print(json.dumps({"status": status, "reason": reason, "detail": detail}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
