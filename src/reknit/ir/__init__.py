"""The IR: nouns for a shader module, its control-flow tree, and the few verbs that edit them.

    Module ─ globals (types, constants, variables: Instr)
           └ Function ─ body: Region ─ Block ─ Instr ... Jump
                                     ├ If(then, orelse)
                                     ├ Loop(body, continuing)
                                     ├ Switch(cases in order)
                                     └ Scope(body)

Worth knowing before one edits it:

- The graph is not stored. `cfg` reads successors and predecessors off the tree, and each costs as much as it returns,
  so tree and graph can't disagree. Jumps are registered at the construct that they leave.
- A region is `block+ (construct block+)*`. Two constructs never touch, but two blocks may follow each other, as in
  SPIR-V modules: a module that nothing edits is written back byte for byte. `simplify-cfg` joins them.
- Padding blocks are added where an edge or a construct needs a block. The writer (`spirv.labels`) skips those that are
  empty and whose label nothing needs.
- A construct is `merged` if it was read from a merge instruction: invocations that enter it together meet after it. The
  others only group what a branch without a merge instruction leads to, and no invocation waits at their end.
- `break` leaves any enclosing construct. What SPIR-V has no branch for is lowered by `eliminate-multi-level-breaks`;
  the writer refuses it with a diagnostic.
- Edits are counted: each verb of `edit` counts at its function, control flow (`control_edits`) apart from instructions
  (`code_edits`). An analysis says which of the two it reads.
- `integers`, `floats` and `folding` compute constants, exactly or not at all, for folding, type flow, trip counts and
  Slang's constants. The simulator has arithmetic of its own, so that each can judge the other.
- `flat_graph` has a directed graph in columns and the one depth-first walk of it, from which dominators, loops and
  orders of blocks are made.
- An instruction knows its line where it was read from a text (`source_places`); OpLine and DebugLine take precedence.
- An unstructured function is a flat list of blocks with plain branches. Passes that need the tree leave it alone and
  say so.

Opcodes: `op` and `opcodes.txt` have numbers, operands, capabilities and extensions, made from the Khronos grammar and
tools/own.grammar.json. `traits` has effects, memory, tangles, uniformity and identities, made from tools/ops.toml,
which has a row per opcode and a sentence for each word that a row may have: `code in traits.COMMUTES`,
`traits.TANGLED[code] == "quad"`. What a row doesn't say is not assumed.

Dynamic dispatch (`dispatch`, opcodes from 65536 on, which no SPIR-V binary can hold) has three levels, each of which
prints, verifies and runs, so that each is checked against the one before:

    existentials    MakeExistential, LookupWitness, CallDynamic             made by front ends
    sets            tags and tagged unions over the types at each place     specialize-dispatch, from analysis.typeflow
    plain SPIR-V    dense tags, packed payloads, a switch for each call     lower-dispatch
"""
