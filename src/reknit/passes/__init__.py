"""Rewrites, one per file: a function, and a contract that says what must hold before, what holds after, and which
analyses stay valid. None may change tangles. `pipelines` lists them with a reason per line, `manager` runs
them and checks the order first, and the verifier judges the tree after each.

    switches/ structurize/ dispatch/ values/ ...     tests/unit/passes/documents/*.md show each before and after
"""
