"""LLVM text to machine code for this processor, and calls of it.

    text ──▶ module in a context of its own ──▶ LLVM's passes ──▶ object ──▶ loaded

llvmlite is imported here, in a process of its own (`compiler`). Constants and types live as long as LLVM's context
does: one for each program lets all of it go.
"""

import ctypes
from array import array
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from reknit.sim.jit.processor import PLAIN, QUICK, Processor

for option in (
    "-disable-lsr",  # takes 40 loops in a row 1.8 s, and gives no faster code of five kernels
    "-scalar-evolution-huge-expr-threshold=8",  # without, 4 s for 40 loops where it's 0.3 s, and the same code
    "-enable-misched=0",  # takes quadratic time in long blocks, for the same speed of five kernels
):
    llvm.set_option("reknit", option)
llvm.initialize_native_target()
llvm.initialize_native_asmprinter()


@cache
def host() -> Processor:
    compiler = f"LLVM {'.'.join(map(str, llvm.llvm_version_info))}, llvmlite {llvmlite.__version__}"
    cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return Processor(llvm.get_default_triple(), cpu, features, compiler)


def machine_for(processor: Processor, level: int) -> Any:
    target = llvm.Target.from_triple(processor.triple)
    return target.create_target_machine(cpu=processor.cpu, features=processor.features, opt=0 if level == PLAIN else 1)


def compiled(text: str, processor: Processor, level: int) -> bytes:
    """An object, by `level`. Raises RuntimeError where LLVM refuses the text. llvmlite has no way to free a
    pipeline that it builds: some 60 KB stay with the process, each time."""
    machine = machine_for(processor, level)
    module = llvm.parse_assembly(text, llvm.create_context())
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))
    if level == QUICK:
        run_few(module, builder)
    elif level != PLAIN:
        builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


def run_few(module: Any, builder: Any) -> None:
    """Slots become phis; what they made constant goes; blocks are joined. NewGVN isn't asked: it fails an assertion of
    its own on some programs."""
    passes = llvm.create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_sccp_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


class Native:
    """Machine code of a kernel."""

    def __init__(self, code: bytes, processor: Processor) -> None:
        empty = llvm.parse_assembly("", llvm.create_context())
        engine = llvm.create_mcjit_compiler(empty, machine_for(processor, QUICK))
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        self.engine = engine  # owns the code
        prototype = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
        self.function = prototype(engine.get_function_address("kernel"))

    def run(self, low: int, high: int, context: "array[int]") -> None:
        """Workgroups low .. high - 1."""
        self.function(low, high, context.buffer_info()[0])
