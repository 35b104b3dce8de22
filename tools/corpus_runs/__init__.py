"""Shaders of public projects through reknit: which there are, what compiles them first, what became of each.

`projects` reads projects.toml and lays a project's files out, `shaders` names what is tried of a set of files,
`outside` asks the compilers that the shaders were written for, `one` judges a few files in a process of their own,
`table` counts.
"""
