"""The virtual environment .venv with reknit installed in it, made or brought up to date.

    sources unchanged since the last time  ->  nothing to do
    else  python -m venv, pip install .[extras]: plain Python, which takes seconds, or a compiled core, which takes
          minutes, where there is a C compiler

Runs on the Python that is there, with the standard library only, and says what it does and how long it took.
"""

import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from compile_core import why_not

OLDEST = (3, 11)
ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "reknit-installed.json"


def python() -> Path:
    """The environment's interpreter."""
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def make() -> None:
    """Create the environment, without reknit in it, unless it is there."""
    if sys.version_info < OLDEST:
        raise SystemExit(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}")
    if python().exists():
        return
    say("making the virtual environment .venv")
    done = subprocess.run([sys.executable, "-m", "venv", str(VENV)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{done.stdout}{done.stderr}\npython3 -m venv fails (Debian has it in python3-venv)")


def install(extras: str = "", compiled: bool = True) -> None:
    """Install reknit, with an extra such as "test", unless what is installed was made from these very sources.

    A compiled core serves whoever asks for plain Python, too: the results are the same.
    """
    make()
    wanted = {"sources": _digest(), "python": sys.version}
    found = json.loads(STAMP.read_text()) if STAMP.exists() else {}
    if {key: found.get(key) for key in wanted} == wanted and found.get("compiled", False) >= compiled:
        if extras not in ("", found["extras"]):
            say("installing what the tests need")
            _pip(*_requirements(extras))
            STAMP.write_text(json.dumps({**found, "extras": extras}))
        say(f"reknit is installed and up to date: {describe()}")
        return
    reason = why_not() if compiled else None
    if not compiled:
        say("installing reknit as plain Python")
    elif reason is None:
        say("installing reknit; its core is compiled, which takes two minutes")
    else:
        say(f"installing reknit; the core stays plain Python, the same but slower, because {reason}")
    started = time.monotonic()
    _pip(f"{ROOT}[{extras}]" if extras else str(ROOT), plain=not compiled)
    STAMP.write_text(json.dumps({**wanted, "extras": extras, "compiled": compiled}))
    say(f"installed in {time.monotonic() - started:.0f} s: {describe()}")


def installed_plain() -> bool:
    """Whether the core was left plain Python where it might have been compiled."""
    return json.loads(STAMP.read_text())["compiled"] is False


def describe() -> str:
    """The build that the environment imports, in one line."""
    command = [str(python()), str(ROOT / "tools" / "core_modules.py")]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=clean()).stdout.strip()


def clean() -> dict[str, str]:
    """The process's environment without what would make Python import another reknit."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}


def say(text: str) -> None:
    print(f"* {text}", flush=True)


def _pip(*packages: str, plain: bool = False) -> None:
    """Without --no-compile pip would turn all of numpy into bytecode, of which little is run."""
    pip = [str(python()), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile", *packages]
    variables = {**os.environ, "REKNIT_PURE": "1"} if plain else None
    if subprocess.run(pip, env=variables).returncode != 0:
        raise SystemExit("pip could not install what is needed; its message is above")


def _requirements(extras: str) -> list[str]:
    import tomllib  # here, so that an older Python gets as far as being told that it is too old

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [str(requirement) for requirement in project["optional-dependencies"][extras]]


def _digest() -> str:
    """Of everything that the installed package is made from."""
    tools = [ROOT / "tools" / f"{name}.py" for name in ("build_hook", "compile_core", "core_modules", "toolchain")]
    sources = [path for path in (ROOT / "src").rglob("*") if path.is_file() and path.suffix not in (".pyc", ".so")]
    digest = hashlib.sha256()
    for path in sorted([ROOT / "pyproject.toml", ROOT / "README.md", *tools, *sources]):
        digest.update(f"{path.relative_to(ROOT)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
