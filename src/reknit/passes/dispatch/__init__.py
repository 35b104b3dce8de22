"""Dynamic dispatch made plain.

specialize-dispatch    existentials to tagged unions over the types there can be: shapes, casts, rewrite, memory, calls
lower-dispatch         those to integers, words and switches: layouts, packing, tags, lower
"""
