"""Where things are in the input, and what there is to say about them."""
