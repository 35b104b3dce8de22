"""Native code for an entry point: its control-flow tree as LLVM text, in which a vector's lanes are invocations.

    Program ──▶ facts (what varies, what needs a mask) ──▶ emit (LLVM text) ──▶ outside (machine code) ──▶ run

    text < floats < extended < arithmetic < groups      scalars and vectors as LLVM text
         < places < inputs < memory                     where pointers lead, built-in variables, loads and stores
         < images                                       texels
         < pointers                                     pointers that are values
         < slots < instructions < jumps < emit          values across blocks, one instruction, how lanes leave, the tree
    lowering                                            dynamic dispatch becomes switches first
    processor, native < compiler                        in a process of its own: LLVM, and the code that it makes
    cache < outside                                     that process, asked; machine code, kept on disk
    kernel, run                                         the function around it; a dispatch

The interpreter is the definition, and this computes what it does under the default policy, bit by bit: a float is its
bits, a NaN that is computed is the canonical one, and where the interpreter would report something, native code stops
and the interpreter runs the dispatch instead. llvmlite is imported in the other process alone.
"""
