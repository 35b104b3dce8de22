"""Undefined values, tracked beside the words of a run.

    plain run       the first undefined value that comes to be raises UndefinedMet; nothing else is paid
    tracked run     the same run from its start: each step is followed by a rule that says which of its results may be
                    anything (`tracker`)

A second run was chosen over bits beside every value of the first: most runs never meet an undefined value, and what
they do is untouched. A run that meets one is deterministic, so that it comes to the same place again. From then on the
program is run tracked from the start.

    shapes      what a shadow is: 0, the number of a source, or a tuple of shadows
    fixed       operations whose result does not depend on an operand that may be anything: x & 0
    values      ordinary instructions         groups    group operations
    memory      loads, stores, atomics        images    texels
    assigned    variables that are written before they are read, for which nothing has to be watched

Source: SPIR-V 1.6, OpUndef: "Each consumption of Result <id> yields an arbitrary, possibly different bit pattern or
abstract value". That holds here of every undefined value, wherever it comes from: `x ^ x` of one is undefined too.
"""
