"""The documentation as a web site: python tools/docs_site.py [OUT] [--playground] [--external]

    docs/, examples/, CONTRIBUTING.md, pages of codes ...  ──site_pages──▶  .site/pages  ──Sphinx──▶  OUT (site/)

A warning ends it with an error, and so does a link that leads nowhere on the site. Links that lead elsewhere are listed
in .site/links.txt; `--external` asks each of them. `--playground` puts the playground beside the pages, which takes
Node and npm. Sphinx, and what reknit imports, get an environment of their own in .site, made anew when that changes.
"""

import argparse
import shutil
import sys
import tomllib
from pathlib import Path

import environment
import site_links
import wheels
from environment import ROOT, say

SPHINX = ("sphinx>=9,<10", "myst-parser>=5,<6", "furo>=2025.12")
WORK = ROOT / ".site"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Build the documentation as a web site.")
    parser.add_argument("out", type=Path, nargs="?", default=ROOT / "site")
    parser.add_argument("--playground", action="store_true", help="with the playground, which takes Node and npm")
    parser.add_argument("--external", action="store_true", help="ask each address outside whether it is there")
    options = parser.parse_args(words)
    out = options.out.resolve()
    pages = WORK / "pages"
    for folder in (pages, out):
        shutil.rmtree(folder, ignore_errors=True)
    python = interpreter()
    here = {**environment.clean(), "PYTHONPATH": str(ROOT / "src")}
    asked = ["--playground"] if options.playground else []
    wheels.run([python, str(ROOT / "tools" / "site_pages.py"), str(pages), *asked], here)
    for builder, target in [("html", out), *([("linkcheck", WORK / "linkcheck")] if options.external else [])]:
        strict = ["--fail-on-warning", "--keep-going", "--quiet", "--jobs", "auto", "-d", str(WORK / "doctrees")]
        wheels.run([python, "-m", "sphinx", *strict, "-b", builder, str(pages), str(target)])
    if options.playground:
        wheels.run([python, str(ROOT / "tools" / "playground.py"), str(out / "playground")], here)
    faults = site_links.broken(out)
    elsewhere = site_links.outside(out)
    (WORK / "links.txt").write_text("".join(f"{link}  {', '.join(named)}\n" for link, named in elsewhere.items()))
    say(f"{len(list(out.rglob('*.html')))} pages in {out}; {len(elsewhere)} addresses outside, in {WORK / 'links.txt'}")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def interpreter() -> str:
    """That of an environment with Sphinx and what reknit imports; reknit itself is taken from src/."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    packages = [*SPHINX, *project["dependencies"]]
    folder = WORK / "environment"
    stamp = folder / "packages.txt"
    if not stamp.exists() or stamp.read_text() != "\n".join(packages):
        shutil.rmtree(folder, ignore_errors=True)
        wheels.new_environment(folder, *packages)
        stamp.write_text("\n".join(packages))
    return str(wheels.interpreter(folder))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
