"""Proof without a run: two programs as terms over the values of one invocation, equal where the terms are.

    module ──walk──▶ terms of every effect: which invocations reach it, with which operands, after which others
    two modules, one table of terms ──▶ the same set of effects, loops matched by assuming it? ──▶ proved, or the first
                                        place where the two differ

Under maximal reconvergence the invocations that execute an operation together are, in each iteration of the loops
around it, those whose own path leads there. So a tangled operation is a function of two things that one invocation's
terms say: the condition under which it is reached, and its operands. Nothing about inputs, subgroup sizes or workgroups
is used. `docs/prove.md` has what this rests on.

    kinds, table, diagrams, reaches, sums, bits, ordered, algebra, arrays, iterations      terms, and what is equal
    traversal, frames, states                                     a function as steps; calls; the state of a walk
    values, memory, operations, switches, loops, walk, events     one program as terms
    dispatch, payloads, packing, carried                          what is dynamic, in bits, or carried by a loop
    assumptions, compare, gaps, judge                             two programs, and what they differ in
    peeling, summaries                                            iterations, and functions, by themselves
"""
