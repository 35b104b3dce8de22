"""Smaller inputs with the same fault: a module made small, and the run of a pass that a fault begins with."""
