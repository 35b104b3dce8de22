"""What the algebra of terms doesn't know of bits, asked of z3 where it is installed (`reknit[proof]`).

    two terms, where a condition holds ──words──▶ formulas over bit vectors ──ask──▶ equal for all values, or not

Without z3 nothing is asked, and the rest of a proof is as it is.
"""
