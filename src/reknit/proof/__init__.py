"""Whether one program refines another: every result and tangle of the second is one that the first allows.

    normal_form/    terms for what each effect depends on: equal terms are a proof for every input
    solver/         asks z3 what terms leave open
    frame/          what two modules declare, word by word: equal, harmless by a rule, or named
    certificate/    writes what corresponds, and checks it
    and runs, over inputs, subgroup sizes and choices, where terms decide nothing
"""
