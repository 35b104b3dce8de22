"""What compiles a test: this project's own reader of Slang, or Slang's compiler. The one place that knows how.

    Job (file, macros, conformances...)   --compile-->   Module   --run_job-->   words of the outputs

Running is always this project's simulator.
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Protocol, final

import reknit
from reknit.ir.module import Module
from reknit.sim.policy import Policy
from reknit.sim.run import Program, prepare
from reknit.source.diagnostic import ERROR, Diagnostic, InputError
from slang_tests.arguments import Arguments
from slang_tests.declared import base_of, declared_type, pointee, scalar_of, without_comments
from slang_tests.directives import read_directives
from slang_tests.inputs import Inputs
from slang_tests.output import shown
from slang_tests.places import Places, element_type, steps_of
from slang_tests.placing import Output, Placing
from slang_tests.values import Group, Made, Node, Row

ROOT = Path(__file__).resolve().parent.parent.parent
SLANGC = ROOT / ".oracles" / "slangc" / "slangc"
MAX_STEPS = 20_000_000


class Unsupported(Exception):
    """What isn't there to run a test; `feature` is what tests are grouped by."""

    def __init__(self, feature: str, detail: str = "") -> None:
        super().__init__(feature)
        self.feature = feature
        self.detail = detail


class Failed(Exception):
    """A program that goes wrong when it is run."""


@final
class Job:
    """A file to compile. `folder` is where the repository is: paths of options are relative to it."""

    __slots__ = ("path", "folder", "source", "arguments", "inputs")

    def __init__(self, path: Path, folder: Path, source: str, arguments: Arguments, inputs: Inputs) -> None:
        self.path = path
        self.folder = folder
        self.source = source
        self.arguments = arguments
        self.inputs = inputs

    def conformances(self) -> list[tuple[str, str, int]]:
        """(type, interface, number): those that the test names, then the types that it only makes values of. Where it
        doesn't give a number they are numbered as they come, for each interface from 0."""
        wanted = list(self.inputs.conformances)
        named = {implementer for implementer, _, _ in wanted}
        for type in dict.fromkeys(made_types(self.inputs.root)):
            base = base_of(self.source, type)
            if type not in named and base:
                wanted.append((type, base, -1))
        found: list[tuple[str, str, int]] = []
        for implementer, interface, number in wanted:
            before = [other for _, same, other in found if same == interface]
            found.append((implementer, interface, number if number >= 0 else max(before, default=-1) + 1))
        return found


class Engine(Protocol):
    def compile(self, job: Job) -> Module:
        """Raises Unsupported."""
        ...


@final
class Reknit:
    """This project's reader."""

    def compile(self, job: Job) -> Module:
        arguments = job.arguments
        for option in arguments.others:
            raise Unsupported(f"compiler option {option}")
        unmade = set(job.inputs.entry_types) - set(made_types(job.inputs.root))
        if unmade:  # the others are those of values that are given, and known by them
            raise Unsupported("types for an entry point's parameters")
        from reknit.front.slang.compile import Settings, compile_slang
        from reknit.front.slang.options import Options

        pairs = [define.partition("=") for define in arguments.defines]
        defines = {name: text for name, _, text in pairs}
        folders = [os.path.join(job.folder, include) for include in arguments.includes]
        layouts = arguments.buffer_layout, arguments.matrix_layout, arguments.bit_fields
        options = Options(defines, folders, None, *layouts, arguments.year)
        settings = Settings(options, [arguments.entry], job.conformances())
        try:
            imported = imports_of(job)
            if imported:
                return compile_slang(job.source + imported, str(job.path), settings)
            return reknit.load(job.path, format="slang", settings=settings)
        except InputError as error:
            raise unsupported(error.diagnostics) from error


@final
class Slangc:
    """Slang's compiler to SPIR-V, which is the yardstick of what can be had at all."""

    def __init__(self, program: Path = SLANGC) -> None:
        self.program = program

    def compile(self, job: Job) -> Module:
        if not self.program.exists():
            raise Unsupported("slangc is not here: python3 tools/get_oracles.py slangc")
        with tempfile.TemporaryDirectory() as folder:
            product = os.path.join(folder, "product.spv")
            done = subprocess.run(
                self.command(job, product), capture_output=True, text=True, errors="replace", cwd=job.folder
            )
            if done.returncode != 0 or not os.path.exists(product):
                raise Unsupported(refusal(done.stdout + done.stderr), done.stderr[-2000:])
            try:
                return reknit.load(product)
            except InputError as error:
                raise unsupported(error.diagnostics) from error

    def command(self, job: Job, product: str) -> list[str]:
        arguments, inputs = job.arguments, job.inputs
        refuse_types(inputs)
        command = [str(self.program), str(job.path), "-target", "spirv"]
        command += [] if arguments.matrix_layout else ["-matrix-layout-row-major"]
        command += [word for word in arguments.compiler if word != "-obfuscate"]  # which takes the names
        command += ["-entry", arguments.entry, "-stage", "compute"]
        for name in inputs.entry_types:
            command += ["-specialize", name]
        conformances = job.conformances()
        if not inputs.conformances and len(conformances) < 2:
            conformances = []  # a single one is number 0 by itself; naming it leaves out those that it refers to
        for implementer, interface, number in conformances:
            command += ["-conformance", f"{implementer}:{interface}={number}"]
        if arguments.allow_glsl and "-allow-glsl" not in arguments.compiler:
            command.append("-allow-glsl")
        return [*command, "-o", product]


def imports_of(job: Job) -> str:
    """What stands for `-r library`, the module that the test compiles to it, and for `-allow-glsl`."""
    lines = ["\nimport glsl;"] if job.arguments.allow_glsl else []
    made = {
        directive.arguments[at + 1]: source
        for directive in read_directives(job.source)
        if directive.command == "COMPILE" and "-o" in directive.arguments
        for at in [directive.arguments.index("-o")]
        for source in directive.arguments
        if source.endswith(".slang")
    }
    for library in job.arguments.libraries:
        source = made.get(library)
        if source is None or (job.folder / source).parent != job.path.parent:
            raise Unsupported("compiler option -r with what the test doesn't compile")
        lines.append(f"\nimport {Path(source).stem.replace('-', '_')};")
    return "".join(lines)


ENGINES: dict[str, type[Reknit] | type[Slangc]] = {"reknit": Reknit, "slangc": Slangc}


def refuse_types(inputs: Inputs) -> None:
    """`__Dynamic` asks for what is done anyway; any other type would have to be put in at link time."""
    if any(name != "__Dynamic" for name in inputs.global_types):
        raise Unsupported("types for global parameters")


def run_job(engine: Engine, job: Job, subgroup_size: int) -> tuple[list[str], list[Diagnostic]]:
    """The text of the outputs after the run, and what the simulator had to say. Raises Unsupported, Failed,
    Malformed."""
    module = engine.compile(job)
    arguments = job.arguments
    size = arguments.wave_size or subgroup_size
    entry = arguments.entry if entry_named(module, arguments.entry) else None
    try:
        program = prepare(module, entry, subgroup_size=size)
        numbers = {implementer: number for implementer, _, number in job.conformances()}
        placing = Placing(Places(program), without_comments(job.source), numbers)
        placing.place_all(job.inputs.root)
        result = program.run(Policy(), arguments.groups, placing.given, None, MAX_STEPS)
    except InputError as error:
        raise unsupported(error.diagnostics) from error
    if not result.finished:
        raise Failed(next(str(found) for found in result.diagnostics if found.severity == ERROR))
    lines: list[str] = []
    for output in placing.outputs:
        lines += shown(words_after(program, output), output_type(placing, output) if arguments.typed else "")
    return lines, result.diagnostics


def entry_named(module: Module, name: str) -> bool:
    return any(point.text(2) == name for point in module.entry_points)


def words_after(program: Program, output: Output) -> list[int]:
    """The program may have written less than the test's buffer holds, or know of less."""
    pointed = [buffer for buffer in program.preparation.space.given if buffer.name == output.address]
    buffer = pointed[0] if pointed else output.buffer
    if buffer is None:
        return output.words
    written = list(buffer.words)
    return written[: len(output.words)] + output.words[len(written) :]


def output_type(placing: Placing, output: Output) -> str:
    """What the buffer is declared to hold, where that can't be seen in the program."""
    outer, inner = declared_type(placing.source, steps_of(output.path)[-1])
    if output.address:
        return scalar_of(pointee(placing.source, steps_of(output.path)[-1]))
    if "ByteAddress" in outer:
        return ""
    if inner.startswith("bool"):
        return "bool"
    seen = element_type(placing.places, output.buffer) if output.buffer is not None else ""
    return seen or scalar_of(inner)


def made_types(value: Node) -> list[str]:
    """The types of all values that a test makes, in order, but buffers."""
    parts: list[Node] = []
    found: list[str] = []
    if isinstance(value, Made):
        if value.type and "Buffer<" not in value.type:
            found.append(value.type)
        parts = [value.content]
    elif isinstance(value, Row):
        parts = list(value.elements)
    elif isinstance(value, Group):
        parts = [field for _, field in value.fields]
    for part in parts:
        found += made_types(part)
    return found


def unsupported(diagnostics: list[Diagnostic]) -> Unsupported:
    """The first diagnostic, with what is particular to the file left out."""
    first = diagnostics[0]
    message = re.sub(r"(can't run \w+)(?: [^:]*)?:", r"\1:", first.message)
    message = re.sub(r"[0-9]+", "N", unnamed(message))
    return Unsupported(f"{first.code}: {message}", "\n".join(str(found) for found in diagnostics))


def unnamed(message: str) -> str:
    """A message without the names that it has in quotes."""
    return re.sub(r"(?<!\w)'[^']*'|\"[^\"]*\"|%[\w.]+", "…", message)


def refusal(said: str) -> str:
    """The first error of slangc, without what is particular to the file."""
    match = re.search(r"error\[?\s*(E?\d+)\]?:\s*(.*)", said)
    if match is None:
        return "slangc: " + (said.strip().splitlines() or ["no output"])[0][:100]
    return f"slangc {match[1]}: {unnamed(match[2])}"
