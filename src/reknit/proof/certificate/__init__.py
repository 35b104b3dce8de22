"""Certificates: what corresponds in two programs, written down so that a short checker can follow it line by line.

    find, live      both programs side by side, as far as it takes to say what is equal where their paths meet again
    check           follows the lines: from each pair of steps that a certificate names to the next ones
    follow          both programs, a step at a time: what the two do together, what one does alone
    steps, terms    the programs as lists of steps; their values

`docs/prove.md` has the format, what is checked, and what the checker doesn't know. The checker is `check`, `follow`,
`steps` and `terms`; nothing of it depends on the other two.
"""
