"""Generic parameters and their arguments, written or inferred."""
