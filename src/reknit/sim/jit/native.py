"""LLVM text to machine code for this processor, and calls of it.

llvmlite is imported here, when the first kernel is compiled.
"""

import ctypes
from array import array
from typing import Any

import llvmlite.binding as llvm

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()


def preferred_lanes() -> int:
    """Of a vector. Without AVX-512 a mask of L lanes is L whole words, and fewer are best."""
    features = llvm.get_host_cpu_features()
    if features.get("avx512f") and features.get("avx512vl"):
        return 32
    return 16 if features.get("avx2") else 8


def has_half() -> bool:
    """Whether the processor converts 16-bit floats: else LLVM calls functions that may not be there."""
    return bool(llvm.get_host_cpu_features().get("f16c")) or "aarch64" in llvm.get_default_triple()


def is_known(symbol: str) -> bool:
    """Whether this process has a function of the C library; LLVM would end it at one that it doesn't find."""
    return hasattr(ctypes.CDLL(None), symbol)


class Native:
    """Machine code of a kernel."""

    def __init__(self, text: str) -> None:
        module = llvm.parse_assembly(text)
        target = llvm.Target.from_default_triple()
        machine = target.create_target_machine(
            cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2
        )
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
        builder.getModulePassManager().run(module, builder)
        engine = llvm.create_mcjit_compiler(module, machine)
        engine.finalize_object()
        self.keep: tuple[Any, ...] = (engine, machine, module)  # own the code
        prototype = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
        self.function = prototype(engine.get_function_address("kernel"))

    def run(self, low: int, high: int, context: "array[int]") -> None:
        """Workgroups low .. high - 1."""
        self.function(low, high, context.buffer_info()[0])
