"""Dynamic dispatch made plain.

specialize-dispatch    existentials to tagged unions over the types there can be: shapes, bodies, rewrite, dispatchers
thread-dispatch        calls into the arms where the type is known: possible
lower-dispatch         those to integers, words and switches: cases, waterfall, elements, tags, layouts, inlining
"""
