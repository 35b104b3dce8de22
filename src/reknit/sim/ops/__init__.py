"""What each instruction computes: `table` for ordinary ones, `glsl`, `group`, `atomic` for the rest."""
