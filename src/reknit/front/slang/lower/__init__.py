"""From a checked program to a module of the IR, starting at the entry points.

    Program ─ entry points ─▶ worklist of instances (function, arguments) ─▶ bodies ─▶ ir functions
                                   ▲                                          │
                                   └── calls, entries of witness tables ◀─────┘

`state` is the module as it grows, `instances` which functions there are, `body` one function with its frames, `lvalues`
what can be loaded and stored; `statements`, `expressions`, `operators`, `conversions`, `calls` and `existentials` are
what hir is made of. `tables` are the witness tables, `parameters` the shader's parameters, `entries` its entry points.
"""
