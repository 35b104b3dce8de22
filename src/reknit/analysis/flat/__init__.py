"""Analyses of flat functions, which have blocks and edges and no tree.

    flow              blocks and edges by number, ranks and dominators
    known_bits        which bits of a value may be set, and which are
    executable_edges  conditional constant propagation over these
    divergence        which values, branches and loops may differ between the lanes of a tangle
"""
