"""reknit: knows which invocations of a shader run together, and rewrites its control flow without changing that."""
