"""Get the outside tools that tests compare against, into .oracles/ (ignored by git; delete it to start again).

    python3 tools/get_oracles.py [NAME...]      one line for each: found, installed, or skipped and why

reknit itself needs none of them. Nothing is installed on the machine and no rights are needed: Debian and Ubuntu
packages are unpacked by `deb-root.sh` from the mirror that apt already uses, Python packages by pip from where pip
already looks. Each has a time limit; a tool that can't be had here is a skipped oracle, whose tests then say so, never
a failure.
"""

import os
import platform
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ORACLES = ROOT / ".oracles"
C_LIBRARY = ("libc", "libm", "libdl", "libpthread", "librt", "libresolv", "ld-linux-x86-64", "ld-linux-aarch64")
STAMP = ".recipe"  # what the folder was made from; another recipe makes it again


class Unavailable(Exception):
    """This machine can't have the tool; the message says why."""


Recipe = Callable[[Path, float], None]


class Oracle:
    """`recipe` fills an empty folder by its deadline, or raises Unavailable; `version` changes when the recipe does."""

    def __init__(self, name: str, gives: str, version: str, seconds: int, recipe: Recipe) -> None:
        self.name = name
        self.gives = gives
        self.version = version
        self.seconds = seconds
        self.recipe = recipe

    def get(self) -> str:
        """What became of it, in one line."""
        place = ORACLES / self.name
        stamp = place / STAMP
        if stamp.exists() and stamp.read_text() == self.version:
            return "found"
        started = time.monotonic()
        part = ORACLES / f"{self.name}.part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        try:
            self.recipe(part, started + self.seconds)
        except Unavailable as reason:
            shutil.rmtree(part)
            return f"skipped: {reason}"
        (part / STAMP).write_text(self.version)
        shutil.rmtree(place, ignore_errors=True)
        part.rename(place)
        return f"installed in {time.monotonic() - started:.0f} s"


def run(command: list[str], deadline: float, folder: Path | None = None) -> None:
    """Run to the end or to the deadline; a failure is Unavailable with the command's last line."""
    try:
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )
    except OSError as fault:
        raise Unavailable(f"{command[0]}: {fault.strerror}") from fault
    try:
        output, _ = process.communicate(timeout=max(1.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired as fault:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise Unavailable(f"{Path(command[0]).name} ran past its time limit") from fault
    if process.returncode != 0:
        lines = output.strip().splitlines() or [f"exit code {process.returncode}"]
        raise Unavailable(f"{Path(command[0]).name}: {lines[-1]}")


def distribution() -> tuple[str, str]:
    """(ID, VERSION_CODENAME) of /etc/os-release; Unavailable where there is none."""
    try:
        facts = platform.freedesktop_os_release()
    except OSError as fault:
        raise Unavailable("not a Debian or Ubuntu system") from fault
    if facts["ID"] not in ("debian", "ubuntu"):
        raise Unavailable(f"no recipe for {facts['ID']}")
    return facts["ID"], facts.get("VERSION_CODENAME", "")


def unpack(suite: str, folder: Path, deadline: float, *packages: str, alone: bool = False) -> None:
    mode = ["alone"] if alone else []
    run([str(ROOT / "tools" / "deb-root.sh"), *mode, suite, str(folder), *packages], deadline)


def newest_suite() -> str:
    """Programs from here bring their own C library, so their age need not be the system's."""
    return {"debian": "sid", "ubuntu": "devel"}[distribution()[0]]


def get_spirv(folder: Path, deadline: float) -> None:
    unpack(newest_suite(), folder, deadline, "spirv-tools")


def get_glslang(folder: Path, deadline: float) -> None:
    unpack(newest_suite(), folder, deadline, "glslang-tools")


def get_mesa(folder: Path, deadline: float) -> None:
    """A driver is loaded into Python's process, so it comes from the system's own release and uses its C library."""
    system, release = distribution()
    suite = {"bookworm": "bookworm-backports"}.get(release, release if system == "debian" else f"{release}-updates")
    unpack(suite, folder, deadline, "mesa-vulkan-drivers", "libvulkan1")
    libraries = next(folder.glob("usr/lib/*-linux-gnu*"))
    for library in libraries.iterdir():
        if library.name.split(".so")[0] in C_LIBRARY:
            library.unlink()
    for other in libraries.glob("libvulkan_*.so"):  # drivers of real devices: not this folder's business
        if other.name != "libvulkan_lvp.so":
            other.unlink()


def get_swiftshader(folder: Path, deadline: float) -> None:
    """Chromium carries it, with a Vulkan loader of its own; three files are kept."""
    system, release = distribution()
    if system != "debian":
        raise Unavailable("only Debian packages Chromium's files")
    unpack(release, folder, deadline, "chromium-common", alone=True)
    package = folder / "usr" / "lib" / "chromium"
    for name in ("libvk_swiftshader.so", "libvulkan.so.1", "vk_swiftshader_icd.json"):
        (package / name).rename(folder / name)
    shutil.rmtree(folder / "usr")
    shutil.rmtree(folder / "etc", ignore_errors=True)


def get_slangpy(folder: Path, deadline: float) -> None:
    """SPIRV-Tools' validator and disassembler as a library: 0.3 ms a module where starting spirv-val costs 3 ms."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    run([*pip, "--dest", str(folder), "slangpy==0.43.1"], deadline)
    wheel = next(folder.glob("*.whl"))
    with zipfile.ZipFile(wheel) as files:
        members = [name for name in files.namelist() if "libslang-glslang" in name]
        if not members:
            raise Unavailable("the slangpy wheel holds no libslang-glslang")
        (folder / "libslang-glslang.so").write_bytes(files.read(members[0]))
    wheel.unlink()


def get_slangc(folder: Path, deadline: float) -> None:
    """Slang's compiler from one wheel; SPIRV-Tools, which it loads by its own version's name, from another."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise Unavailable("the packages have no slangc for this machine")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    run([*pip, "--dest", str(folder), "slangtorch==1.3.22", "slangpy==0.43.1"], deadline)
    wheels = sorted(folder.glob("*.whl"), reverse=True)  # slangtorch first
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as files:
            for member in files.namelist():
                name = member.rsplit("/", 1)[-1]
                if member.startswith("slangtorch/bin/"):
                    (folder / name).write_bytes(files.read(member))
                elif "libslang-glslang" in name:
                    (folder / "libslang-glslang-2026.14.1.so").write_bytes(files.read(member))
        wheel.unlink()
    compiler = folder / "slangc"
    if not compiler.exists():
        raise Unavailable("the slangtorch wheel holds no slangc")
    compiler.chmod(0o755)
    run([str(compiler), "-v"], deadline)


def get_dxc(folder: Path, deadline: float) -> None:
    """The DirectX shader compiler as a library, which the source package of compushady carries for several machines."""
    machine = {"x86_64": "x86_64", "aarch64": "aarch64"}.get(platform.machine())
    if machine is None or sys.platform != "linux":
        raise Unavailable("the package has no libdxcompiler for this machine")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    run([*pip, "--dest", str(folder), "compushady==0.17.5"], deadline)
    archive = next(folder.glob("*.tar.gz"))
    wanted = f"libdxcompiler_{machine}.so.3.7"
    with tarfile.open(archive) as files:
        for member in files:
            if member.name.endswith(f"/{wanted}"):
                found = files.extractfile(member)
                assert found is not None
                (folder / "libdxcompiler.so").write_bytes(found.read())
                break
        else:
            raise Unavailable(f"the package holds no {wanted}")
    archive.unlink()


ALL = [
    Oracle("spirv", "spirv-val, spirv-as, spirv-dis, spirv-opt", "1 newest", 120, get_spirv),
    Oracle("glslang", "glslangValidator: GLSL to SPIR-V", "1 newest", 120, get_glslang),
    Oracle("slangpy", "SPIRV-Tools in process", "1 slangpy 0.43.1", 120, get_slangpy),
    Oracle("mesa", "lavapipe, a Vulkan device of 4, 8 or 16 lanes", "1 release", 180, get_mesa),
    Oracle("dxc", "the DirectX shader compiler: HLSL to DXIL", "1 compushady 0.17.5", 180, get_dxc),
    Oracle("slangc", "Slang's compiler", "1 slangtorch 1.3.22", 180, get_slangc),
    Oracle("swiftshader", "SwiftShader, a Vulkan device of 4 lanes", "1 release", 120, get_swiftshader),
]


def main(names: list[str]) -> int:
    unknown = set(names) - {oracle.name for oracle in ALL}
    if unknown:
        print(f"no such oracle: {', '.join(sorted(unknown))}; there are {', '.join(oracle.name for oracle in ALL)}")
        return 2
    for oracle in ALL:
        if not names or oracle.name in names:
            print(f"  {oracle.name:12} {oracle.get()}  ({oracle.gives})", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
