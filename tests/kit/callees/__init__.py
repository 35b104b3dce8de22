"""Wrong calls of everything that foreign text can call by name, made from the tables of signatures themselves.

spirv    every extended instruction    x operands too few and too many, each operand and the result of another type
llvm     every function that LLVM IR and DXIL can call    x the same
verbs    each through check, compile, run, lint and prove: InputError may come out of these, nothing else may
"""
