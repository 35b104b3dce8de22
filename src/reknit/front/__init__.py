"""Readers: a file or a text in, a module and diagnostics out. `slang` reads Slang and HLSL, `llvm` LLVM IR and DXIL,
`amber` scripts for drivers; GLSL goes through glslang. `load` is the door.
"""
