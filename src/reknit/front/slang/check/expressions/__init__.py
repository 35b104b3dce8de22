"""Expressions: names, members, operators, conversions, values made of parts."""
