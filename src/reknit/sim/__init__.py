"""Execution by the letter of SPIR-V's reconvergence rules.

    ir.Module ── flatten ──▶ code blocks ── machine, joins ──▶ Result (buffers, findings, trace)
                                 │
                                 ├── ops/      what instructions compute, a list or a register of lanes at a time
                                 ├── shadow/   what is undefined, and what floats may be, beside each value
                                 ├── stages/   inputs and outputs of vertex, fragment and compute shaders
                                 └── jit/      the same meaning as native code, for large dispatches

`machine` is the definition that passes, proofs, native code and drivers are compared with; read it beside the
extension's text. A tangle is a column of lanes (`lanes`), the frames it is in count them (`joins`). `policy` has what a
run chooses where the specifications leave a choice; `outcomes` goes through all choices within one `budget`.

Values of at most 32 bits are registers (`registers`): a flat column of machine words, one per lane. A hot operation has
a loop of its own over words (`ops.kernels`), which tests compare with its function; the others work on lists.
"""
