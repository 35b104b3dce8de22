"""Functions of numbers that are more than an instruction of SPIR-V: written in Slang, shipped lowered.

    integers, floats, conversions, dxil .slang     as one reads them beside the specification, for a type T
    integers, floats, conversions, dxil .rk        made of those by tools/gen_llvm_library.py, a function for each type
    expand.py                                      puts a function of those where a call of it is
"""
