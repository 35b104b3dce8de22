"""The IR: nouns for a shader module, its control-flow tree, and the few verbs that edit them.

    Module ─ globals (types, constants, variables: Instr)
           └ Function ─ body: Region ─ Block ─ Instr ... Jump
                                     ├ If(then, orelse)
                                     ├ Loop(body, continuing)
                                     ├ Switch(cases in order)
                                     └ Scope(body)
"""
