"""Analyses of flat functions, which have blocks and edges and no tree.

    flow              blocks and edges by number, ranks and dominators
    executable_edges  conditional constant propagation over known bits
    divergence        which values, branches and loops may differ between the lanes of a tangle
"""
