"""Statements, and what each of them may be in."""
