"""Dynamic dispatch made plain.

specialize-dispatch    existentials to tagged unions over the types there can be: shapes, casts, rewrite, memory, calls
thread-dispatch        calls into the arms where the type is known: possible
lower-dispatch         those to integers, words and switches: cases, waterfall, layouts, packing, tags, lower, inlining
"""
