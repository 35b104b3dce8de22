"""Shaders of public projects through reknit: which there are, what compiles them first, what became of each.

`projects` reads projects.toml and lays a project's files out, `shaders` names what is tried of a set of files,
`recorded` asks a project's own generator for macros, `outside` the compilers that the shaders were written for; `one`
judges a few files in a process of their own; `references` says what other compilers make of a source, `aligned` gives
both modules the same numbers, `given` the same inputs, `sides` runs them, `values` compares them; `kept` is where a run
is taken up again, `table` counts.
"""
