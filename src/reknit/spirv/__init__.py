"""SPIR-V binaries and assembly, in both directions.

    bytes ── words ──▶ columns ── read, to_tree ──▶ ir.Module ── write, labels ──▶ columns ──▶ bytes
                          └── rules/ judges control flow, form/ whether all else is well formed

The rules work on columns of words, without a tree: a function per rule, registered in `rules.catalog`.
"""
