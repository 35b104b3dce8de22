"""Declarations: entries for their names, their types when first asked for, and their bodies."""
