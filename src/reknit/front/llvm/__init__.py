"""LLVM IR and DXIL.

    container   DXBC parts                     bitcode    bytes -> LLVM's printed text, through llvmlite
    lexer, syntax, parse_*                     the printed text -> its nouns
    metadata    entry points, resources        convergence    which loop a block is in, where the graph doesn't say
    inline, points   what calls of functions with pointers become, and which objects pointers lead to
    lower, wide, places, copies    nouns -> flat functions        dxil_*, opencl, intrinsics    what calls mean
    library/    functions of numbers that are several instructions: written in Slang, shipped lowered

`load.read_llvm` is the door.
"""
