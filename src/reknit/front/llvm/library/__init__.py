"""Functions of numbers that are more than an instruction of SPIR-V: written in Slang, shipped lowered.

    integers.slang  floats.slang  dxil.slang      as one reads them beside the specification
    integers.rk     floats.rk     dxil.rk         made of those by tools/gen_llvm_library.py, one function for each type
    expand.py                                     puts a function of those where a call of it is
"""
