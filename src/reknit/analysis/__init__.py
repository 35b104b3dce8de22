"""Answers about a function or a module, asked for by type: `analyses.ask(Dominance, function)`. See `manager`.

    order, dominance, natural_loops     of any graph
    uniformity/     which values are equal for a subgroup, workgroup or quad, over the control-flow tree
    flat/           the same question, and constants, over functions without structure
    tangles/        which operations each rule (base, subgroup-uniform, maximal) promises a tangle for, and why not
    typeflow/       which types reach each dynamic call
    aliasing        whether two variables may be one memory, for passes, proofs and runs
    freedoms        which rows of the ledger of freedoms an entry point brings in

What an instruction makes of its operands is one function for trees and flat functions (`uniformity.operations`).
"""
