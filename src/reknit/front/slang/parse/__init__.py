"""From tokens to the syntax tree, a class for each kind of text."""
