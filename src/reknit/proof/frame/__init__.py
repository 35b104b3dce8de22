"""The frame of a proof: every word of two modules that the bodies of their functions don't show, consumed by a rule.

    meanings    types, constants and variables as numbers, equal in both modules where they mean the same
    compare     what is declared: each word is equal on both sides, or a rule says why a difference can't matter
    bodies      what stands beside the instructions of functions: decorations, controls, parameters, alignments
    exports     what other modules may link to

What no rule consumes is named, and the verdict is "sampled" at most.
"""
