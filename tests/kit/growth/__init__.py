"""How the work of commands grows with their input: counted, not timed.

    shapes     modules and sources of a given size, each with one thing that there is much of
    commands   what is done with them
    counted    reknit's sources, run with counters in them
    measured   the exponent of a command on a shape, and the functions that it comes from
"""
